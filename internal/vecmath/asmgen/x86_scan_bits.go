package main

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
	writeFirstWords(w, s)
	w.op("MOVQ count+32(FP), CX")
	eachRow(w, s, func(sum int, suffix string) {
		writeFirstBits(w, s, sum)
		w.op("MOVQ R9, DX")
		w.op("JMP next%s", suffix)
		w.label("block" + suffix)
		w.op("VMOVDQU%s (AX)(DX*1), %s", s.moveSuffix(), s.r(scanValue))
		w.op("%s (SI)(DX*1), %s, %s", s.xorName(), s.r(scanValue), s.r(scanValue))
		s.countBits(w, scanValue, scanValue)
		w.op("VPADDQ %s, %s, %s", s.r(scanValue), s.r(sum), s.r(sum))
		w.op("ADDQ $%d, DX", s.bytes())
		w.label("next" + suffix)
		w.op("CMPQ DX, R8")
		w.op("JLT block%s", suffix)
	}, func(first, second int) {
		if first == second {
			return // the upper halves of its values are 0
		}
		w.op("VPSLLQ $32, %s, %s", s.r(second), s.r(second))
		w.op("VPADDQ %s, %s, %s", s.r(second), s.r(first), s.r(first))
	})
}

// The registers of [writeHamming] for AVX2.
const (
	bitsZero = 11
	bitsLow  = 12
	bitsOf   = 13
	bitsWord = 14
)

// writeFirstWords writes the mask for CX+1 words, the first ones of the query under
// it and the constants of countBits.
func writeFirstWords(w *writer, s isa) {
	if s.lanes == 16 {
		w.op("MOVL $2, BX")
		w.op("SHLL CX, BX")
		w.op("DECL BX")
		w.op("KMOVW BX, K1")
		w.op("VMOVDQU64.Z (SI), K1, %s", s.r(scanQuery))
		return
	}
	w.op("LEAQ wordMask<>+24(SB), BX")
	w.op("NEGQ CX")
	w.op("VMOVDQU (BX)(CX*8), %s", s.r(bitsWord))
	w.op("VPMASKMOVQ (SI), %s, %s", s.r(bitsWord), s.r(scanQuery))
	w.op("VPBROADCASTD nibbleMask<>(SB), %s", s.r(bitsLow))
	w.op("VBROADCASTI128 nibbleBits<>(SB), %s", s.r(bitsOf))
	s.zero(w, bitsZero)
}

// writeFirstBits counts the differing bits of the first words of a row.
func writeFirstBits(w *writer, s isa, sum int) {
	if s.lanes == 16 {
		w.op("VPXORQ.Z (AX), %s, K1, %s", s.r(scanQuery), s.r(scanValue))
	} else {
		w.op("VPMASKMOVQ (AX), %s, %s", s.r(bitsWord), s.r(scanValue))
		w.op("VPXOR %s, %s, %s", s.r(scanQuery), s.r(scanValue), s.r(scanValue))
	}
	s.countBits(w, scanValue, sum)
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
