package main

import "fmt"

// neonTile writes the multiplication of some rows with so many vectors of a
// panel, all eight of them or the four of one half, whose running sums stay in
// registers: a sum is one chain of fused multiply-adds in the order of k,
// whatever the tile, so that a row's result does not depend on the rows beside
// it.
//
// The strides lda and ldc are in bytes.
func neonTile(w *writer, rows, vectors int) {
	w.fn(fmt.Sprintf("tile%dNEON", rows),
		"(k int, a *float32, lda int, panel *float32, c *float32, ldc int)", 48)
	w.op("MOVD k+0(FP), R0")
	w.op("MOVD lda+16(FP), R1")
	w.op("MOVD panel+24(FP), R2")
	w.op("MOVD a+8(FP), R%d", neonRow)
	neonRows(w, rows, "R1")
	sums := rows * vectors
	w.zeroVectors(0, sums-1)
	w.op("SUBS $4, R0, R0")
	w.op("BLT rest")
	neonFourRows(w, fmlaLane, rows, vectors, 4)
	w.label("rest")
	w.op("ADDS $4, R0, R0")
	w.op("BEQ done")
	w.label("one")
	for i := range rows {
		w.op("FMOVS.P 4(R%d), F%d", neonRow+i, sums+i)
	}
	neonPanelRow(w, fmlaLane, rows, vectors, 0)
	w.op("ADD $%d, R2", panelBytes)
	w.op("SUBS $1, R0, R0")
	w.op("BNE one")
	w.label("done")
	w.op("MOVD ldc+40(FP), R1")
	w.op("MOVD c+32(FP), R%d", neonRow)
	neonRows(w, rows, "R1")
	for i := range rows {
		for v := 0; v < vectors; v += 2 {
			w.op("FSTPQ (F%d, F%d), %d(R%d)", i*vectors+v, i*vectors+v+1, v*neonBytes, neonRow+i)
		}
	}
	w.leave()
}

// neonRow is the general register with the address of the first row; those of
// the others follow.
const neonRow = 5

// neonRows sets the addresses of the rows after the first.
func neonRows(w *writer, rows int, stride string) {
	for i := 1; i < rows; i++ {
		w.op("ADD %s, R%d, R%d", stride, neonRow+i-1, neonRow+i)
	}
}

// neonFourRows writes the loop of a tile: it takes one vector of each row and
// multiplies its lanes, one after the other, with four rows of the panel at R2.
// A turn covers step of the values that R0 counts, less one turn.
func neonFourRows(w *writer, op laneOp, rows, vectors, step int) {
	w.op("PCALIGN $32")
	w.label("four")
	for i := range rows {
		w.op("FMOVQ.P 16(R%d), F%d", neonRow+i, rows*vectors+i)
	}
	for lane := range 4 {
		neonPanelRow(w, op, rows, vectors, lane)
	}
	w.op("ADD $%d, R2", 4*panelBytes)
	w.op("SUBS $%d, R0, R0", step)
	w.op("BGE four")
}

// neonPanelRow multiplies one lane of the rows' vectors with the row of the
// panel that has the lane's number, two vectors of it at a time.
func neonPanelRow(w *writer, op laneOp, rows, vectors, lane int) {
	values := rows * vectors
	left := values + rows
	pairs := (neonRegisters - left) / 2
	for v := 0; v < vectors; v += 2 {
		weights := left + v/2%pairs*2
		w.op("FLDPQ %d(R2), (F%d, F%d)", lane*panelBytes+v*neonBytes, weights, weights+1)
		for i := range rows {
			w.lane(op, i*vectors+v, weights, values+i, lane)
			w.lane(op, i*vectors+v+1, weights+1, values+i, lane)
		}
	}
}

// neonTranspose writes the transposition of eight rows of n values (a multiple
// of eight) into eight columns of a panel, four values at a time. The stride is
// in bytes.
func neonTranspose(w *writer) {
	w.fn("transpose8NEON", "(dst, src *float32, stride, n int)", 32)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD stride+16(FP), R1")
	w.op("MOVD n+24(FP), R2")
	const base = 3
	w.op("MOVD src+8(FP), R%d", base)
	for i := 1; i < 8; i++ {
		w.op("ADD R1, R%d, R%d", base+i-1, base+i)
	}
	w.label("loop")
	for i := range 8 {
		w.op("FMOVQ.P 16(R%d), F%d", base+i, i)
	}
	for b := 0; b < 8; b += 4 {
		w.op("VTRN1 V%d.S4, V%d.S4, V16.S4", b+1, b)
		w.op("VTRN2 V%d.S4, V%d.S4, V17.S4", b+1, b)
		w.op("VTRN1 V%d.S4, V%d.S4, V18.S4", b+3, b+2)
		w.op("VTRN2 V%d.S4, V%d.S4, V19.S4", b+3, b+2)
		for i := range 4 {
			w.op("VTRN%d V%d.D2, V%d.D2, V%d.D2", 1+i/2, 18+i%2, 16+i%2, 20+b+i)
		}
	}
	for i := range 4 {
		w.op("FSTPQ (F%d, F%d), %d(R0)", 20+i, 24+i, i*panelBytes)
	}
	w.op("ADD $%d, R0", 4*panelBytes)
	w.op("SUBS $4, R2, R2")
	w.op("BGT loop")
	w.leave()
}

// neonDequant writes the unpacking of n Q4 tiles into the rows of a panel. A
// nibble is an index into a table of its sixteen values, which as float32 have
// only zeros in their lower two bytes: the upper two are looked up and put
// together.
func neonDequant(w *writer) {
	w.fn("dequantNEON", "(dst *float32, tiles *byte, n int)", 24)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD tiles+8(FP), R1")
	w.op("MOVD n+16(FP), R2")
	const low, high, zero, mask, scales = 4, 5, 6, 7, 8
	// Byte b of every value goes to register low-2+b.
	w.op("MOVD $nibbleValues<>(SB), R3")
	w.op("VLD4 (R3), [V2.B16, V3.B16, V4.B16, V5.B16]")
	w.zeroVectors(zero, zero)
	w.op("VMOVI $15, V%d.B16", mask)
	w.label("tile")
	neonScales(w, scales)
	w.op("MOVD $32, R4")
	w.label("row")
	w.op("FMOVQ.P 16(R1), F16")
	w.op("VUSHR $4, V16.B16, V17.B16")
	w.op("VAND V%d.B16, V16.B16, V16.B16", mask)
	for half := range 2 {
		w.op("VTBL V%d.B16, [V%d.B16], V18.B16", 16+half, low)
		w.op("VTBL V%d.B16, [V%d.B16], V19.B16", 16+half, high)
		for i := range 2 {
			w.op("VZIP%d V19.B16, V18.B16, V%d.B16", 1+i, 20+i)
			for j := range 2 {
				value := 24 + 4*half + 2*i + j
				w.op("VZIP%d V%d.H8, V%d.H8, V%d.H8", 1+j, 20+i, zero, value)
				w.float("fmul", value, value, value-24+scales)
			}
		}
	}
	for i := 0; i < 8; i += 2 {
		w.op("FSTPQ (F%d, F%d), %d(R0)", 24+i, 25+i, i*neonBytes)
	}
	w.op("ADD $%d, R0", panelBytes)
	w.op("SUBS $1, R4, R4")
	w.op("BNE row")
	w.op("SUBS $1, R2, R2")
	w.op("BNE tile")
	w.leave()
}
