package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
)

// TestFilterMemory: a filter needs a few bits for each chunk, however many hold
// its word. It allocates nothing for single chunks.
func TestFilterMemory(t *testing.T) {
	const documents, chunks = 40, 100
	s := open(t, filepath.Join(t.TempDir(), "index.db"))
	docs := make([]memoir.IndexedDocument, documents)
	for i := range docs {
		id := memoir.DocID(fmt.Sprintf("%02d.md", i))
		docs[i].DocumentMeta = memoir.DocumentMeta{ID: id, Kind: memoir.KindNote}
		for j := range chunks {
			c := memoir.IndexedChunk{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id, Ordinal: j}}, Text: fmt.Sprint(i, " ", j)}}
			c.Terms[memoir.FieldBody] = []string{"everywhere", fmt.Sprint("once", i, "x", j)}
			docs[i].Chunks = append(docs[i].Chunks, c)
		}
	}
	must(t, s.Write(t.Context(), memoir.Changes{Put: docs}))
	word := func(term string) memoir.Filter {
		return memoir.Filter{Phrases: []memoir.Phrase{{Terms: []string{term}}}}
	}
	without := func(f memoir.Filter) memoir.Filter { return memoir.Filter{Without: []memoir.Filter{f}} }
	for name, tt := range map[string]struct {
		filter memoir.Filter
		want   int
	}{
		"must word of all":   {word("everywhere"), 50},
		"must word of one":   {word("once3x7"), 1},
		"minus word of all":  {without(word("everywhere")), 0},
		"minus word of one":  {without(word("once3x7")), 50},
		"neither nor":        {memoir.AnyOf(word("once3x7"), word("once4x8")), 2},
		"one chunk of a few": {memoir.Filter{Chunks: []memoir.ChunkID{{Doc: "07.md", Ordinal: 3}}}, 1},
	} {
		list := func() {
			must(t, s.View(t.Context(), func(v memoir.View) error {
				found, err := v.List(t.Context(), tt.filter, 50)
				if len(found) != tt.want {
					t.Errorf("%s: %d chunks pass, want %d", name, len(found), tt.want)
				}
				return err
			}))
		}
		if made := testing.AllocsPerRun(5, list); made > documents*chunks/4 {
			t.Errorf("%s: %v things are made for %d chunks", name, made, documents*chunks)
		} else {
			t.Logf("%s: %v things are made", name, made)
		}
	}
}
