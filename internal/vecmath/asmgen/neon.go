package main

import "fmt"

// This file holds what the routines for arm64 share: vectors of four float32
// lanes or sixteen bytes (NEON, which every arm64 processor has), and the
// encodings of instructions that Go's assembler does not know. V18 is a vector register like
// the others; R18 belongs to the operating system and is left alone.

const (
	neonLanes     = 4
	neonBytes     = 4 * neonLanes
	neonRegisters = 32
)

// writeNEON writes all routines for arm64.
func writeNEON(w *writer) {
	neonVectors(w)
	neonGELU(w)
	neonExp(w)
	neonNorm(w)
	neonTranspose(w)
	neonDequant(w)
	for _, t := range []struct{ rows, vectors int }{{6, 4}, {4, 4}, {2, 8}, {1, 8}} {
		neonTile(w, t.rows, t.vectors)
		neonInt8Tile(w, t.rows, t.vectors)
	}
	neonInt8Rows(w)
	neonScan(w)
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

// conversions encode operations on one vector, register numbers left out.
var conversions = map[string]int{
	"frintn": 0x4e218800, // to the nearest whole number, ties to even
	"fcvtzs": 0x4ea1b800, // to an integer, towards 0
	"fcvtns": 0x4e21a800, // to an integer as frintn; NaN gives 0
	"fcvtnu": 0x6e21a800, // the same, unsigned
	"scvtf":  0x4e21d800, // from an integer
}

// float writes d = n op m for the float32 lanes of vector registers.
func (w *writer) float(op string, d, n, m int) {
	w.word(arithmetic[op]|m<<16|n<<5|d, "%s v%d.4s, v%d.4s, v%d.4s", op, d, n, m)
}

// A laneOp is an instruction whose last operand is one lane of a register.
type laneOp struct {
	encoding int
	// format names the instruction with its operands d, n, m and lane.
	format string
}

var (
	fmlaLane = laneOp{0x4f801000, "fmla v%d.4s, v%d.4s, v%d.s[%d]"} // d += n * lane
	fmulLane = laneOp{0x4f809000, "fmul v%d.4s, v%d.4s, v%d.s[%d]"} // d = n * lane
	// sdotLane adds to each lane of d the products of the four signed bytes in
	// the lane of n with those in the lane of m (FEAT_DotProd).
	sdotLane = laneOp{0x4f80e000, "sdot v%d.4s, v%d.16b, v%d.4b[%d]"}
)

// lane writes an instruction with a lane of m.
func (w *writer) lane(op laneOp, d, n, m, lane int) {
	w.word(op.encoding|lane&1<<21|m<<16|lane>>1<<11|n<<5|d, op.format, d, n, m, lane)
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

// leave leaves a routine for arm64.
func (w *writer) leave() {
	w.op("RET")
	w.WriteString("\n")
}

// convert writes d = n, converted as the two-operand instruction op says.
func (w *writer) convert(op string, d, n int) {
	w.word(conversions[op]|n<<5|d, "%s v%d.4s, v%d.4s", op, d, n)
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
