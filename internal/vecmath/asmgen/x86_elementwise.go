package main

import "fmt"

// writeVectors writes the routines over one or two vectors that need no
// constants: dot, max, add, scale.
func writeVectors(w *writer, s isa) {
	writeDot(w, s)

	w.fn("max"+s.suffix, "(x *float32, n int) float32", 20)
	w.op("MOVQ x+0(FP), SI")
	w.op("MOVQ n+8(FP), CX")
	w.op("VMOVUPS (SI), %s", s.r(0))
	w.label("loop")
	w.op("VMAXPS (SI), %s, %s", s.r(0), s.r(0))
	next(w, s, "loop", "SI")
	s.reduce(w, "VMAXPS", 0, 1)
	w.op("MOVSS X0, ret+16(FP)")
	w.end()

	w.fn("add"+s.suffix, "(x, y *float32, n int)", 24)
	w.op("MOVQ x+0(FP), SI")
	w.op("MOVQ y+8(FP), DI")
	w.op("MOVQ n+16(FP), CX")
	w.label("loop")
	w.op("VMOVUPS (SI), %s", s.r(0))
	w.op("VADDPS (DI), %s, %s", s.r(0), s.r(0))
	w.op("VMOVUPS %s, (SI)", s.r(0))
	next(w, s, "loop", "SI", "DI")
	w.end()

	w.fn("scale"+s.suffix, "(x *float32, n int, factor float32)", 20)
	w.op("MOVQ x+0(FP), SI")
	w.op("MOVQ n+8(FP), CX")
	w.op("VBROADCASTSS factor+16(FP), %s", s.r(1))
	w.label("loop")
	w.op("VMULPS (SI), %s, %s", s.r(1), s.r(0))
	w.op("VMOVUPS %s, (SI)", s.r(0))
	next(w, s, "loop", "SI")
	w.end()
}

// next moves the pointers on by one vector and jumps back to the label while
// values are left in CX.
func next(w *writer, s isa, label string, pointers ...string) {
	for _, p := range pointers {
		w.op("ADDQ $%d, %s", s.bytes(), p)
	}
	w.op("SUBQ $%d, CX", s.lanes)
	w.op("JG %s", label)
}

// writeDot writes the dot product: four running sums hide the latency of the
// additions.
func writeDot(w *writer, s isa) {
	w.fn("dot"+s.suffix, "(a, b *float32, n int) float32", 28)
	w.op("MOVQ a+0(FP), SI")
	w.op("MOVQ b+8(FP), DI")
	w.op("MOVQ n+16(FP), CX")
	for i := range 4 {
		s.zero(w, i)
	}
	w.op("SUBQ $%d, CX", 4*s.lanes)
	w.op("JLT rest")
	w.label("four")
	for i := range 4 {
		w.op("VMOVUPS %d(SI), %s", i*s.bytes(), s.r(4+i))
		w.op("VFMADD231PS %d(DI), %s, %s", i*s.bytes(), s.r(4+i), s.r(i))
	}
	w.op("ADDQ $%d, SI", 4*s.bytes())
	w.op("ADDQ $%d, DI", 4*s.bytes())
	w.op("SUBQ $%d, CX", 4*s.lanes)
	w.op("JGE four")
	w.label("rest")
	w.op("ADDQ $%d, CX", 4*s.lanes)
	w.op("JLE done")
	w.label("one")
	w.op("VMOVUPS (SI), %s", s.r(4))
	w.op("VFMADD231PS (DI), %s, %s", s.r(4), s.r(0))
	next(w, s, "one", "SI", "DI")
	w.label("done")
	w.op("VADDPS %s, %s, %s", s.r(1), s.r(0), s.r(0))
	w.op("VADDPS %s, %s, %s", s.r(3), s.r(2), s.r(2))
	w.op("VADDPS %s, %s, %s", s.r(2), s.r(0), s.r(0))
	s.reduce(w, "VADDPS", 0, 1)
	w.op("MOVSS X0, ret+24(FP)")
	w.end()
}

// writeGELU writes x = GELU(x + b).
func writeGELU(w *writer, s isa) {
	w.fn("biasGELU"+s.suffix, "(x, b *float32, n int)", 24)
	w.op("MOVQ x+0(FP), SI")
	w.op("MOVQ b+8(FP), DI")
	w.op("MOVQ n+16(FP), CX")
	const x, clamped, square, p, q, scratch, free = 0, 1, 2, 3, 4, 5, 6
	c := load(w, s, free, scratch, "geluLowest", "geluHighest", "geluP4", "geluQ4", "geluP3", "geluQ3",
		"geluP2", "geluQ2", "geluP1", "geluQ1", "geluP5", "geluQ5", "geluP0", "one", "half")
	w.label("loop")
	w.op("VMOVUPS (SI), %s", s.r(x))
	w.op("VADDPS (DI), %s, %s", s.r(x), s.r(x))
	// The value comes first: of a NaN and a number the first operand is kept.
	w.op("VMAXPS %s, %s, %s", s.r(x), c.get(w, "geluLowest"), s.r(x))
	w.op("VMINPS %s, %s, %s", s.r(x), c.get(w, "geluHighest"), s.r(clamped))
	w.op("VMULPS %s, %s, %s", s.r(clamped), s.r(clamped), s.r(square))
	w.op("VMOVAPS %s, %s", c.get(w, "geluP5"), s.r(p))
	w.op("VMOVAPS %s, %s", c.get(w, "geluQ5"), s.r(q))
	for i := 4; i >= 0; i-- {
		w.op("VFMADD213PS %s, %s, %s", c.get(w, fmt.Sprintf("geluP%d", i)), s.r(square), s.r(p))
		one := fmt.Sprintf("geluQ%d", i)
		if i == 0 {
			one = "one"
		}
		w.op("VFMADD213PS %s, %s, %s", c.get(w, one), s.r(square), s.r(q))
	}
	w.op("VDIVPS %s, %s, %s", s.r(q), s.r(p), s.r(p))
	w.op("VFMADD213PS %s, %s, %s", c.get(w, "half"), s.r(clamped), s.r(p))
	w.op("VMULPS %s, %s, %s", s.r(p), s.r(x), s.r(x))
	w.op("VMOVUPS %s, (SI)", s.r(x))
	next(w, s, "loop", "SI", "DI")
	w.end()
}

// writeExp writes x = exp((x - max) * scale), whose arguments are at most 0,
// and returns the sum. Arguments below the lowest give 0, infinity included.
func writeExp(w *writer, s isa) {
	w.fn("expSum"+s.suffix, "(x *float32, n int, max, scale float32) (sum float32)", 28)
	w.op("MOVQ x+0(FP), SI")
	w.op("MOVQ n+8(FP), CX")
	const x, power, p, square, mask, sum, max, scale, scratch, free = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	w.op("VBROADCASTSS max+16(FP), %s", s.r(max))
	w.op("VBROADCASTSS scale+20(FP), %s", s.r(scale))
	s.zero(w, sum)
	c := load(w, s, free, scratch, "expLowest", "expLog2E", "expLn2High", "expLn2Low", "expP1", "expP2", "expP3",
		"expP4", "expP5", "expP0", "one")
	w.label("loop")
	w.op("VMOVUPS (SI), %s", s.r(x))
	w.op("VSUBPS %s, %s, %s", s.r(max), s.r(x), s.r(x))
	w.op("VMULPS %s, %s, %s", s.r(scale), s.r(x), s.r(x))
	lowest := c.get(w, "expLowest")
	const less = 1 // a comparison that is false for NaN, which then stays
	if s.lanes == 16 {
		w.op("VCMPPS $%d, %s, %s, K1", less, lowest, s.r(x))
	} else {
		w.op("VCMPPS $%d, %s, %s, %s", less, lowest, s.r(x), s.r(mask))
	}
	w.op("VMAXPS %s, %s, %s", s.r(x), lowest, s.r(x))
	w.op("VMULPS %s, %s, %s", c.get(w, "expLog2E"), s.r(x), s.r(power))
	if s.lanes == 16 {
		w.op("VRNDSCALEPS $0, %s, %s", s.r(power), s.r(power))
	} else {
		w.op("VROUNDPS $0, %s, %s", s.r(power), s.r(power))
	}
	w.op("VFNMADD231PS %s, %s, %s", c.get(w, "expLn2High"), s.r(power), s.r(x))
	w.op("VFNMADD231PS %s, %s, %s", c.get(w, "expLn2Low"), s.r(power), s.r(x))
	w.op("VMOVAPS %s, %s", c.get(w, "expP0"), s.r(p))
	for i := 1; i <= 5; i++ {
		w.op("VFMADD213PS %s, %s, %s", c.get(w, fmt.Sprintf("expP%d", i)), s.r(x), s.r(p))
	}
	w.op("VMULPS %s, %s, %s", s.r(x), s.r(x), s.r(square))
	w.op("VFMADD213PS %s, %s, %s", s.r(x), s.r(square), s.r(p))
	w.op("VADDPS %s, %s, %s", c.get(w, "one"), s.r(p), s.r(p))
	w.op("VCVTPS2DQ %s, %s", s.r(power), s.r(power))
	w.op("VPSLLD $23, %s, %s", s.r(power), s.r(power))
	w.op("VPADDD %s, %s, %s", s.r(power), s.r(p), s.r(x))
	if s.lanes == 16 {
		w.op("VPXORD %s, %s, K1, %s", s.r(x), s.r(x), s.r(x))
	} else {
		w.op("VANDNPS %s, %s, %s", s.r(x), s.r(mask), s.r(x))
	}
	w.op("VMOVUPS %s, (SI)", s.r(x))
	w.op("VADDPS %s, %s, %s", s.r(x), s.r(sum), s.r(sum))
	next(w, s, "loop", "SI")
	s.reduce(w, "VADDPS", sum, x)
	w.op("MOVSS X%d, sum+24(FP)", sum)
	w.end()
}

// writeNorm writes the three passes of residual, bias and LayerNorm.
func writeNorm(w *writer, s isa) {
	w.fn("addSum"+s.suffix, "(x, r, b *float32, n int) (sum float32)", 36)
	w.op("MOVQ x+0(FP), SI")
	w.op("MOVQ r+8(FP), DI")
	w.op("MOVQ b+16(FP), DX")
	w.op("MOVQ n+24(FP), CX")
	s.zero(w, 1)
	w.label("loop")
	w.op("VMOVUPS (SI), %s", s.r(0))
	w.op("VADDPS (DI), %s, %s", s.r(0), s.r(0))
	w.op("VADDPS (DX), %s, %s", s.r(0), s.r(0))
	w.op("VMOVUPS %s, (SI)", s.r(0))
	w.op("VADDPS %s, %s, %s", s.r(0), s.r(1), s.r(1))
	next(w, s, "loop", "SI", "DI", "DX")
	s.reduce(w, "VADDPS", 1, 0)
	w.op("MOVSS X1, sum+32(FP)")
	w.end()

	w.fn("sumSquares"+s.suffix, "(x *float32, n int, mean float32) (sum float32)", 28)
	w.op("MOVQ x+0(FP), SI")
	w.op("MOVQ n+8(FP), CX")
	w.op("VBROADCASTSS mean+16(FP), %s", s.r(2))
	s.zero(w, 1)
	w.label("loop")
	w.op("VMOVUPS (SI), %s", s.r(0))
	w.op("VSUBPS %s, %s, %s", s.r(2), s.r(0), s.r(0))
	w.op("VFMADD231PS %s, %s, %s", s.r(0), s.r(0), s.r(1))
	next(w, s, "loop", "SI")
	s.reduce(w, "VADDPS", 1, 0)
	w.op("MOVSS X1, sum+24(FP)")
	w.end()

	w.fn("scaleShift"+s.suffix, "(x, gamma, beta *float32, n int, mean, inverse float32)", 40)
	w.op("MOVQ x+0(FP), SI")
	w.op("MOVQ gamma+8(FP), DI")
	w.op("MOVQ beta+16(FP), DX")
	w.op("MOVQ n+24(FP), CX")
	w.op("VBROADCASTSS mean+32(FP), %s", s.r(2))
	w.op("VBROADCASTSS inverse+36(FP), %s", s.r(3))
	w.label("loop")
	w.op("VMOVUPS (SI), %s", s.r(0))
	w.op("VSUBPS %s, %s, %s", s.r(2), s.r(0), s.r(0))
	w.op("VMULPS %s, %s, %s", s.r(3), s.r(0), s.r(0))
	w.op("VMOVUPS (DX), %s", s.r(1))
	w.op("VFMADD231PS (DI), %s, %s", s.r(0), s.r(1))
	w.op("VMOVUPS %s, (SI)", s.r(1))
	next(w, s, "loop", "SI", "DI", "DX")
	w.end()
}
