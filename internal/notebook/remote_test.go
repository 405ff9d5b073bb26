package notebook

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
)

// silent is a remote that never answers.
type silent struct{ Remote }

func (silent) Refresh(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// Who reads does not wait for ever for a remote that says nothing.
func TestSilentRemote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, err := Open(t.TempDir(), filepath.Join(t.TempDir(), "state"), Options{Remote: silent{}})
		if err != nil {
			t.Fatal(err)
		}
		if changes, err := n.History(); err != nil || len(changes) > 0 {
			t.Errorf("got %v, %v", changes, err)
		}
	})
}
