package main

import "fmt"

// This file holds the routines that compare one query with many rows. They take
// four rows at a time, so that sums do not wait for each other and four results
// are put together in one register; the last three rows go one by one.

// scanRows are the addresses of the rows that are compared at a time.
var scanRows = []string{"AX", "R10", "R11", "R12"}

// writeScan writes all of them.
func writeScan(w *writer) {
	writeScanConstants(w)
	for _, s := range []isa{avx512VNNI, avxVNNI} {
		writeDots(w, s, s.bytes(), writeDotsVNNI)
	}
	writeDots(w, avx2, avx2.bytes()/2, writeDotsWords)
	for _, s := range []isa{avx2, avx512} {
		writeHamming(w, s)
		writeReadSum(w, s)
	}
}

// writeScanConstants writes what the bytes of rows are offset by, as bytes and
// as words, the number of bits of each nibble, and a mask that begins with four
// words and ends with none.
func writeScanConstants(w *writer) {
	fmt.Fprintf(w, "DATA offsetBytes<>+0(SB)/4, $0x80808080\nGLOBL offsetBytes<>(SB), RODATA|NOPTR, $4\n")
	fmt.Fprintf(w, "DATA offsetWords<>+0(SB)/4, $0x00800080\nGLOBL offsetWords<>(SB), RODATA|NOPTR, $4\n")
	for i, v := range []uint64{0x0302020102010100, 0x0403030203020201} {
		fmt.Fprintf(w, "DATA nibbleBits<>+%d(SB)/8, $0x%016x\n", 8*i, v)
	}
	fmt.Fprintf(w, "GLOBL nibbleBits<>(SB), RODATA|NOPTR, $16\n")
	fmt.Fprintf(w, "DATA nibbleMask<>+0(SB)/4, $0x0f0f0f0f\nGLOBL nibbleMask<>(SB), RODATA|NOPTR, $4\n")
	for i := range 8 {
		v := -1
		if i >= 4 {
			v = 0
		}
		fmt.Fprintf(w, "DATA wordMask<>+%d(SB)/8, $%d\n", 8*i, v)
	}
	fmt.Fprintf(w, "GLOBL wordMask<>(SB), RODATA|NOPTR, $64\n\n")
}

// The vector registers of a scan: the sums of up to four rows come first.
const (
	scanQuery = 4
	scanValue = 5 // three of them
	scanStart = 8
)

// eachRows writes a loop over four rows at a time and one over the rows that
// are left. The rows begin at AX and are R8 bytes apart, CX counts them.
func eachRows(w *writer, body func(rows int)) {
	for _, rows := range []int{4, 1} {
		w.label(fmt.Sprintf("rows%d", rows))
		w.op("SUBQ $%d, CX", rows)
		w.op("JLT less%d", rows)
		for i := 1; i < rows; i++ {
			w.op("LEAQ (%s)(R8*1), %s", scanRows[i-1], scanRows[i])
		}
		body(rows)
		w.op("ADDQ $%d, DI", 4*rows)
		w.op("LEAQ (AX)(R8*%d), AX", rows)
		w.op("JMP rows%d", rows)
		w.label(fmt.Sprintf("less%d", rows))
		w.op("ADDQ $%d, CX", rows)
	}
	w.end()
}

// writeDots writes the products of a query of signed bytes with rows whose
// bytes are offset by 128. They are multiplied as they are: every sum starts
// with the query's product with -128, lane by lane. block writes a step
// through the query, of so many bytes, for some rows; without rows it is the
// step with the offset alone, subtracted from scanStart.
func writeDots(w *writer, s isa, step int, block func(w *writer, s isa, rows int)) {
	w.fn("dots"+s.suffix, "(dst *int32, query *int8, rows *byte, stride, n, count int)", 48)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ query+8(FP), SI")
	w.op("MOVQ rows+16(FP), AX")
	w.op("MOVQ stride+24(FP), R8")
	w.op("MOVQ n+32(FP), R9")
	w.op("MOVQ count+40(FP), CX")
	loop := func(label string, rows int) {
		w.op("XORQ DX, DX")
		w.op("PCALIGN $32")
		w.label(label)
		block(w, s, rows)
		w.op("ADDQ $%d, DX", step)
		w.op("CMPQ DX, R9")
		w.op("JLT %s", label)
	}
	s.zero(w, scanStart)
	loop("start", 0)
	eachRows(w, func(rows int) {
		for i := range rows {
			w.op("%s %s, %s", s.copyName(), s.r(scanStart), s.r(i))
		}
		loop(fmt.Sprintf("block%d", rows), rows)
		for i := 0; i < rows; i += 2 {
			other := min(i+1, rows-1)
			w.op("VPUNPCKLDQ %s, %s, %s", s.r(other), s.r(i), s.r(scanQuery))
			w.op("VPUNPCKHDQ %s, %s, %s", s.r(other), s.r(i), s.r(i))
			w.op("VPADDD %s, %s, %s", s.r(scanQuery), s.r(i), s.r(i))
		}
		storeSums(w, s, rows)
	})
}

// writeDotsVNNI is a step of [writeDots] where bytes are multiplied.
func writeDotsVNNI(w *writer, s isa, rows int) {
	w.op("VMOVDQU%s (SI)(DX*1), %s", s.moveSuffix(), s.r(scanQuery))
	if rows == 0 {
		w.op("VPBROADCASTD offsetBytes<>(SB), %s", s.r(scanValue))
		s.zero(w, 0)
		s.dotBytes(w, scanQuery, scanValue, 0)
		w.op("VPSUBD %s, %s, %s", s.r(0), s.r(scanStart), s.r(scanStart))
	}
	for i := range rows {
		value := scanValue + i%3
		w.op("VMOVDQU%s (%s)(DX*1), %s", s.moveSuffix(), scanRows[i], s.r(value))
		s.dotBytes(w, scanQuery, value, i)
	}
}

// writeDotsWords is a step of [writeDots] for AVX2: its product of bytes
// saturates, so they are widened to 16 bits.
func writeDotsWords(w *writer, s isa, rows int) {
	w.op("VPMOVSXBW (SI)(DX*1), %s", s.r(scanQuery))
	if rows == 0 {
		w.op("VPBROADCASTD offsetWords<>(SB), %s", s.r(scanValue))
		w.op("VPMADDWD %s, %s, %s", s.r(scanQuery), s.r(scanValue), s.r(scanValue))
		w.op("VPSUBD %s, %s, %s", s.r(scanValue), s.r(scanStart), s.r(scanStart))
	}
	for i := range rows {
		value := s.r(scanValue + i%3)
		w.op("VPMOVZXBW (%s)(DX*1), %s", scanRows[i], value)
		w.op("VPMADDWD %s, %s, %s", s.r(scanQuery), value, value)
		w.op("VPADDD %s, %s, %s", value, s.r(i), s.r(i))
	}
}

// storeSums writes one or four sums to DI. Register 0 holds parts of those of
// rows 0 and 1 in turn, 32 bits each, register 2 those of rows 2 and 3.
func storeSums(w *writer, s isa, rows int) {
	const tmp = scanQuery
	other := 2
	if rows == 1 {
		other = 0
	}
	w.op("VPUNPCKLQDQ %s, %s, %s", s.r(other), s.r(0), s.r(tmp))
	w.op("VPUNPCKHQDQ %s, %s, %s", s.r(other), s.r(0), s.r(0))
	w.op("VPADDD %s, %s, %s", s.r(tmp), s.r(0), s.r(0))
	s.fold(w, "VPADDD", 0, tmp)
	if rows == 1 {
		w.op("VMOVD X0, (DI)")
		return
	}
	w.op("VMOVDQU X0, (DI)")
}

// fold adds the parts of register i (below 16), 16 bytes each, into its first;
// it spoils register tmp.
func (s isa) fold(w *writer, op string, i, tmp int) {
	if s.lanes == 16 {
		w.op("VEXTRACTI64X4 $1, Z%d, Y%d", i, tmp)
		w.op("%s Y%d, Y%d, Y%d", op, tmp, i, i)
	}
	w.op("VEXTRACTI128 $1, Y%d, X%d", i, tmp)
	w.op("%s X%d, X%d, X%d", op, tmp, i, i)
}

// copyName is the name of a copy from one vector register to another.
func (s isa) copyName() string {
	if s.lanes == 16 {
		return "VMOVDQA32"
	}
	return "VMOVDQA"
}

// writeHamming writes the number of bits in which rows differ from a query. The
// first words of a row, one to as many as fill a register, are loaded under a
// mask; what follows fills registers.
func writeHamming(w *writer, s isa) {
	w.fn("hamming"+s.suffix, "(dst *int32, query, rows *uint64, words, count int)", 40)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ query+8(FP), SI")
	w.op("MOVQ rows+16(FP), AX")
	w.op("MOVQ words+24(FP), R8")
	w.op("LEAQ -1(R8), CX")
	w.op("ANDQ $%d, CX", s.lanes/2-1) // of the first words, less one
	w.op("SHLQ $3, R8")
	w.op("LEAQ 8(CX*8), R9")
	writeWordMask(w, s)
	w.op("MOVQ count+32(FP), CX")
	eachRows(w, func(rows int) {
		writeFirstWords(w, s, rows)
		w.op("MOVQ R9, DX")
		w.op("JMP next%d", rows)
		w.label(fmt.Sprintf("block%d", rows))
		w.op("VMOVDQU%s (SI)(DX*1), %s", s.moveSuffix(), s.r(scanQuery))
		for i := range rows {
			value := scanValue + i%2
			w.op("%s (%s)(DX*1), %s, %s", s.xorName(), scanRows[i], s.r(scanQuery), s.r(value))
			s.countBits(w, value, value)
			w.op("VPADDQ %s, %s, %s", s.r(value), s.r(i), s.r(i))
		}
		w.op("ADDQ $%d, DX", s.bytes())
		w.label(fmt.Sprintf("next%d", rows))
		w.op("CMPQ DX, R8")
		w.op("JLT block%d", rows)
		for i := 0; i+1 < rows; i += 2 {
			w.op("VPSLLQ $32, %s, %s", s.r(i+1), s.r(i+1))
			w.op("VPADDQ %s, %s, %s", s.r(i+1), s.r(i), s.r(i))
		}
		storeSums(w, s, rows)
	})
}

// The registers of [writeHamming] for AVX2.
const (
	bitsZero = 11
	bitsLow  = 12
	bitsOf   = 13
	bitsWord = 14
)

// writeWordMask writes the mask for CX+1 words and the constants of countBits.
func writeWordMask(w *writer, s isa) {
	if s.lanes == 16 {
		w.op("MOVL $2, BX")
		w.op("SHLL CX, BX")
		w.op("DECL BX")
		w.op("KMOVW BX, K1")
		return
	}
	w.op("LEAQ wordMask<>+24(SB), BX")
	w.op("NEGQ CX")
	w.op("VMOVDQU (BX)(CX*8), %s", s.r(bitsWord))
	w.op("VPBROADCASTD nibbleMask<>(SB), %s", s.r(bitsLow))
	w.op("VBROADCASTI128 nibbleBits<>(SB), %s", s.r(bitsOf))
	s.zero(w, bitsZero)
}

// writeFirstWords starts the sums of some rows with their first words.
func writeFirstWords(w *writer, s isa, rows int) {
	if s.lanes == 16 {
		w.op("VMOVDQU64.Z (SI), K1, %s", s.r(scanQuery))
	} else {
		w.op("VPMASKMOVQ (SI), %s, %s", s.r(bitsWord), s.r(scanQuery))
	}
	for i := range rows {
		value := scanValue + i%2
		if s.lanes == 16 {
			w.op("VPXORQ.Z (%s), %s, K1, %s", scanRows[i], s.r(scanQuery), s.r(value))
		} else {
			w.op("VPMASKMOVQ (%s), %s, %s", scanRows[i], s.r(bitsWord), s.r(value))
			w.op("VPXOR %s, %s, %s", s.r(scanQuery), s.r(value), s.r(value))
		}
		s.countBits(w, value, i)
	}
}

// countBits counts the bits of each word of register i into those of register
// to: by AVX-512 VPOPCNTDQ, or nibble by nibble (Muła, Kurz and Lemire, arXiv
// 1611.07612), which spoils i and the two registers before bitsZero.
func (s isa) countBits(w *writer, i, to int) {
	if s.lanes == 16 {
		w.op("VPOPCNTQ Z%d, Z%d", i, to)
		return
	}
	const low, high = bitsZero - 2, bitsZero - 1
	w.op("VPAND Y%d, Y%d, Y%d", bitsLow, i, low)
	w.op("VPSRLW $4, Y%d, Y%d", i, high)
	w.op("VPAND Y%d, Y%d, Y%d", bitsLow, high, high)
	w.op("VPSHUFB Y%d, Y%d, Y%d", low, bitsOf, low)
	w.op("VPSHUFB Y%d, Y%d, Y%d", high, bitsOf, high)
	w.op("VPADDB Y%d, Y%d, Y%d", low, high, low)
	w.op("VPSADBW Y%d, Y%d, Y%d", bitsZero, low, to)
}

// xorName is the name of the exclusive or.
func (s isa) xorName() string {
	if s.lanes == 16 {
		return "VPXORQ"
	}
	return "VPXOR"
}

// writeReadSum writes the sum of n bytes (a multiple of 64) as 64-bit words:
// the plain read that a scan is measured against.
func writeReadSum(w *writer, s isa) {
	w.fn("readSum"+s.suffix, "(p *byte, n int) uint64", 24)
	w.op("MOVQ p+0(FP), SI")
	w.op("MOVQ n+8(FP), CX")
	const sums = 4
	for i := range sums {
		s.zero(w, i)
	}
	for _, step := range []int{256, 64} {
		w.label(fmt.Sprintf("read%d", step))
		w.op("SUBQ $%d, CX", step)
		w.op("JLT less%d", step)
		for i := 0; i < step; i += s.bytes() {
			sum := s.r(i / s.bytes() % sums)
			w.op("VPADDQ %d(SI), %s, %s", i, sum, sum)
		}
		w.op("ADDQ $%d, SI", step)
		w.op("JMP read%d", step)
		w.label(fmt.Sprintf("less%d", step))
		w.op("ADDQ $%d, CX", step)
	}
	for i := 1; i < sums; i++ {
		w.op("VPADDQ %s, %s, %s", s.r(i), s.r(0), s.r(0))
	}
	s.fold(w, "VPADDQ", 0, 1)
	w.op("VPUNPCKHQDQ X0, X0, X1")
	w.op("VPADDQ X1, X0, X0")
	w.op("VMOVQ X0, ret+16(FP)")
	w.end()
}
