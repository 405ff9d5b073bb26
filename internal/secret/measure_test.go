package secret_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/secret"
)

// A tally counts how the cases of one language were judged.
type tally struct{ secrets, found, whole, decoys, alarms int }

func (c *tally) add(o tally) {
	c.secrets += o.secrets
	c.found += o.found
	c.whole += o.whole
	c.decoys += o.decoys
	c.alarms += o.alarms
}

func (c tally) String() string {
	return fmt.Sprintf("recall %s, every value whole %s, decoys called secrets %s",
		share(c.found, c.secrets), share(c.whole, c.secrets), share(c.alarms, c.decoys))
}

// share writes k of n with Wilson's 95 % interval.
func share(k, n int) string {
	if n == 0 {
		return "-"
	}
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	d := 1 + z*z/m
	center, half := (p+z*z/2/m)/d, z*math.Sqrt(p*(1-p)/m+z*z/4/m/m)/d
	return fmt.Sprintf("%d of %d = %.3f [%.2f, %.2f]", k, n, p, max(0, center-half), min(1, center+half))
}

// A sample is a text with the places of its secrets.
type sample struct {
	lang, kind, text string
	secrets          []secret.Span // in bytes, without kinds
}

// measure counts by language what Find gets right and wrong on the samples. It calls
// mistake for each mistake.
func measure(samples []sample, mistake func(s sample, what string, found []secret.Span)) map[string]*tally {
	all := map[string]*tally{}
	for _, s := range samples {
		found := secret.Find(s.text)
		c := tally{}
		if len(s.secrets) == 0 {
			c.decoys = 1
			if len(found) > 0 {
				c.alarms = 1
				mistake(s, "alarm", found)
			}
		} else {
			c.secrets = 1
			if len(found) > 0 {
				c.found = 1
			} else {
				mistake(s, "missed", found)
			}
			if covers(found, s.secrets) {
				c.whole = 1
			} else if c.found == 1 {
				mistake(s, "not whole", found)
			}
		}
		for _, lang := range []string{s.lang, group(s.lang), "all"} {
			if all[lang] == nil {
				all[lang] = new(tally)
			}
			all[lang].add(c)
		}
	}
	return all
}

// group counts Chinese, Japanese and Korean together, and all languages with letters.
func group(lang string) string {
	if strings.HasPrefix(lang, "zh") || lang == "ja" || lang == "ko" {
		return "cjk"
	}
	return "latin"
}

func covers(found, want []secret.Span) bool {
	for _, s := range want {
		whole := false
		for _, f := range found {
			whole = whole || f.Start <= s.Start && s.End <= f.End
		}
		if !whole {
			return false
		}
	}
	return true
}

// golden returns the cases in testdata.
func golden(t testing.TB) []sample {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for line := range strings.Lines(string(data)) {
		var c struct{ Lang, Kind, Text string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%v in %.60q", err, line)
		}
		s := sample{lang: c.Lang, kind: c.Kind}
		rest := strings.ReplaceAll(c.Text, "¦", "")
		for {
			before, after, ok := strings.Cut(rest, "⟦")
			s.text += before
			if !ok {
				break
			}
			value, after, ok := strings.Cut(after, "⟧")
			if !ok {
				t.Fatalf("a secret does not end in %.60q", c.Text)
			}
			s.secrets = append(s.secrets, secret.Span{Start: len(s.text), End: len(s.text) + len(value)})
			s.text += value
			rest = after
		}
		out = append(out, s)
	}
	return out
}

// evaluation returns the cases of the shared set, or skips.
func evaluation(t *testing.T) []sample {
	t.Helper()
	var out []sample
	for line := range evaluationLines(t, "writing/secrets") {
		var c struct {
			Lang, Kind, Text string
			Spans            [][2]int
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		s := sample{lang: c.Lang, kind: c.Kind, text: c.Text}
		for _, span := range c.Spans {
			s.secrets = append(s.secrets, secret.Span{Start: byteAt(c.Text, span[0]), End: byteAt(c.Text, span[1])})
		}
		out = append(out, s)
	}
	return out
}

// evaluationLines yields the lines of a set in the folder of MEMOIR_TEST_EVALS, or in
// ../shared/evals beside the checkout when that is not set. It skips the test where there
// is no such set.
func evaluationLines(t *testing.T, name string) func(yield func([]byte) bool) {
	t.Helper()
	folder := os.Getenv("MEMOIR_TEST_EVALS")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "evals")
	}
	f, err := os.Open(filepath.Join(folder, name+".jsonl.gz"))
	if err != nil {
		t.Skip(err)
	}
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return func(yield func([]byte) bool) {
		lines := bufio.NewScanner(strings.NewReader(string(data)))
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			if !yield(lines.Bytes()) {
				return
			}
		}
	}
}

// byteAt returns the byte offset of a character.
func byteAt(text string, char int) int {
	at := 0
	for range char {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

func report(t *testing.T, all map[string]*tally) {
	t.Helper()
	for _, lang := range []string{"all", "latin", "cjk", "en", "zh", "zh-Hant", "ja", "ko", "ru", "de", "fr", "es", "pt", "it"} {
		if c := all[lang]; c != nil {
			t.Logf("%-8s %s", lang, c)
		}
	}
}

// mistakes appends to the list each mistake of Find, with the secrets themselves left out
// of the text.
func mistakes(list *[]string) func(sample, string, []secret.Span) {
	return func(s sample, what string, found []secret.Span) {
		masked := s.text
		for i := len(s.secrets) - 1; i >= 0; i-- {
			masked = masked[:s.secrets[i].Start] + "…" + masked[s.secrets[i].End:]
		}
		*list = append(*list, what+": "+masked)
	}
}

// TestGolden: Find finds every secret of the golden cases whole, and nothing else. The
// listed exceptions cannot be told without a label.
func TestGolden(t *testing.T) {
	var got []string
	report(t, measure(golden(t), mistakes(&got)))
	want := []string{
		"missed: Old hard drive is encrypted; I always use … for those.",
		"missed: Press …, wait for the beep, then 1 for the office.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}

// TestEvaluation measures the shared set, which the rules were tuned on.
func TestEvaluation(t *testing.T) {
	var wrong []string
	all := measure(evaluation(t), mistakes(&wrong))
	report(t, all)
	for _, lang := range []string{"latin", "cjk"} {
		c := all[lang]
		if c.found*100 < c.secrets*93 || c.whole*100 < c.secrets*92 || c.alarms*100 > c.decoys*2 {
			t.Errorf("%s: got %s; want recall .93, whole .92, decoys .02 or better; mistakes:\n%s", lang, c, strings.Join(wrong, "\n"))
		}
	}
}

// TestLeaveOneOut measures each case with only those terms that also occur in the text of
// another case. Lists of terms flatter the texts that they were written for; this measure
// does not.
func TestLeaveOneOut(t *testing.T) {
	if os.Getenv("MEMOIR_TEST_LOO") == "" {
		t.Skip("set MEMOIR_TEST_LOO to read the rules once for each case")
	}
	samples := evaluation(t)
	texts := make([]string, len(samples))
	for i, s := range samples {
		texts[i] = secret.Fold(s.text)
	}
	for _, shapes := range []bool{false, true} {
		all := tally{}
		for i, s := range samples {
			others := append(append([]string{}, texts[:i]...), texts[i+1:]...)
			found := secret.FindWithout(t, others, shapes, s.text)
			switch {
			case len(s.secrets) > 0:
				all.secrets++
				if len(found) > 0 {
					all.found++
				}
				if covers(found, s.secrets) {
					all.whole++
				}
			default:
				all.decoys++
				if len(found) > 0 {
					all.alarms++
				}
			}
		}
		t.Logf("labels, shapes %v: %s", shapes, all)
	}
}
