package weaviate_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// outdated calls f with a view and returns what the view says of itself then.
func outdated(t *testing.T, s memoir.Store, f func(v memoir.View) error) (is bool) {
	t.Helper()
	err := s.View(t.Context(), func(v memoir.View) error {
		if err := f(v); err != nil {
			return err
		}
		a, ok := memoir.As[ability.Ager](v)
		is = ok && a.Outdated(t.Context())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// searching looks for a word.
func searching(t *testing.T, word string) func(v memoir.View) error {
	return func(v memoir.View) error {
		_, err := memoir.SearchText(t.Context(), v, []memoir.Term{{Text: word, Weight: 1}}, memoir.Filter{}, 9)
		return err
	}
}

// reading reads the first passage of a note.
func reading(t *testing.T, doc memoir.DocID) func(v memoir.View) error {
	return func(v memoir.View) error {
		_, err := v.Chunks(t.Context(), []memoir.ChunkID{{Doc: doc}})
		return err
	}
}

// A view says that it is outdated when what it looked for was replaced meanwhile, whether it
// was to be read, or was not even found. The next view is newer, although its process still
// takes what it knows for fresh.
func TestOutdated(t *testing.T) {
	for name, ask := range map[string]func(v memoir.View) error{
		"a passage is gone":   reading(t, "a.md"),
		"a word is elsewhere": searching(t, "heron"),
		"a phrase is elsewhere": func(v memoir.View) error {
			_, err := v.List(t.Context(), memoir.Filter{Phrases: []memoir.Phrase{{Terms: []string{"heron", "one"}}}}, 9)
			return err
		},
	} {
		f := weaviatetest.New(t)
		writer, reader := open(t, weaviate.Options{URL: f.URL, Tenant: "one"}), open(t, weaviate.Options{URL: f.URL, Tenant: "one", Fresh: time.Hour})
		write(t, writer, noted("a.md", "heron one"), noted("b.md", "stork"))
		if outdated(t, reader, ask) {
			t.Errorf("%s: it is outdated before anything is written", name)
		}
		write(t, writer, noted("a.md", "stork", "heron one"))
		if !outdated(t, reader, ask) {
			t.Errorf("%s: it is not outdated", name)
		}
		if outdated(t, reader, ask) {
			t.Errorf("%s: the next view is still outdated", name)
		}
		if got, err := find(t, reader, "heron"); err != nil || !slices.Equal(got, []string{"a.md 1"}) {
			t.Errorf("%s: found are %v, %v", name, got, err)
		}
	}
}

// A note that goes while a view is read is no damage, and one that is new, or an object that
// nobody names, makes no view old.
func TestOutdatedByOthers(t *testing.T) {
	f := weaviatetest.New(t)
	writer, reader := open(t, weaviate.Options{URL: f.URL, Tenant: "one"}), open(t, weaviate.Options{URL: f.URL, Tenant: "one", Fresh: time.Hour})
	write(t, writer, noted("a.md", "heron"))
	if outdated(t, reader, searching(t, "heron")) {
		t.Error("nothing was written")
	}
	write(t, writer, noted("b.md", "heron"))
	if outdated(t, reader, searching(t, "heron")) {
		t.Error("a note that is new was not there before")
	}
	if err := writer.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{"b.md"}}); err != nil {
		t.Fatal(err)
	}
	if !outdated(t, reader, reading(t, "b.md")) {
		t.Error("a note that is gone is called damaged")
	}
	f.Mu.Lock()
	f.Objects["MemoirWords2 one"]["00000000-0000-4000-8000-000000000000"] = &weaviatetest.Object{ID: "00000000-0000-4000-8000-000000000000", Properties: map[string]string{"terms": "heron"}}
	f.Mu.Unlock()
	if outdated(t, reader, searching(t, "heron")) {
		t.Error("an object that nobody names is taken for news")
	}
}

// What is gone without a write is damage. A view that missed nothing asks nobody, and one
// that cannot ask does not call it damage.
func TestOutdatedOrDamaged(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one", Fresh: time.Hour})
	write(t, s, noted("a.md", "heron"), noted("b.md", "stork"))
	f.Mu.Lock()
	for id, o := range f.Objects["MemoirWords2 one"] {
		if strings.Contains(o.Properties["terms"], "heron") {
			delete(f.Objects["MemoirWords2 one"], id)
		}
	}
	f.Mu.Unlock()
	if outdated(t, s, reading(t, "a.md")) {
		t.Error("nothing was written")
	}
	f.Mu.Lock()
	f.Asked = nil
	f.Mu.Unlock()
	if outdated(t, s, reading(t, "b.md")) {
		t.Error("nothing is missing")
	}
	f.Mu.Lock()
	if len(f.Asked) != 1 {
		t.Errorf("asked was %q, want the passage alone", f.Asked)
	}
	f.Spoil = func(r *http.Request, body string) string {
		if strings.HasPrefix(r.URL.Path, "/v1/objects") {
			return "<html>"
		}
		return body
	}
	f.Mu.Unlock()
	if !outdated(t, s, reading(t, "a.md")) {
		t.Error("nobody could be asked, and it is called damaged")
	}
}

// Where machines take turns and a replica may lag, what is gone is not called damage: the
// state that this one knows may be that of a moment ago.
func TestOutdatedInTurns(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3, Turns: newTurnstile().take})
	write(t, s, noted("a.md", "heron"))
	f.Mu.Lock()
	stale := map[string]*weaviatetest.Object{}
	for _, o := range f.Objects["MemoirWords2 one"] {
		if weaviate.IsState(o.Properties["of"]) {
			copied := *o
			stale[o.ID] = &copied
		}
	}
	f.Mu.Unlock()
	reader := open(t, weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3, Turns: newTurnstile().take})
	if outdated(t, reader, reading(t, "a.md")) {
		t.Error("nothing was written")
	}
	write(t, s, noted("a.md", "stork"))
	f.Mu.Lock()
	f.Stale = stale
	f.Mu.Unlock()
	if !outdated(t, reader, reading(t, "a.md")) {
		t.Error("it is called damage")
	}
}
