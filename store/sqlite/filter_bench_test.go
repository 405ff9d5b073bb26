package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/tune"
)

// BenchmarkFilter lists 50 of 20,000 chunks of 30 words whose frequencies follow
// Zipf's law, and of 200 characters, with filters that have to look at many of
// them; MEMOIR_BENCH_CHUNKS sets another number of chunks, a multiple of 1,000.
func BenchmarkFilter(b *testing.B) {
	chunks := 20_000
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_BENCH_CHUNKS")); err == nil {
		chunks = n
	}
	s := open(b, filepath.Join(b.TempDir(), "index.db"))
	r := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(r, 1.07, 1, 60_000)
	for done := 0; done < chunks; done += 1000 {
		docs := make([]memoir.IndexedDocument, 100)
		for i := range docs {
			id := memoir.DocID(fmt.Sprintf("%06d-%02d.md", done, i))
			docs[i].DocumentMeta = memoir.DocumentMeta{ID: id, Kind: memoir.KindNote}
			if i%10 == 0 {
				docs[i].Kind = memoir.KindSession
			}
			for j := range 10 {
				c := memoir.IndexedChunk{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id, Ordinal: j}}}}
				c.Text = strings.Repeat("2016年になると、ウルリヒ・ヴィルが絵を", 10)
				if i%10 == 1 {
					c.Labels = memoir.Labels{"type:decision"}
				}
				for range 30 {
					c.Terms[memoir.FieldBody] = append(c.Terms[memoir.FieldBody], fmt.Sprintf("w%d", zipf.Uint64()))
				}
				docs[i].Chunks = append(docs[i].Chunks, c)
			}
		}
		if err := s.Write(b.Context(), memoir.Changes{Put: docs}); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Settle(b.Context(), memoir.Space{}, tune.Cache{}); err != nil {
		b.Fatal(err)
	}
	words := func(terms ...string) memoir.Filter { return memoir.Filter{Phrases: []memoir.Phrase{{Terms: terms}}} }
	text := func(inside string) memoir.Filter {
		return memoir.Filter{Phrases: []memoir.Phrase{{Terms: []string{"absent"}, Text: "7年にな", Inside: []string{inside}}}}
	}
	without := func(f memoir.Filter) memoir.Filter { return memoir.Filter{Without: []memoir.Filter{f}} }
	for _, bb := range []struct {
		name   string
		filter memoir.Filter
	}{
		{"none", memoir.Filter{}},
		{"kind", memoir.Filter{Kinds: []memoir.Kind{memoir.KindSession}}}, {"label", memoir.Filter{Labels: []memoir.Label{"type:decision"}}},
		{"must=frequent", words("w0")}, {"must=rare", words("w500")}, {"must=phrase", words("w0", "w1")},
		{"must=text of some", text("w300")}, {"must=text of too many", text("w0")},
		{"minus=frequent", without(words("w0"))}, {"minus=rare", without(words("w500"))}, {"minus=path", without(memoir.Filter{Paths: []string{"00-7"}})},
		{"chunks=1", memoir.Filter{Chunks: []memoir.ChunkID{{Doc: "000000-07.md", Ordinal: 3}}}},
	} {
		b.Run(fmt.Sprintf("chunks=%d/%s", chunks, bb.name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := s.View(b.Context(), func(v memoir.View) error {
					_, err := v.List(b.Context(), bb.filter, 50)
					return err
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
