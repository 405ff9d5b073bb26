// Package vecmath holds the routines under the encoder and the vector search:
// dot products, matrix multiplication by panels in float32 and in 8 bits, the
// unpacking of 4-bit weights, softmax, GELU and LayerNorm, and the comparison of
// one query with many rows of bytes or bits.
//
// A [Kernels] value is one implementation of all of them. [Best] picks the
// fastest that the processor and the operating system support; plain Go is
// always there. Within one value the same input gives the same bits, wherever a
// row stands in a matrix and however many rows stand beside it; different
// values differ in the last bits.
//
// The right-hand side of a multiplication comes in panels of 32 columns, each
// stored row by row as [K][32] float32 values: what a weight matrix [N out][K
// in] needs to be read in one stream, 32 outputs at a time.
package vecmath

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

//go:generate go run ./asmgen

// PanelWidth is the number of columns of a panel.
const PanelWidth = 32

// EnvCPU names the environment variable that forces the choice of [Best]:
// amx, avx512vnni, avx512, avxvnni, avx2, neondot, neon or generic.
const EnvCPU = "MEMOIR_CPU"

// Kernels is one implementation of the routines. Its methods are safe for
// concurrent use on different memory. They panic when lengths do not fit
// together: that is a mistake of the program, never of its input.
type Kernels struct {
	name string
	// lanes is the vector width: the functions below take lengths that are
	// multiples of it and at least one vector long. It is 1 in plain Go.
	lanes int

	dot        func(a, b *float32, n int) float32
	max        func(x *float32, n int) float32
	add        func(x, y *float32, n int)
	scale      func(x *float32, n int, factor float32)
	expSum     func(x *float32, n int, max, scale float32) float32
	biasGELU   func(x, b *float32, n int)
	addSum     func(x, r, b *float32, n int) float32
	sumSquares func(x *float32, n int, mean float32) float32
	scaleShift func(x, gamma, beta *float32, n int, mean, inverse float32)

	// transpose8 turns 8 rows of n values (a multiple of 8), stride bytes apart,
	// into 8 columns of a panel.
	transpose8 func(dst, src *float32, stride, n int)
	// dequant unpacks n Q4 tiles.
	dequant func(dst *float32, tiles *byte, n int)
	// tiles multiply some rows with a panel, most rows first, one row last.
	tiles []tile

	// dots, hamming and readSum are the methods of their names, of at least one
	// row of so many bytes or words.
	dots    func(dst *int32, query *int8, rows *byte, stride, n, count int)
	hamming func(dst *int32, query, rows *uint64, words, count int)
	readSum func(p *byte, n int) uint64

	int8 *int8Set // nil where bytes are not multiplied faster than float32
}

// A tile multiplies a fixed number of rows of k values with a panel. Strides
// are in bytes.
type tile struct {
	rows int
	mul  func(k int, a *float32, lda int, panel *float32, c *float32, ldc int)
}

// String returns the name of the implementation, as [EnvCPU] takes it.
func (k *Kernels) String() string { return k.name }

// Available returns every implementation that runs here, the fastest first and
// plain Go last.
func Available() []*Kernels { return append(archKernels(), generic()) }

// Best returns the fastest implementation, or the one that [EnvCPU] names; the
// environment is read once. It fails when that name is unknown or the machine
// cannot run it.
func Best() (*Kernels, error) { return best() }

var best = sync.OnceValues(func() (*Kernels, error) { return choose(os.Getenv(EnvCPU)) })

// choose returns the implementation of that name, the fastest when it is empty.
func choose(name string) (*Kernels, error) {
	available := Available()
	if name == "" {
		return available[0], nil
	}
	var names []string
	for _, k := range available {
		if k.name == name {
			return k, nil
		}
		names = append(names, k.name)
	}
	return nil, fmt.Errorf("%s=%q: this machine has %s", EnvCPU, name, strings.Join(names, ", "))
}

// must panics with a message when lengths do not fit together.
func must(ok bool, format string, args ...int) {
	if !ok {
		values := make([]any, len(args))
		for i, a := range args {
			values[i] = a
		}
		panic("vecmath: " + fmt.Sprintf(format, values...))
	}
}
