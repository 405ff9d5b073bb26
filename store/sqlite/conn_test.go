package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
)

// A value that is not of its column's kind is damage, and no row is none.
func TestScanned(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "main.sqlite"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.reader.do(t.Context(), beginRead, func(c *conn) error {
		var text string
		one := c.one(t.Context(), "SELECT NULL", nil, &text)
		each := c.each(t.Context(), "SELECT NULL", nil, func(scan func(...any) error) error { return scan(&text) })
		for _, err := range []error{one, each} {
			if !isDamage(context.Background(), err) || !errors.Is(err, memoir.ErrCorrupt) {
				t.Errorf("got %v, want damage", err)
			}
		}
		if err := c.one(t.Context(), "SELECT 'a' WHERE 0", nil, &text); !errors.Is(err, sql.ErrNoRows) || isDamage(t.Context(), err) {
			t.Errorf("got %v, want that there is none", err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
