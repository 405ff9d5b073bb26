// Package statedir makes and guards what memoir keeps beside an index: its folder,
// its lock. Nothing in it is reached through a link.
package statedir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
)

// Make makes the folder that a file will stand in. Indexes hold the
// text of notes, so nobody else may read them.
func Make(file string) error {
	if err := Check(file); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return memoir.WithHint(fmt.Errorf("make the folder of the index: %w", err), Hint)
	}
	return nil
}

// Check refuses a link, or what else is no folder, in the place of the
// folder that a file of memoir's own stands in, and a folder that [Own] refuses.
// That need not exist. The folder of all indexes is the user's choice, and may
// be behind a link.
func Check(file string) error {
	dir := filepath.Dir(file)
	if err := regular.Folder(dir); errors.Is(err, regular.ErrFolder) {
		return memoir.WithHint(fmt.Errorf("the folder of the index: %w: %w", memoir.ErrUnavailable, err), "move "+dir+" away, or "+Hint)
	}
	return Own(dir)
}

// Own refuses a folder that belongs to another user, or that others can write to.
// Whoever puts files there decides what memoir believes: tokens that let in,
// words of notes. The folder need not exist; a link in its place is followed.
func Own(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return nil // what uses the folder says why
	}
	return OwnFile(dir, info)
}

// WithHint adds the next step to the refusal of what is no ordinary file in
// the place of one of memoir's own.
func WithHint(path string, err error) error {
	if errors.Is(err, regular.ErrKind) {
		return memoir.WithHint(err, "move "+path+" away")
	}
	return err
}

// Hint is the next step where the folder cannot be written.
const Hint = "name a folder that can be written with --state-dir or MEMOIR_STATE_DIR"
