package digest_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/digest"
	"github.com/memoir-ai/memoir/internal/regular"
)

// A salt that a crash or a full disk has cut makes no digest, and is made anew.
func TestTornSalt(t *testing.T) {
	for _, size := range []int{0, 7} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "salt"), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		first := (&digest.Digests{Dir: dir}).Of("panda")
		if second := (&digest.Digests{Dir: dir}).Of("panda"); first == "" || second != first {
			t.Errorf("a salt of %d bytes: got %q, then %q; want one digest", size, first, second)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
			t.Errorf("got %v, %v; want the salt alone", files, err)
		}
	}
}

// Why there is no salt is said where marks are made.
func TestNoSalt(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "salt"), 0o700); err != nil {
		t.Fatal(err)
	}
	m := digest.Marks{Digests: &digest.Digests{Dir: dir}, File: filepath.Join(dir, "forgotten")}
	if err := m.Add([]string{"a"}); !errors.Is(err, regular.ErrKind) {
		t.Errorf("got %v", err)
	}
}
