package notegen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// read returns the logs by path.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "memory"))
	if err != nil {
		t.Fatal(err)
	}
	logs := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, "memory", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		logs["memory/"+e.Name()] = string(data)
	}
	return logs
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	facts, err := notegen.Write(dir, notegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	logs := read(t, dir)
	size := 0
	var all strings.Builder
	for path, text := range logs {
		if !utf8.ValidString(text) || strings.ContainsAny(text, "{}") {
			t.Errorf("%s is not finished text", path)
		}
		size += len(text)
		all.WriteString(text)
	}
	if len(logs) != 367 || size < 6_000_000 || size > 6_600_000 {
		t.Errorf("got %d logs of %d bytes, want 367 of about 6.2 million", len(logs), size)
	}
	if len(facts) != 3*367 {
		t.Errorf("got %d facts, want three a day", len(facts))
	}
	kinds := map[notegen.FactKind]int{}
	seen := map[string]bool{}
	for _, f := range facts {
		kinds[f.Kind]++
		if seen[f.Text] {
			t.Errorf("%q is planted twice", f.Text)
		}
		seen[f.Text] = true
		lines := strings.Split(logs[f.Path], "\n")
		if f.Line < 1 || f.Line > len(lines) || !strings.Contains(lines[f.Line-1], f.Text) {
			t.Errorf("%q is not in line %d of %s", f.Text, f.Line, f.Path)
		}
		if f.Kind == notegen.FactPhrase && len(strings.Fields(f.Text)) != 8 {
			t.Errorf("%q has not eight words", f.Text)
		}
	}
	asked := map[string]bool{}
	for _, f := range facts {
		if asked[f.Question] {
			t.Errorf("%q is asked for two facts", f.Question)
		}
		asked[f.Question] = true
	}
	for _, f := range facts[:30] {
		if n := strings.Count(all.String(), f.Text); n != 1 {
			t.Errorf("%q stands in %d places", f.Text, n)
		}
	}
	want := map[notegen.FactKind]int{notegen.FactID: 367, notegen.FactPhrase: 367, notegen.FactChinese: 367}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds: want -, got +:\n%s", diff)
	}
	if _, err := notegen.Write(dir, notegen.Options{}); err == nil {
		t.Error("a second time: files were overwritten")
	}
}

func TestSeeds(t *testing.T) {
	write := func(opts notegen.Options) map[string]string {
		dir := t.TempDir()
		if _, err := notegen.Write(dir, opts); err != nil {
			t.Fatal(err)
		}
		return read(t, dir)
	}
	first := time.Date(2024, time.February, 28, 12, 0, 0, 0, time.UTC)
	opts := notegen.Options{Seed: 1, Days: 3, BytesPerDay: 2000, First: first}
	a, again := write(opts), write(opts)
	if diff := cmp.Diff(a, again); diff != "" {
		t.Errorf("the same options gave other bytes:\n%s", diff)
	}
	opts.Seed = 2
	other := write(opts)
	for _, path := range []string{"memory/2024-02-28.md", "memory/2024-02-29.md", "memory/2024-03-01.md"} {
		if n := len(a[path]); n < 2000 || n > 6000 {
			t.Errorf("%s has %d bytes", path, n)
		}
		if a[path] == other[path] {
			t.Errorf("%s is the same for two seeds", path)
		}
	}
	opts.Days = 2
	opts.Seed = 1
	if fewer := write(opts); fewer["memory/2024-02-28.md"] != a["memory/2024-02-28.md"] {
		t.Error("the number of days changes a day")
	}
}

// A century is made day by day, and its facts stay apart.
func TestCentury(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	opts := notegen.Years(100)
	opts.BytesPerDay, opts.Links = 1, true
	texts, questions, last := map[string]bool{}, map[string]bool{}, ""
	for log := range notegen.Logs(opts) {
		last = log.Path
		for _, f := range log.Facts {
			texts[f.Text], questions[f.Question] = true, true
		}
	}
	// A hundred years from 1926 have 25 leap days.
	if want := 3 * (36500 + 25); len(texts) != want || len(questions) != want {
		t.Errorf("got %d facts and %d questions, want %d of each", len(texts), len(questions), want)
	}
	if want := "memory/2025-12-31.md"; last != want {
		t.Errorf("the last log is %s, want %s", last, want)
	}
}

func TestLinks(t *testing.T) {
	opts := notegen.Options{Days: 3, BytesPerDay: 2000, Links: true}
	known := map[string]bool{"2025-01-01": true, "2025-01-02": true, "2025-01-03": true}
	for log := range notegen.Logs(opts) {
		links := regexp.MustCompile(`\[\[(.*?)\]\]`).FindAllStringSubmatch(log.Text, -1)
		if sections := strings.Count(log.Text, "\n## "); len(links) != sections {
			t.Errorf("%s: %d links in %d sections", log.Path, len(links), sections)
		}
		for _, l := range links {
			if !known[l[1]] {
				t.Errorf("%s links to %s, which is not there", log.Path, l[1])
			}
		}
	}
}

func TestFileTimes(t *testing.T) {
	dir := t.TempDir()
	facts, err := notegen.Write(dir, notegen.Options{Days: 1, BytesPerDay: 1})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(facts[0].Path)))
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC); !info.ModTime().Equal(want) {
		t.Errorf("modified at %v, want %v", info.ModTime(), want)
	}
}

func TestQuery(t *testing.T) {
	f := notegen.Fact{Kind: notegen.FactID, Text: "REL-1", Question: "what is REL-1", Path: "memory/2025-01-01.md", Line: 12}
	want := notegen.Query{Query: "what is REL-1", Expect: []string{"memory/2025-01-01.md#L12"}, Kind: notegen.FactID}
	if diff := cmp.Diff(f.Query(), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestQuestions(t *testing.T) {
	for _, chinese := range []bool{false, true} {
		got := notegen.Questions(1, chinese, 100)
		if diff := cmp.Diff(got[:10], notegen.Questions(1, chinese, 10)); diff != "" {
			t.Errorf("how many are asked for changes them: -got +want:\n%s", diff)
		}
		if diff := cmp.Diff(got, notegen.Questions(2, chinese, 100)); diff == "" {
			t.Error("two seeds give the same questions")
		}
		if n := len(notegen.Questions(1, chinese, 1000)); n != 300 {
			t.Errorf("got %d questions, want 300", n)
		}
		seen := map[string]bool{}
		for _, q := range got {
			if seen[q] || strings.ContainsAny(q, "{}") {
				t.Errorf("%q is repeated or not finished", q)
			}
			seen[q] = true
			if n := len(strings.Fields(q)); !chinese && n != 6 {
				t.Errorf("%q has %d words, want 6", q, n)
			}
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		if _, err := notegen.Write(b.TempDir(), notegen.Options{Days: 30}); err != nil {
			b.Fatal(err)
		}
	}
}
