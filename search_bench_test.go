package memoir_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// searchChunks is how many chunks BenchmarkSearch6600 searches, to a few in a hundred.
const searchChunks = 6600

// linkedNotes writes day logs, each section of which links to another day, and
// returns the facts that stand in them.
func linkedNotes(b *testing.B, days int) (dir string, facts []notegen.Fact) {
	b.Helper()
	dir = b.TempDir()
	facts, err := notegen.Write(dir, notegen.Options{Seed: 1, Days: days})
	if err != nil {
		b.Fatal(err)
	}
	past, n := time.Now().Add(-time.Hour), 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var linked bytes.Buffer
		for line := range bytes.Lines(text) {
			linked.Write(line)
			if bytes.HasPrefix(line, []byte("## ")) {
				n++
				day := time.Date(2025, 1, 1+(7*n)%days, 0, 0, 0, 0, time.UTC)
				fmt.Fprintf(&linked, "\nSee [[%s]].\n", day.Format(time.DateOnly))
			}
		}
		if err := os.WriteFile(path, linked.Bytes(), 0o600); err != nil {
			return err
		}
		return os.Chtimes(path, past, past)
	})
	if err != nil {
		b.Fatal(err)
	}
	return dir, facts
}

// indexed makes an index of linked day logs with vectors as long as those of
// the model inside, and returns the facts in them and how many chunks there are.
func indexed(b *testing.B, days int) (*memoir.Engine, []notegen.Fact, int) {
	b.Helper()
	notes, facts := linkedNotes(b, days)
	e := openHybrid(b, notes, filepath.Join(b.TempDir(), "index.sqlite"), &embedtest.Embedder{Dimensions: 384})
	syncIndex(b, e)
	if _, err := e.EmbedPending(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	stats, err := e.Stats(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return e, facts, stats.Chunks
}

// BenchmarkSearch6600 searches 6,600 chunks of linked notes by words and by
// vectors for facts that stand in them, each question once. The embedder takes
// no time, so that what is measured is the search alone.
func BenchmarkSearch6600(b *testing.B) {
	const sample = 20
	few, _, chunks := indexed(b, sample)
	if err := few.Close(); err != nil {
		b.Fatal(err)
	}
	e, facts, chunks := indexed(b, sample*searchChunks/chunks)
	defer e.Close()
	for _, c := range []struct {
		kind  notegen.FactKind
		query string
	}{
		{notegen.FactPhrase, "what do we know about %s, number %d"},
		{notegen.FactChinese, "第%[2]d次会议对%[1]s是怎么决定的"},
		{notegen.FactID, "%s of release %d"},
	} {
		var asked []string
		for _, f := range facts {
			if f.Kind == c.kind {
				asked = append(asked, f.Text)
			}
		}
		b.Run(string(c.kind), func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				query := fmt.Sprintf(c.query, asked[n%len(asked)], n)
				if _, err := e.Search(b.Context(), memoir.Query{Text: query, NoSync: true}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(chunks), "chunks")
		})
	}
}
