package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// TestUpgrade opens an index as the first migration made it: what it holds
// stays, and the space of its vectors serves.
func TestUpgrade(t *testing.T) {
	first, err := os.ReadFile("schema/0001.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index.db")
	run(t, path, string(first),
		"INSERT INTO spaces VALUES (7, 'openai/org/model-3@abc @ d:3', 3)",
		"INSERT INTO embedding_cache VALUES (7, '"+string(memoir.HashText("alpha word"))+"', x'0000803f0000000000000000', 0)",
		"INSERT INTO meta VALUES ('serving_space', 7)",
		"CREATE VIRTUAL TABLE chunks_vec USING vec0 (embedding float[3] distance_metric=cosine)")

	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true}); memoir.Hint(err) == "" {
		t.Errorf("read-only: got %v, want an error with a hint", err)
	}
	s := open(t, path)
	put(t, s, "a.md", "alpha word")
	s.Later() // it is the same index, though it has a new number
	space := memoir.Space{Provider: "openai", Model: "org/model-3", Version: "abc @ d", Dimensions: 3}
	stats, err := s.Stats(t.Context(), space)
	if err != nil {
		t.Fatal(err)
	}
	serving, err := s.Serving(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "serving", serving, space)
	want(t, "pending", stats.Pending, 0)
	if stats.Written.IsZero() {
		t.Error("the last write is not known")
	}
	matches, err := searchVector(t.Context(), s, space, []float32{1, 0, 0}, 9)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "near", docs(matches), []string{"a.md"})
	if aside := setAside(t, path); len(aside) > 0 {
		t.Errorf("set aside %v", aside)
	}
}

// TestCutOff: a database without a table is what a process leaves that was
// killed while it made the index.
func TestCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	run(t, path, "PRAGMA auto_vacuum = incremental", "VACUUM")
	s := open(t, path)
	put(t, s, "a.md", "alpha word")
	want(t, "found", found(t, s, "word"), []string{"a.md"})
}
