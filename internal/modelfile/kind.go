package modelfile

import "fmt"

// Kind is how a section stores its numbers. A shape is rows x columns; the
// columns of a matrix run along a linear layer's inputs or an embedding's
// dimensions.
type Kind uint32

const (
	// KindBytes is bytes of any meaning, as one row with a column for each byte.
	KindBytes Kind = iota + 1
	// KindF32 is IEEE 754 single precision, row by row.
	KindF32
	// KindF16 is IEEE 754 half precision, row by row.
	KindF16
	// KindQ4Rows has 4 bits a number. Each row is cut into blocks of 32 columns: a
	// half-precision scale, then 16 bytes. Byte j holds column j in its low nibble
	// and column j+16 in its high one. A number is (nibble-8) x scale. This is
	// ggml's Q4_0.
	KindQ4Rows
	// KindQ4Panels has the numbers of KindQ4Rows, arranged for a matrix
	// product; see [Linear].
	KindQ4Panels
	// KindQ2Rows has 2 bits a number: single-precision means of all columns, a
	// half-precision scale for each row, then the rows, four columns a byte, the
	// first in the lowest bits. A number is mean + level x scale with the levels
	// -1.51, -0.4528, 0.4528 and 1.51 (the best four for a normal distribution;
	// Lloyd 1957, Max 1960). A section of the same name with ".head" added may
	// hold the first rows again, as KindQ4Rows. Those rows are then used instead.
	KindQ2Rows
	// KindF32Panels, KindF16Panels and KindQ8Panels are a linear layer's
	// weights in other widths, arranged for a matrix product; see [Linear].
	KindF32Panels
	KindF16Panels
	KindQ8Panels
	// KindQ8Rows has 8 bits a number. Each row is cut into blocks of 32 columns: a
	// half-precision scale, then 32 signed bytes. A number is byte x scale. This
	// is ggml's Q8_0.
	KindQ8Rows
)

const (
	blockSize     = 32                                  // columns that share a scale of 4-bit numbers
	blockBytes    = 2 + blockSize/2                     // stored length of a block
	panelRows     = 32                                  // outputs of a panel
	tileBytes     = panelRows*2 + panelRows*blockSize/2 // stored length of a tile: a panel's part of a block
	codesPerByte2 = 4                                   // 2-bit numbers in a byte
	block8Bytes   = 2 + blockSize                       // stored length of a block of bytes
	tile8Inputs   = 128                                 // inputs of a tile of 8-bit weights
	columns8Bytes = 2 * 4 * panelRows                   // scales and sums before its bytes
	tile8Bytes    = columns8Bytes + tile8Inputs*panelRows
	group8        = 4 // inputs whose bytes lie side by side
)

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case KindBytes:
		return "bytes"
	case KindF32:
		return "f32"
	case KindF16:
		return "f16"
	case KindQ4Rows:
		return "q4 rows"
	case KindQ4Panels:
		return "q4 panels"
	case KindQ2Rows:
		return "q2 rows"
	case KindF32Panels:
		return "f32 panels"
	case KindF16Panels:
		return "f16 panels"
	case KindQ8Panels:
		return "q8 panels"
	case KindQ8Rows:
		return "q8 rows"
	}
	return fmt.Sprintf("kind %d", uint32(k))
}

// size returns how many bytes a section of kind k takes in the given shape.
func (k Kind) size(rows, cols uint32) (uint64, error) {
	if rows > maxDimension || cols > maxDimension {
		return 0, fmt.Errorf("shape %d x %d is too large", rows, cols)
	}
	n := uint64(rows) * uint64(cols)
	switch k {
	case KindBytes:
		if rows != 1 {
			return 0, fmt.Errorf("%v have one row, not %d", k, rows)
		}
		return n, nil
	case KindF32:
		return n * 4, nil
	case KindF16:
		return n * 2, nil
	case KindQ4Rows:
		if cols%blockSize != 0 {
			return 0, fmt.Errorf("%d columns are not a multiple of %d", cols, blockSize)
		}
		return n / blockSize * blockBytes, nil
	case KindQ8Rows:
		if cols%blockSize != 0 {
			return 0, fmt.Errorf("%d columns are not a multiple of %d", cols, blockSize)
		}
		return n / blockSize * block8Bytes, nil
	case KindQ4Panels, KindF32Panels, KindF16Panels, KindQ8Panels:
		inputs := uint32(blockSize)
		if k == KindQ8Panels {
			inputs = tile8Inputs
		}
		if cols%inputs != 0 || rows%panelRows != 0 {
			return 0, fmt.Errorf("shape %d x %d does not divide into tiles of %d x %d", rows, cols, panelRows, inputs)
		}
		switch k {
		case KindF32Panels:
			return n * 4, nil
		case KindF16Panels:
			return n * 2, nil
		case KindQ8Panels:
			return n / (panelRows * tile8Inputs) * tile8Bytes, nil
		}
		return n / (panelRows * blockSize) * tileBytes, nil
	case KindQ2Rows:
		if cols%codesPerByte2 != 0 {
			return 0, fmt.Errorf("%d columns are not a multiple of %d", cols, codesPerByte2)
		}
		return uint64(cols)*4 + uint64(rows)*2 + n/codesPerByte2, nil
	}
	return 0, fmt.Errorf("unknown %v", k)
}
