package app_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/models"
)

// latin is an embedder that reads one script.
type latin struct{ memoir.Embedder }

func (latin) Scripts() []string { return []string{"Latin"} }

// TestLaterKeepsAbilities: a provider that could be opened only when a vector was
// needed can do what it could have done at once.
func TestLaterKeepsAbilities(t *testing.T) {
	calls := 0
	a := open(t, load(t, "query.embedTimeout = \"1m\""), app.Options{Embedder: func(context.Context) (memoir.Embedder, error) {
		if calls++; calls == 1 {
			return nil, context.DeadlineExceeded
		}
		return latin{&embedtest.Embedder{}}, nil
	}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, tt := range []struct {
		text   string
		refuse bool
	}{{"which database", false}, {"哪个数据库", true}} {
		res, err := a.Engine.Search(ctx, memoir.Query{Text: tt.text})
		if err != nil {
			t.Fatal(err)
		}
		unread := slices.ContainsFunc(res.Degraded, func(d memoir.Degradation) bool { return strings.Contains(d.Reason, "does not read") })
		if unread != tt.refuse {
			t.Errorf("%q: degraded %+v; want that the model cannot read it: %v", tt.text, res.Degraded, tt.refuse)
		}
	}
}

// TestModelComes: who does what is named as the next step, and installs the model or puts a
// whole file in the place of a damaged one, has its vectors in the processes that run.
func TestModelComes(t *testing.T) {
	data, err := models.Convert(t.Context(), os.DirFS(published(t, embedtest.Published(1))), modelfile.Options{Name: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		before []byte // nil: nothing is there
		reason string
	}{{"missing", nil, "is not installed"}, {"half", data[:len(data)/2], "damaged"}, {"foreign", []byte("half a page of another server"), "not a model file"}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(data []byte) {
				if err := os.WriteFile(filepath.Join(dir, "new"), data, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "tiny.memoir")); err != nil {
					t.Fatal(err)
				}
			}
			if tt.before != nil {
				put(tt.before)
			}
			a := open(t, loadAs(t, patient+"provider = \"local\"\nmodel = \"tiny\"", "", map[string]string{"MEMOIR_MODELS_DIR": dir}), app.Options{})
			ask := func(text string) string {
				t.Helper()
				res, err := a.Engine.Search(t.Context(), memoir.Query{Text: text})
				if err != nil {
					t.Fatal(err)
				}
				var said []string
				for _, d := range res.Degraded {
					said = append(said, d.Reason)
				}
				return strings.Join(said, "; ")
			}
			if got := ask("which database"); !strings.Contains(got, tt.reason) {
				t.Errorf("before: %q", got)
			}
			put(data)
			if got := ask("which database"); strings.Contains(got, "embedded") {
				t.Errorf("after: %q", got)
			}
			if err := a.EmbedderErr(); err != nil {
				t.Errorf("the status says %v", err)
			}
		})
	}
}

// TestModelWrittenOver: who copies another file over a model that is in use, instead of in
// its place, is told so. The process does not end, and stores no vectors of neither model.
func TestModelWrittenOver(t *testing.T) {
	data, err := models.Convert(t.Context(), os.DirFS(published(t, embedtest.Published(1))), modelfile.Options{Name: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.memoir")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	a := open(t, loadAs(t, patient+"provider = \"local\"", "", map[string]string{"MEMOIR_MODEL": path}), app.Options{})
	ask := func(text string) (memoir.Results, string) {
		t.Helper()
		res, err := a.Engine.Search(t.Context(), memoir.Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, d := range res.Degraded {
			said = append(said, d.Reason+" "+d.Action)
		}
		return res, strings.Join(said, "; ")
	}
	if _, got := ask("which database"); strings.Contains(got, "embedded") {
		t.Errorf("before: %q", got)
	}
	for _, size := range []int{1, len(data)} { // a copy under way, and a whole one
		if err := os.WriteFile(path, data[:size], 0o600); err != nil {
			refused(t, err)
		}
		if _, got := ask("another question " + strconv.Itoa(size)); !strings.Contains(got, "written to") || !strings.Contains(got, "start it again") {
			t.Errorf("with %d bytes: %q", size, got)
		}
	}
}

// TestModelReplaced: a process whose model has another in its place by now leaves the index
// to those that opened the newer one, as with older settings. Half a model, or the same
// again, is no newer one.
func TestModelReplaced(t *testing.T) {
	var data [2][]byte
	for i := range data {
		var err error
		if data[i], err = models.Convert(t.Context(), os.DirFS(published(t, embedtest.Published(uint64(i+1)))), modelfile.Options{Name: "tiny"}); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	put := func(data []byte) {
		t.Helper()
		path := filepath.Join(dir, "tiny.memoir")
		if err := os.WriteFile(path+".new", data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			refused(t, err)
		}
	}
	put(data[0])
	a := open(t, loadAs(t, patient+"provider = \"local\"\nmodel = \"tiny\"", "", map[string]string{"MEMOIR_MODELS_DIR": dir}), app.Options{Lives: true})
	for _, tt := range []struct {
		name string
		data []byte
		want bool
	}{{"as opened", nil, false}, {"the same again", data[0], false}, {"half of another", data[1][:len(data[1])/2], false}, {"another", data[1], true}, {"the first again", data[0], false}} {
		if tt.data != nil {
			put(tt.data)
		}
		res, err := a.Engine.Search(t.Context(), memoir.Query{Text: "which database"})
		if err != nil {
			t.Fatal(err)
		}
		older := slices.ContainsFunc(res.Degraded, func(d memoir.Degradation) bool {
			return strings.Contains(d.Reason, "older settings than those on disk (model)")
		})
		if older != tt.want {
			t.Errorf("%s: %+v", tt.name, res.Degraded)
		}
	}
}

// refused skips a test where Windows keeps a file that is in use from others.
func refused(t *testing.T, err error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the file is in use: ", err)
	}
	t.Fatal(err)
}
