package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/access"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/digest"
	"github.com/memoir-ai/memoir/internal/judge"
)

// What a search gives out is counted as the entry that was remembered, whatever
// stands in its comments, and a rebuilt index keeps the counts.
func TestAccesses(t *testing.T) {
	settings := loadAs(t, "", "", nil)
	a, err := app.Open(t.Context(), settings, app.Options{Embedder: embedder, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	const text = "The ferry to Hven leaves at nine\nfrom the north pier"
	for _, told := range []string{"Ann prefers green tea", text} {
		if _, err := a.Engine.Remember(t.Context(), engine.Statement{Text: told, Type: "learning", Importance: 3}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if _, err := a.Engine.Search(t.Context(), memoir.Query{Text: "north pier", Mode: memoir.ModeText}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Engine.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	unlogged, err := app.Open(t.Context(), settings, app.Options{Embedder: embedder, Unlogged: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unlogged.Engine.Search(t.Context(), memoir.Query{Text: "ferry pier"}); err != nil {
		t.Error(err)
	}
	if err := unlogged.Close(); err != nil {
		t.Error(err)
	}
	counts, err := access.Read(settings.NotebookDir())
	if err != nil {
		t.Fatal(err)
	}
	d := digest.Digests{Dir: settings.NotebookDir()}
	if got := counts.Of(d.Of(judge.Normal(text))); got.Found != 1 || got.Questions != 1 || len(got.Days) != 1 || !(got.Score > 0) {
		t.Errorf("got %+v", got)
	}
	if got := counts.Of(d.Of(judge.Normal("Ann prefers green tea"))); got.Found != 0 {
		t.Errorf("what was not asked for: got %+v", got)
	}
	if info, err := os.Stat(filepath.Join(settings.NotebookDir(), "accesses")); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the file: %v, %v", info, err)
	}
}
