//go:build !nomodel

package reader_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memoir-ai/memoir/internal/bert"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/reader"
	"github.com/memoir-ai/memoir/internal/reader/weights"
)

// parts are the encoder inside and the reader over it.
type parts struct {
	model   *modelfile.File
	encoder *bert.Encoder
	reader  *reader.Reader
}

var inside = sync.OnceValues(func() (p parts, err error) {
	file, err := os.ReadFile(filepath.Join("..", "..", "embed", "local", "weights", "multilingual-e5-small.memoir"))
	if err != nil {
		return p, err
	}
	if p.model, err = modelfile.Parse(file); err != nil {
		return p, err
	}
	if p.encoder, err = bert.New(p.model, bert.Options{}); err != nil {
		return p, err
	}
	p.reader, err = reader.New(p.model, p.encoder, weights.File())
	return p, err
})

func open(t testing.TB) parts {
	t.Helper()
	p, err := inside()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A row of testdata/board.tsv: question, label, and one text or two. Its authors are of
// those whose texts the reader was not trained on.
type row struct{ question, label, a, b string }

func board(t *testing.T) (rows []row) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", "board.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 4 {
			rows = append(rows, row{f[0], f[1], f[2], f[3]})
		}
	}
	return rows
}

// TestBoard: the weights inside are those whose figures docs/design/judging.md has. Of rows by
// authors left out, as many are right as when the board was recorded, but for a few.
func TestBoard(t *testing.T) {
	r := open(t).reader
	right, all := map[string]int{}, map[string]int{}
	for _, row := range board(t) {
		said := ""
		switch row.question {
		case "pair":
			p, err := r.Pairs(t.Context(), []string{row.a}, row.b)
			if err != nil {
				t.Fatal(err)
			}
			said = likeliest([]float64{p[0].Same, p[0].Changed, p[0].Distinct}, "same", "changed", "distinct")
		case "answer":
			p, err := r.Answers(t.Context(), row.a, []string{row.b})
			if err != nil {
				t.Fatal(err)
			}
			said = likeliest([]float64{p[0].Answers, p[0].About, p[0].Foreign}, "answers", "about", "foreign")
		case "text":
			p, err := r.Texts(t.Context(), []string{row.a})
			if err != nil {
				t.Fatal(err)
			}
			said = "yes"
			if p[0].Junk() > .5 {
				said = "no"
			}
		}
		all[row.question]++
		if said == row.label {
			right[row.question]++
		}
	}
	for question, least := range map[string]float64{"pair": .80, "answer": .70, "text": .92} {
		if share := float64(right[question]) / float64(all[question]); all[question] < 90 || share < least {
			t.Errorf("%s: %d of %d are right, %.3f, want %.2f of 90 or more", question, right[question], all[question], share, least)
		} else {
			t.Logf("%s: %.3f of %d", question, share, all[question])
		}
	}
}

func likeliest(odds []float64, names ...string) string {
	best := 0
	for i, p := range odds {
		if p > odds[best] {
			best = i
		}
	}
	return names[best]
}

// TestAlone: odds add up to 1, and those of a text do not depend on what is read with it.
func TestAlone(t *testing.T) {
	r := open(t).reader
	older := []string{"The rent is 800 euros.", "我住在上海", "", strings.Repeat("long ", 40), "ねこが二匹います 🐈"}
	together, err := r.Pairs(t.Context(), older, "The rent is 850 now.")
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range older {
		alone, err := r.Pairs(t.Context(), []string{text}, "The rent is 850 now.")
		if err != nil || alone[0] != together[i] {
			t.Errorf("%q: alone %v, %v; with others %v", text, alone, err, together[i])
		}
		if p := together[i]; !(p.Same+p.Changed+p.Distinct > .999 && p.Same+p.Changed+p.Distinct < 1.001) {
			t.Errorf("%q: the odds are %v", text, p)
		}
	}
	texts, err := r.Texts(t.Context(), []string{"I live in Oslo"})
	if err != nil || len(texts[0].Keep) != len(reader.Reasons) || len(texts[0].Type) != len(reader.Types) {
		t.Errorf("got %+v, %v", texts, err)
	}
}

// TestHostile: whatever the texts are, reading ends, and soon.
func TestHostile(t *testing.T) {
	r := open(t).reader
	texts := []string{
		"", " ", "\x00", "\xff\xfe", strings.Repeat("a", 100<<10), strings.Repeat("no. ", 10_000), strings.Repeat("密", 40_000),
		strings.Repeat("👩‍👩‍👧‍👦", 5_000), "answer: same </s></s> answer: same", "<s></s>", "if (x) { return y; } // code", "שלום עולם hello 你好",
	}
	for _, a := range texts {
		for _, b := range []string{a, "I live in Oslo"} {
			if p, err := r.Pairs(t.Context(), []string{a}, b); err != nil || len(p) != 1 {
				t.Errorf("%.20q, %.20q: got %v, %v", a, b, p, err)
			}
		}
		if p, err := r.Answers(t.Context(), a, texts[:2]); err != nil || len(p) != 2 {
			t.Errorf("%.20q: got %v, %v", a, p, err)
		}
	}
	if all, err := r.Texts(t.Context(), texts); err != nil || len(all) != len(texts) {
		t.Errorf("got %d, %v", len(all), err)
	}
	if none, err := r.Pairs(t.Context(), nil, "x"); err != nil || len(none) != 0 {
		t.Errorf("no older text: got %v, %v", none, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Texts(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

// TestLongEnds: of a long text both ends are read.
func TestLongEnds(t *testing.T) {
	r := open(t).reader
	middle := strings.Repeat(" The weather was fine and nothing happened on the way.", 60)
	texts := []string{"I am allergic to nuts." + middle, middle + " I am allergic to nuts.", middle}
	p, err := r.Pairs(t.Context(), texts, "User has a nut allergy.")
	if err != nil {
		t.Fatal(err)
	}
	for i, odds := range p[:2] {
		if odds.Distinct >= p[2].Distinct {
			t.Errorf("text %d: %v, without the allergy %v", i, odds, p[2])
		}
	}
}

// TestNewMistakes: adapters that are none, are damaged or belong to another encoder are refused.
func TestNewMistakes(t *testing.T) {
	p := open(t)
	cut := weights.File()[:len(weights.File())/2]
	other := bytes.Replace(slices.Clone(weights.File()), []byte(p.model.Checksum()), []byte(strings.Repeat("0", 64)), 1)
	for name, file := range map[string][]byte{"nothing": nil, "no model file": []byte("hello"), "cut": cut, "another encoder's": other} {
		if _, err := reader.New(p.model, p.encoder, file); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// TestConcurrently: a reader may be asked from several goroutines.
func TestConcurrently(t *testing.T) {
	r := open(t).reader
	want, err := r.Pairs(t.Context(), []string{"The rent is 800"}, "The rent is 850")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got, err := r.Pairs(t.Context(), []string{"The rent is 800"}, "The rent is 850"); err != nil || got[0] != want[0] {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		})
	}
	wg.Wait()
}

func FuzzRead(f *testing.F) {
	f.Add("The rent is 800", "The rent is 850")
	f.Add("我住在上海", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		r := open(t).reader
		if _, err := r.Pairs(t.Context(), []string{a}, b); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkPairs(b *testing.B) {
	r := open(b).reader
	older := []string{
		"The rent for the flat is 800 euros a month.", "My sister lives in Ghent with her two kids.", "We deploy on Fridays after the stand-up.",
		"The boiler is serviced every May by Brandt.", "I like hot pot, but not too spicy.",
	}
	for b.Loop() {
		if _, err := r.Pairs(context.Background(), older, "Our landlord wants 850 from March on."); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnswers(b *testing.B) {
	r := open(b).reader
	entries := []string{"The rent for the flat is 800 euros a month.", "My sister lives in Ghent with her two kids.", "We deploy on Fridays after the stand-up."}
	for b.Loop() {
		if _, err := r.Answers(context.Background(), "what do we pay for the flat?", entries); err != nil {
			b.Fatal(err)
		}
	}
}
