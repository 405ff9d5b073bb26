// Package modelfile reads and writes memoir's own model file: one file that
// holds an encoder's weights, its tokenizer, its origin and its licence.
//
// A file is read in place from a byte slice. So one that is embedded in the
// binary, or mapped into memory, is opened without a copy and in no time.
// [Parse] checks every offset, length and shape. Nothing that is read later can
// then reach outside the slice, whoever made the file. Parse does not read the
// weights. [File.Verify] reads them and compares them with the checksum in the
// header.
//
// # Format
//
// All numbers are little-endian. A file is a header, a table and sections:
//
//	header   8 bytes magic, u32 version, u32 sections, u64 file length,
//	         8 zero bytes, 32 bytes SHA-256 of all that follows the header
//	table    per section: 32 bytes name (padded with zeros), u32 kind,
//	         u32 rows, u32 columns, u32 zero, u64 offset, u64 length
//	sections each at a multiple of 64 bytes
//
// Names and offsets ascend, so that a model has only one representation. The
// section "info" holds an [Info] as JSON. The others are named after what they
// hold, such as "layer.0.qkv.weight".
package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
)

const (
	magic         = "MEMOIRMF"
	version       = 1
	headerSize    = 64
	entrySize     = 64
	nameSize      = 32
	alignment     = 64
	maxSections   = 1 << 14
	maxDimension  = 1 << 28
	maxInfoLength = 1 << 20
	infoSection   = "info"
)

var (
	// ErrDamaged is wrapped by every error about the content of a model file.
	ErrDamaged = errors.New("damaged model file")
	// ErrForeign is wrapped by the error about a file that does not begin as a
	// model file does. Such a file may be anything, and belong to anybody.
	ErrForeign = errors.New("not a model file of memoir")
)

// File is an opened model file. It refers to the bytes it was parsed from,
// which must not change while it is in use. It is safe for concurrent use.
type File struct {
	data     []byte
	info     Info
	sections []section
}

// section is an entry of the table that was checked: the length of data fits
// kind, rows and columns.
type section struct {
	name       string
	kind       Kind
	rows, cols int
	data       []byte
}

// Parse opens a model file held in data, without copying it. The error wraps
// [ErrForeign] or [ErrDamaged] and says what is wrong. A file of a known architecture is
// complete: every tensor that its [Info] implies is there, in its shape.
func Parse(data []byte) (*File, error) {
	if !bytes.HasPrefix(data, []byte(magic)) {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrForeign, magic)
	}
	f, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, nil
}

func parse(data []byte) (*File, error) {
	if len(data) < headerSize {
		return nil, fmt.Errorf("%d bytes are too few for a header", len(data))
	}
	if v := binary.LittleEndian.Uint32(data[8:]); v != version {
		return nil, fmt.Errorf("version %d is not the supported version %d", v, version)
	}
	if n := binary.LittleEndian.Uint64(data[16:]); n != uint64(len(data)) {
		return nil, fmt.Errorf("it is %d bytes long instead of %d", len(data), n)
	}
	if binary.LittleEndian.Uint64(data[24:]) != 0 {
		return nil, errors.New("reserved bytes of the header are in use")
	}
	f := &File{data: data}
	if err := f.parseTable(binary.LittleEndian.Uint32(data[12:])); err != nil {
		return nil, err
	}
	raw, err := f.section(infoSection, KindBytes)
	if err != nil {
		return nil, err
	}
	if len(raw.data) > maxInfoLength {
		return nil, fmt.Errorf("section %q is longer than %d bytes", infoSection, maxInfoLength)
	}
	if err := json.Unmarshal(raw.data, &f.info); err != nil {
		return nil, fmt.Errorf("section %q: %w", infoSection, err)
	}
	return f, f.check()
}

// parseTable reads the table of n sections and checks that each one is aligned,
// lies behind the one before it and within the file, and fits its shape.
func (f *File) parseTable(n uint32) error {
	if n > maxSections || headerSize+int(n)*entrySize > len(f.data) {
		return fmt.Errorf("a table of %d sections does not fit", n)
	}
	f.sections = make([]section, n)
	end := uint64(headerSize + int(n)*entrySize)
	for i := range f.sections {
		entry := f.data[headerSize+i*entrySize:][:entrySize]
		s := &f.sections[i]
		s.name = string(bytes.TrimRight(entry[:nameSize], "\x00"))
		if i > 0 && s.name <= f.sections[i-1].name {
			return fmt.Errorf("section %q follows %q out of order", s.name, f.sections[i-1].name)
		}
		s.kind = Kind(binary.LittleEndian.Uint32(entry[32:]))
		rows, cols := binary.LittleEndian.Uint32(entry[36:]), binary.LittleEndian.Uint32(entry[40:])
		offset, length := binary.LittleEndian.Uint64(entry[48:]), binary.LittleEndian.Uint64(entry[56:])
		if binary.LittleEndian.Uint32(entry[44:]) != 0 {
			return fmt.Errorf("section %q: reserved bytes are in use", s.name)
		}
		if offset%alignment != 0 || offset < end || offset > uint64(len(f.data)) || length > uint64(len(f.data))-offset {
			return fmt.Errorf("section %q: %d bytes at offset %d overlap another part or leave the file", s.name, length, offset)
		}
		want, err := s.kind.size(rows, cols)
		if err != nil {
			return fmt.Errorf("section %q: %w", s.name, err)
		}
		if want != length {
			return fmt.Errorf("section %q: %d bytes instead of the %d of %v %d x %d", s.name, length, want, s.kind, rows, cols)
		}
		end = offset + length
		s.rows, s.cols, s.data = int(rows), int(cols), f.data[offset:end:end]
	}
	return nil
}

// Info returns what the file says about its model.
func (f *File) Info() Info { return f.info }

// Size returns the length of the whole file in bytes.
func (f *File) Size() int { return len(f.data) }

// Checksum returns the SHA-256 that the header states, in hexadecimal. It
// identifies the model without reading it. Whether it is right, [File.Verify]
// says.
func (f *File) Checksum() string { return hex.EncodeToString(f.data[32:headerSize]) }

// Verify compares the file with the checksum in its header. It reads the whole
// file, which takes tens of milliseconds for a small model. A file with another
// checksum was damaged after it was written.
func (f *File) Verify() error {
	if sum := sha256.Sum256(f.data[headerSize:]); !bytes.Equal(sum[:], f.data[32:headerSize]) {
		return fmt.Errorf("%w: SHA-256 %x instead of %x", ErrDamaged, sum, f.data[32:headerSize])
	}
	return nil
}

// Section describes one part of a file.
type Section struct {
	Name       string
	Kind       Kind
	Rows, Cols int // shape; of [KindBytes] the length is Cols
	Bytes      int // stored length
}

// Sections lists the parts of the file by name.
func (f *File) Sections() []Section {
	list := make([]Section, len(f.sections))
	for i, s := range f.sections {
		list[i] = Section{Name: s.name, Kind: s.kind, Rows: s.rows, Cols: s.cols, Bytes: len(s.data)}
	}
	return list
}

// find returns the section called name, or nil.
func (f *File) find(name string) *section {
	i := sort.Search(len(f.sections), func(i int) bool { return f.sections[i].name >= name })
	if i == len(f.sections) || f.sections[i].name != name {
		return nil
	}
	return &f.sections[i]
}

// section returns the section called name if its kind is one of kinds.
func (f *File) section(name string, kinds ...Kind) (*section, error) {
	s := f.find(name)
	if s == nil {
		return nil, fmt.Errorf("section %q is missing", name)
	}
	for _, k := range kinds {
		if s.kind == k {
			return s, nil
		}
	}
	return nil, fmt.Errorf("section %q is %v, which cannot be used here", name, s.kind)
}

// finite reports whether v is neither infinite nor NaN.
func finite(v float32) bool {
	return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
}
