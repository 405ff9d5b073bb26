package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/querylog"
)

// ask opens an App, asks and closes it, so that what is kept is written.
func ask(t *testing.T, settings *config.Loaded, queries ...memoir.Query) {
	t.Helper()
	a, err := app.Open(t.Context(), settings, app.Options{Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queries {
		if _, err := a.Engine.Search(t.Context(), q); err != nil {
			t.Error(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// questions returns the path of the log.
func questions(settings *config.Loaded) string {
	return querylog.Path(settings.KeptDir(), settings.Agent)
}

func logged(t *testing.T, settings *config.Loaded) (queries []querylog.Query, damaged int) {
	t.Helper()
	queries, damaged, err := querylog.Read(questions(settings))
	if err != nil {
		t.Fatal(err)
	}
	return queries, damaged
}

// entering tells when it is asked for a vector, which it gives when the call ends.
type entering struct {
	memoir.Embedder
	entered chan struct{}
}

func (e entering) Embed(ctx context.Context, _ memoir.Task, _ []string) ([][]float32, error) {
	e.entered <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// A search that is under way when the App is closed is answered and kept; a
// later one is refused.
func TestQueryLogOfLateSearches(t *testing.T) {
	settings := loadAs(t, "query = { log = true, embedTimeout = \"1h\", syncBudget = \"0s\" }", "", nil)
	e := entering{&embedtest.Embedder{}, make(chan struct{})}
	a, err := app.Open(t.Context(), settings, app.Options{Embedder: func(context.Context) (memoir.Embedder, error) { return e, nil }})
	if err != nil {
		t.Fatal(err)
	}
	found := make(chan error)
	go func() {
		_, err := a.Engine.Search(t.Context(), memoir.Query{Text: "sqlite"})
		found <- err
	}()
	<-e.entered
	closed := make(chan error)
	go func() { closed <- a.Close() }()
	if err := <-found; err != nil {
		t.Errorf("the search under way: %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := a.Engine.Search(t.Context(), memoir.Query{Text: "sqlite"}); !errors.Is(err, memoir.ErrClosed) {
		t.Errorf("a late search: got %v, want %v", err, memoir.ErrClosed)
	}
	if got, _ := logged(t, settings); len(got) != 1 {
		t.Errorf("%d questions were kept, want 1", len(got))
	}
}

func TestQueryLog(t *testing.T) {
	settings := loadAs(t, "query.log = true", "", nil)
	ask(t, settings, memoir.Query{Text: " sqlite "}, memoir.Query{Text: "为什么\n用它", Mode: memoir.ModeText, Path: "日记/"})
	a, err := app.Open(t.Context(), settings, app.Options{Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Engine.Search(t.Context(), memoir.Query{}); err == nil {
		t.Error("an empty query was answered")
	}
	if _, err := a.Engine.Why(t.Context(), memoir.Query{Text: "why"}, "MEMORY.md", 0); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	got, damaged := logged(t, settings)
	want := []querylog.Query{
		{Query: "sqlite", Mode: "hybrid", Paths: []string{"MEMORY.md"}},
		{Query: "为什么\n用它", Mode: "text", Path: "日记/", Paths: []string{}},
	}
	if diff := cmp.Diff(got, want, cmpopts.IgnoreFields(querylog.Query{}, "Time")); diff != "" || damaged != 0 {
		t.Errorf("%d damaged lines; -got +want:\n%s", damaged, diff)
	}
	for _, q := range got {
		if time.Since(q.Time) > time.Hour || q.Time.Location() != time.UTC {
			t.Errorf("asked at %v", q.Time)
		}
	}
	info, err := os.Stat(questions(settings))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v; want that only the owner can read it", info.Mode(), err)
	}
}

func TestQueryLogIsOffByDefault(t *testing.T) {
	settings := load(t, "")
	ask(t, settings, memoir.Query{Text: "sqlite"})
	if _, err := os.Stat(questions(settings)); !os.IsNotExist(err) {
		t.Errorf("a question was kept (%v)", err)
	}
	if got, _ := logged(t, settings); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// A full log makes room, and a question that is a book is not kept.
func TestQueryLogIsBounded(t *testing.T) {
	settings := loadAs(t, "query.log = true", "", nil)
	path := questions(settings)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	old := strings.Repeat(`{"query":"old","mode":"text","paths":[]}`+"\n", 4<<20/41)
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	ask(t, settings, memoir.Query{Text: strings.Repeat("sqlite ", 10_000), Mode: memoir.ModeText}, memoir.Query{Text: "sqlite"})
	got, _ := logged(t, settings)
	if n := len(got); n != 4<<20/41+1 || got[n-1].Query != "sqlite" {
		t.Errorf("%d questions, the last %q", n, got[n-1].Query)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 1000 {
		t.Errorf("%v, %v: the file was not begun anew", info, err)
	}
}

// What cannot be written stops no search.
func TestQueryLogFails(t *testing.T) {
	settings := loadAs(t, "query.log = true", "", nil)
	if err := os.MkdirAll(questions(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	ask(t, settings, memoir.Query{Text: "sqlite"})
}

// Processes and goroutines that write at once leave whole lines.
func TestQueryLogTogether(t *testing.T) {
	settings := loadAs(t, "query.log = true", "", nil)
	ask(t, settings, memoir.Query{Text: "sqlite"})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			ask(t, settings, memoir.Query{Text: "sqlite", NoSync: true}, memoir.Query{Text: "server", NoSync: true})
		})
	}
	wg.Wait()
	if got, damaged := logged(t, settings); len(got) != 9 || damaged != 0 {
		t.Errorf("%d questions, %d damaged lines", len(got), damaged)
	}
}

// Whatever the file holds, what is read can be asked, and the rest is counted.
func FuzzReadQueryLog(f *testing.F) {
	f.Add(`{"time":"2026-03-02T10:00:00Z","query":"why","mode":"hybrid","paths":["a.md"]}` + "\n" + `{"query":"潮`)
	f.Add("\n\n{}\n[]\nnull\n{\"query\":1}\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		settings := &config.Loaded{Settings: config.Settings{StateDir: t.TempDir(), Workspace: "w", Agent: "main"}}
		path := questions(settings)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		queries, damaged := logged(t, settings)
		if lines := 1 + strings.Count(text, "\n"); len(queries)+damaged > lines {
			t.Errorf("%d questions and %d damaged lines of %d", len(queries), damaged, lines)
		}
		for _, q := range queries {
			if q.Query == "" {
				t.Error("a question without text")
			}
		}
	})
}
