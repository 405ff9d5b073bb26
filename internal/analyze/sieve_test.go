package analyze

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSieve: a word that holds a term is never passed over, whatever its ending,
// its marks and its capitals; most others are.
func TestSieve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	endings := []string{"", "s", "ies", "ied", "ying", "ational", "fulness", "ization", "ly", "ement", "eed", "ing", "ed", "n't", "'s"}
	marks := "-_.:/#@?&=%~+,;'\"`*()[]\\\\__..--"
	one := func() string {
		word := make([]byte, r.IntN(5))
		for i := range word {
			word[i] = "aeiouysdtlnrbcfghjkmpqvwxz"[r.IntN(26)]
		}
		text := string(word) + endings[r.IntN(len(endings))]
		switch r.IntN(6) {
		case 0:
			text = strings.ToUpper(text)
		case 1, 2:
			text = strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
		case 3:
			text = fmt.Sprint(text, r.IntN(2000))
		case 4:
			text = fmt.Sprint([]string{"v", "", "#", "x"}[r.IntN(4)], r.IntN(20), []string{".", "", "-"}[r.IntN(3)], r.IntN(20), text)
		}
		return text
	}
	passed := 0
	const words = 50_000
	for i := range words {
		text := one()
		if irregular := []string{"dying", "Lying", "(tying", "isn't", "skies", "Went", "children", "bought"}; i < len(irregular) {
			text = irregular[i]
		}
		for range r.IntN(4) {
			if r.IntN(4) > 0 {
				text += string(marks[r.IntN(len(marks))])
			}
			if r.IntN(4) == 0 {
				text += string(marks[r.IntN(len(marks))])
			}
			text += one()
		}
		for _, term := range Document(nil, text) {
			if !sieve(term).MayHold(text) {
				t.Fatalf("%q holds the term %q, and is passed over", text, term)
			}
		}
		if !sieve("harbour", "broken").MayHold(text) {
			passed++
		}
	}
	if passed < words*8/10 {
		t.Errorf("%d of %d words are passed over", passed, words)
	}
}

// runs are pieces of texts in scripts without spaces, and what stands between them.
var runs = []string{"数据", "數據", "库", "東京", "京", "が", "か\u3099", "く", "カー", "ｶﾞ", "한국", "\u1112\u1161\u11ab", "국", "ไทย", "豈", "㐀", "𠮷", "、", "。", "「", "」", "，", "！", "＃", "＠", "：",
	"３月", "3月", "2日", "Ａｂ", "ｖ１．２", "T恤", "x", "é", "\u0301", "\ufe0f", "🙂", "\u3000", " ", "\n", "の", "是", "\xff"}

// TestSieveRuns: the same for scripts without spaces: each term of a text passes, wherever it
// stands and however it is written.
func TestSieveRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	passed := 0
	for range 30_000 {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString(runs[r.IntN(len(runs))])
		}
		text := b.String()
		for _, term := range Document(nil, text) {
			if !sieve(term).MayHold(text) {
				t.Fatalf("%q holds the term %q, and is passed over", text, term)
			}
		}
		if !sieve("港口", "좋은", "りんご").MayHold(text) {
			passed++
		}
	}
	if passed < 1_000 {
		t.Errorf("only %d texts are passed over", passed)
	}
}

// TestSift: of a text with some words left out, a document holds the same of the terms.
func TestSift(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"quay", "Went", "isn't", "setUp", "set-up", "a/b.go", "#123", "--flag", "v1.2", "don\\'t", "C++", "数据", "库", "データ", "naïve", "é", "(x)", "\u0301", "Ärger", "ходил", "x_y", "🙂",
		"of", "it", "line", "and", "1,000", "9:30", "a@b.org", "https://a.b/c?d=e"}
	words = append(words, runs...)
	blanks := []string{" ", "\n", "  ", "\t", "\r\n", "\n\n", "\v", "\u00a0", "\u3000", ""}
	left := 0
	for range 20_000 {
		var text strings.Builder
		for range 1 + r.IntN(12) {
			text.WriteString(words[r.IntN(len(words))] + blanks[r.IntN(len(blanks))])
		}
		whole := Document(nil, text.String())
		if len(whole) == 0 {
			continue
		}
		asked := []string{whole[r.IntN(len(whole))], "going", "quai", "数据"}
		sifted := sieve(asked...).Sift(text.String())
		left += text.Len() - len(sifted)
		for _, term := range asked {
			if found := slices.Contains(Document(nil, sifted), term); found != slices.Contains(whole, term) {
				t.Fatalf("%q of %q: %v holds %q, and %v", sifted, text.String(), found, term, !found)
			}
		}
	}
	if left < 100_000 {
		t.Errorf("only %d bytes are left out", left)
	}
}

func sieve(terms ...string) *Sieve {
	var v Sieve
	for _, term := range terms {
		v.Add(term)
	}
	return &v
}
