package main

import "fmt"

// amxRows is the number of rows that the tile registers hold at once: two
// registers of sixteen.
const amxRows = 32

// The tile registers: the sums of the upper and the lower sixteen rows, left
// and right, then the rows, then the columns of the panel.
const (
	amxUpper = 4
	amxLower = 5
	amxLeft  = 6
	amxRight = 7
)

// writeInt8TileAMX writes the multiplication of 32 rows of bytes with a panel
// of bytes on the tile registers of AMX. They are configured and released
// here, so that no other code meets them. The sums go through memory, [32][32]
// values that the caller lends, and are scaled as in every tile.
//
// Go's assembler does not know the instructions; their bytes are those of
// Intel's manual, volume 2, "Intel AMX instruction set reference".
func writeInt8TileAMX(w *writer) {
	writeAMXConfig(w)
	w.fn("int8Tile32AMX", "(k int, a *byte, lda int, scales *Int8Row, panel *int8, columns *float32, c *float32, ldc int, start *float32, lds int, sums *int32)", 88)
	w.op("MOVQ k+0(FP), CX")
	w.op("MOVQ a+8(FP), AX")
	w.op("MOVQ lda+16(FP), DX")
	w.op("MOVQ panel+32(FP), BX")
	w.op("MOVQ sums+80(FP), SI")
	w.op("MOVQ $128, DI") // between rows of the panel and of the sums
	w.op("LEAQ amxConfig<>(SB), R8")
	w.op("BYTE $0xc4; BYTE $0xc2; BYTE $0x78; BYTE $0x49; BYTE $0x00 // LDTILECFG (R8)")
	for sum := range 4 {
		w.op("BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x49; BYTE $0x%02x // TILEZERO TMM%d", 0xc0|sum<<3, sum)
	}
	w.op("MOVQ DX, R9")
	w.op("SHLQ $4, R9")
	w.label("loop")
	w.op("LEAQ (AX)(R9*1), R10")
	w.op("LEAQ 64(BX), R11")
	amxLoad(w, amxLeft, "BX", "DI")
	amxLoad(w, amxUpper, "AX", "DX")
	amxLoad(w, amxRight, "R11", "DI")
	amxLoad(w, amxLower, "R10", "DX")
	amxDotBytes(w, 0, amxUpper, amxLeft)
	amxDotBytes(w, 1, amxUpper, amxRight)
	amxDotBytes(w, 2, amxLower, amxLeft)
	amxDotBytes(w, 3, amxLower, amxRight)
	w.op("ADDQ $64, AX")
	w.op("ADDQ $2048, BX")
	w.op("SUBQ $64, CX")
	w.op("JG loop")
	for sum, offset := range []int{0, 64, 16 * 128, 16*128 + 64} {
		w.op("LEAQ %d(SI), R10", offset)
		amxStore(w, sum, "R10", "DI")
	}
	w.op("BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0xc0 // TILERELEASE")
	writeAMXScale(w)
}

// writeAMXScale writes the end: the sums in memory become the result.
func writeAMXScale(w *writer) {
	s := avx512
	w.op("MOVQ sums+80(FP), BX")
	w.op("MOVQ scales+24(FP), SI")
	w.op("MOVQ columns+40(FP), DX")
	w.op("MOVQ c+48(FP), DI")
	w.op("MOVQ ldc+56(FP), R9")
	w.op("MOVQ start+64(FP), AX")
	w.op("MOVQ lds+72(FP), R8")
	w.op("MOVQ $%d, CX", amxRows)
	w.label("row")
	w.op("VMOVDQU32 (BX), Z0")
	w.op("VMOVDQU32 64(BX), Z1")
	scaleRow(w, s, []int{0, 1}, 0, 2)
	w.op("ADDQ $128, BX")
	w.op("ADDQ $8, SI")
	w.op("ADDQ R9, DI")
	w.op("ADDQ R8, AX")
	w.op("DECQ CX")
	w.op("JNZ row")
	w.end()
}

// writeAMXConfig writes the shapes of the tile registers: palette 1, eight of
// sixteen rows of 64 bytes.
func writeAMXConfig(w *writer) {
	var config [64]byte
	config[0] = 1
	for tile := range 8 {
		config[16+2*tile], config[48+tile] = 64, 16
	}
	for i := 0; i < len(config); i += 8 {
		fmt.Fprintf(w, "DATA amxConfig<>+%d(SB)/8, $\"", i)
		for _, b := range config[i : i+8] {
			fmt.Fprintf(w, "\\x%02x", b)
		}
		fmt.Fprint(w, "\"\n")
	}
	fmt.Fprint(w, "GLOBL amxConfig<>(SB), RODATA|NOPTR, $64\n\n")
}

// general are the numbers of the registers that an address is made of.
var general = map[string]int{"AX": 0, "DX": 2, "BX": 3, "SI": 6, "DI": 7, "R10": 10, "R11": 11}

// amxLoad loads a tile whose rows are a stride apart.
func amxLoad(w *writer, tile int, base, stride string) {
	amxMove(w, 0x7b, fmt.Sprintf("TILELOADD (%s)(%s*1), TMM%d", base, stride, tile), tile, base, stride)
}

// amxStore stores one.
func amxStore(w *writer, tile int, base, stride string) {
	amxMove(w, 0x7a, fmt.Sprintf("TILESTORED TMM%d, (%s)(%s*1)", tile, base, stride), tile, base, stride)
}

func amxMove(w *writer, prefix int, comment string, tile int, base, stride string) {
	b, i := general[base], general[stride]
	escape := 0xe2
	if b > 7 {
		escape = 0xc2
	}
	w.op("BYTE $0xc4; BYTE $0x%02x; BYTE $0x%02x; BYTE $0x4b; BYTE $0x%02x; BYTE $0x%02x // %s",
		escape, prefix, 0x04|tile<<3, i<<3|b&7, comment)
}

// amxDotBytes adds the products of unsigned rows with signed columns to sum.
func amxDotBytes(w *writer, sum, rows, columns int) {
	w.op("BYTE $0xc4; BYTE $0xe2; BYTE $0x%02x; BYTE $0x5e; BYTE $0x%02x // TDPBUSD TMM%d, TMM%d, TMM%d",
		(^columns&15)<<3|0x01, 0xc0|sum<<3|rows, columns, rows, sum)
}
