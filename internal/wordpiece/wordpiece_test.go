package wordpiece_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/wordpiece"
)

const (
	pad = iota
	unk
	cls
	sep
)

// vocabulary returns a vocabulary of markers and then the pieces.
func vocabulary(rules wordpiece.Rules, pieces ...string) wordpiece.Vocabulary {
	return wordpiece.Vocabulary{
		Pieces: append([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, pieces...),
		CLS:    cls, SEP: sep, Unk: unk, Rules: rules,
	}
}

func open(t testing.TB, v wordpiece.Vocabulary) *wordpiece.Tokenizer {
	t.Helper()
	section, err := wordpiece.Build(v)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := wordpiece.Parse(section)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

var (
	uncased = wordpiece.Rules{Lowercase: true, StripAccents: true}
	cased   = wordpiece.Rules{}
)

// tinyPieces has something for each of the cases below.
var tinyPieces = []string{"the", "un", "##aff", "##able", "cafe", "café", "i", "##i", "##\u0307", "I", "db", "_", "password", "[", "]", "unk", "sep",
	"中", "人", "ㄱ", "a", "##a", "b", "=", "\u1112", "##\u1161", "##\u11ab", "ss", "ß", "straße", "Σ", "σ", "!", "ａ", "豈", "-", "don", "'", "t"}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules wordpiece.Rules
		text  string
		want  string
	}{
		{"nothing", uncased, "", ""},
		{"only spaces", uncased, " \t\r\n\u3000\u00a0", ""},
		{"longest pieces", uncased, "unaffable", "un ##aff ##able"},
		{"an unknown end makes the word unknown", uncased, "unaffablex the", "[UNK] the"},
		{"lower case", uncased, "THE Un", "the un"},
		{"case kept", cased, "THE the", "[UNK] the"},
		{"composed accent", uncased, "Café", "cafe"},
		{"decomposed accent", uncased, "Cafe\u0301", "cafe"},
		{"accent kept", cased, "café", "café"},
		{"dotted capital, stripped", uncased, "İ", "i"},
		{"dotted capital, lowered", wordpiece.Rules{Lowercase: true}, "İ", "i ##\u0307"},
		{"sharp s", uncased, "Straße", "straße"},
		{"sigma is not final", uncased, "Σ", "σ"},
		{"Hangul by its parts", uncased, "한", "\u1112 ##\u1161 ##\u11ab"},
		{"Hangul kept", cased, "한", "[UNK]"},
		{"punctuation", uncased, "DB_PASSWORD!", "db _ password !"},
		{"quotes", uncased, "don't", "don ' t"},
		{"punctuation made by decomposing", uncased, "a≠b", "a = b"},
		{"markers are text", uncased, "[SEP]", "[ sep ]"},
		{"Chinese", uncased, "中人中", "中 人 中"},
		{"Chinese in a word", uncased, "a中a", "a 中 a"},
		{"Chinese joined", wordpiece.Rules{JoinChinese: true}, "中a", "中 ##a"},
		{"compatibility ideograph", uncased, "豈", "豈"},
		{"kana are letters", uncased, "かな", "[UNK]"},
		{"full width stays", uncased, "ａ", "ａ"},
		{"zero width is dropped", uncased, "a\u200ba\ufeff", "a ##a"},
		{"NUL and broken UTF-8 are dropped", uncased, "a\x00\xffa\xe6\x95", "a ##a"},
		{"control kept", wordpiece.Rules{KeepControls: true}, "a\u200ba", "[UNK]"},
		{"emoji", uncased, "🚀 a", "[UNK] a"},
		{"100 characters", uncased, strings.Repeat("a", 100), "a" + strings.Repeat(" ##a", 99)},
		{"101 characters", uncased, strings.Repeat("a", 101), "[UNK]"},
		{"accents do not count", uncased, strings.Repeat("á", 100), "a" + strings.Repeat(" ##a", 99)},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := vocabulary(c.rules, tinyPieces...)
			var got []string
			for _, id := range open(t, v).Encode(nil, c.text, 0) {
				got = append(got, v.Pieces[id])
			}
			want := append(append([]string{"[CLS]"}, strings.Fields(c.want)...), "[SEP]")
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("Encode(%+q) (-got +want):\n%s", c.text, diff)
			}
		})
	}
}

func TestEncodeLimit(t *testing.T) {
	tok := open(t, vocabulary(uncased, tinyPieces...))
	const text = "unaffable the a"
	whole := tok.Encode(nil, text, 0)
	for _, c := range []struct{ limit, content int }{
		{-1, 5}, {0, 5}, {1, 0}, {2, 0}, {3, 1}, {4, 2}, {6, 4}, {7, 5}, {8, 5}, {math.MaxInt, 5},
	} {
		want := append(append([]int32{9}, whole[:1+c.content]...), sep)
		if diff := cmp.Diff(tok.Encode([]int32{9}, text, c.limit), want); diff != "" {
			t.Errorf("limit %d (-got +want):\n%s", c.limit, diff)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*wordpiece.Vocabulary)
		want   string
	}{
		{"no pieces", func(v *wordpiece.Vocabulary) { v.Pieces = nil }, "0 pieces"},
		{"a marker outside", func(v *wordpiece.Vocabulary) { v.SEP = 99 }, "marker 99"},
		{"a negative marker", func(v *wordpiece.Vocabulary) { v.Unk = -1 }, "marker -1"},
		{"a piece twice", func(v *wordpiece.Vocabulary) { v.Pieces[5] = "the" }, "are both"},
		{"a piece that is no text", func(v *wordpiece.Vocabulary) { v.Pieces[5] = "\xff" }, "UTF-8"},
		{"a piece with NUL", func(v *wordpiece.Vocabulary) { v.Pieces[5] = "\x00" }, "NUL"},
		{"giant words", func(v *wordpiece.Vocabulary) { v.WordChars = 1 << 20 }, "characters"},
	} {
		v := vocabulary(uncased, "the", "a")
		c.change(&v)
		if _, err := wordpiece.Build(v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	section, err := wordpiece.Build(vocabulary(uncased, tinyPieces...))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(section) {
		if _, err := wordpiece.Parse(section[:n]); err == nil {
			t.Fatalf("the first %d bytes of %d: got no error", n, len(section))
		}
	}
	for field := range 7 {
		damaged := bytes.Clone(section)
		binary.LittleEndian.PutUint32(damaged[8+4*field:], math.MaxUint32)
		if _, err := wordpiece.Parse(damaged); err == nil {
			t.Errorf("field %d: got no error", field)
		}
	}
}

// FuzzEncode looks for panics, and for ids outside the vocabulary. It also
// tries a damaged trie.
func FuzzEncode(f *testing.F) {
	v := vocabulary(uncased, tinyPieces...)
	section, err := wordpiece.Build(v)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("Unaffable Café 中人 한 \xff", 0, 0, uint32(0))
	f.Add("\u0301\u302e\U0001d165", 5, 30, uint32(1))
	f.Fuzz(func(t *testing.T, text string, limit, at int, change uint32) {
		damaged := bytes.Clone(section)
		if at >= 0 && at <= len(damaged)-4 {
			binary.LittleEndian.PutUint32(damaged[at:], binary.LittleEndian.Uint32(damaged[at:])^change)
		}
		tok, err := wordpiece.Parse(damaged)
		if err != nil {
			return
		}
		ids := tok.Encode(nil, text, limit)
		if len(ids) < 2 || limit > 1 && len(ids) > limit {
			t.Errorf("got %d ids for the limit %d", len(ids), limit)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= tok.Pieces() {
				t.Errorf("got id %d of %d pieces", id, tok.Pieces())
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tok := open(b, vocabulary(uncased, tinyPieces...))
	for name, text := range map[string]string{
		"ascii":   strings.Repeat("Unaffable the DB_PASSWORD don't ", 50),
		"accents": strings.Repeat("Café Straße cafe\u0301 İ ", 50),
		"Chinese": strings.Repeat("中人中人", 100),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var dst []int32
			for b.Loop() {
				dst = tok.Encode(dst[:0], text, 0)
			}
		})
	}
}
