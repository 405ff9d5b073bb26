package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/safetensors"
)

// file returns a file with this header and these bytes of tensors.
func file(header string, data ...byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data...)
}

func open(data []byte) (*safetensors.File, error) {
	return safetensors.Open(bytes.NewReader(data), int64(len(data)))
}

func TestFloat32s(t *testing.T) {
	f, err := open(file(`{"__metadata__":{"format":"pt"},`+
		`"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},`+
		`"b":{"dtype":"F16","shape":[2],"data_offsets":[8,12]},`+
		`"c":{"dtype":"BF16","shape":[],"data_offsets":[12,14]},`+
		`"d":{"dtype":"I64","shape":[1],"data_offsets":[14,22]},`+
		`"e":{"dtype":"F32","shape":[0,7],"data_offsets":[22,22]}}`,
		0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0x3c, 1, 0, 0x40, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float32{"a": {1, -2}, "b": {1, 1.0 / (1 << 24)}, "c": {-3}, "e": nil} {
		got, err := f.Float32s(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
	if got, ok := f.Tensor("a"); !ok || got.Type != "F32" || got.Values() != 2 {
		t.Errorf("a: got %+v, %v", got, ok)
	}
	if _, err := f.Float32s("d"); err == nil || !strings.Contains(err.Error(), "I64") {
		t.Errorf("integers: got error %v", err)
	}
	if _, err := f.Float32s("x"); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a missing tensor: got error %v", err)
	}
}

func TestNumbersThatAreNone(t *testing.T) {
	for name, bits := range map[string]uint32{"NaN": 0x7fc00000, "+Inf": 0x7f800000} {
		data := binary.LittleEndian.AppendUint32(make([]byte, 4), bits)
		f, err := open(file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, data...))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Float32s("a"); err == nil || !strings.Contains(err.Error(), "number 1 is "+name) {
			t.Errorf("got error %v, want one with %s", err, name)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	four := []byte{1, 2, 3, 4}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "too few"},
		{"a giant header", binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "does not fit"},
		{"a header beyond the file", file("{}")[:9], "does not fit"},
		{"no JSON", file("{]"), "no JSON"},
		{"a list", file("[]"), "no JSON"},
		{"a pickle", []byte("\x80\x02}q\x00(X\x1b\x00\x00\x00"), "does not fit"},
		{"an unknown type", file(`{"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}}`, four...), "unknown type"},
		{"one offset", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}}`, four...), "offsets"},
		{"offsets backwards", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, four...), "offsets"},
		{"a negative offset", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`, four...), "offsets"},
		{"beyond the end", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, four...), "offsets"},
		{"another shape", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, four...), "shape"},
		{"a negative shape", file(`{"a":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}`, four...), "shape"},
		{"a shape that overflows", file(`{"a":{"dtype":"F32","shape":[2147483647,2147483647,4],"data_offsets":[0,4]}}`, four...), "shape"},
		{"an overlap", file(`{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}}`, four...), "begins at"},
		{"a gap", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}}`, four...), "begins at"},
		{"more at the end", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, four...), "end at"},
	} {
		if _, err := open(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// TestShorterThanItSays has a reader that ends before the size it was opened with.
func TestShorterThanItSays(t *testing.T) {
	data := file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 0, 0, 0, 0)
	f, err := safetensors.Open(bytes.NewReader(data[:len(data)-1]), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Float32s("a"); err == nil {
		t.Error("got no error")
	}
}

// FuzzOpen reads every tensor of what opens.
func FuzzOpen(f *testing.F) {
	f.Add(file(`{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[],"data_offsets":[8,10]}}`, make([]byte, 10)...))
	f.Add(file(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		opened, err := open(data)
		if err != nil {
			return
		}
		for _, name := range opened.Names() {
			tensor, _ := opened.Tensor(name)
			if values, err := opened.Float32s(name); err == nil && len(values) != tensor.Values() {
				t.Errorf("%q: got %d values of %d", name, len(values), tensor.Values())
			}
		}
	})
}
