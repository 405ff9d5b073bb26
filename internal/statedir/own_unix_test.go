//go:build unix

package statedir_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// TestOwn: a folder of another user, or one that others can write to, is refused with the
// next step, before anything in it is made or read.
func TestOwn(t *testing.T) {
	for name, c := range map[string]struct {
		mode    os.FileMode
		uid     int
		refused bool
	}{
		"one's own":        {0o700, os.Getuid(), false},
		"read by others":   {0o755, os.Getuid(), false},
		"written by all":   {0o777, os.Getuid(), true},
		"in all, not seen": {0o702, os.Getuid(), true},
		"sticky":           {0o777 | os.ModeSticky, os.Getuid(), true},
		"another user's":   {0o700, 65533, true},
		"another's, open":  {0o777, 65533, true},
	} {
		dir := filepath.Join(t.TempDir(), "state")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, c.uid, -1); err != nil {
			continue // only root gives folders away
		}
		if err := os.Chmod(dir, c.mode); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "main.sqlite")
		_, locked, lockErr := statedir.TryAcquire(file)
		for does, err := range map[string]error{"own": statedir.Own(dir), "check": statedir.Check(file), "make": statedir.Make(file), "lock": lockErr} {
			if (err != nil) != c.refused || err != nil && (!errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) == "") {
				t.Errorf("%s, %s: %v, %q", name, does, err, memoir.Hint(err))
			}
		}
		if left, err := os.ReadDir(dir); err != nil || (len(left) > 0) == c.refused || locked == c.refused {
			t.Errorf("%s: it holds %v, %v", name, left, err)
		}
	}
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "none")} {
		if err := statedir.Own(dir); err != nil {
			t.Errorf("%q: %v", dir, err)
		}
	}
}

// TestOwnGroup: the group that has the user's number is the user's own, another is not.
func TestOwnGroup(t *testing.T) {
	for _, gid := range []int{os.Getuid(), 65533} {
		dir := t.TempDir()
		if err := os.Chown(dir, -1, gid); err != nil {
			continue // this user is not in it
		}
		if err := os.Chmod(dir, 0o770); err != nil {
			t.Fatal(err)
		}
		if err := statedir.Own(dir); (err != nil) != (gid != os.Getuid()) {
			t.Errorf("the group %d: %v", gid, err)
		}
	}
}
