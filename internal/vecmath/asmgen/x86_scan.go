package main

import "fmt"

// This file holds the routines that compare one query with many rows. They read
// the rows one after the other, as fast as memory gives them: four side by side
// are four streams, which the processor foresees half as well. The sums of four
// rows are put together in one register; the last three rows go one by one.

// scanVNNI is AVX-512 VNNI over registers of 32 bytes: those of 64 were not
// faster from cache, and slower from memory.
var scanVNNI = isa{suffix: "AVX512VNNI", letter: "Y", lanes: 8, registers: 32}

// writeScan writes all of them.
func writeScan(w *writer) {
	writeScanConstants(w)
	for _, s := range []isa{scanVNNI, avxVNNI} {
		writeDots(w, s, byteProducts(s))
	}
	writeDots(w, avx2, wordProducts(avx2))
	writeHamming(w, avx2)
	writeHamming(w, avx512)
	writeReadSum(w)
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

// The vector registers of a scan after the sums of four rows.
const (
	scanTmp   = 4
	scanQuery = 5
	scanValue = 6
	scanMore  = 7
	scanStart = 8
)

// eachRow writes a loop over four rows at a time and one over the rows that are
// left. The rows begin at AX and are R8 bytes apart, CX counts them, their
// results go to DI. row writes what leaves the sum of the row at AX in a
// register, its labels ending in suffix; together, how the sums of two rows
// become one register of 32-bit values, of both rows in turn.
func eachRow(w *writer, s isa, row func(sum int, suffix string), together func(first, second int)) {
	for _, rows := range []int{4, 1} {
		w.label(fmt.Sprintf("rows%d", rows))
		w.op("SUBQ $%d, CX", rows)
		w.op("JLT less%d", rows)
		for i := range rows {
			row(i, fmt.Sprintf("%dof%d", i, rows))
			w.op("ADDQ R8, AX")
		}
		last := rows - 1
		together(0, min(1, last))
		if rows == 4 {
			together(2, 3)
		}
		s.addNeighbours(w, "QDQ", 0, min(2, last))
		s.fold(w, "VPADDD", 0, scanTmp)
		if rows == 4 {
			w.op("VMOVDQU X0, (DI)")
		} else {
			w.op("VMOVD X0, (DI)")
		}
		w.op("ADDQ $%d, DI", 4*rows)
		w.op("JMP rows%d", rows)
		w.label(fmt.Sprintf("less%d", rows))
		w.op("ADDQ $%d, CX", rows)
	}
	w.end()
}

// addNeighbours adds neighbouring units of register first, and those of second,
// and leaves the sums in first, in turn. The unit is DQ, a value of 32 bits, or
// QDQ, two of them.
func (s isa) addNeighbours(w *writer, unit string, first, second int) {
	w.op("VPUNPCKL%s %s, %s, %s", unit, s.r(second), s.r(first), s.r(scanTmp))
	w.op("VPUNPCKH%s %s, %s, %s", unit, s.r(second), s.r(first), s.r(first))
	w.op("VPADDD %s, %s, %s", s.r(scanTmp), s.r(first), s.r(first))
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

// products tells how the signed bytes of a query are multiplied with unsigned
// ones.
type products struct {
	step       int    // bytes that fill a register
	query, row string // the instructions that load them, or none
	offset     string // 128 as row would load it
	sums       []int  // that take turns beside the first: an addition waits for the one before
	add        func(w *writer, sum int)
}

// byteProducts multiplies bytes as they are.
func byteProducts(s isa) products {
	return products{s.bytes(), "VMOVDQU", "VMOVDQU", "offsetBytes", []int{scanMore}, func(w *writer, sum int) {
		s.dotBytes(w, scanQuery, scanValue, sum)
	}}
}

// wordProducts widens bytes to 16 bits: the product of bytes of AVX2 saturates.
// It spoils the query's register.
func wordProducts(s isa) products {
	return products{s.bytes() / 2, "VPMOVSXBW", "VPMOVZXBW", "offsetWords", nil, func(w *writer, sum int) {
		w.op("VPMADDWD %s, %s, %s", s.r(scanValue), s.r(scanQuery), s.r(scanQuery))
		w.op("VPADDD %s, %s, %s", s.r(scanQuery), s.r(sum), s.r(sum))
	}}
}

// writeDots writes the products of a query of signed bytes with rows whose
// bytes are offset by 128. They are multiplied as they are: every sum starts
// with the query's product with -128, lane by lane.
func writeDots(w *writer, s isa, p products) {
	w.fn("dots"+s.suffix, "(dst *int32, query *int8, rows *byte, stride, n, count int)", 48)
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ query+8(FP), SI")
	w.op("MOVQ rows+16(FP), AX")
	w.op("MOVQ stride+24(FP), R8")
	w.op("MOVQ n+32(FP), R9")
	w.op("MOVQ count+40(FP), CX")
	s.zero(w, 0)
	w.op("VPBROADCASTD %s<>(SB), %s", p.offset, s.r(scanValue))
	start := p
	start.row = "" // the offset stays where rows are loaded
	writeDotsRow(w, s, start, 0, "start")
	s.zero(w, scanStart)
	w.op("VPSUBD %s, %s, %s", s.r(0), s.r(scanStart), s.r(scanStart))
	eachRow(w, s, func(sum int, suffix string) {
		w.op("VMOVDQA %s, %s", s.r(scanStart), s.r(sum))
		writeDotsRow(w, s, p, sum, suffix)
	}, func(first, second int) { s.addNeighbours(w, "DQ", first, second) })
}

// writeDotsRow adds the products with one row to a sum.
func writeDotsRow(w *writer, s isa, p products, sum int, suffix string) {
	for _, more := range p.sums {
		s.zero(w, more)
	}
	sums := append([]int{sum}, p.sums...)
	w.op("XORQ DX, DX")
	w.op("PCALIGN $32")
	w.label("block" + suffix)
	for i := range 64 / p.step {
		w.op("%s %d(SI)(DX*1), %s", p.query, i*p.step, s.r(scanQuery))
		if p.row != "" {
			w.op("%s %d(AX)(DX*1), %s", p.row, i*p.step, s.r(scanValue))
		}
		p.add(w, sums[i%len(sums)])
	}
	w.op("ADDQ $64, DX")
	w.op("CMPQ DX, R9")
	w.op("JLT block%s", suffix)
	for _, more := range p.sums {
		w.op("VPADDD %s, %s, %s", s.r(more), s.r(sum), s.r(sum))
	}
}

// writeReadSum writes the sum of n bytes (a multiple of 64) as 64-bit words: the
// plain read that a scan is measured against. Registers of 64 bytes read memory
// no faster, nor do prefetches.
func writeReadSum(w *writer) {
	s := avx2
	w.fn("readSumAVX2", "(p *byte, n int) uint64", 24)
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
		for i := range step / s.bytes() {
			w.op("VPADDQ %d(SI), Y%d, Y%d", i*s.bytes(), i%sums, i%sums)
		}
		w.op("ADDQ $%d, SI", step)
		w.op("JMP read%d", step)
		w.label(fmt.Sprintf("less%d", step))
		w.op("ADDQ $%d, CX", step)
	}
	for i := 1; i < sums; i++ {
		w.op("VPADDQ Y%d, Y0, Y0", i)
	}
	s.fold(w, "VPADDQ", 0, 1)
	w.op("VPUNPCKHQDQ X0, X0, X1")
	w.op("VPADDQ X1, X0, X0")
	w.op("VMOVQ X0, ret+16(FP)")
	w.end()
}
