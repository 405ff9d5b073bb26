package notegen_test

import (
	"os"
	"path/filepath"
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

func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		if _, err := notegen.Write(b.TempDir(), notegen.Options{Days: 30}); err != nil {
			b.Fatal(err)
		}
	}
}
