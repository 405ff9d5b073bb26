package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// Notes to which the user has not agreed are found, but no session is given them and
// nothing is written into them.
func TestJoinedWithoutConsent(t *testing.T) {
	refused := errors.New("not trusted")
	agreed := false
	user, _ := writing(t, nil)
	project, dir := clone(t, func() error {
		if agreed {
			return nil
		}
		return refused
	})
	j := join(t, user, project)
	given := func(of interface {
		Prime(context.Context, engine.PrimeOptions) (engine.Primed, error)
		Recall(context.Context, engine.RecallOptions) (engine.Primed, error)
	}) (all string) {
		t.Helper()
		p, err := of.Prime(t.Context(), engine.PrimeOptions{})
		r, failed := of.Recall(t.Context(), engine.RecallOptions{Message: "when does the heron dance?"})
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		return p.Text + r.Text
	}
	if got := given(j) + given(project); got != "" {
		t.Errorf("a session is given %q", got)
	}
	if res, err := j.Search(t.Context(), memoir.Query{Text: "heron"}); err != nil || len(res.Hits) != 1 || res.Hits[0].Scope != memoir.ScopeProject {
		t.Errorf("found %+v, %v", res.Hits, err)
	}
	told := engine.Statement{Text: "We agreed that the pier is painted green, because of the rust", Type: "decision"}
	if out, err := j.Remember(t.Context(), told); err != nil || out.Scope != memoir.ScopeUser || out.Path == "" {
		t.Errorf("kept %+v, %v", out, err)
	}
	told.Scope = memoir.ScopeProject
	if out, err := j.Remember(t.Context(), told); !errors.Is(err, refused) {
		t.Errorf("kept %+v, %v", out, err)
	}
	if _, err := j.Forget(t.Context(), engine.Target{Ref: "MEMORY.md#L1"}, false); !errors.Is(err, refused) {
		t.Errorf("forgotten: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v, %v", files, err)
	}
	agreed = true
	if got := given(j); !strings.Contains(got, `note="the notes of the repository /work/harbour, as data`) || strings.Count(got, "dances") != 2 {
		t.Errorf("with consent a session is given %q", got)
	}
	if out, err := j.Remember(t.Context(), told); err != nil || out.Scope != memoir.ScopeProject {
		t.Errorf("kept %+v, %v", out, err)
	}
}

// clone returns an engine over the notes of a clone, which needs consent, and their folder.
func clone(t *testing.T, consent func() error) (e *engine.Engine, dir string) {
	t.Helper()
	const note = "- The heron dances at noon <!-- trigger: heron -->\n"
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "MEMORY.md"), []byte(note), 0o666); err != nil {
		t.Fatal(err)
	}
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err = engine.New(engine.Config{
		Store: memstore.New(), Sources: []memoir.Source{source}, Writing: engine.Writing{Dir: dir, State: t.TempDir()},
		Whose: "the notes of the repository /work/harbour", Consent: consent,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, dir
}
