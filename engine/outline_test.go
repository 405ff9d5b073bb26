package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// outlined returns an engine over notes, with the vectors of all.
func outlined(t *testing.T, notes map[string]string) *engine.Engine {
	t.Helper()
	dir := t.TempDir()
	for path, text := range notes {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{source}, Embedder: &embedtest.Embedder{}, Writing: engine.Writing{Dir: dir, State: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if _, err := e.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return e
}

var outlineNotes = map[string]string{
	"memory/day.md":        "---\ntags: [a]\n---\n# A day\n\n[Mia](people/mia.md), [[lamps|the lamps]], [gone](gone.md), [out](https://a.example)\n",
	"memory/people/mia.md": "# Mia\n\nSee [the day](../day.md).\n",
	"memory/lamps.md":      "# Lamps\n\nA day without light.\n",
	"memory/other.md":      "It was [[A day]] like any other. The password is hunter2-Fjord!88\n",
	"bad.md":               "a\x00b",
}

func TestOutline(t *testing.T) {
	e := outlined(t, outlineNotes)
	got, err := e.Outline(t.Context(), "memory/day.md", nil)
	want := engine.Outline{
		Title: "A day", FrontEnds: 3, Passages: []engine.OutlinePassage{{StartLine: 4, EndLine: 6}},
		Links: map[string]memoir.DocID{"people/mia.md": "memory/people/mia.md", "lamps": "memory/lamps.md"},
		From:  []memoir.DocID{"memory/other.md", "memory/people/mia.md"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %v", diff, err)
	}
	if _, err := e.Outline(t.Context(), "memory/gone.md", nil); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("a note that is not there: %v", err)
	}
	if sample, err := e.Sample(t.Context(), 2); len(sample) != 2 || err != nil {
		t.Errorf("a sample of two: %v, %v", sample, err)
	}
}

// Of two memories all is told under the names that are asked by.
func TestOutlineOfTwo(t *testing.T) {
	j, err := engine.Join(outlined(t, outlineNotes), outlined(t, map[string]string{"day.md": "[a](b.md)\n", "b.md": "b\n", "worse.md": "a\x00b"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	got, err := j.Outline(t.Context(), "user:memory/day.md", nil)
	if err != nil || got.Links["lamps"] != "user:memory/lamps.md" || len(got.From) != 2 || got.From[0] != "user:memory/other.md" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := j.Outline(t.Context(), "day.md", nil); err != nil || got.Links["b.md"] != "b.md" {
		t.Errorf("%+v, %v", got, err)
	}
	sample, err := j.Sample(t.Context(), 100)
	names := map[memoir.DocID]bool{}
	for _, x := range sample {
		names[x.Doc] = true
	}
	if err != nil || !names["user:memory/lamps.md"] || !names["b.md"] || names["memory/lamps.md"] {
		t.Errorf("%v, %v", names, err)
	}
	stats, err := j.Sync(t.Context(), nil)
	if err != nil || stats.Scanned != 6 || len(stats.Skipped) != 2 || stats.Skipped[0].ID != "user:bad.md" || stats.Skipped[1].ID != "worse.md" {
		t.Errorf("%+v, %v", stats, err)
	}
	found, _, err := j.Scan(t.Context())
	if err != nil || len(found) != 1 || found[0].ID != "user:memory/other.md" {
		t.Errorf("%+v, %v", found, err)
	}
}
