package sqlite_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// step is one write of a sequence without end: documents grow, shrink and go.
func step(t testing.TB, s memoir.Store, i int) {
	t.Helper()
	id := memoir.DocID(fmt.Sprintf("%d.md", i%5))
	if i%7 == 6 {
		if err := s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{id}}); err != nil {
			t.Fatal(err)
		}
		return
	}
	text := fmt.Sprintf("version%d word", i)
	chunks := make([]memoir.IndexedChunk, 1+i%4)
	for j := range chunks {
		c := &chunks[j]
		c.ChunkID = memoir.ChunkID{Doc: id, Ordinal: j}
		c.Text, c.EmbedHashes = text, []memoir.Hash{memoir.HashText(text)}
		c.Terms[memoir.FieldBody] = strings.Fields(text + strings.Repeat(" filler", 100))
	}
	meta := memoir.DocumentMeta{ID: id, Kind: memoir.KindNote, Hash: memoir.HashText(text), Size: int64(i)}
	if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{{DocumentMeta: meta, Chunks: chunks}}}); err != nil {
		t.Fatal(err)
	}
	putVector(t, s, text, 1, float32(i), 0)
}

// sound checks that every document in an index is whole, by each way to it.
func sound(t testing.TB, path string) {
	t.Helper()
	s := open(t, path)
	if d := s.Degradations(); d != nil {
		t.Errorf("after a crash: %+v, want nothing missing", d)
	}
	total := 0
	for meta, err := range s.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		i := int(meta.Size)
		ms, err := searchText(t.Context(), s, fmt.Sprintf("version%d", i))
		if err != nil || len(ms) != 1+i%4 {
			t.Fatalf("%s: %d chunks, %v; want %d", meta.ID, len(ms), err, 1+i%4)
		}
		for _, c := range read(t, s, ms) {
			if c.Doc != meta.ID || memoir.HashText(c.Text) != meta.Hash {
				t.Errorf("%s holds %q of %s", meta.ID, c.Text, c.Doc)
			}
		}
		total += len(ms)
	}
	stats, err := s.Stats(t.Context(), space)
	if err != nil || stats.Chunks != total || len(found(t, s, "filler")) != total {
		t.Errorf("%+v, %v; %d chunks by word, want %d", stats, err, len(found(t, s, "filler")), total)
	}
	if _, err := searchVector(t.Context(), s, space, []float32{1, 1, 0}, 9); err != nil {
		t.Error(err)
	}
	step(t, s, 1000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var report string
	if err := shell(t, path).QueryRow("PRAGMA integrity_check").Scan(&report); err != nil || report != "ok" {
		t.Errorf("integrity_check: %s, %v", report, err)
	}
}

// TestPowerLoss copies the file and a part of its log while the store is in
// use, as a machine that stops leaves them.
func TestPowerLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	path := filepath.Join(t.TempDir(), "index.db")
	s := open(t, path)
	r := rand.New(rand.NewPCG(7, 8))
	copyTo := func(dst, src string, cut bool) {
		b, err := os.ReadFile(src)
		if err != nil {
			t.Fatal(err)
		}
		if cut && len(b) > 0 {
			b = b[:r.IntN(len(b))]
		}
		if err := os.WriteFile(dst, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		step(t, s, i)
		crashed := filepath.Join(t.TempDir(), "index.db")
		copyTo(crashed, path, false)
		copyTo(crashed+"-wal", path+"-wal", true)
		sound(t, crashed)
	}
}

// TestKilled kills a process that writes, at random moments.
func TestKilled(t *testing.T) {
	if path := os.Getenv("MEMOIR_TEST_VICTIM"); path != "" {
		s := open(t, path)
		for i := 0; ; i++ {
			step(t, s, i)
			fmt.Printf("step %d\n", i)
		}
	}
	r := rand.New(rand.NewPCG(9, 10))
	for range 8 {
		path := filepath.Join(t.TempDir(), "index.db")
		kill(t, "MEMOIR_TEST_VICTIM", path, r.IntN(20))
		sound(t, path)
	}
}

// kill runs this test in a process of its own, which finds the path in a variable
// of its environment, and kills it after it has printed so many lines.
func kill(t *testing.T, variable, path string, lines int) {
	t.Helper()
	victim := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	victim.Env = append(os.Environ(), variable+"="+path)
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	printed := bufio.NewScanner(out)
	for range lines {
		printed.Scan()
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	victim.Wait()
}

// TestTwoProcesses: a second store on the same file waits for the first.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	done := make(chan error)
	for i := range 2 {
		go func() {
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err != nil {
				done <- err
				return
			}
			for j := range 30 {
				meta := memoir.DocumentMeta{ID: memoir.DocID(fmt.Sprintf("%d-%d.md", i, j))}
				if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{{DocumentMeta: meta}}}); err != nil {
					done <- err
					return
				}
			}
			done <- s.Close()
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	stats, err := open(t, path).Stats(t.Context(), space)
	if err != nil || stats.Documents != 60 {
		t.Errorf("%+v, %v; want 60 documents", stats, err)
	}
}
