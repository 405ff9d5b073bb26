package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/memoir-ai/memoir/internal/judge"
)

var files = map[string][]string{
	"gate": {"keep", "refuse"},
	"work": {"keep", "refuse"},
	"type": {"preference", "instruction", "contact", "project", "decision", "learning", "journal"},
	"pair": relations,
}

// Each case has a label of its task, and its texts stand nowhere else in the file.
func TestCases(t *testing.T) {
	for name, labels := range files {
		cases, err := ownCases(filepath.Join("cases", name+".tsv"))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, c := range cases {
			if !slices.Contains(labels, c.Label) || !slices.Contains([]string{"en", "zh", "zh-Hant", "ja", "en-zh", "zh-en"}, c.Lang) {
				t.Errorf("%s: %q has the label %q, the language %q", name, c.key(), c.Label, c.Lang)
			}
			if seen[c.key()] {
				t.Errorf("%s: %q stands twice", name, c.key())
			}
			seen[c.key()] = true
		}
	}
}

// No case of the repository stands in the sets that figures are measured on.
func TestCasesAreNotMeasured(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "..", "shared", "evals", "writing")
	if _, err := os.Stat(shared); err != nil {
		t.Skip(err)
	}
	measured := map[string]bool{}
	for _, name := range []string{"gate", "route", "pairs"} {
		cases, err := sharedCases(shared, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if name == "pairs" {
				measured[plain(c.key())] = true
				continue
			}
			measured[plain(c.Text)] = true
		}
	}
	events, err := readShared[Event](shared, "life")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		measured[plain(e.Text)] = true
	}
	for _, name := range []string{"agents-notes", "agents-notes-unseen"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "remember", "testdata", name+".tsv"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 5 {
				measured[plain(fields[4])] = true
			}
		}
	}
	for name := range files {
		cases, err := ownCases(filepath.Join("cases", name+".tsv"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if p := plain(c.key()); p != "" && measured[p] {
				t.Errorf("%s: %q is measured, too", name, c.key())
			}
		}
	}
}

// plain is a text without case, blanks and punctuation.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func TestThreshold(t *testing.T) {
	var scores []float64
	var right []bool
	for i := range 200 {
		scores = append(scores, (float64(i)+.5)/200)
		right = append(right, i > 100 && i%20 != 0 || i%5 == 0)
	}
	low, high := threshold(scores, right, .8), threshold(scores, right, .95)
	if !(low < high && high < 1) {
		t.Errorf("got %v for .8 and %v for .95, want them to rise", low, high)
	}
	if got := threshold([]float64{.1, .9}, []bool{false, false}, .9); got != 2 {
		t.Errorf("nothing is right: got %v, want 2", got)
	}
}

func TestFolds(t *testing.T) {
	var cases []*Case
	for i := range 100 {
		cases = append(cases, &Case{Lang: []string{"en", "ja"}[i%2], Label: []string{"a", "b"}[i/50]})
	}
	count := map[int]int{}
	for i, k := range folds(cases, 1, foldCount) {
		count[k]++
		if k < 0 || k >= foldCount {
			t.Errorf("case %d is in fold %d", i, k)
		}
	}
	for k, n := range count {
		if n != 10 {
			t.Errorf("fold %d has %d of 100 cases", k, n)
		}
	}
}

// What is measured as related is what the judge names.
func TestNearIsBelowSure(t *testing.T) {
	if !(judge.Near < alikeChanged && alikeChanged <= alikeSame) {
		t.Errorf("near %v, alike %v and %v: a text could be called that is not named", judge.Near, alikeChanged, alikeSame)
	}
}
