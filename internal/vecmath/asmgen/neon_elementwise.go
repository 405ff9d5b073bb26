package main

// neonVectors writes the routines over one or two vectors that need no
// constants: dot, max, add, scale.
func neonVectors(w *writer) {
	neonDot(w)

	w.fn("maxNEON", "(x *float32, n int) float32", 20)
	w.op("MOVD x+0(FP), R0")
	w.op("MOVD n+8(FP), R1")
	w.op("FMOVQ (R0), F0")
	w.label("loop")
	w.op("FMOVQ (R0), F1")
	w.float("fmax", 0, 0, 1)
	nextNEON(w, "loop", "R1", "R0")
	w.word(0x6e30f800, "fmaxv s0, v0.4s")
	w.op("FMOVS F0, ret+16(FP)")
	w.leave()

	w.fn("addNEON", "(x, y *float32, n int)", 24)
	w.op("MOVD x+0(FP), R0")
	w.op("MOVD y+8(FP), R1")
	w.op("MOVD n+16(FP), R2")
	w.label("loop")
	w.op("FMOVQ (R0), F0")
	w.op("FMOVQ (R1), F1")
	w.float("fadd", 0, 0, 1)
	w.op("FMOVQ F0, (R0)")
	nextNEON(w, "loop", "R2", "R0", "R1")
	w.leave()

	w.fn("scaleNEON", "(x *float32, n int, factor float32)", 20)
	w.op("MOVD x+0(FP), R0")
	w.op("MOVD n+8(FP), R1")
	w.broadcast("factor+16(FP)", 1)
	w.label("loop")
	w.op("FMOVQ (R0), F0")
	w.float("fmul", 0, 0, 1)
	w.op("FMOVQ F0, (R0)")
	nextNEON(w, "loop", "R1", "R0")
	w.leave()
}

// neonDot writes the dot product: four running sums hide the latency of the
// additions.
func neonDot(w *writer) {
	w.fn("dotNEON", "(a, b *float32, n int) float32", 28)
	w.op("MOVD a+0(FP), R0")
	w.op("MOVD b+8(FP), R1")
	w.op("MOVD n+16(FP), R2")
	w.zeroVectors(0, 3)
	w.op("SUBS $%d, R2, R2", 4*neonLanes)
	w.op("BLT rest")
	w.label("four")
	w.op("VLD1.P %d(R0), [V4.S4, V5.S4, V6.S4, V7.S4]", 4*neonBytes)
	w.op("VLD1.P %d(R1), [V16.S4, V17.S4, V18.S4, V19.S4]", 4*neonBytes)
	for i := range 4 {
		w.fmla(i, 4+i, 16+i)
	}
	w.op("SUBS $%d, R2, R2", 4*neonLanes)
	w.op("BGE four")
	w.label("rest")
	w.op("ADDS $%d, R2, R2", 4*neonLanes)
	w.op("BLE done")
	w.label("one")
	w.op("FMOVQ (R0), F4")
	w.op("FMOVQ (R1), F16")
	w.fmla(0, 4, 16)
	nextNEON(w, "one", "R2", "R0", "R1")
	w.label("done")
	w.float("fadd", 0, 0, 1)
	w.float("fadd", 2, 2, 3)
	w.float("fadd", 0, 0, 2)
	w.sumLanes(0)
	w.op("FMOVS F0, ret+24(FP)")
	w.leave()
}

// neonGELU writes x = GELU(x + b). The polynomials alternate between two
// registers each, because a fused multiply-add overwrites what it adds to.
func neonGELU(w *writer) {
	w.fn("biasGELUNEON", "(x, b *float32, n int)", 24)
	w.op("MOVD x+0(FP), R0")
	w.op("MOVD b+8(FP), R1")
	w.op("MOVD n+16(FP), R2")
	const x, clamped, square, b, free = 0, 1, 2, 3, 8
	p, q := [2]int{4, 5}, [2]int{6, 7}
	c := holdNEON(w, free, "geluLowest", "geluHighest", "geluP0", "geluP1", "geluP2", "geluP3", "geluP4", "geluP5",
		"one", "geluQ1", "geluQ2", "geluQ3", "geluQ4", "geluQ5", "half")
	w.label("loop")
	w.op("FMOVQ (R0), F%d", x)
	w.op("FMOVQ (R1), F%d", b)
	w.float("fadd", x, x, b)
	w.float("fmax", x, x, c["geluLowest"])
	w.float("fmin", clamped, x, c["geluHighest"])
	w.float("fmul", square, clamped, clamped)
	neonPolynomial(w, p, square, c["geluP5"], c["geluP4"], c["geluP3"], c["geluP2"], c["geluP1"], c["geluP0"])
	neonPolynomial(w, q, square, c["geluQ5"], c["geluQ4"], c["geluQ3"], c["geluQ2"], c["geluQ1"], c["one"])
	w.float("fdiv", p[0], p[0], q[0])
	w.copyVector(p[1], c["half"])
	w.fmla(p[1], p[0], clamped)
	w.float("fmul", x, x, p[1])
	w.op("FMOVQ F%d, (R0)", x)
	nextNEON(w, "loop", "R2", "R0", "R1")
	w.leave()
}

// neonPolynomial evaluates a polynomial in x by Horner's rule, the coefficients
// of the highest powers first, in two registers; the value is left in the first
// of them.
func neonPolynomial(w *writer, p [2]int, x int, coefficients ...int) {
	// The last step must end in p[0].
	from := len(coefficients) % 2
	last := coefficients[0]
	for i, c := range coefficients[1:] {
		to := p[(from+i)%2]
		w.copyVector(to, c)
		w.fmla(to, last, x)
		last = to
	}
}

// neonExp writes x = exp((x - max) * scale), whose arguments are at most 0, and
// returns the sum. Arguments below the lowest give 0, infinity included.
func neonExp(w *writer) {
	w.fn("expSumNEON", "(x *float32, n int, max, scale float32) (sum float32)", 28)
	w.op("MOVD x+0(FP), R0")
	w.op("MOVD n+8(FP), R1")
	const x, power, square, mask, sum, max, scale, free = 0, 1, 2, 3, 6, 7, 8, 9
	p := [2]int{4, 5}
	w.broadcast("max+16(FP)", max)
	w.broadcast("scale+20(FP)", scale)
	w.zeroVectors(sum, sum)
	c := holdNEON(w, free, "expLowest", "expLog2E", "expLn2High", "expLn2Low", "expP0", "expP1", "expP2", "expP3",
		"expP4", "expP5", "one")
	w.label("loop")
	w.op("FMOVQ (R0), F%d", x)
	w.float("fsub", x, x, max)
	w.float("fmul", x, x, scale)
	// False for NaN, which then stays.
	w.float("fcmgt", mask, c["expLowest"], x)
	w.float("fmax", x, x, c["expLowest"])
	w.float("fmul", power, x, c["expLog2E"])
	w.convert("frintn", power, power)
	w.fmls(x, power, c["expLn2High"])
	w.fmls(x, power, c["expLn2Low"])
	neonPolynomial(w, p, x, c["expP0"], c["expP1"], c["expP2"], c["expP3"], c["expP4"], c["expP5"])
	w.float("fmul", square, x, x)
	w.fmla(x, p[0], square)
	w.float("fadd", x, x, c["one"])
	w.convert("fcvtzs", power, power)
	w.op("VSHL $23, V%d.S4, V%d.S4", power, power)
	w.op("VADD V%d.S4, V%d.S4, V%d.S4", power, x, x)
	w.word(0x4e601c00|mask<<16|x<<5|x, "bic v%d.16b, v%d.16b, v%d.16b", x, x, mask)
	w.op("FMOVQ F%d, (R0)", x)
	w.float("fadd", sum, sum, x)
	nextNEON(w, "loop", "R1", "R0")
	w.sumLanes(sum)
	w.op("FMOVS F%d, sum+24(FP)", sum)
	w.leave()
}

// neonNorm writes the three passes of residual, bias and LayerNorm.
func neonNorm(w *writer) {
	w.fn("addSumNEON", "(x, r, b *float32, n int) (sum float32)", 36)
	w.op("MOVD x+0(FP), R0")
	w.op("MOVD r+8(FP), R1")
	w.op("MOVD b+16(FP), R2")
	w.op("MOVD n+24(FP), R3")
	w.zeroVectors(3, 3)
	w.label("loop")
	for i, pointer := range []string{"R0", "R1", "R2"} {
		w.op("FMOVQ (%s), F%d", pointer, i)
	}
	w.float("fadd", 0, 0, 1)
	w.float("fadd", 0, 0, 2)
	w.op("FMOVQ F0, (R0)")
	w.float("fadd", 3, 3, 0)
	nextNEON(w, "loop", "R3", "R0", "R1", "R2")
	w.sumLanes(3)
	w.op("FMOVS F3, sum+32(FP)")
	w.leave()

	w.fn("sumSquaresNEON", "(x *float32, n int, mean float32) (sum float32)", 28)
	w.op("MOVD x+0(FP), R0")
	w.op("MOVD n+8(FP), R1")
	w.broadcast("mean+16(FP)", 2)
	w.zeroVectors(1, 1)
	w.label("loop")
	w.op("FMOVQ (R0), F0")
	w.float("fsub", 0, 0, 2)
	w.fmla(1, 0, 0)
	nextNEON(w, "loop", "R1", "R0")
	w.sumLanes(1)
	w.op("FMOVS F1, sum+24(FP)")
	w.leave()

	w.fn("scaleShiftNEON", "(x, gamma, beta *float32, n int, mean, inverse float32)", 40)
	w.op("MOVD x+0(FP), R0")
	w.op("MOVD gamma+8(FP), R1")
	w.op("MOVD beta+16(FP), R2")
	w.op("MOVD n+24(FP), R3")
	w.broadcast("mean+32(FP)", 3)
	w.broadcast("inverse+36(FP)", 4)
	w.label("loop")
	for i, pointer := range []string{"R0", "R1", "R2"} {
		w.op("FMOVQ (%s), F%d", pointer, i)
	}
	w.float("fsub", 0, 0, 3)
	w.float("fmul", 0, 0, 4)
	w.fmla(2, 0, 1)
	w.op("FMOVQ F2, (R0)")
	nextNEON(w, "loop", "R3", "R0", "R1", "R2")
	w.leave()
}
