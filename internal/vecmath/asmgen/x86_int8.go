package main

import "fmt"

// writeInt8Rows writes the routines that round rows and panels to 8 bits. They are
// for AVX2, but for the one that takes most of a question's time, which is also for
// AVX-512.
func writeInt8Rows(w *writer) {
	writeBounds(w)
	writeRound(w)
	writeColumnMax(w)
	writePack(w)
	writeScaleMax(w)
	writePackTiles(w)
	writePackTilesAVX512(w)
}

// writeBounds writes the least and the largest of n values and 0 (a multiple of
// 16), and a third result that is NaN when a value is not finite.
func writeBounds(w *writer) {
	s := avx2
	w.fn("boundsAVX2", "(x *float32, n int) (low, high, zero float32)", 28)
	w.op("MOVQ x+0(FP), SI")
	w.op("MOVQ n+8(FP), CX")
	for i := range 7 {
		s.zero(w, i)
	}
	w.label("loop")
	for i := range 2 {
		w.op("VMOVUPS %d(SI), %s", i*s.bytes(), s.r(7+i))
		w.op("VMINPS %s, %s, %s", s.r(7+i), s.r(i), s.r(i))
		w.op("VMAXPS %s, %s, %s", s.r(7+i), s.r(2+i), s.r(2+i))
		w.op("VFMADD231PS %s, %s, %s", s.r(6), s.r(7+i), s.r(4+i))
	}
	w.op("ADDQ $%d, SI", 2*s.bytes())
	w.op("SUBQ $%d, CX", 2*s.lanes)
	w.op("JG loop")
	for i, op := range []string{"VMINPS", "VMAXPS", "VADDPS"} {
		w.op("%s %s, %s, %s", op, s.r(2*i+1), s.r(2*i), s.r(2*i))
		s.reduce(w, op, 2*i, 7)
	}
	w.op("MOVSS X0, low+16(FP)")
	w.op("MOVSS X2, high+20(FP)")
	w.op("MOVSS X4, zero+24(FP)")
	w.end()
}

// writeRound writes n values (a multiple of 32) as unsigned bytes.
func writeRound(w *writer) {
	s := avx2
	w.fn("roundAVX2", "(dst *byte, x *float32, n int, low, inverse float32)", 32)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ x+8(FP), SI")
	w.op("MOVQ n+16(FP), CX")
	w.op("VBROADCASTSS low+24(FP), Y8")
	w.op("VBROADCASTSS inverse+28(FP), Y9")
	w.op("VMOVDQU packOrder<>(SB), Y10")
	w.label("loop")
	for i := range 4 {
		w.op("VMOVUPS %d(SI), Y%d", i*s.bytes(), i)
		w.op("VSUBPS Y8, Y%d, Y%d", i, i)
		w.op("VMULPS Y9, Y%d, Y%d", i, i)
		w.op("VCVTPS2DQ Y%d, Y%d", i, i)
	}
	// Packing works on the halves of a register; the last step puts the
	// values back in order.
	w.op("VPACKUSDW Y1, Y0, Y0")
	w.op("VPACKUSDW Y3, Y2, Y2")
	w.op("VPACKUSWB Y2, Y0, Y0")
	w.op("VPERMD Y0, Y10, Y0")
	w.op("VMOVDQU Y0, (DI)")
	w.op("ADDQ $32, DI")
	w.op("ADDQ $%d, SI", 4*s.bytes())
	w.op("SUBQ $32, CX")
	w.op("JG loop")
	w.end()
}

// writeColumnMax writes the largest magnitudes of the 32 columns of a panel.
// They are compared as integers: so NaN is the largest of all.
func writeColumnMax(w *writer) {
	s := avx2
	w.fn("columnMaxAVX2", "(dst, panel *float32, k int)", 24)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ panel+8(FP), SI")
	w.op("MOVQ k+16(FP), CX")
	w.op("VPCMPEQD Y15, Y15, Y15")
	w.op("VPSRLD $1, Y15, Y15")
	for i := range 4 {
		s.zero(w, i)
	}
	w.label("loop")
	for i := range 4 {
		w.op("VPAND %d(SI), Y15, Y%d", i*s.bytes(), 4+i)
		w.op("VPMAXUD Y%d, Y%d, Y%d", 4+i, i, i)
	}
	w.op("ADDQ $%d, SI", panelBytes)
	w.op("DECQ CX")
	w.op("JNZ loop")
	for i := range 4 {
		w.op("VMOVUPS Y%d, %d(DI)", i, i*s.bytes())
	}
	w.end()
}

// writePack writes four rows of a panel at a time as groups of bytes: the four
// values of a column side by side. Rows are a multiple of four.
func writePack(w *writer) {
	s := avx2
	w.fn("packAVX2", "(dst *int8, panel *float32, k int, factors *float32, sums *int32)", 40)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ panel+8(FP), SI")
	w.op("MOVQ k+16(FP), CX")
	w.op("MOVQ factors+24(FP), DX")
	w.op("MOVQ sums+32(FP), BX")
	for i := range 4 {
		w.op("VMOVUPS %d(DX), Y%d", i*s.bytes(), 8+i)
		w.op("VMOVDQU %d(BX), Y%d", i*s.bytes(), 12+i)
	}
	w.op("VPCMPEQD Y7, Y7, Y7")
	w.op("VPSRLD $24, Y7, Y7")
	w.label("loop")
	for column := range 4 {
		for row := range 4 {
			value := row % 4
			w.op("VMULPS %d(SI), Y%d, Y%d", row*panelBytes+column*s.bytes(), 8+column, value)
			w.op("VCVTPS2DQ Y%d, Y%d", value, value)
			w.op("VPADDD Y%d, Y%d, Y%d", value, 12+column, 12+column)
			if row < 3 {
				w.op("VPAND Y7, Y%d, Y%d", value, value)
			}
			if row > 0 {
				w.op("VPSLLD $%d, Y%d, Y%d", 8*row, value, value)
				w.op("VPOR Y%d, Y0, Y0", value)
			}
		}
		w.op("VMOVDQU Y0, %d(DI)", column*s.bytes())
	}
	w.op("ADDQ $%d, SI", 4*panelBytes)
	w.op("ADDQ $128, DI")
	w.op("SUBQ $4, CX")
	w.op("JG loop")
	for i := range 4 {
		w.op("VMOVDQU Y%d, %d(BX)", 12+i, i*s.bytes())
	}
	w.end()
}

// writeScaleMax writes the largest magnitudes of the scales of 32 outputs over n
// Q4 tiles, compared as in [writeColumnMax].
func writeScaleMax(w *writer) {
	s := avx2
	w.fn("scaleMaxAVX2", "(dst *float32, tiles *byte, n int)", 24)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ tiles+8(FP), SI")
	w.op("MOVQ n+16(FP), CX")
	w.op("VPCMPEQD Y15, Y15, Y15")
	w.op("VPSRLD $1, Y15, Y15")
	for i := range 4 {
		s.zero(w, i)
	}
	w.label("tile")
	for i := range 4 {
		w.op("VCVTPH2PS %d(SI), Y%d", 16*i, 4+i)
		w.op("VPAND Y%d, Y15, Y%d", 4+i, 4+i)
		w.op("VPMAXUD Y%d, Y%d, Y%d", 4+i, i, i)
	}
	w.op("ADDQ $576, SI")
	w.op("DECQ CX")
	w.op("JNZ tile")
	for i := range 4 {
		w.op("VMOVUPS Y%d, %d(DI)", i, i*s.bytes())
	}
	w.end()
}

// writePackTiles writes n Q4 tiles as groups of bytes, as [writePack] does, and
// adds up the columns. A weight is 16 times its nibble less 8, times the tile's
// factor of its output in 16 bits, less 15 bits, rounded: integers throughout.
func writePackTiles(w *writer) {
	s := avx2
	w.fn("packTilesAVX2", "(dst *int8, tiles *byte, n int, factors *float32, sums *int32)", 40)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ tiles+8(FP), SI")
	w.op("MOVQ n+16(FP), CX")
	w.op("MOVQ factors+24(FP), DX")
	w.op("MOVQ sums+32(FP), BX")
	w.op("IMUL3Q $576, CX, R9") // to the panel after this one, which is read ahead
	// Y15: the nibble's bits times 16. Y14: 8 times 16. Y13: the low byte.
	w.op("VPCMPEQW Y15, Y15, Y15")
	w.op("VPSRLW $15, Y15, Y14")
	w.op("VPSLLW $7, Y14, Y14")
	w.op("VPSRLW $8, Y15, Y13")
	w.op("VPSRLW $12, Y15, Y15")
	w.op("VPSLLW $4, Y15, Y15")
	w.label("tile")
	for half := range 2 {
		first, second := 2*half, 2*half+1
		for i, part := range []int{first, second} {
			w.op("VCVTPH2PS %d(SI), Y%d", 16*part, i)
			w.op("VMULPS %d(DX), Y%d, Y%d", part*s.bytes(), i, i)
			w.op("VCVTPS2DQ Y%d, Y%d", i, i)
		}
		w.op("VPACKSSDW Y1, Y0, Y%d", 11+half)
		w.op("VPERMQ $0xd8, Y%d, Y%d", 11+half, 11+half)
		s.zero(w, 9+half) // the tile's sums, in 16 bits
	}
	w.op("ADDQ $64, SI")
	w.op("MOVQ $8, R8")
	w.label("group")
	w.op("PREFETCHT0 (SI)(R9*1)")
	writePackGroup(w)
	w.op("ADDQ $64, SI")
	w.op("ADDQ $128, DI")
	w.op("DECQ R8")
	w.op("JNZ group")
	for half := range 2 {
		w.op("VEXTRACTI128 $1, Y%d, X1", 9+half)
		for i, part := range []int{9 + half, 1} {
			w.op("VPMOVSXWD X%d, Y0", part)
			w.op("VPADDD %d(BX), Y0, Y0", 64*half+32*i)
			w.op("VMOVDQU Y0, %d(BX)", 64*half+32*i)
		}
	}
	w.op("DECQ CX")
	w.op("JNZ tile")
	w.end()
}

// writePackGroup packs the next four rows of both halves of a tile.
func writePackGroup(w *writer) {
	for half := range 2 {
		for row := range 4 {
			w.op("VPMOVZXBW %d(SI), Y%d", 16*row, row)
			if half == 0 {
				w.op("VPSLLW $4, Y%d, Y%d", row, row)
			}
			w.op("VPAND Y15, Y%d, Y%d", row, row)
			w.op("VPSUBW Y14, Y%d, Y%d", row, row)
			w.op("VPMULHRSW Y%d, Y%d, Y%d", 11+half, row, row)
			w.op("VPADDW Y%d, Y%d, Y%d", row, 9+half, 9+half)
		}
		for pair := range 2 {
			low, high := 2*pair, 2*pair+1
			w.op("VPAND Y13, Y%d, Y%d", low, low)
			w.op("VPSLLW $8, Y%d, Y%d", high, high)
			w.op("VPOR Y%d, Y%d, Y%d", high, low, 4+pair)
		}
		w.op("VPUNPCKLWD Y5, Y4, Y6")
		w.op("VPUNPCKHWD Y5, Y4, Y7")
		w.op("VPERM2I128 $0x20, Y7, Y6, Y4")
		w.op("VPERM2I128 $0x31, Y7, Y6, Y5")
		w.op("VMOVDQU Y4, %d(DI)", 64*half)
		w.op("VMOVDQU Y5, %d(DI)", 64*half+32)
	}
}

// writePackTilesAVX512 writes what [writePackTiles] does, with the same result. It
// first puts the four rows of a column side by side, while they are nibbles; then a
// 16-bit word holds two rows of one column, and both halves of the tile. It needs
// AVX-512BW and VNNI.
func writePackTilesAVX512(w *writer) {
	w.fn("packTilesAVX512VNNI", "(dst *int8, tiles *byte, n int, factors *float32, sums *int32)", 40)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ tiles+8(FP), SI")
	w.op("MOVQ n+16(FP), CX")
	w.op("MOVQ factors+24(FP), DX")
	w.op("MOVQ sums+32(FP), BX")
	w.op("IMUL3Q $576, CX, R9") // to the panel after this one, which is read ahead
	writeWideConstants(w)
	w.op("VMOVDQU32 (BX), Z9") // the sums of 16 columns, and of the other 16
	w.op("VMOVDQU32 64(BX), Z8")
	w.label("tile")
	for half := range 2 {
		factor := 7 - half // in both words of a column
		w.op("VCVTPH2PS %d(SI), Z0", 32*half)
		w.op("VMULPS %d(DX), Z0, Z0", 64*half)
		w.op("VCVTPS2DQ Z0, Z0")
		w.op("VPMOVSDW Z0, Y0")
		w.op("VPMOVZXWD Y0, Z0")
		w.op("VPSLLD $16, Z0, Z%d", factor)
		w.op("VPORD Z0, Z%d, Z%d", factor, factor)
	}
	w.op("ADDQ $64, SI")
	w.op("MOVQ $8, R8")
	w.label("group")
	writePackWideGroup(w)
	w.op("ADDQ $64, SI")
	w.op("ADDQ $128, DI")
	w.op("DECQ R8")
	w.op("JNZ group")
	w.op("DECQ CX")
	w.op("JNZ tile")
	w.op("VMOVDQU32 Z9, (BX)")
	w.op("VMOVDQU32 Z8, 64(BX)")
	w.end()
}

// writeWideConstants writes what [writePackTilesAVX512] needs in registers.
func writeWideConstants(w *writer) {
	// Z15: the nibble's bits times 16. Z14: 8 times 16. Z13: the low byte of a word.
	// Z12: 1 in each byte. Z11, Z10: the orders of four rows.
	w.op("VPTERNLOGD $0xff, Z15, Z15, Z15")
	w.op("VPSRLW $15, Z15, Z14")
	w.op("VPABSB Z15, Z12")
	w.op("VPSLLW $7, Z14, Z14")
	w.op("VPSRLW $8, Z15, Z13")
	w.op("VPSRLW $12, Z15, Z15")
	w.op("VPSLLW $4, Z15, Z15")
	w.op("VMOVDQU32 nibbleColumns<>(SB), Z11")
	w.op("VBROADCASTI32X4 nibbleRows<>(SB), Z10")
}

// writePackWideGroup packs the next four rows of both halves of a tile.
func writePackWideGroup(w *writer) {
	w.op("PREFETCHT0 (SI)(R9*1)")
	w.op("VPERMD (SI), Z11, Z0")
	w.op("VPSHUFB Z10, Z0, Z0")
	// The low nibbles are of the first half. The rows of even and of odd number go
	// into words of their own.
	w.op("VPSLLW $4, Z0, Z1")
	w.op("VPSRLW $4, Z0, Z2")
	w.op("VPSRLW $8, Z0, Z3")
	values := []struct{ register, factor int }{{1, 7}, {2, 7}, {0, 6}, {3, 6}}
	for _, v := range values {
		w.op("VPANDD Z15, Z%d, Z%d", v.register, v.register)
	}
	for _, v := range values {
		w.op("VPSUBW Z14, Z%d, Z%d", v.register, v.register)
	}
	for _, v := range values {
		w.op("VPMULHRSW Z%d, Z%d, Z%d", v.factor, v.register, v.register)
	}
	for half, pair := range [][2]int{{1, 2}, {0, 3}} {
		even, odd := pair[0], pair[1]
		w.op("VPSLLW $8, Z%d, Z%d", odd, odd)
		w.op("VPTERNLOGD $0xea, Z%d, Z13, Z%d", odd, even) // even & low byte | odd
		w.op("VMOVDQU32 Z%d, %d(DI)", even, 64*half)
		w.op("VPDPBUSD Z%d, Z12, Z%d", even, 9-half)
	}
}

// writeInt8Tile writes the multiplication of some rows of bytes with a panel of
// bytes. As in [writeTile] the running sums stay in registers, two vectors a
// row; they are exact. At the end they are scaled: by the row's scale, then by
// the column's, and the row's offset is added for each unit of the column's sum.
func writeInt8Tile(w *writer, s isa, rows int) {
	w.fn(fmt.Sprintf("int8Tile%d%s", rows, s.suffix),
		"(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int)", 80)
	w.op("MOVQ k+0(FP), CX")
	w.op("MOVQ a+8(FP), AX")
	w.op("MOVQ lda+16(FP), R8")
	w.op("MOVQ panel+32(FP), BX")
	bases := []string{"AX", "R10", "R11", "R12"}[:(rows+2)/3]
	w.op("LEAQ (R8)(R8*2), R13")
	for i := 1; i < len(bases); i++ {
		w.op("LEAQ (%s)(R13*1), %s", bases[i-1], bases[i])
	}
	sums := 2 * rows
	for i := range sums {
		s.zero(w, i)
	}
	left, right := sums, sums+1
	values := min(s.registers-sums-2, 4)
	w.op("PCALIGN $64")
	w.label("loop")
	w.op("VMOVDQU%s (BX), %s", s.moveSuffix(), s.r(left))
	w.op("VMOVDQU%s %d(BX), %s", s.moveSuffix(), s.bytes(), s.r(right))
	for i := range rows {
		address := fmt.Sprintf("(%s)", bases[i/3])
		if i%3 > 0 {
			address += fmt.Sprintf("(R8*%d)", i%3)
		}
		value := sums + 2 + i%values
		w.op("VPBROADCASTD %s, %s", address, s.r(value))
		s.dotBytes(w, left, value, 2*i)
		s.dotBytes(w, right, value, 2*i+1)
	}
	w.op("ADDQ $128, BX")
	for _, b := range bases {
		w.op("ADDQ $4, %s", b)
	}
	w.op("SUBQ $4, CX")
	w.op("JG loop")
	writeInt8Scale(w, s, rows)
}

// writeInt8Scale writes the end of a tile: the sums of registers 0 to 2*rows-1
// become the result.
func writeInt8Scale(w *writer, s isa, rows int) {
	w.op("MOVQ scales+24(FP), SI")
	w.op("MOVQ columns+40(FP), DX")
	w.op("MOVQ c+48(FP), DI")
	w.op("MOVQ ldc+56(FP), R9")
	w.op("MOVQ start+64(FP), AX")
	w.op("MOVQ lds+72(FP), R8")
	for i := range rows {
		if i > 0 {
			w.op("ADDQ R9, DI")
			w.op("ADDQ R8, AX")
		}
		scaleRow(w, s, []int{2 * i, 2*i + 1}, 8*i, 2*rows)
	}
	w.end()
}

// scaleRow turns a row's sums, in two registers, into its part of the result,
// which is added to what AX points to. at is where SI finds the row's scale and offset; three registers from free on
// are spoilt.
func scaleRow(w *writer, s isa, sums []int, at, free int) {
	scale, offset, product := s.r(free), s.r(free+1), s.r(free+2)
	w.op("VBROADCASTSS %d(SI), %s", at, scale)
	w.op("VBROADCASTSS %d(SI), %s", at+4, offset)
	for half, i := range sums {
		sum := s.r(i)
		w.op("VCVTDQ2PS %s, %s", sum, sum)
		w.op("VMULPS %s, %s, %s", sum, scale, sum)
		w.op("VMOVUPS %d(AX), %s", half*s.bytes(), product)
		w.op("VFMADD231PS %d(DX), %s, %s", 128+half*s.bytes(), offset, product)
		w.op("VFMADD132PS %d(DX), %s, %s", half*s.bytes(), product, sum)
		w.op("VMOVUPS %s, %d(DI)", sum, half*s.bytes())
	}
}

// dotBytes adds the products of four unsigned bytes in each lane of register a
// with the four signed bytes in the lane of register b to register sum.
func (s isa) dotBytes(w *writer, b, a, sum int) {
	if s.registers == 32 {
		w.op("VPDPBUSD %s, %s, %s", s.r(b), s.r(a), s.r(sum))
		return
	}
	// The assembler knows the instruction of AVX-512 only: this is the other
	// one, VEX.256.66.0F38.W0 50 /r.
	bit := func(register, value int) int {
		if register < 8 {
			return value
		}
		return 0
	}
	w.op("BYTE $0xc4; BYTE $0x%02x; BYTE $0x%02x; BYTE $0x50; BYTE $0x%02x // VPDPBUSD Y%d, Y%d, Y%d",
		bit(sum, 0x80)|0x40|bit(b, 0x20)|0x02, (^a&15)<<3|0x04|0x01, 0xc0|(sum&7)<<3|b&7, b, a, sum)
}

// moveSuffix is what the name of an unaligned move of integers ends in.
func (s isa) moveSuffix() string {
	if s.lanes == 16 {
		return "32"
	}
	return ""
}
