package main

import "fmt"

// This file holds what the routines for arm64 share: float32 in vectors of four
// lanes (NEON, which every arm64 processor has), and the encodings of
// instructions that Go's assembler does not know. V18 is a vector register like
// the others; R18 belongs to the operating system and is left alone.

const (
	neonLanes     = 4
	neonBytes     = 4 * neonLanes
	neonRegisters = 32
)

// writeNEON writes all float32 routines for arm64.
func writeNEON(w *writer) {
	neonVectors(w)
	neonGELU(w)
	neonExp(w)
	neonNorm(w)
	neonTranspose(w)
	neonDequant(w)
	for _, t := range []struct{ rows, vectors int }{{6, 4}, {4, 4}, {2, 8}, {1, 8}} {
		neonTile(w, t.rows, t.vectors)
	}
}

// word writes an instruction as its encoding; the comment says it in the words
// of the Arm Architecture Reference Manual.
func (w *writer) word(encoding int, format string, args ...any) {
	w.op("WORD $0x%08x // %s", encoding, fmt.Sprintf(format, args...))
}

// arithmetic encodes operations on two vectors, register numbers left out.
var arithmetic = map[string]int{
	"fadd":  0x4e20d400,
	"fsub":  0x4ea0d400,
	"fmul":  0x6e20dc00,
	"fdiv":  0x6e20fc00,
	"fmax":  0x4e20f400, // a NaN wins
	"fmin":  0x4ea0f400, // a NaN wins
	"faddp": 0x6e20d400, // sums of neighbours, those of n before those of m
	"fcmgt": 0x6ea0e400, // all bits set where n > m
}

// float writes d = n op m for the float32 lanes of vector registers.
func (w *writer) float(op string, d, n, m int) {
	w.word(arithmetic[op]|m<<16|n<<5|d, "%s v%d.4s, v%d.4s, v%d.4s", op, d, n, m)
}

// fmlaLane writes d += n * (one lane of m): one fused step of four sums.
func (w *writer) fmlaLane(d, n, m, lane int) {
	high, low := lane>>1, lane&1
	w.word(0x4f801000|low<<21|m<<16|high<<11|n<<5|d, "fmla v%d.4s, v%d.4s, v%d.s[%d]", d, n, m, lane)
}

// fmla writes d += n * m.
func (w *writer) fmla(d, n, m int) { w.op("VFMLA V%d.S4, V%d.S4, V%d.S4", m, n, d) }

// fmls writes d -= n * m.
func (w *writer) fmls(d, n, m int) { w.op("VFMLS V%d.S4, V%d.S4, V%d.S4", m, n, d) }

// copyVector writes d = n.
func (w *writer) copyVector(d, n int) { w.op("VORR V%d.B16, V%d.B16, V%d.B16", n, n, d) }

// zeroVectors clears the registers from first to last.
func (w *writer) zeroVectors(first, last int) {
	for i := first; i <= last; i++ {
		w.op("VEOR V%d.B16, V%d.B16, V%d.B16", i, i, i)
	}
}

// broadcast fills register d from four bytes in memory.
func (w *writer) broadcast(from string, d int) {
	w.op("FMOVS %s, F%d", from, d)
	w.op("VDUP V%d.S[0], V%d.S4", d, d)
}

// sumLanes adds the lanes of register i into its first, always in the same
// order.
func (w *writer) sumLanes(i int) {
	w.float("faddp", i, i, i)
	w.float("faddp", i, i, i)
}

// leave returns from a routine.
func (w *writer) leave() {
	w.op("RET")
	w.WriteString("\n")
}

// holdNEON loads the named constants into the vector registers from first on
// and returns where they are.
func holdNEON(w *writer, first int, names ...string) map[string]int {
	if first+len(names) > neonRegisters {
		panic("too many constants")
	}
	held := map[string]int{}
	for i, name := range names {
		w.broadcast(name+"<>(SB)", first+i)
		held[name] = first + i
	}
	return held
}

// nextNEON moves the pointers on by one vector and jumps back to the label
// while values are left in count.
func nextNEON(w *writer, label, count string, pointers ...string) {
	for _, p := range pointers {
		w.op("ADD $%d, %s", neonBytes, p)
	}
	w.op("SUBS $%d, %s, %s", neonLanes, count, count)
	w.op("BGT %s", label)
}
