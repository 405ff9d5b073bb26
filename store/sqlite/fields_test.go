package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// The fields of a chunk stand in the columns of their names, and have the weights
// of these, whatever the order of either.
func TestFields(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fields := map[string]memoir.Field{"title": memoir.FieldTitle, "heading": memoir.FieldHeading, "date": memoir.FieldDate, "body": memoir.FieldBody}
	chunk := memoir.IndexedChunk{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: "a.md"}}}}
	for name, f := range fields {
		chunk.Terms[f] = []string{name}
	}
	doc := memoir.IndexedDocument{DocumentMeta: memoir.DocumentMeta{ID: "a.md", Kind: memoir.KindNote}, Chunks: []memoir.IndexedChunk{chunk}}
	if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{doc}}); err != nil {
		t.Fatal(err)
	}
	columns, weights := map[string]string{}, []float64{}
	pairs := func(ctx context.Context, c *conn, query string, f func(a, b string)) error {
		return c.each(ctx, query, nil, func(scan func(...any) error) error {
			var a, b string
			err := scan(&a, &b)
			f(a, b)
			return err
		})
	}
	err = s.read(t.Context(), "look at the columns", func(c *conn) error {
		err := pairs(t.Context(), c, "SELECT term, col FROM chunks_vocab", func(term, column string) { columns[term] = column })
		if err != nil {
			return err
		}
		return pairs(t.Context(), c, "SELECT name, type FROM pragma_table_info('chunks_fts') ORDER BY cid", func(name, _ string) {
			weights = append(weights, rank.FieldWeights[fields[name]])
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"title": "title", "heading": "heading", "date": "date", "body": "body"}
	if diff := cmp.Diff(columns, want); diff != "" {
		t.Errorf("columns of the terms (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(columnWeights(), weights); diff != "" || len(weights) != int(memoir.NumFields) {
		t.Errorf("weights of the columns (-got +want):\n%s", diff)
	}
	if w := rank.FieldWeights; w[memoir.FieldHeading] <= w[memoir.FieldTitle] || w[memoir.FieldTitle] != w[memoir.FieldBody] || w[memoir.FieldDate] != w[memoir.FieldBody] {
		t.Errorf("of the fields in the order of their constants the heading path alone weighs more, not %v", w)
	}
}
