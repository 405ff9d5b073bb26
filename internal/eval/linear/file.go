package linear

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Matrix is rows of equal length.
type Matrix [][]float64

// A File is matrices by name.
type File map[string]Matrix

// The layout of a file, little-endian: the magic bytes, then for each matrix, by
// name, u8 the length of its name, the name, u32 rows, u32 columns, f32 values.
const magic = "LINEAR01"

// errDamaged is the error for a file that was cut or changed.
var errDamaged = errors.New("linear: the file of weights is damaged")

// Bytes returns the file as [Parse] reads it. Values are rounded to 32 bits; equal
// files give equal bytes.
func (f File) Bytes() []byte {
	b := []byte(magic)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		m := f[name]
		columns := 0
		if len(m) > 0 {
			columns = len(m[0])
		}
		b = append(append(b, byte(len(name))), name...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(m)))
		b = binary.LittleEndian.AppendUint32(b, uint32(columns))
		for _, row := range m {
			for _, v := range row {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
			}
		}
	}
	return b
}

// Parse reads a file.
func Parse(b []byte) (File, error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return nil, errDamaged
	}
	b = b[len(magic):]
	f := File{}
	for len(b) > 0 {
		n := int(b[0])
		if len(b) < 1+n+8 {
			return nil, errDamaged
		}
		name := string(b[1 : 1+n])
		rows, columns := uint64(binary.LittleEndian.Uint32(b[1+n:])), uint64(binary.LittleEndian.Uint32(b[5+n:]))
		b = b[9+n:]
		if rows > 1<<16 || columns > 1<<16 || 4*rows*columns > uint64(len(b)) {
			return nil, errDamaged
		}
		m := make(Matrix, rows)
		for i := range m {
			m[i] = make([]float64, columns)
			for j := range m[i] {
				v := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, errDamaged
				}
				m[i][j], b = v, b[4:]
			}
		}
		f[name] = m
	}
	return f, nil
}

// PutModel keeps a model under a name.
func (f File) PutModel(name string, m *Model) { f[name] = joined(m.Weights, m.Bias) }

// PutProjection keeps a projection under a name.
func (f File) PutProjection(name string, p *Projection) { f[name] = joined(p.Weights, p.Bias) }

func joined(weights [][]float64, bias []float64) Matrix {
	var m Matrix
	for k, w := range weights {
		m = append(m, append(slices.Clone(w), bias[k]))
	}
	return m
}

// Model returns the model of that name for inputs of some columns.
func (f File) Model(name string, columns int) (*Model, error) {
	weights, bias, err := f.split(name, columns)
	return &Model{weights, bias}, err
}

// Projection returns the projection of that name for inputs of some columns.
func (f File) Projection(name string, columns int) (*Projection, error) {
	weights, bias, err := f.split(name, columns)
	return &Projection{weights, bias}, err
}

func (f File) split(name string, columns int) (weights [][]float64, bias []float64, err error) {
	m := f[name]
	if len(m) == 0 || len(m[0]) != columns+1 {
		return nil, nil, fmt.Errorf("linear: the weights %q are not for %d columns", name, columns)
	}
	for _, row := range m {
		weights, bias = append(weights, row[:columns]), append(bias, row[columns])
	}
	return weights, bias, nil
}
