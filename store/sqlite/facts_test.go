package sqlite_test

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/memoir-ai/memoir"
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
