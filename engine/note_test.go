package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// TestEdit: an edit is whole or not there, is found, is told of, and is taken back.
func TestEdit(t *testing.T) {
	dir := t.TempDir()
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var told []string
	e, err := engine.New(engine.Config{
		Store: memstore.New(), Sources: []memoir.Source{source}, Writing: engine.Writing{Dir: dir, State: t.TempDir()},
		Changed: func(indexed, removed []memoir.DocID) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprint(indexed, removed))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	ctx := t.Context()

	edit := func(path, text string) error {
		_, err := e.Edit(ctx, "test", "a test writes", func(d *engine.Draft) error { return d.Write(path, text) })
		return err
	}
	if err := edit("memory/鳥.md", "A heron stands in the pond.\n"); err != nil {
		t.Fatal(err)
	}
	if err := edit("other.md", "An osprey.\n"); err != nil {
		t.Fatal(err)
	}
	if res, err := e.Search(ctx, memoir.Query{Text: "heron"}); err != nil || len(res.Hits) != 1 {
		t.Errorf("what was written is not found: %+v, %v", res, err)
	}
	if text, err := e.Note("memory/鳥.md"); text != "A heron stands in the pond.\n" || err != nil {
		t.Errorf("the note holds %q, %v", text, err)
	}
	if _, err := e.Note("memory/crow.md"); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("a note that is not there: %v", err)
	}
	_, err = e.Edit(ctx, "test", "two at once", func(d *engine.Draft) error {
		if text, exists, err := d.Read("other.md"); text != "An osprey.\n" || !exists || err != nil {
			t.Errorf("read %q, %v, %v", text, exists, err)
		}
		return errors.Join(d.Write("memory/鳥.md", "A crane.\n"), d.Remove("other.md"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Sync(ctx, nil); err != nil {
		t.Fatal(err)
	}
	var ids []memoir.DocID
	for meta, err := range e.Documents(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, meta.ID)
	}
	if want := []memoir.DocID{"memory/鳥.md"}; !slices.Equal(ids, want) {
		t.Errorf("the documents are %v, want %v", ids, want)
	}
	if _, err := e.Undo(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "other.md")); string(b) != "An osprey.\n" {
		t.Errorf("after undo %q, %v", b, err)
	}
	mu.Lock()
	defer mu.Unlock()
	want := []string{"[memory/鳥.md other.md] []", "[] [other.md]", "[memory/鳥.md] []"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("what was told (-want +got):\n%s", diff)
	}
}

// TestEditRefused: no edit leaves the notes, and one that fails changes nothing.
func TestEditRefused(t *testing.T) {
	e, dir := writing(t, nil)
	ctx := t.Context()
	for _, path := range []string{"", ".", "..", "../x.md", "/etc/x.md", "a/../../x.md", `..\x.md`, ".git/x.md", ".hidden.md", "x.txt", "x", "memory/", "x\x00.md"} {
		_, err := e.Edit(ctx, "test", "t", func(d *engine.Draft) error { return d.Write(path, "text\n") })
		if !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%q: %v", path, err)
		}
		if _, err := e.Note(path); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("read %q: %v", path, err)
		}
	}
	stop := errors.New("stop")
	_, err := e.Edit(ctx, "test", "t", func(d *engine.Draft) error { return errors.Join(d.Write("a.md", "text\n"), stop) })
	if !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	// Nobody could read it, nor take it back.
	_, err = e.Edit(ctx, "test", "t", func(d *engine.Draft) error { return d.Write("a.md", "caf\xe9\n") })
	if !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" {
		t.Errorf("a text that is not UTF-8: %v, %q", err, memoir.Hint(err))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := e.Undo(ctx, "0000"); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("undo of nothing: %v", err)
	}
}

// TestCancelledWriting: who has given up already changes nothing.
func TestCancelledWriting(t *testing.T) {
	e, _ := writing(t, nil)
	if _, err := e.Remember(t.Context(), engine.Statement{Text: "Releases go out on Tuesdays", Type: "decision"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, write := range map[string]func() error{
		"remember": func() error {
			_, err := e.Remember(ctx, engine.Statement{Text: "Lunch is at noon", Type: "decision"})
			return err
		},
		"edit": func() error {
			_, err := e.Edit(ctx, "test", "a test writes", func(d *engine.Draft) error { return d.Write("other.md", "An osprey.\n") })
			return err
		},
		"undo": func() error {
			_, err := e.Undo(ctx, "")
			return err
		},
		"bring": func() error {
			_, err := e.Bring(ctx, engine.NewBundle("test", "a test"), []engine.Incoming{{Path: "brought.md", Text: "A heron.\n"}}, false)
			return err
		},
		"forget": func() error {
			_, err := e.Forget(ctx, engine.Target{Ref: "memory/decisions.md#L3"}, false)
			return err
		},
	} {
		if err := write(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if changes, err := e.History(); err != nil || len(changes) != 1 {
		t.Errorf("%d changes, want 1: %v", len(changes), err)
	}
}

// TestRememberedUnfound: what is kept in a note that an ignore rule leaves out is kept, and
// the outcome says that no search finds it.
func TestRememberedUnfound(t *testing.T) {
	e, dir := writing(t, nil)
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("memory/decisions.md\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		st            engine.Statement
		outcome, want string
	}{
		{engine.Statement{Text: "Releases go out on Tuesdays", Type: "decision", DryRun: true}, engine.Added, ""},
		{engine.Statement{Text: "Releases go out on Tuesdays", Type: "decision"}, engine.Added, "left out by an ignore rule"},
		{engine.Statement{Text: "Releases go out on Tuesdays", Type: "decision"}, engine.Reinforced, "left out by an ignore rule"},
		{engine.Statement{Text: "The staging server is called heron", Type: "project"}, engine.Added, ""},
		{engine.Statement{Text: "。"}, engine.Refused, ""},
	} {
		if out, err := e.Remember(t.Context(), tt.st); err != nil || out.Outcome != tt.outcome || out.Skipped != tt.want {
			t.Errorf("%q: got %s, skipped %q, %v, want %s, %q", tt.st.Text, out.Outcome, out.Skipped, err, tt.outcome, tt.want)
		}
	}
}

// behind is a source that stands before another one.
type behind struct{ source memoir.Source }

func (b behind) Kind() memoir.Kind { return b.source.Kind() }
func (b behind) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return b.source.Scan(ctx)
}
func (b behind) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	return b.source.Read(ctx, id)
}
func (b behind) Unwrap() any { return b.source }

// TestEditBehindWrapper: the notes of a source that another part stands before can be changed.
func TestEditBehindWrapper(t *testing.T) {
	dir := t.TempDir()
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{
		Store: memstore.New(), Sources: []memoir.Source{behind{source}}, Writing: engine.Writing{Dir: dir, State: t.TempDir()},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Edit(t.Context(), "test", "t", func(d *engine.Draft) error { return d.Write("a.md", "text\n") }); err != nil || !e.Owns("a.md") {
		t.Errorf("%v, owns it: %t", err, e.Owns("a.md"))
	}
}

// TestRememberUnread: an entry of a note that no source reads is not found, and the outcome says so.
func TestRememberUnread(t *testing.T) {
	other, err := mdfile.Open(t.TempDir(), mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{
		Store: memstore.New(), Sources: []memoir.Source{other}, Writing: engine.Writing{Dir: t.TempDir(), State: t.TempDir()},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	out, err := e.Remember(t.Context(), engine.Statement{Text: "Releases go out on Tuesdays", Type: "decision"})
	if err != nil || out.Outcome != engine.Added || !strings.Contains(out.Skipped, "no source") {
		t.Errorf("%+v, %v", out, err)
	}
}
