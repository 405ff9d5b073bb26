package main

import "fmt"

// neonScan writes the routines that compare one query with many rows. As those
// for amd64 they read the rows one after the other, and put the sums of four
// together.
func neonScan(w *writer) {
	neonDots(w, "SDOT", func(sum, query, value int) {
		w.word(0x4e809400|value<<16|query<<5|sum, "sdot v%d.4s, v%d.16b, v%d.16b", sum, query, value)
	})
	neonDots(w, "NEON", func(sum, query, value int) {
		const low = neonRegisters - 1
		w.word(0x0e20c000|value<<16|query<<5|low, "smull v%d.8h, v%d.8b, v%d.8b", low, query, value)
		w.word(0x4e20c000|value<<16|query<<5|value, "smull2 v%d.8h, v%d.16b, v%d.16b", value, query, value)
		for _, products := range []int{low, value} {
			w.word(0x4e606800|products<<5|sum, "sadalp v%d.4s, v%d.8h", sum, products)
		}
	})
	neonHamming(w)
	neonReadSum(w)
}

// neonEachRow writes a loop over four rows at a time and one over the rows that
// are left. The rows begin at R2 and are R3 bytes apart, R5 counts them, their
// results go to R0. row writes what leaves the sum of the row at R6 in a
// register; its labels end in suffix.
func neonEachRow(w *writer, row func(sum int, suffix string)) {
	for _, rows := range []int{4, 1} {
		w.label(fmt.Sprintf("rows%d", rows))
		w.op("SUBS $%d, R5, R5", rows)
		w.op("BLT less%d", rows)
		for i := range rows {
			w.op("MOVD R2, R6")
			row(i, fmt.Sprintf("%dof%d", i, rows))
			w.op("ADD R3, R2")
		}
		// Sums of neighbours, those of the second operand first.
		if rows == 1 {
			w.op("VADDP V0.S4, V0.S4, V0.S4")
			w.op("VADDP V0.S4, V0.S4, V0.S4")
			w.op("FMOVS.P F0, 4(R0)")
		} else {
			w.op("VADDP V1.S4, V0.S4, V0.S4")
			w.op("VADDP V3.S4, V2.S4, V2.S4")
			w.op("VADDP V2.S4, V0.S4, V0.S4")
			w.op("FMOVQ.P F0, 16(R0)")
		}
		w.op("B rows%d", rows)
		w.label(fmt.Sprintf("less%d", rows))
		w.op("ADD $%d, R5", rows)
	}
	w.leave()
}

// neonDots writes the products of a query of signed bytes with rows whose bytes
// are offset by 128: turning their highest bit makes them signed. dot adds the
// products of sixteen bytes to a sum and may spoil value.
func neonDots(w *writer, suffix string, dot func(sum, query, value int)) {
	w.fn("dots"+suffix, "(dst *int32, query *int8, rows *byte, stride, n, count int)", 48)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD query+8(FP), R1")
	w.op("MOVD rows+16(FP), R2")
	w.op("MOVD stride+24(FP), R3")
	w.op("MOVD n+32(FP), R4")
	w.op("MOVD count+40(FP), R5")
	const more, query, sign, value = 4, 8, 12, 16
	w.op("VMOVI $128, V%d.B16", sign)
	neonEachRow(w, func(sum int, suffix string) {
		w.zeroVectors(sum, sum)
		w.zeroVectors(more, more+2) // an addition waits for the one before
		w.op("MOVD R1, R7")
		w.op("MOVD R4, R8")
		w.label("block" + suffix)
		w.op("VLD1.P 64(R7), [V8.B16, V9.B16, V10.B16, V11.B16]")
		w.op("VLD1.P 64(R6), [V16.B16, V17.B16, V18.B16, V19.B16]")
		for i, s := range []int{sum, more, more + 1, more + 2} {
			w.op("VEOR V%d.B16, V%d.B16, V%d.B16", sign, value+i, value+i)
			dot(s, query+i, value+i)
		}
		w.op("SUBS $64, R8, R8")
		w.op("BGT block%s", suffix)
		w.op("VADD V%d.S4, V%d.S4, V%d.S4", more, sum, sum)
		w.op("VADD V%d.S4, V%d.S4, V%d.S4", more+2, more+1, more+1)
		w.op("VADD V%d.S4, V%d.S4, V%d.S4", more+1, sum, sum)
	})
}

// neonHamming writes the number of bits in which rows differ from a query, two
// words at a time after the first of an odd number.
func neonHamming(w *writer) {
	w.fn("hammingNEON", "(dst *int32, query, rows *uint64, words, count int)", 40)
	w.op("MOVD dst+0(FP), R0")
	w.op("MOVD query+8(FP), R1")
	w.op("MOVD rows+16(FP), R2")
	w.op("MOVD words+24(FP), R4")
	w.op("MOVD count+32(FP), R5")
	w.op("LSL $3, R4, R3")
	const query, value = 4, 5
	words := func(sum int, load string) {
		w.op(load, 7, query)
		w.op(load, 6, value)
		w.op("VEOR V%d.B16, V%d.B16, V%d.B16", query, value, value)
		w.op("VCNT V%d.B16, V%d.B16", value, value)
		w.word(0x6e202800|value<<5|value, "uaddlp v%d.8h, v%d.16b", value, value)
		w.word(0x6e606800|value<<5|sum, "uadalp v%d.4s, v%d.8h", sum, value)
	}
	neonEachRow(w, func(sum int, suffix string) {
		w.zeroVectors(sum, sum)
		w.op("MOVD R1, R7")
		w.op("MOVD R4, R8")
		w.op("TBZ $0, R4, even%s", suffix)
		words(sum, "FMOVD.P 8(R%d), F%d")
		w.op("SUB $1, R8")
		w.op("CBZ R8, done%s", suffix)
		w.label("even" + suffix)
		words(sum, "FMOVQ.P 16(R%d), F%d")
		w.op("SUBS $2, R8, R8")
		w.op("BGT even%s", suffix)
		w.label("done" + suffix)
	})
}

// neonReadSum writes the sum of n bytes (a multiple of 64) as 64-bit words: the
// plain read that a scan is measured against.
func neonReadSum(w *writer) {
	w.fn("readSumNEON", "(p *byte, n int) uint64", 24)
	w.op("MOVD p+0(FP), R0")
	w.op("MOVD n+8(FP), R1")
	const values = 4
	w.zeroVectors(0, 3)
	w.label("loop")
	w.op("VLD1.P 64(R0), [V4.D2, V5.D2, V6.D2, V7.D2]")
	for i := range 4 {
		w.op("VADD V%d.D2, V%d.D2, V%d.D2", values+i, i, i)
	}
	w.op("SUBS $64, R1, R1")
	w.op("BGT loop")
	for i := 1; i < 4; i++ {
		w.op("VADD V%d.D2, V0.D2, V0.D2", i)
	}
	w.op("VADDP V0.D2, V0.D2, V0.D2")
	w.op("FMOVD F0, ret+16(FP)")
	w.leave()
}
