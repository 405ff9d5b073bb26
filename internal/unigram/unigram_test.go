package unigram_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/unigram"
)

const (
	bos = iota
	pad
	eos
	unk
	firstPiece
)

// vocabulary returns a vocabulary of markers and then the pieces, each a little
// less likely than the one before it.
func vocabulary(pieces ...string) unigram.Vocabulary {
	v := unigram.Vocabulary{
		BOS: bos, EOS: eos, Unk: unk,
		Rules: []unigram.Rule{
			{From: 0x3000, To: " "},
			{From: utf8.RuneError, To: " "},
			{From: 0xff21, To: "A"},
			{From: 0xfb01, To: "fi"},
			{From: 0x00ad, To: ""},
			{From: 0x00b4, To: " \u0301"},
		},
	}
	for _, marker := range []string{"<s>", "<pad>", "</s>", "<unk>"} {
		v.Pieces = append(v.Pieces, unigram.Piece{Text: marker, Control: true})
	}
	for i, p := range pieces {
		v.Pieces = append(v.Pieces, unigram.Piece{Text: p, Score: -1 - float32(i)/64})
	}
	return v
}

func open(t testing.TB, v unigram.Vocabulary) *unigram.Tokenizer {
	t.Helper()
	section, err := unigram.Build(v)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := unigram.Parse(section)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// pieces turns ids back into the pieces' text.
func pieces(v unigram.Vocabulary, ids []int32) []string {
	var s []string
	for _, id := range ids {
		s = append(s, v.Pieces[id].Text)
	}
	return s
}

func TestEncode(t *testing.T) {
	v := vocabulary("▁", "a", "b", "ab", "▁ab", "c", "abc", "A", "fi", "x", "é", "e", "▁数据", "数", "据", "库", "🚀", "が", "\u0301",
		"<", "s", ">", "/")
	tok := open(t, v)
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "<s> </s>"},
		{"only spaces", " \t\r\n\u3000", "<s> </s>"},
		{"one piece beats two", "ab", "<s> ▁ab </s>"},
		{"the higher sum wins", "abc", "<s> ▁ abc </s>"},
		{"inside a word", "xabc", "<s> ▁ x abc </s>"},
		{"spaces collapse", "  ab \r\n ab\u3000ab ", "<s> ▁ab ▁ab ▁ab </s>"},
		{"a rule widens", "ﬁ", "<s> ▁ fi </s>"},
		{"a rule narrows", "Ａ", "<s> ▁ A </s>"},
		{"a rule removes", "a\u00adb", "<s> ▁ab </s>"},
		{"a rule cuts", "a´", "<s> ▁ a ▁ \u0301 </s>"},
		{"composed", "e\u0301", "<s> ▁ é </s>"},
		{"composed kana", "か\u3099", "<s> ▁ が </s>"},
		{"Chinese", "数据库", "<s> ▁数据 库 </s>"},
		{"emoji", "🚀a", "<s> ▁ 🚀 a </s>"},
		{"unknown", "zz", "<s> ▁ <unk> </s>"},
		{"unknown in a row", "zyzyz a", "<s> ▁ <unk> ▁ a </s>"},
		{"unknown between", "zaz", "<s> ▁ <unk> a <unk> </s>"},
		{"unknown words", "z z", "<s> ▁ <unk> ▁ <unk> </s>"},
		{"markers are text", "</s>", "<s> ▁ < / s > </s>"},
		{"NUL", "a\x00b", "<s> ▁ a <unk> b </s>"},
		{"broken UTF-8", "a\xffb\xe6\x95", "<s> ▁ a ▁ b </s>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(pieces(v, tok.Encode(nil, c.text, 0)), " ")
			if got != c.want {
				t.Errorf("Encode(%q): got %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestEncodeLimit(t *testing.T) {
	v := vocabulary("▁", "a", "b")
	tok := open(t, v)
	whole := tok.Encode(nil, "ab zz ab", 0)
	for _, c := range []struct{ limit, content int }{
		{-1, 8}, {0, 8}, {1, 0}, {2, 0}, {3, 1}, {6, 4}, {7, 5}, {9, 7}, {10, 8}, {11, 8}, {512, 8}, {math.MaxInt, 8},
	} {
		want := append(append([]int32{7}, whole[:1+c.content]...), eos)
		got := tok.Encode([]int32{7}, "ab zz ab", c.limit)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("limit %d (-got +want):\n%s", c.limit, diff)
		}
	}
}

// TestEncodeAgainstPlainSearch compares with the textbook's algorithm, on
// vocabularies in which pieces overlap wherever they can.
func TestEncodeAgainstPlainSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "b", "é", "数", "据", "𐍈"}
	word := func(most int) string {
		var s strings.Builder
		for range 1 + r.IntN(most) {
			s.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		return s.String()
	}
	for range 200 {
		seen := map[string]bool{}
		var texts []string
		for range 1 + r.IntN(60) {
			p := word(5)
			if r.IntN(4) == 0 {
				p = "▁" + p
			}
			if !seen[p] {
				seen[p] = true
				texts = append(texts, p)
			}
		}
		v := vocabulary(texts...)
		for i := range v.Pieces {
			v.Pieces[i].Score = -float32(r.IntN(40)) / 4 // with ties
		}
		tok := open(t, v)
		for range 20 {
			text := word(40)
			if diff := cmp.Diff(tok.Encode(nil, text, 0), plainSearch(v, "▁"+text)); diff != "" {
				t.Fatalf("Encode(%q) (-got +want):\n%s", text, diff)
			}
		}
	}
}

// plainSearch finds the best path through one normalised word.
func plainSearch(v unigram.Vocabulary, word string) []int32 {
	type node struct {
		score     float64
		start, id int
	}
	lowest := math.Inf(1)
	index := map[string]int{}
	for id, p := range v.Pieces {
		lowest = min(lowest, float64(p.Score))
		if !p.Control {
			index[p.Text] = id
		}
	}
	best := map[int]node{0: {}}
	relax := func(at int, n node) {
		if old, ok := best[at]; !ok || n.score > old.score {
			best[at] = n
		}
	}
	for at := range word {
		_, width := utf8.DecodeRuneInString(word[at:])
		known := false
		for end := at + 1; end <= len(word); end++ {
			if id, ok := index[word[at:end]]; ok {
				known = known || end == at+width
				relax(end, node{best[at].score + float64(v.Pieces[id].Score), at, id})
			}
		}
		if !known {
			relax(at+width, node{best[at].score + lowest - 10, at, unk})
		}
	}
	ids := []int32{eos}
	for at := len(word); at > 0; at = best[at].start {
		if id := int32(best[at].id); id != unk || ids[0] != unk {
			ids = append([]int32{id}, ids...)
		}
	}
	return append([]int32{bos}, ids...)
}

func TestEncodeConcurrently(t *testing.T) {
	tok := open(t, vocabulary("▁", "a", "b", "ab", "é"))
	texts := []string{"ab ab", strings.Repeat("ab", 5000), "e\u0301", "", "zzz"}
	var group sync.WaitGroup
	for _, text := range texts {
		want := tok.Encode(nil, text, 0)
		group.Go(func() {
			for range 50 {
				if diff := cmp.Diff(tok.Encode(nil, text, 0), want); diff != "" {
					t.Errorf("(-got +want):\n%s", diff)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestBuildIsDeterministic(t *testing.T) {
	v := vocabulary("▁", "a", "ab", "abc", "数据")
	first, err := unigram.Build(v)
	if err != nil {
		t.Fatal(err)
	}
	v.Rules[0], v.Rules[3] = v.Rules[3], v.Rules[0]
	second, err := unigram.Build(v)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the order of the rules changes the bytes")
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*unigram.Vocabulary)
		want   string
	}{
		{"no pieces", func(v *unigram.Vocabulary) { v.Pieces = nil }, "0 pieces"},
		{"a marker outside", func(v *unigram.Vocabulary) { v.EOS = 99 }, "marker 99"},
		{"a negative marker", func(v *unigram.Vocabulary) { v.Unk = -1 }, "marker -1"},
		{"an empty piece", func(v *unigram.Vocabulary) { v.Pieces[5].Text = "" }, "piece 5"},
		{"NUL in a piece", func(v *unigram.Vocabulary) { v.Pieces[5].Text = "a\x00" }, "without NUL"},
		{"broken UTF-8 in a piece", func(v *unigram.Vocabulary) { v.Pieces[5].Text = "\xff" }, "UTF-8"},
		{"a giant piece", func(v *unigram.Vocabulary) { v.Pieces[5].Text = strings.Repeat("a", 1<<16) }, "piece 5"},
		{"a piece twice", func(v *unigram.Vocabulary) { v.Pieces[5].Text = v.Pieces[4].Text }, "are both"},
		{"a score that is no number", func(v *unigram.Vocabulary) { v.Pieces[5].Score = float32(math.NaN()) }, "score"},
		{"a rule twice", func(v *unigram.Vocabulary) { v.Rules[1].From = v.Rules[0].From }, "two rules"},
		{"a rule for no character", func(v *unigram.Vocabulary) { v.Rules[1].From = -1 }, "not Unicode"},
		{"a giant rule", func(v *unigram.Vocabulary) { v.Rules[1].To = strings.Repeat("a", 1<<16) }, "bytes"},
		{"a rule to no character", func(v *unigram.Vocabulary) { v.Rules[1].To = "\xff" }, "not Unicode"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := vocabulary("▁", "a", "b")
			c.change(&v)
			if _, err := unigram.Build(v); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	good, err := unigram.Build(vocabulary("▁", "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
	}{
		{"nothing", func([]byte) []byte { return nil }},
		{"a short header", func(b []byte) []byte { return b[:20] }},
		{"another magic", func(b []byte) []byte { b[0]++; return b }},
		{"no pieces", func(b []byte) []byte { clear(b[8:12]); return b }},
		{"a marker outside", func(b []byte) []byte { b[13]++; return b }},
		{"a giant piece", func(b []byte) []byte { b[27]++; return b }},
		{"no units", func(b []byte) []byte { clear(b[28:32]); return b }},
		{"one byte less", func(b []byte) []byte { return b[:len(b)-1] }},
		{"one byte more", func(b []byte) []byte { return append(b, 0) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := unigram.Parse(c.change(bytes.Clone(good))); err == nil {
				t.Error("got no error")
			}
		})
	}
}

// FuzzParse opens damaged vocabularies and encodes with what opens.
func FuzzParse(f *testing.F) {
	good, err := unigram.Build(vocabulary("▁", "a", "ab", "abc", "数据", "é"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, "abc ab 数据 e\u0301 \x00\xff")
	f.Add(good[:len(good)-1], "a")
	f.Fuzz(func(t *testing.T, section []byte, text string) {
		tok, err := unigram.Parse(section)
		if err != nil {
			return
		}
		for _, id := range tok.Encode(nil, text, 0) {
			if id < 0 || int(id) >= tok.Pieces() {
				t.Fatalf("id %d of %d pieces", id, tok.Pieces())
			}
		}
	})
}

// FuzzEncode checks that each word is encoded independently of the others, and
// that a limit returns a prefix.
func FuzzEncode(f *testing.F) {
	tok := open(f, vocabulary("▁", "a", "b", "ab", "▁ab", "é", "e", "数据", "数", "が"))
	f.Add("ab e\u0301", "\u3099か", 3)
	f.Add("\xf0\x9f", "\x00ﬁ\u0301", 0)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		first, second := tok.Encode(nil, a, 0), tok.Encode(nil, b, 0)
		both := tok.Encode(nil, a+" "+b, 0)
		if diff := cmp.Diff(both, append(first[:len(first)-1], second[1:]...)); diff != "" {
			t.Errorf("%q and %q together (-got +apart):\n%s", a, b, diff)
		}
		if limit < 2 || limit >= len(both) {
			return
		}
		want := append(both[:limit-1:limit-1], eos)
		if diff := cmp.Diff(tok.Encode(nil, a+" "+b, limit), want); diff != "" {
			t.Errorf("limit %d (-got +want):\n%s", limit, diff)
		}
	})
}

// BenchmarkEncode encodes ordinary words, and one word of a megabyte in which
// pieces overlap everywhere.
func BenchmarkEncode(b *testing.B) {
	tok := open(b, vocabulary("▁", "a", "b", "ab", "aa", "▁ab", "数据", "数", "据", "库"))
	for _, c := range []struct{ name, text string }{
		{"words", strings.Repeat("ab aab ", 1000)},
		{"Chinese", strings.Repeat("数据库数据", 1000)},
		{"one megabyte word", strings.Repeat("a", 1<<20)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			var dst []int32
			for b.Loop() {
				dst = tok.Encode(dst[:0], c.text, 0)
			}
		})
	}
}
