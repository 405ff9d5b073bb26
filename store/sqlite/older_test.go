package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// TestOlder: an index of an older schema gives way to a fresh one that has its
// vectors, and whoever asks in the next minutes is told why. Where vectors may be
// lost it is set aside.
func TestOlder(t *testing.T) {
	for name, tt := range map[string]struct {
		change []string // beside the number of the schema
		kept   bool
	}{
		"same vectors":       {nil, true},
		"a column is absent": {[]string{"ALTER TABLE files DROP COLUMN stamp", "ALTER TABLE chunks DROP COLUMN labels", "DROP TABLE labels"}, true},
		"other vectors":      {[]string{"ALTER TABLE vectors RENAME TO embeddings"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := sample(t)
			run(t, path, append(tt.change, "PRAGMA user_version = 10")...)
			if _, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true}); memoir.Hint(err) != "memoir index" {
				t.Errorf("read-only: got %v, hint %q; want an error with the hint memoir index", err, memoir.Hint(err))
			}
			s := open(t, path)
			for range 2 {
				d := s.Degradations()
				if len(d) != 1 || d[0].Part != "index" || !strings.Contains(d[0].Reason, "being rebuilt") || strings.Contains(d[0].Reason, "older") != tt.kept {
					t.Errorf("Degradations = %+v, want why the index is being rebuilt", d)
				}
			}
			s.Later()
			want(t, "later", s.Degradations(), nil)
			stats, err := s.Stats(t.Context(), space)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "documents", stats.Documents, 0)
			put(t, s, "a.md", "alpha word")
			wanted, serving, aside := []string{"a.md"}, space, 0
			if !tt.kept {
				wanted, serving, aside = nil, memoir.Space{}, 1
			}
			stats, err = s.Stats(t.Context(), space)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "serving", stats.Serving, serving)
			want(t, "near", near(t, s, 1, 0, 0), wanted)
			want(t, "set aside", len(setAside(t, path)), aside)
		})
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
