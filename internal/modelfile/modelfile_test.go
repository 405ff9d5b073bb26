package modelfile_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/unigram"
)

// tinyInfo describes the smallest model that has every kind of part.
func tinyInfo() modelfile.Info {
	return modelfile.Info{
		Architecture: modelfile.ArchitectureBERT, Name: "tiny",
		Hidden: 32, Layers: 1, Heads: 2, FFN: 64, Vocab: 8, Positions: 4, Eps: 1e-12,
		Pooling: modelfile.PoolMean, MaxTokens: 4, Tokenizer: modelfile.TokenizerUnigram,
		Origin: "made up", Licence: "CC0-1.0", LicenceText: "none",
	}
}

// tinyPieces is a vocabulary of seven pieces.
func tinyPieces() unigram.Vocabulary {
	v := unigram.Vocabulary{BOS: 0, EOS: 2, Unk: 3, Rules: []unigram.Rule{{From: 0x3000, To: " "}}}
	for i, text := range []string{"<s>", "<pad>", "</s>", "<unk>", "▁", "a", "▁数据"} {
		v.Pieces = append(v.Pieces, unigram.Piece{Text: text, Score: -float32(i), Control: i < 4})
	}
	return v
}

// blocks returns random 4-bit numbers whose scales are between 1 and 2.
func blocks(r *rand.Rand, rows, cols int) []byte {
	data := make([]byte, rows*cols/32*18)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for at := 0; at < len(data); at += 18 {
		binary.LittleEndian.PutUint16(data[at:], 0x3c00|uint16(r.Uint32N(0x400)))
	}
	return data
}

// numbers returns what blocks stand for, by the definition of their format.
func numbers(data []byte) []float32 {
	var out []float32
	for ; len(data) > 0; data = data[18:] {
		scale := 1 + float32(binary.LittleEndian.Uint16(data)&0x3ff)/1024
		for c := range 32 {
			nibble := data[2+c%16] >> (4 * (c / 16)) & 15
			out = append(out, (float32(nibble)-8)*scale)
		}
	}
	return out
}

func normal(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// tiny holds the parts of a model file. Each may be replaced before the file is
// written.
type tiny struct {
	info   modelfile.Info
	words  []byte // blocks
	up     []byte // blocks
	places []float32
	more   func(*modelfile.Writer) // adds other parts; may be nil
}

func newTiny() tiny {
	r := rand.New(rand.NewPCG(1, 2))
	i := tinyInfo()
	return tiny{
		info:   i,
		words:  blocks(r, i.Vocab, i.Hidden),
		up:     blocks(r, i.FFN, i.Hidden),
		places: normal(r, i.Positions*i.Hidden),
	}
}

// write returns the file without the parts called leaveOut.
func (m tiny) write(leaveOut string) ([]byte, error) {
	section, err := unigram.Build(tinyPieces())
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(3, 4))
	h, ffn := m.info.Hidden, m.info.FFN
	w := new(modelfile.Writer)
	part := func(name string, add func(name string)) {
		if name != leaveOut {
			add(name)
		}
	}
	vector := func(name string, n int) {
		part(name, func(name string) { w.Float32s(name, 1, n, normal(r, n)) })
	}
	linear := func(name string, n, k int, data []byte) {
		part(name+".weight", func(name string) { w.Linear(name, n, k, data) })
		vector(name+".bias", n)
	}
	part("tokenizer.unigram", func(name string) { w.Bytes(name, section) })
	part("embeddings.word", func(name string) { w.EmbeddingQ4(name, m.info.Vocab, h, m.words) })
	part("embeddings.position", func(name string) { w.Float16s(name, m.info.Positions, h, m.places) })
	vector("embeddings.type", h)
	linear("layer.0.qkv", 3*h, h, blocks(r, 3*h, h))
	linear("layer.0.attention", h, h, blocks(r, h, h))
	linear("layer.0.up", ffn, h, m.up)
	linear("layer.0.down", h, ffn, blocks(r, h, ffn))
	for _, norm := range []string{"embeddings.norm", "layer.0.attention.norm", "layer.0.norm"} {
		vector(norm+".weight", h)
		vector(norm+".bias", h)
	}
	if m.more != nil {
		m.more(w)
	}
	return w.File(m.info)
}

func (m tiny) mustWrite(t testing.TB) []byte {
	t.Helper()
	data, err := m.write("")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t testing.TB, data []byte) *modelfile.File {
	t.Helper()
	f, err := modelfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWriteAndRead(t *testing.T) {
	m := newTiny()
	data := m.mustWrite(t)
	f := parse(t, data)
	if diff := cmp.Diff(f.Info(), m.info); diff != "" {
		t.Errorf("info (-got +want):\n%s", diff)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}

	words, err := f.Embedding("embeddings.word")
	if err != nil {
		t.Fatal(err)
	}
	var rows []float32
	row := make([]float32, words.Dim)
	for i := range words.Rows {
		words.Row(i, row)
		rows = append(rows, row...)
	}
	if diff := cmp.Diff(rows, numbers(m.words)); diff != "" {
		t.Errorf("token embeddings (-got +want):\n%s", diff)
	}

	up, err := f.Linear("layer.0.up.weight")
	if err != nil {
		t.Fatal(err)
	}
	weights := numbers(m.up)
	panel := make([]float32, 32*up.K)
	for p := range up.N / 32 {
		for i, got := range up.Panel(p, panel) {
			if want := weights[(32*p+i%32)*up.K+i/32]; got != want {
				t.Fatalf("panel %d, input %d, output %d: got %g, want %g", p, i/32, i%32, got, want)
			}
		}
	}

	places, err := f.Float32s("embeddings.position")
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range places {
		if math.Abs(float64(got-m.places[i])) > math.Abs(float64(m.places[i]))/2048 {
			t.Errorf("position %d: got %g, want %g in half precision", i, got, m.places[i])
		}
	}

	tok, err := f.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tok.Encode(nil, "数据 a", 0), []int32{0, 6, 4, 5, 2}); diff != "" {
		t.Errorf("ids (-got +want):\n%s", diff)
	}
}

// TestReadAnywhere moves the file to addresses where the processor cannot read
// numbers in place.
func TestReadAnywhere(t *testing.T) {
	data := newTiny().mustWrite(t)
	want, err := parse(t, data).Float32s("layer.0.qkv.bias")
	if err != nil {
		t.Fatal(err)
	}
	for shift := range 4 {
		moved := append(make([]byte, shift), data...)[shift:]
		got, err := parse(t, moved).Float32s("layer.0.qkv.bias")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("shifted by %d (-got +want):\n%s", shift, diff)
		}
	}
}

func TestSectionsAreAligned(t *testing.T) {
	m := newTiny()
	data := m.mustWrite(t)
	again := m.mustWrite(t)
	if !bytes.Equal(data, again) {
		t.Error("the same parts made two files")
	}
	for _, s := range parse(t, data).Sections() {
		entry := bytes.Index(data, append([]byte(s.Name), 0))
		if offset := binary.LittleEndian.Uint64(data[entry+48:]); offset%64 != 0 {
			t.Errorf("section %q lies at %d", s.Name, offset)
		}
	}
}

func TestMissingParts(t *testing.T) {
	m := newTiny()
	for _, s := range parse(t, m.mustWrite(t)).Sections() {
		if s.Name == "info" {
			continue
		}
		want := fmt.Sprintf("section %q is missing", s.Name)
		if _, err := m.write(s.Name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: got error %v, want one with %q", s.Name, err, want)
		}
	}
}

// TestHead tries heads that a table cannot have: with too many rows, other
// columns, or another kind.
func TestHead(t *testing.T) {
	for name, add := range map[string]func(w *modelfile.Writer, name string){
		"9 x 32":       func(w *modelfile.Writer, name string) { w.EmbeddingQ4(name, 9, 32, make([]byte, 9*18)) },
		"2 x 64":       func(w *modelfile.Writer, name string) { w.EmbeddingQ4(name, 2, 64, make([]byte, 4*18)) },
		"bytes 1 x 18": func(w *modelfile.Writer, name string) { w.Bytes(name, make([]byte, 18)) },
	} {
		m := newTiny()
		m.more = func(w *modelfile.Writer) { add(w, "embeddings.word.head") }
		if _, err := m.write(""); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got error %v, want one with %q", err, name)
		}
	}
}

func TestInfoIsChecked(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*modelfile.Info)
		want   string
	}{
		{"architecture", func(i *modelfile.Info) { i.Architecture = "rnn" }, `architecture "rnn"`},
		{"no layers", func(i *modelfile.Info) { i.Layers = 0 }, "layers 0"},
		{"negative size", func(i *modelfile.Info) { i.Hidden = -32 }, "hidden -32"},
		{"another layer", func(i *modelfile.Info) { i.Layers = 2 }, `"layer.1.qkv.weight" is missing`},
		{"more words", func(i *modelfile.Info) { i.Vocab = 9 }, "8 x 32 instead of 9 x 32"},
		{"giant vocabulary", func(i *modelfile.Info) { i.Vocab = math.MaxInt32 }, "vocab"},
		{"heads that do not divide", func(i *modelfile.Info) { i.Heads = 5 }, "5 heads"},
		{"eps of one", func(i *modelfile.Info) { i.Eps = 1 }, "eps"},
		{"pooling", func(i *modelfile.Info) { i.Pooling = "max" }, `pooling "max"`},
		{"tokenizer", func(i *modelfile.Info) { i.Tokenizer = "letters" }, `tokenizer "letters"`},
		{"tokens beyond positions", func(i *modelfile.Info) { i.MaxTokens = 5 }, "maxTokens 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTiny()
			f := parse(t, m.mustWrite(t))
			info := f.Info()
			c.change(&info)
			_, err := modelfile.Parse(withInfo(t, m.mustWrite(t), info))
			if !errors.Is(err, modelfile.ErrDamaged) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

// withInfo replaces the info of a file, whose section has room for small
// changes only.
func withInfo(t testing.TB, data []byte, info modelfile.Info) []byte {
	t.Helper()
	text, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	entry := data[bytes.Index(data, []byte("info\x00")):]
	room := data[binary.LittleEndian.Uint64(entry[48:]):][:(len(text)+63)&^63]
	clear(room)
	copy(room, text)
	binary.LittleEndian.PutUint32(entry[40:], uint32(len(text)))
	binary.LittleEndian.PutUint64(entry[56:], uint64(len(text)))
	return data
}

func TestDamage(t *testing.T) {
	// In the table, entry 1 is that of embeddings.norm.weight.
	const entry = 64 + 64
	number := func(at int, v uint64) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[at:], v); return b }
	}
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		want   string
	}{
		{"a part of the header", func(b []byte) []byte { return b[:8] }, "too few"},
		{"a later version", func(b []byte) []byte { b[8] = 2; return b }, "version 2"},
		{"cut short", func(b []byte) []byte { return b[:len(b)-64] }, "bytes long instead of"},
		{"too long", func(b []byte) []byte { return append(b, 0) }, "bytes long instead of"},
		{"reserved bytes", number(24, 1), "reserved"},
		{"too many sections", func(b []byte) []byte { b[13] = 1; return b }, "table"},
		{"two of a name", func(b []byte) []byte { copy(b[entry:entry+32], b[entry+64:]); return b }, "out of order"},
		{"an unknown kind", func(b []byte) []byte { b[entry+32] = 99; return b }, "kind 99"},
		{"another shape", func(b []byte) []byte { b[entry+36] = 2; return b }, "instead of"},
		{"a giant shape", func(b []byte) []byte { b[entry+39] = 0xff; return b }, "too large"},
		{"an odd offset", func(b []byte) []byte { b[entry+48]++; return b }, "offset"},
		{"an overlap", number(entry+48, 64), "overlap"},
		{"an offset behind the end", number(entry+48, 1<<40), "leave the file"},
		{"a length beyond the end", number(entry+56, 1<<63), "leave the file"},
		{"info that is no JSON", func(b []byte) []byte { b[bytes.Index(b, []byte(`{"arch`))] = 'x'; return b }, "info"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := modelfile.Parse(c.change(newTiny().mustWrite(t)))
			if !errors.Is(err, modelfile.ErrDamaged) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

// A file that does not begin as a model file does may belong to anybody. It is
// not called a damaged model file.
func TestForeign(t *testing.T) {
	good := newTiny().mustWrite(t)
	for name, data := range map[string][]byte{
		"nothing": nil, "a note": []byte("# Mia\n\n- likes tea\n"), "another program's": append([]byte("GGUF"), good[4:]...), "a part of the mark": good[:7],
	} {
		if _, err := modelfile.Parse(data); !errors.Is(err, modelfile.ErrForeign) || errors.Is(err, modelfile.ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, modelfile.ErrForeign)
		}
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	data := newTiny().mustWrite(t)
	data[len(data)-200] ^= 1
	if err := parse(t, data).Verify(); !errors.Is(err, modelfile.ErrDamaged) {
		t.Errorf("got error %v, want %v", err, modelfile.ErrDamaged)
	}
}

func TestDamagedTokenizer(t *testing.T) {
	data := newTiny().mustWrite(t)
	data[bytes.Index(data, []byte("UNIGRAM1"))] = 'X'
	if _, err := parse(t, data).Tokenizer(); !errors.Is(err, modelfile.ErrDamaged) {
		t.Errorf("got error %v, want %v", err, modelfile.ErrDamaged)
	}
}

func TestWrongKind(t *testing.T) {
	f := parse(t, newTiny().mustWrite(t))
	_, notLinear := f.Linear("embeddings.word")
	_, notFloats := f.Float32s("embeddings.word")
	_, notTable := f.Embedding("layer.0.up.weight")
	_, missing := f.Linear("layer.7.up.weight")
	for _, err := range []error{notLinear, notFloats, notTable, missing} {
		if err == nil {
			t.Error("got no error for a section of another kind")
		}
	}
}

// FuzzParse reads everything in a damaged file that still opens.
func FuzzParse(f *testing.F) {
	data := newTiny().mustWrite(f)
	f.Add(0, uint64(0))
	f.Add(64+64+48, uint64(1))
	f.Add(64+36, uint64(7))
	f.Fuzz(func(t *testing.T, at int, change uint64) {
		damaged := bytes.Clone(data)
		if at < 0 || at > len(damaged)-8 {
			return
		}
		part := damaged[at:]
		binary.LittleEndian.PutUint64(part, binary.LittleEndian.Uint64(part)^change)
		readAll(damaged)
	})
}

// FuzzParseBytes does the same with files of arbitrary bytes.
func FuzzParseBytes(f *testing.F) {
	f.Add(newTiny().mustWrite(f))
	f.Add([]byte("MEMOIRMF"))
	f.Fuzz(func(t *testing.T, data []byte) { readAll(data) })
}

// readAll reads everything that a file offers, to see that nothing panics.
func readAll(data []byte) {
	f, err := modelfile.Parse(data)
	if err != nil {
		return
	}
	for _, s := range f.Sections() {
		if l, err := f.Linear(s.Name); err == nil {
			panel := make([]float32, 32*l.K)
			for p := range l.N / 32 {
				l.Panel(p, panel)
			}
		}
		if e, err := f.Embedding(s.Name); err == nil {
			row := make([]float32, e.Dim)
			for i := range e.Rows {
				e.Row(i, row)
			}
		}
		_, _ = f.Float32s(s.Name)
	}
	_, _ = f.Samples()
	if tok, err := f.Tokenizer(); err == nil {
		for _, id := range tok.Encode(nil, "数据 a b\x00", 0) {
			if id < 0 || int(id) >= f.Info().Vocab {
				panic(fmt.Sprintf("id %d of %d", id, f.Info().Vocab))
			}
		}
	}
}
