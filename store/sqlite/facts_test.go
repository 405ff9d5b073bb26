package sqlite_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// TestFactsChecked: a check finds what a search would meet, also where SQLite's own finds
// nothing, because only the bytes of a row are others.
func TestFactsChecked(t *testing.T) {
	path := sample(t)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.ExecContext(t.Context(), "UPDATE files SET facts = zeroblob(length(facts)) WHERE path = 'a.md'")
	must(t, err)
	must(t, db.Close())
	s := open(t, path)
	if err := s.Check(t.Context()); !errors.Is(err, memoir.ErrCorrupt) {
		t.Errorf("the check: got %v", err)
	}
	if _, err := searchText(t.Context(), s, "word"); !errors.Is(err, memoir.ErrCorrupt) {
		t.Errorf("a search: got %v", err)
	}
	must(t, s.Heal(t.Context(), false))
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("after it is mended: %v", err)
	}
	must(t, s.Close())
}

// TestListedLeaves: a check finds that the rows are lost which say where words stand. To
// SQLite's own check and to that of FTS5 the index is sound then, and words are absent.
func TestListedLeaves(t *testing.T) {
	path := sample(t)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.ExecContext(t.Context(), "DELETE FROM chunks_fts_idx")
	must(t, err)
	must(t, db.Close())
	s := open(t, path)
	if err := s.Check(t.Context()); !errors.Is(err, memoir.ErrCorrupt) {
		t.Errorf("the check: got %v", err)
	}
	must(t, s.Heal(t.Context(), false))
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("after it is mended: %v", err)
	}
	must(t, s.Close())
}

// TestUsesChecked: a check finds that what ranking knows of the texts of a chunk is not what the
// table of uses says, though both are whole.
func TestUsesChecked(t *testing.T) {
	for name, damage := range map[string]string{
		"a further text is cut off":    "UPDATE files SET facts = CAST(substr(facts, 1, length(facts) - 12) AS BLOB) WHERE path = 'list.md'",
		"a further text is another":    "UPDATE files SET facts = CAST(substr(facts, 1, length(facts) - 8) || x'ffffffffffffff7f' AS BLOB) WHERE path = 'list.md'",
		"more texts than there are":    "UPDATE files SET facts = CAST(facts || zeroblob(1200) AS BLOB) WHERE path = 'list.md'",
		"a text is used elsewhere":     "UPDATE uses SET chunk = (SELECT min(id) FROM chunks) WHERE text = (SELECT max(text) FROM uses)",
		"a text that another list has": "DELETE FROM uses WHERE text IN (SELECT text FROM uses GROUP BY text HAVING count(*) > 1) AND chunk = (SELECT max(id) FROM chunks)",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index.sqlite")
			s := open(t, path)
			putList(t, s, "a.md", "alone")
			putList(t, s, "list.md", "- one\n- two\n- three")
			putList(t, s, "other.md", "- two\n- four")
			must(t, s.Check(t.Context()))
			must(t, s.Close())
			run(t, path, damage)
			s = open(t, path)
			if err := s.Check(t.Context()); !errors.Is(err, memoir.ErrCorrupt) {
				t.Errorf("the check: got %v", err)
			}
			if _, err := searchText(t.Context(), s, "word"); err != nil {
				t.Errorf("a search: %v", err)
			}
			must(t, s.Heal(t.Context(), false))
			must(t, s.Check(t.Context()))
			must(t, s.Close())
		})
	}
}

// putList puts a document of one chunk, a list of entries if it has some.
func putList(t *testing.T, s *sqlite.Store, id memoir.DocID, text string) {
	t.Helper()
	c := memoir.IndexedChunk{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id}, Kind: memoir.KindNote, Labels: memoir.Labels{memoir.LabelEntries}}, Text: text}}
	c.EmbedHashes = c.HashEmbedTexts(func(_, _ string) bool { return false })
	must(t, s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{{DocumentMeta: memoir.DocumentMeta{ID: id, Kind: memoir.KindNote}, Chunks: []memoir.IndexedChunk{c}}}}))
}
