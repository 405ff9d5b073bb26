package main

import "fmt"

// This file holds what the routines for amd64 share.

// writeAMD64 writes all routines for amd64.
func writeAMD64(w *writer) {
	writeIntegers(w)
	for _, s := range []isa{avx2, avx512} {
		writeVectors(w, s)
		writeGELU(w, s)
		writeExp(w, s)
		writeNorm(w, s)
	}
	writeTranspose(w)
	writeDequantAVX2(w)
	writeDequantAVX512(w)
	for _, rows := range []int{6, 4, 2, 1} {
		writeTile(w, avx2, rows)
	}
	for _, rows := range []int{12, 8, 4, 2, 1} {
		writeTile(w, avx512, rows)
	}
	writeInt8Rows(w)
	for _, rows := range []int{12, 8, 4, 2, 1} {
		writeInt8Tile(w, avx512VNNI, rows)
	}
	for _, rows := range []int{6, 4, 2, 1} {
		writeInt8Tile(w, avxVNNI, rows)
	}
	writeInt8TileAMX(w)
	writeScan(w)
}

// writeIntegers writes a mask, the order that packing leaves groups of four
// bytes in, and two orders that together turn four rows of sixteen bytes into sixteen
// columns of four: the first gathers the parts of each four columns, the second turns
// them.
func writeIntegers(w *writer) {
	fmt.Fprintf(w, "DATA lowNibble<>+0(SB)/4, $0x%08x\n", 15)
	fmt.Fprintf(w, "GLOBL lowNibble<>(SB), RODATA|NOPTR, $4\n")
	for i, v := range []int{0, 4, 1, 5, 2, 6, 3, 7} {
		fmt.Fprintf(w, "DATA packOrder<>+%d(SB)/4, $%d\n", 4*i, v)
	}
	fmt.Fprintf(w, "GLOBL packOrder<>(SB), RODATA|NOPTR, $32\n")
	for i := range 16 {
		fmt.Fprintf(w, "DATA nibbleColumns<>+%d(SB)/4, $%d\n", 4*i, i%4*4+i/4)
	}
	fmt.Fprintf(w, "GLOBL nibbleColumns<>(SB), RODATA|NOPTR, $64\n")
	for i := range 16 {
		fmt.Fprintf(w, "DATA nibbleRows<>+%d(SB)/1, $%d\n", i, i%4*4+i/4)
	}
	fmt.Fprintf(w, "GLOBL nibbleRows<>(SB), RODATA|NOPTR, $16\n\n")
}

// end leaves a routine for amd64.
func (w *writer) end() {
	w.op("VZEROUPPER")
	w.op("RET")
	w.WriteString("\n")
}

// An isa is an instruction set: how its routines are called, and its registers.
type isa struct {
	suffix    string // of the routines' names
	letter    string // of the vector registers
	lanes     int    // float32 values per register
	registers int
}

var (
	avx2   = isa{suffix: "AVX2", letter: "Y", lanes: 8, registers: 16}
	avx512 = isa{suffix: "AVX512", letter: "Z", lanes: 16, registers: 32}

	avxVNNI    = isa{suffix: "AVXVNNI", letter: "Y", lanes: 8, registers: 16}
	avx512VNNI = isa{suffix: "AVX512VNNI", letter: "Z", lanes: 16, registers: 32}
)

// r returns the name of vector register i.
func (s isa) r(i int) string { return fmt.Sprintf("%s%d", s.letter, i) }

// bytes returns the size of a vector register.
func (s isa) bytes() int { return 4 * s.lanes }

// zero clears vector register i.
func (s isa) zero(w *writer, i int) {
	if s.lanes == 16 {
		w.op("VPXORD %s, %s, %s", s.r(i), s.r(i), s.r(i))
		return
	}
	w.op("VXORPS %s, %s, %s", s.r(i), s.r(i), s.r(i))
}

// reduce folds the lanes of register i (below 16) into its first with op
// (VADDPS or VMAXPS), always in the same order; it spoils register tmp.
func (s isa) reduce(w *writer, op string, i, tmp int) {
	if s.lanes == 16 {
		w.op("VEXTRACTF64X4 $1, Z%d, Y%d", i, tmp)
		w.op("%s Y%d, Y%d, Y%d", op, tmp, i, i)
	}
	w.op("VEXTRACTF128 $1, Y%d, X%d", i, tmp)
	w.op("%s X%d, X%d, X%d", op, tmp, i, i)
	w.op("VPERMILPS $0x4e, X%d, X%d", i, tmp)
	w.op("%s X%d, X%d, X%d", op, tmp, i, i)
	w.op("VPERMILPS $0xb1, X%d, X%d", i, tmp)
	w.op("%s X%d, X%d, X%d", op, tmp, i, i)
}

// A pool keeps constants in the vector registers from next on; those that find
// no room are broadcast to the scratch register at each use.
type pool struct {
	isa     isa
	scratch int
	held    map[string]int
}

// load fills the free registers, the scratch register excepted, with the named
// constants in their order.
func load(w *writer, s isa, next, scratch int, names ...string) pool {
	p := pool{s, scratch, map[string]int{}}
	for _, name := range names {
		if next == scratch {
			next++
		}
		if next >= s.registers {
			break
		}
		w.op("VBROADCASTSS %s<>(SB), %s", name, s.r(next))
		p.held[name] = next
		next++
	}
	return p
}

// get returns a register that holds the constant until the next get.
func (p pool) get(w *writer, name string) string {
	if i, ok := p.held[name]; ok {
		return p.isa.r(i)
	}
	w.op("VBROADCASTSS %s<>(SB), %s", name, p.isa.r(p.scratch))
	return p.isa.r(p.scratch)
}
