package feature

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLanguage: nearly all notes in English, Chinese and Japanese are told as such, and
// little else is.
func TestLanguage(t *testing.T) {
	texts, told := map[string]int{}, map[string]int{}
	see := func(lang, text string) {
		texts[lang]++
		if got := language(text); got == lang {
			told[lang]++
		} else if lang == "" || lang == "zh" || lang == "ja" {
			t.Logf("%q for %q: %s", got, lang, text)
		}
	}
	for _, name := range []string{"type", "pair"} {
		for _, f := range fieldsOf(t, filepath.Join("..", "train", "cases", name+".tsv")) {
			for _, text := range f[2:] {
				see(strings.TrimSuffix(f[0], "-Hant"), text)
			}
		}
	}
	for _, f := range fieldsOf(t, filepath.Join("testdata", "strange.txt")) {
		see("", f[0])
	}
	t.Logf("told: %v of %v", told, texts)
	for lang, least := range map[string]float64{"en": .9, "zh": .99, "ja": .99, "": .75} {
		if float64(told[lang]) < least*float64(texts[lang]) {
			t.Errorf("%q: %d of %d are told", lang, told[lang], texts[lang])
		}
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"I live in Berlin.", "My home is in Berlin.", true},
		{"I live in Berlin.", "Ich wohne in Berlin.", false},
		{"Ich wohne in Berlin.", "Ich wohne in Hamburg.", false},
		{"我住在北京。", "我家在北京。", true},
		{"我住在北京。", "北京に住んでいます。", false},
		{"北京に住んでいます。", "北京在住です。", true},
		{"저는 부산에 살아요.", "저는 대구에 살아요.", false},
		{"", "", false},
	} {
		if got := OneLanguage(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: got %v", test.a, test.b, got)
		}
	}
}

// fieldsOf returns the fields of the lines of a file.
func fieldsOf(t *testing.T, file string) (all [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			all = append(all, strings.Split(line, "\t"))
		}
	}
	return slices.Clip(all)
}
