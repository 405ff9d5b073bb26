package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// TestOneReplacement: of several processes that find a damaged index one sets it
// aside, and nothing is lost that the others write to the fresh one.
func TestOneReplacement(t *testing.T) {
	if path := os.Getenv("MEMOIR_TEST_FINDER"); path != "" {
		s := open(t, path)
		put(t, s, memoir.DocID(os.Getenv("MEMOIR_TEST_NAME")), "word")
		must(t, s.Close())
		return
	}
	if testing.Short() {
		t.Skip("thirty processes are long")
	}
	for round := range 5 {
		path := filepath.Join(t.TempDir(), "index.db")
		must(t, os.WriteFile(path, []byte("damaged"), 0o600))
		var finders []*exec.Cmd
		var names []string
		for i := range 6 {
			names = append(names, fmt.Sprintf("%d.md", i))
			finder := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOneReplacement$")
			finder.Env = append(os.Environ(), "MEMOIR_TEST_FINDER="+path, "MEMOIR_TEST_NAME="+names[i])
			finder.Stdout = new(bytes.Buffer)
			must(t, finder.Start())
			finders = append(finders, finder)
		}
		for _, finder := range finders {
			if err := finder.Wait(); err != nil {
				t.Errorf("round %d: %v: %s", round, err, finder.Stdout)
			}
		}
		want(t, fmt.Sprintf("round %d", round), found(t, open(t, path), "word"), names)
		if aside := setAside(t, path); len(aside) != 1 {
			t.Errorf("round %d: set aside %v, want one file", round, aside)
		}
	}
}

// TestReplacedMeanwhile: who has waited for another process to replace the index
// looks at it again.
func TestReplacedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	must(t, os.WriteFile(path, []byte("damaged"), 0o600))
	lock := flock.New(path + ".replacing")
	must(t, lock.Lock())
	opened := make(chan *sqlite.Store)
	go func() {
		s, err := sqlite.Open(context.Background(), path, sqlite.Options{})
		if err != nil {
			t.Error(err)
		}
		opened <- s
	}()
	must(t, os.Rename(sample(t), path))
	must(t, lock.Close())
	s := <-opened
	defer s.Close()
	want(t, "words", found(t, s, "word"), []string{"a.md", "b.md"})
	if aside := setAside(t, path); len(aside) > 0 {
		t.Errorf("set aside %v, want nothing", aside)
	}
}

// TestKeepsVectors: what can be read of the vectors outlives the damage.
func TestKeepsVectors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	s := open(t, path)
	large := memoir.Space{Provider: "test", Model: "large", Version: "1", Dimensions: 500}
	vectors := map[memoir.Hash][]float32{}
	for i := range 400 {
		v := make([]float32, large.Dimensions)
		v[i] = 1
		vectors[memoir.HashText(fmt.Sprint(i))] = v
	}
	must(t, s.PutVectors(t.Context(), large, vectors, nil))
	must(t, s.Close())
	// 100 pages of vectors, four on each; one is lost.
	var page int64
	must(t, shell(t, path).QueryRow("SELECT pageno FROM dbstat WHERE name = 'vectors' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 50").Scan(&page))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt(make([]byte, 8192), (page-1)*8192)
	must(t, err)
	must(t, f.Close())

	s = open(t, path)
	must(t, s.Heal(t.Context(), true))
	if aside := setAside(t, path); len(aside) != 1 {
		t.Errorf("set aside %v, want one file", aside)
	}
	for i := range 400 {
		put(t, s, memoir.DocID(fmt.Sprint(i, ".md")), fmt.Sprint(i))
	}
	stats, err := s.Stats(t.Context(), large)
	if err != nil || stats.Pending == 0 || stats.Pending > 16 {
		t.Errorf("%d texts have lost their vectors, %v; want those of a page or a few", stats.Pending, err)
	}
	want(t, "serving", stats.Serving, large)
	must(t, s.Check(t.Context()))
}
