package modelfile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/unigram"
)

// published is a file in the format E5S1, part by part.
type published struct {
	header  []uint32 // version, hidden, layers, heads, ffn, vocabulary, positions, types
	block   uint32
	markers []uint32 // bos, eos, pad, unk
	pieces  []unigram.Piece
	rules   []unigram.Rule
	tensors []tensor
}

type tensor struct {
	name   string
	kind   byte
	values uint32
	data   []byte
}

// tinyVocab is how many rows the published token embeddings have: more than are
// kept in 4 bits.
const (
	tinyVocab = 8300
	kept      = 8192
)

func newPublished() published {
	v := tinyPieces()
	p := published{
		header:  []uint32{1, 32, 2, 2, 64, tinyVocab, 4, 2},
		block:   32,
		markers: []uint32{0, 2, 1, 3},
		pieces:  v.Pieces,
		rules:   v.Rules,
	}
	r := rand.New(rand.NewPCG(5, 6))
	q4 := func(name string, n, k int) {
		p.tensors = append(p.tensors, tensor{name, 1, uint32(n * k), blocks(r, n, k)})
	}
	f32 := func(name string, n int) {
		var data []byte
		for _, v := range normal(r, n) {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		p.tensors = append(p.tensors, tensor{name, 0, uint32(n), data})
	}
	q4("emb.word", tinyVocab, 32)
	f32("emb.pos", 4*32)
	f32("emb.type", 2*32)
	f32("emb.ln.w", 32)
	f32("emb.ln.b", 32)
	for l := range 2 {
		name := fmt.Sprintf("l%d.", l)
		for _, t := range []struct {
			name string
			n, k int
		}{{"q", 32, 32}, {"k", 32, 32}, {"v", 32, 32}, {"ao", 32, 32}, {"fi", 64, 32}, {"fo", 32, 64}} {
			q4(name+t.name+".w", t.n, t.k)
			f32(name+t.name+".b", t.n)
		}
		for _, t := range []string{"aln", "oln"} {
			f32(name+t+".w", 32)
			f32(name+t+".b", 32)
		}
	}
	return p
}

// find returns the tensor called name.
func (p *published) find(name string) *tensor {
	for i := range p.tensors {
		if p.tensors[i].name == name {
			return &p.tensors[i]
		}
	}
	return nil
}

// bytes writes the file.
func (p *published) bytes() []byte {
	le := binary.LittleEndian
	out := []byte("E5S1")
	for _, n := range p.header {
		out = le.AppendUint32(out, n)
	}
	out = le.AppendUint32(out, math.Float32bits(1e-12))
	out = le.AppendUint32(out, p.block)
	out = le.AppendUint32(out, uint32(len(p.pieces)))
	for _, n := range p.markers {
		out = le.AppendUint32(out, n)
	}
	var blob, offsets, scores []byte
	for _, piece := range p.pieces {
		offsets = le.AppendUint32(offsets, uint32(len(blob)))
		scores = le.AppendUint32(scores, math.Float32bits(piece.Score))
		blob = append(blob, piece.Text...)
	}
	offsets = le.AppendUint32(offsets, uint32(len(blob)))
	out = le.AppendUint64(out, uint64(len(blob)))
	out = append(append(append(out, offsets...), scores...), blob...)

	var rules []byte
	for _, rule := range p.rules {
		to := []rune(rule.To)
		rules = append(le.AppendUint32(rules, uint32(rule.From)), byte(len(to)))
		for _, c := range to {
			rules = le.AppendUint32(rules, uint32(c))
		}
	}
	out = le.AppendUint32(out, uint32(len(p.rules)))
	out = append(le.AppendUint32(out, uint32(len(rules))), rules...)

	out = le.AppendUint32(out, uint32(len(p.tensors)))
	offset := len(out)
	for _, t := range p.tensors {
		offset += 2 + len(t.name) + 1 + 4 + 8 + 8
	}
	for _, t := range p.tensors {
		out = append(le.AppendUint16(out, uint16(len(t.name))), t.name...)
		out = le.AppendUint32(append(out, t.kind), t.values)
		out = le.AppendUint64(le.AppendUint64(out, uint64(offset)), uint64(len(t.data)))
		offset += len(t.data)
	}
	for _, t := range p.tensors {
		out = append(out, t.data...)
	}
	return out
}

// rows returns all rows of a table.
func rows(t testing.TB, f *modelfile.File, name string) [][]float32 {
	t.Helper()
	e, err := f.Embedding(name)
	if err != nil {
		t.Fatal(err)
	}
	all := make([][]float32, e.Rows)
	for i := range all {
		all[i] = make([]float32, e.Dim)
		e.Row(i, all[i])
	}
	return all
}

// outputs returns the weights of a linear layer, an output a row.
func outputs(t testing.TB, f *modelfile.File, name string) []float32 {
	t.Helper()
	l, err := f.Linear(name)
	if err != nil {
		t.Fatal(err)
	}
	out, panel := make([]float32, l.N*l.K), make([]float32, 32*l.K)
	for p := range l.N / 32 {
		for i, v := range l.Panel(p, panel) {
			out[(32*p+i%32)*l.K+i/32] = v
		}
	}
	return out
}

func convert(t testing.TB, p published, bits int) *modelfile.File {
	t.Helper()
	data, err := modelfile.ConvertE5S1(p.bytes(), modelfile.Options{EmbeddingBits: bits})
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, data)
}

func TestConvertKeepsEveryNumber(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	p := newPublished()
	f := convert(t, p, 4)
	var words []float32
	for _, row := range rows(t, f, "embeddings.word") {
		words = append(words, row...)
	}
	if diff := cmp.Diff(words, numbers(p.find("emb.word").data)); diff != "" {
		t.Errorf("token embeddings (-got +want):\n%s", diff)
	}
	for l := range 2 {
		for to, from := range map[string][]string{"qkv": {"q", "k", "v"}, "attention": {"ao"}, "up": {"fi"}, "down": {"fo"}} {
			var weights, bias []float32
			for _, name := range from {
				weights = append(weights, numbers(p.find(fmt.Sprintf("l%d.%s.w", l, name)).data)...)
				bias = append(bias, singles(p.find(fmt.Sprintf("l%d.%s.b", l, name)).data)...)
			}
			name := fmt.Sprintf("layer.%d.%s", l, to)
			if diff := cmp.Diff(outputs(t, f, name+".weight"), weights); diff != "" {
				t.Errorf("%s.weight (-got +want):\n%s", name, diff)
			}
			checkSingles(t, f, name+".bias", bias)
		}
	}
	for to, from := range map[string]string{
		"embeddings.position": "emb.pos", "embeddings.norm.weight": "emb.ln.w", "embeddings.norm.bias": "emb.ln.b",
		"layer.1.attention.norm.weight": "l1.aln.w", "layer.1.norm.bias": "l1.oln.b",
	} {
		checkSingles(t, f, to, singles(p.find(from).data))
	}
	checkSingles(t, f, "embeddings.type", singles(p.find("emb.type").data)[:32])
}

func singles(data []byte) []float32 {
	v := make([]float32, len(data)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v
}

func checkSingles(t *testing.T, f *modelfile.File, name string, want []float32) {
	t.Helper()
	got, err := f.Float32s(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", name, diff)
	}
}

// TestConvertToTwoBits computes mean, deviation and nearest level in the
// plainest way, and compares.
func TestConvertToTwoBits(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	p := newPublished()
	want := numbers(p.find("emb.word").data)
	means := make([]float64, 32)
	for i, v := range want {
		means[i%32] += float64(v) / tinyVocab
	}
	sum := sha256.New()
	for i, row := range rows(t, convert(t, p, 2), "embeddings.word") {
		var mean, squares float64
		for c := range row {
			mean += (float64(want[32*i+c]) - means[c]) / 32
		}
		for c := range row {
			d := float64(want[32*i+c]) - means[c] - mean
			squares += d * d / 32
		}
		deviation := math.Sqrt(squares)
		fmt.Fprintf(sum, "%x", row)
		if i < kept {
			if diff := cmp.Diff(row, want[32*i:][:32]); diff != "" {
				t.Errorf("row %d (-got +want):\n%s", i, diff)
			}
			continue
		}
		for c, got := range row {
			level := (float64(got) - means[c]) / deviation
			value := (float64(want[32*i+c]) - means[c]) / deviation
			near := .4528
			if math.Abs(value) >= .9816 {
				near = 1.51
			}
			// Half-precision scales are off by up to 1/2048.
			if math.Abs(level-math.Copysign(near, value)) > 1e-3 && math.Abs(math.Abs(value)-.9816) > 1e-3 {
				t.Errorf("row %d, column %d: got %.4f deviations for %.4f", i, c, level, value)
			}
		}
	}
	// The same on every processor.
	const golden = "495bdc7273d11e26b5bba93b15088a2a8b486f2b4b0b12ce71afd5f5825f7611"
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != golden {
		t.Errorf("got checksum %s, want %s", got, golden)
	}
}

func TestConvertStoresPositionsInHalf(t *testing.T) {
	p := newPublished()
	places := p.find("emb.pos").data
	for i := 0; i < len(places); i += 4 {
		clear(places[i : i+2]) // leaves seven bits of the fraction
	}
	e, err := convert(t, p, 4).Embedding("embeddings.position")
	if err != nil {
		t.Fatal(err)
	}
	if e.Kind() != modelfile.KindF16 {
		t.Errorf("got %v, want %v", e.Kind(), modelfile.KindF16)
	}
}

func TestConvertIsDeterministic(t *testing.T) {
	p := newPublished()
	for _, bits := range []int{2, 4} {
		first, err := modelfile.ConvertE5S1(p.bytes(), modelfile.Options{EmbeddingBits: bits})
		if err != nil {
			t.Fatal(err)
		}
		second, err := modelfile.ConvertE5S1(p.bytes(), modelfile.Options{EmbeddingBits: bits})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("%d bits: the same input made two files", bits)
		}
	}
}

func TestConvertTokenizer(t *testing.T) {
	tok, err := convert(t, newPublished(), 2).Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tok.Encode(nil, "a\u3000数据</s>", 0), []int32{0, 4, 5, 6, 3, 2}); diff != "" {
		t.Errorf("ids (-got +want):\n%s", diff)
	}
}

func TestConvertRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*published)
		want   string
	}{
		{"a later version", func(p *published) { p.header[0] = 2 }, "version 2"},
		{"no layers", func(p *published) { p.header[2] = 0 }, "layers 0"},
		{"too many layers", func(p *published) { p.header[2] = 3 }, `"l2.q.w" is missing`},
		{"giant size", func(p *published) { p.header[1] = 1 << 31 }, "hidden size"},
		{"odd size", func(p *published) { p.header[1] = 33 }, "multiple of 32"},
		{"other blocks", func(p *published) { p.block = 64 }, "blocks of 64"},
		{"fewer words", func(p *published) { p.header[5]-- }, `"emb.word"`},
		{"more pieces than words", func(p *published) { p.header[5] = 3 }, "7 pieces"},
		{"a marker outside", func(p *published) { p.markers[3] = 7 }, "markers"},
		{"a piece twice", func(p *published) { p.pieces[5].Text = "▁" }, "are both"},
		{"a piece that is no text", func(p *published) { p.pieces[5].Text = "\xff" }, "UTF-8"},
		{"a rule twice", func(p *published) { p.rules = append(p.rules, p.rules[0]) }, "two rules"},
		{"an unknown type", func(p *published) { p.find("emb.ln.w").kind = 2 }, "unknown type 2"},
		{"another type", func(p *published) { p.find("l0.q.w").kind = 0 }, `"l0.q.w"`},
		{"a missing bias", func(p *published) { p.find("l1.fi.b").name = "l1.fi.c" }, `"l1.fi.b" is missing`},
		{"a short tensor", func(p *published) { x := p.find("l1.fo.w"); x.data = x.data[:18] }, `"l1.fo.w"`},
		{"an infinite scale", func(p *published) { copy(p.find("l0.v.w").data, "\x00\x7c") }, "+Inf"},
		{"a number that is none", func(p *published) { copy(p.find("l0.v.b").data, "\x00\x00\xc0\x7f") }, "NaN"},
		{"a word that is none", func(p *published) { copy(p.find("emb.word").data, "\x01\x7c") }, "NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPublished()
			c.change(&p)
			for _, bits := range []int{2, 4} {
				_, err := modelfile.ConvertE5S1(p.bytes(), modelfile.Options{EmbeddingBits: bits})
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%d bits: got error %v, want one with %q", bits, err, c.want)
				}
			}
		})
	}
	p := newPublished()
	if _, err := modelfile.ConvertE5S1(p.bytes(), modelfile.Options{EmbeddingBits: 3}); err == nil {
		t.Error("3 bits: got no error")
	}
}

func TestConvertCutShort(t *testing.T) {
	p := newPublished()
	whole := p.bytes()
	for n := range len(whole) {
		if n > 1500 && n%997 != 0 { // the lists lie in front
			continue
		}
		if _, err := modelfile.ConvertE5S1(whole[:n], modelfile.Options{}); err == nil {
			t.Errorf("the first %d bytes of %d: got no error", n, len(whole))
		}
	}
}

// FuzzConvertE5S1 damages a published file. If it can still be converted, the
// result can be read.
func FuzzConvertE5S1(f *testing.F) {
	p := newPublished()
	whole := p.bytes()
	f.Add(4, uint64(3), true)
	f.Add(40, uint64(1)<<63, false)
	f.Fuzz(func(t *testing.T, at int, change uint64, two bool) {
		if at < 0 || at > len(whole)-8 {
			return
		}
		damaged := bytes.Clone(whole)
		part := damaged[at:]
		binary.LittleEndian.PutUint64(part, binary.LittleEndian.Uint64(part)^change)
		bits := 4
		if two {
			bits = 2
		}
		if data, err := modelfile.ConvertE5S1(damaged, modelfile.Options{EmbeddingBits: bits}); err == nil {
			readAll(data)
		}
	})
}
