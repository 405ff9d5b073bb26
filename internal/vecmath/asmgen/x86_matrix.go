package main

import "fmt"

// writeTile writes the multiplication of some rows with a panel. The running
// sums of the tile stay in registers: two vectors per row, so that AVX-512
// covers the 32 columns of a panel and AVX2 one half of them. A sum is one
// chain of fused multiply-adds in the order of k, whatever the tile: a row's
// result does not depend on the rows beside it.
//
// The strides lda and ldc are in bytes.
func writeTile(w *writer, s isa, rows int) {
	w.fn(fmt.Sprintf("tile%d%s", rows, s.suffix),
		"(k int, a *float32, lda int, panel *float32, c *float32, ldc int)", 48)
	w.op("MOVQ k+0(FP), CX")
	w.op("MOVQ a+8(FP), AX")
	w.op("MOVQ lda+16(FP), R8")
	w.op("MOVQ panel+24(FP), BX")
	w.op("MOVQ c+32(FP), DI")
	w.op("MOVQ ldc+40(FP), R9")
	// One pointer per three rows: an address holds base + stride * 1 or 2.
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
	w.op("VMOVUPS (BX), %s", s.r(left))
	w.op("VMOVUPS %d(BX), %s", s.bytes(), s.r(right))
	for i := range rows {
		address := fmt.Sprintf("(%s)", bases[i/3])
		if i%3 > 0 {
			address += fmt.Sprintf("(R8*%d)", i%3)
		}
		value := s.r(sums + 2 + i%values)
		w.op("VBROADCASTSS %s, %s", address, value)
		w.op("VFMADD231PS %s, %s, %s", s.r(left), value, s.r(2*i))
		w.op("VFMADD231PS %s, %s, %s", s.r(right), value, s.r(2*i+1))
	}
	w.op("ADDQ $%d, BX", panelBytes)
	for _, b := range bases {
		w.op("ADDQ $4, %s", b)
	}
	w.op("DECQ CX")
	w.op("JNZ loop")
	for i := range rows {
		if i > 0 {
			w.op("ADDQ R9, DI")
		}
		w.op("VMOVUPS %s, (DI)", s.r(2*i))
		w.op("VMOVUPS %s, %d(DI)", s.r(2*i+1), s.bytes())
	}
	w.end()
}

// writeTranspose writes the transposition of eight rows of n values (a
// multiple of eight) into eight columns of a panel. The stride is in bytes.
func writeTranspose(w *writer) {
	w.fn("transpose8AVX2", "(dst, src *float32, stride, n int)", 32)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ src+8(FP), SI")
	w.op("MOVQ stride+16(FP), R8")
	w.op("MOVQ n+24(FP), CX")
	w.op("LEAQ (R8)(R8*2), R9")
	w.op("LEAQ (SI)(R8*4), DX")
	w.label("loop")
	// Halves of rows 0-3 and 4-7 are joined on loading, so that the shuffles
	// below need not cross the middle of a register.
	for i, offset := range []string{"", "(R8*1)", "(R8*2)", "(R9*1)"} {
		for half := range 2 {
			w.op("VMOVUPS %d(SI)%s, X%d", 16*half, offset, 4*half+i)
			w.op("VINSERTF128 $1, %d(DX)%s, Y%d, Y%d", 16*half, offset, 4*half+i, 4*half+i)
		}
	}
	for half := range 2 {
		b := 4 * half
		w.op("VUNPCKLPS Y%d, Y%d, Y8", b+1, b)
		w.op("VUNPCKHPS Y%d, Y%d, Y9", b+1, b)
		w.op("VUNPCKLPS Y%d, Y%d, Y10", b+3, b+2)
		w.op("VUNPCKHPS Y%d, Y%d, Y11", b+3, b+2)
		for i, shuffle := range []string{"$0x44, Y10, Y8", "$0xee, Y10, Y8", "$0x44, Y11, Y9", "$0xee, Y11, Y9"} {
			w.op("VSHUFPS %s, Y12", shuffle)
			w.op("VMOVUPS Y12, %d(DI)", panelBytes*(b+i))
		}
	}
	w.op("ADDQ $32, SI")
	w.op("ADDQ $32, DX")
	w.op("ADDQ $%d, DI", 8*panelBytes)
	w.op("SUBQ $8, CX")
	w.op("JG loop")
	w.end()
}

// writeDequantAVX2 writes the unpacking of n Q4 tiles into the rows of a panel.
func writeDequantAVX2(w *writer) {
	dequantHead(w, avx2)
	w.op("VBROADCASTSS lowNibble<>(SB), Y10")
	w.op("VBROADCASTSS eight<>(SB), Y11")
	w.label("tile")
	for i := range 4 {
		w.op("VCVTPH2PS %d(SI), Y%d", 16*i, 12+i)
	}
	w.op("ADDQ $64, SI")
	w.op("MOVQ $32, DX")
	w.label("row")
	for i := range 2 {
		w.op("VPMOVZXBD %d(SI), Y%d", 8*i, i)
		w.op("VPSRLD $4, Y%d, Y%d", i, 2+i)
		w.op("VPAND Y10, Y%d, Y%d", i, i)
	}
	for i := range 4 {
		w.op("VCVTDQ2PS Y%d, Y%d", i, i)
		w.op("VSUBPS Y11, Y%d, Y%d", i, i)
		w.op("VMULPS Y%d, Y%d, Y%d", 12+i, i, i)
		w.op("VMOVUPS Y%d, %d(DI)", i, 32*i)
	}
	w.op("ADDQ $16, SI")
	w.op("ADDQ $%d, DI", panelBytes)
	w.op("DECQ DX")
	w.op("JNZ row")
	w.op("DECQ CX")
	w.op("JNZ tile")
	w.end()
}

// writeDequantAVX512 is writeDequantAVX2 for AVX-512: a nibble is an index into
// a register that holds its sixteen values.
func writeDequantAVX512(w *writer) {
	dequantHead(w, avx512)
	w.op("VMOVUPS nibbleValues<>(SB), Z10")
	w.label("tile")
	w.op("VCVTPH2PS (SI), Z12")
	w.op("VCVTPH2PS 32(SI), Z13")
	w.op("ADDQ $64, SI")
	w.op("MOVQ $16, DX")
	w.label("row")
	for i := range 2 {
		low, high := 2*i, 2*i+1
		w.op("VPMOVZXBD %d(SI), Z%d", 16*i, low)
		w.op("VPSRLD $4, Z%d, Z%d", low, high)
		w.op("VPERMPS Z10, Z%d, Z%d", low, low)
		w.op("VPERMPS Z10, Z%d, Z%d", high, high)
		w.op("VMULPS Z12, Z%d, Z%d", low, low)
		w.op("VMULPS Z13, Z%d, Z%d", high, high)
		w.op("VMOVUPS Z%d, %d(DI)", low, panelBytes*i)
		w.op("VMOVUPS Z%d, %d(DI)", high, panelBytes*i+64)
	}
	w.op("ADDQ $32, SI")
	w.op("ADDQ $%d, DI", 2*panelBytes)
	w.op("DECQ DX")
	w.op("JNZ row")
	w.op("DECQ CX")
	w.op("JNZ tile")
	w.end()
}

func dequantHead(w *writer, s isa) {
	w.fn("dequant"+s.suffix, "(dst *float32, tiles *byte, n int)", 24)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ tiles+8(FP), SI")
	w.op("MOVQ n+16(FP), CX")
}
