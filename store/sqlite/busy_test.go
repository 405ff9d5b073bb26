package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// A writer that waits for another one waits no longer than its context. Without
// a deadline it gives up after ten seconds. It goes on when the other is done.
func TestWaitForWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		db, err := sql.Open("sqlite", "file://"+filepath.ToSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		other, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		lock := func(statement string) {
			t.Helper()
			if _, err := other.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		put := func(ctx context.Context) (time.Duration, error) {
			start := time.Now()
			err := s.Write(ctx, memoir.Changes{Put: []memoir.IndexedDocument{{DocumentMeta: memoir.DocumentMeta{ID: "a.md", Kind: memoir.KindNote}}}})
			return time.Since(start), err
		}
		if _, err := put(t.Context()); err != nil { // it has its connection
			t.Fatal(err)
		}
		lock("BEGIN IMMEDIATE")
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if took, err := put(ctx); took != 300*time.Millisecond || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with 300 ms: %v after %v", err, took)
		}
		if took, err := put(t.Context()); took < 10*time.Second || took > 11*time.Second || !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) == "" {
			t.Errorf("with all the time: %v (%s) after %v", err, memoir.Hint(err), took)
		}
		done := make(chan error)
		go func() {
			_, err := put(t.Context())
			done <- err
		}()
		synctest.Wait()
		lock("COMMIT")
		if err := <-done; err != nil {
			t.Errorf("after the other writer was done: %v", err)
		}
	})
}
