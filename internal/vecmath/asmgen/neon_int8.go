package main

import "fmt"

// neonInt8Rows writes the routines that round rows and panels to 8 bits.
func neonInt8Rows(w *writer) {
	neonBounds(w)
	neonRound(w)
	neonColumnMax(w)
	neonPack(w)
	neonScaleMax(w)
	neonPackTiles(w)
}

// neonBounds writes the least and the largest of n values and 0 (a multiple of
// eight), and a third result that is NaN when a value is not finite.
func neonBounds(w *writer) {
	w.fn("boundsNEON", "(x *float32, n int) (low, high, zero float32)", 28)
	w.op("MOVD x+0(FP), R0")
	w.op("MOVD n+8(FP), R1")
	const low, high, products, zero, x = 0, 2, 4, 6, 16
	w.zeroVectors(low, zero)
	w.label("loop")
	w.op("FLDPQ.P 32(R0), (F%d, F%d)", x, x+1)
	for i := range 2 {
		w.float("fmin", low+i, low+i, x+i)
		w.float("fmax", high+i, high+i, x+i)
		w.fmla(products+i, x+i, zero)
	}
	w.op("SUBS $8, R1, R1")
	w.op("BGT loop")
	w.float("fmin", low, low, low+1)
	w.float("fmax", high, high, high+1)
	w.float("fadd", products, products, products+1)
	w.word(0x6eb0f800|low<<5|low, "fminv s%d, v%d.4s", low, low)
	w.word(0x6e30f800|high<<5|high, "fmaxv s%d, v%d.4s", high, high)
	w.sumLanes(products)
	w.op("FMOVS F%d, low+16(FP)", low)
	w.op("FMOVS F%d, high+20(FP)", high)
	w.op("FMOVS F%d, zero+24(FP)", products)
	w.leave()
}

// neonRound writes n values (a multiple of 16) as signed bytes, 128 less than
// what they are rounded to.
func neonRound(w *writer) {
	w.fn("roundNEON", "(dst *byte, x *float32, n int, low, inverse float32)", 32)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD x+8(FP), R1")
	w.op("MOVD n+16(FP), R2")
	const low, inverse, sign = 16, 17, 18
	w.broadcast("low+24(FP)", low)
	w.broadcast("inverse+28(FP)", inverse)
	w.op("VMOVI $128, V%d.B16", sign)
	w.label("loop")
	w.op("VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]")
	for i := range 4 {
		w.float("fsub", i, i, low)
		w.float("fmul", i, i, inverse)
		w.convert("fcvtnu", i, i)
	}
	// The even parts of two registers are their values in half the width.
	w.op("VUZP1 V1.H8, V0.H8, V0.H8")
	w.op("VUZP1 V3.H8, V2.H8, V2.H8")
	w.op("VUZP1 V2.B16, V0.B16, V0.B16")
	w.op("VEOR V%d.B16, V0.B16, V0.B16", sign)
	w.op("FMOVQ.P F0, 16(R0)")
	w.op("SUBS $16, R2, R2")
	w.op("BGT loop")
	w.leave()
}

// neonColumnMax writes the largest magnitudes of the 32 columns of a panel.
// They are compared as integers: so NaN is the largest of all.
func neonColumnMax(w *writer) {
	w.fn("columnMaxNEON", "(dst, panel *float32, k int)", 24)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD panel+8(FP), R1")
	w.op("MOVD k+16(FP), R2")
	const magnitude, values = 8, 16
	w.op("VMOVI $255, V%d.B16", magnitude)
	w.op("VUSHR $1, V%d.S4, V%d.S4", magnitude, magnitude)
	w.zeroVectors(0, 7)
	w.label("loop")
	for i := 0; i < 8; i += 2 {
		w.op("FLDPQ.P 32(R1), (F%d, F%d)", values+i, values+i+1)
	}
	for i := range 8 {
		w.op("VAND V%d.B16, V%d.B16, V%d.B16", magnitude, values+i, values+i)
		w.op("VUMAX V%d.S4, V%d.S4, V%d.S4", values+i, i, i)
	}
	w.op("SUBS $1, R2, R2")
	w.op("BGT loop")
	for i := 0; i < 8; i += 2 {
		w.op("FSTPQ (F%d, F%d), %d(R0)", i, i+1, i*neonBytes)
	}
	w.leave()
}

// neonPack writes four rows of a panel at a time as groups of bytes: the four
// values of a column side by side. Rows are a multiple of four.
func neonPack(w *writer) {
	w.fn("packNEON", "(dst *int8, panel *float32, k int, factors *float32, sums *int32)", 40)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD panel+8(FP), R1")
	w.op("MOVD k+16(FP), R2")
	w.op("MOVD factors+24(FP), R3")
	w.op("MOVD sums+32(FP), R4")
	const factors, sums = 16, 24
	for i := 0; i < 8; i += 2 {
		w.op("FLDPQ %d(R3), (F%d, F%d)", i*neonBytes, factors+i, factors+i+1)
		w.op("FLDPQ %d(R4), (F%d, F%d)", i*neonBytes, sums+i, sums+i+1)
	}
	w.label("loop")
	for column := range 8 {
		for row := range 4 {
			w.op("FMOVQ %d(R1), F%d", row*panelBytes+column*neonBytes, row)
			w.float("fmul", row, row, factors+column)
			w.convert("fcvtns", row, row)
			w.op("VADD V%d.S4, V%d.S4, V%d.S4", row, sums+column, sums+column)
			if row > 0 {
				// Shifted in above what the rows before have left.
				w.op("VSLI $%d, V%d.S4, V0.S4", 8*row, row)
			}
		}
		w.op("FMOVQ.P F0, 16(R0)")
	}
	w.op("ADD $%d, R1", 4*panelBytes)
	w.op("SUBS $4, R2, R2")
	w.op("BGT loop")
	for i := 0; i < 8; i += 2 {
		w.op("FSTPQ (F%d, F%d), %d(R4)", sums+i, sums+i+1, i*neonBytes)
	}
	w.leave()
}

// neonScales loads the 32 half-precision scales of a Q4 tile and converts them;
// it spoils registers 0 to 3.
func neonScales(w *writer, to int) {
	w.op("VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]")
	for i := range 4 {
		d := to + 2*i
		w.word(0x0e217800|i<<5|d, "fcvtl v%d.4s, v%d.4h", d, i)
		w.word(0x4e217800|i<<5|(d+1), "fcvtl2 v%d.4s, v%d.8h", d+1, i)
	}
}

// neonScaleMax writes the largest magnitudes of the scales of 32 outputs over n
// Q4 tiles, compared as in [neonColumnMax].
func neonScaleMax(w *writer) {
	w.fn("scaleMaxNEON", "(dst *float32, tiles *byte, n int)", 24)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD tiles+8(FP), R1")
	w.op("MOVD n+16(FP), R2")
	const highest, magnitude, scales = 8, 16, 24
	w.op("VMOVI $255, V%d.B16", magnitude)
	w.op("VUSHR $1, V%d.S4, V%d.S4", magnitude, magnitude)
	w.zeroVectors(highest, highest+7)
	w.label("tile")
	neonScales(w, scales)
	for i := range 8 {
		w.op("VAND V%d.B16, V%d.B16, V%d.B16", magnitude, scales+i, scales+i)
		w.op("VUMAX V%d.S4, V%d.S4, V%d.S4", scales+i, highest+i, highest+i)
	}
	w.op("ADD $512, R1")
	w.op("SUBS $1, R2, R2")
	w.op("BGT tile")
	for i := 0; i < 8; i += 2 {
		w.op("FSTPQ (F%d, F%d), %d(R0)", highest+i, highest+i+1, i*neonBytes)
	}
	w.leave()
}

// neonPackTiles writes n Q4 tiles as groups of bytes, as [neonPack] does, and
// adds up the columns. A weight is 16 times its nibble less 8, times the tile's
// factor of its output in 16 bits, less 15 bits, rounded: integers throughout.
func neonPackTiles(w *writer) {
	w.fn("packTilesNEON", "(dst *int8, tiles *byte, n int, factors *float32, sums *int32)", 40)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD tiles+8(FP), R1")
	w.op("MOVD n+16(FP), R2")
	w.op("MOVD factors+24(FP), R3")
	w.op("MOVD sums+32(FP), R4")
	const factors, sums, nibble, sign, bytes, free = 4, 8, 12, 13, 16, 24
	w.op("VMOVI $240, V%d.B16", nibble)
	w.op("VMOVI $128, V%d.B16", sign)
	w.label("tile")
	neonScales(w, free)
	for i := range 8 {
		w.op("FMOVQ %d(R3), F0", i*neonBytes)
		w.float("fmul", free+i, free+i, 0)
		w.convert("fcvtns", free+i, free+i)
	}
	for i := range 4 {
		low, high := free+2*i, free+2*i+1
		w.word(0x0e614800|low<<5|(factors+i), "sqxtn v%d.4h, v%d.4s", factors+i, low)
		w.word(0x4e614800|high<<5|(factors+i), "sqxtn2 v%d.8h, v%d.4s", factors+i, high)
	}
	w.zeroVectors(sums, sums+3) // the tile's sums, in 16 bits
	w.op("MOVD $8, R5")
	w.label("group")
	w.op("VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]")
	for half := range 2 {
		for row := range 4 {
			if half == 0 {
				w.op("VSHL $4, V%d.B16, V%d.B16", row, free)
			} else {
				w.op("VAND V%d.B16, V%d.B16, V%d.B16", nibble, row, free)
			}
			w.op("VEOR V%d.B16, V%d.B16, V%d.B16", sign, free, free)
			w.word(0x0f08a400|free<<5|(free+1), "sxtl v%d.8h, v%d.8b", free+1, free)
			w.word(0x4f08a400|free<<5|(free+2), "sxtl2 v%d.8h, v%d.16b", free+2, free)
			for i := range 2 {
				value, part := free+1+i, 2*half+i
				w.word(0x6e60b400|(factors+part)<<16|value<<5|value, "sqrdmulh v%d.8h, v%d.8h, v%d.8h", value, value, factors+part)
				w.op("VADD V%d.H8, V%d.H8, V%d.H8", value, sums+part, sums+part)
			}
			w.op("VUZP1 V%d.B16, V%d.B16, V%d.B16", free+2, free+1, bytes+row)
		}
		// One byte of each row in turn.
		w.op("VST4.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)")
	}
	w.op("SUBS $1, R5, R5")
	w.op("BNE group")
	for i := range 4 {
		w.op("FLDPQ %d(R4), (F%d, F%d)", 2*i*neonBytes, free, free+1)
		w.word(0x0e601000|(sums+i)<<16|free<<5|free, "saddw v%d.4s, v%d.4s, v%d.4h", free, free, sums+i)
		w.word(0x4e601000|(sums+i)<<16|(free+1)<<5|(free+1), "saddw2 v%d.4s, v%d.4s, v%d.8h", free+1, free+1, sums+i)
		w.op("FSTPQ (F%d, F%d), %d(R4)", free, free+1, 2*i*neonBytes)
	}
	w.op("SUBS $1, R2, R2")
	w.op("BNE tile")
	w.leave()
}

// neonInt8Tile is [neonTile] for rows and panels of signed bytes, k being a
// multiple of 16: a group of four bytes takes the place of a float32. The sums
// are exact. At the end they are scaled: by the row's scale, then by the
// column's, and the row's offset is added for each unit of the column's sum and
// all of it to what it starts with.
func neonInt8Tile(w *writer, rows, vectors int) {
	w.fn(fmt.Sprintf("int8Tile%dSDOT", rows),
		"(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)", 80)
	w.op("MOVD k+0(FP), R0")
	w.op("MOVD lda+16(FP), R1")
	w.op("MOVD panel+32(FP), R2")
	w.op("MOVD a+8(FP), R%d", neonRow)
	neonRows(w, rows, "R1")
	sums := rows * vectors
	w.zeroVectors(0, sums-1)
	w.op("SUB $16, R0")
	neonFourRows(w, sdotLane, rows, vectors, 16)

	w.op("MOVD scales+24(FP), R0")
	w.op("MOVD columns+40(FP), R2")
	w.op("MOVD ldc+56(FP), R1")
	w.op("MOVD start+64(FP), R3")
	w.op("MOVD lds+72(FP), R4")
	w.op("MOVD c+48(FP), R%d", neonRow)
	neonRows(w, rows, "R1")
	// A register holds scale and offset of two rows.
	scales, scale, total, product := sums, sums+3, sums+4, sums+5
	if rows == 1 {
		w.op("FMOVD (R0), F%d", scales)
	}
	for i := 0; i+1 < rows; i += 2 {
		w.op("FMOVQ %d(R0), F%d", 8*i, scales+i/2)
	}
	for i := range rows {
		for v := range vectors {
			sum, lane := i*vectors+v, i%2*2
			w.op("FMOVQ %d(R2), F%d", v*neonBytes, scale)
			w.op("FMOVQ %d(R2), F%d", panelBytes+v*neonBytes, total)
			w.op("FMOVQ %d(R3), F%d", v*neonBytes, product)
			w.convert("scvtf", sum, sum)
			w.lane(fmulLane, sum, sum, scales+i/2, lane)
			w.lane(fmlaLane, product, total, scales+i/2, lane+1)
			w.fmla(product, sum, scale)
			w.op("FMOVQ F%d, %d(R%d)", product, v*neonBytes, neonRow+i)
		}
		if i+1 < rows {
			w.op("ADD R4, R3")
		}
	}
	w.leave()
}
