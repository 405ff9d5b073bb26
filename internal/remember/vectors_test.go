package remember_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

// TestForgetVectorsBlind: who forgets without the model takes the vectors out, too, and what
// killed processes have left of rewriting files of the state goes.
func TestForgetVectorsBlind(t *testing.T) {
	b := newBench(t, map[string]string{"memory/contacts.md": "- Otto owes me forty crowns.\n- Ann is my sister.\n"}, withModel(t))
	if err := b.keeper.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(b.state, "entries-*.vec"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	size := func() int64 {
		info, err := os.Stat(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	base := filepath.Base(files[0])
	left := []string{"." + base + ".0a1b2c3d.new", ".entries-00000000.vec.0a1b2c3d.new", ".summaries.json.0a1b2c3d.new"}
	others := []string{"." + base + ".mine.new", "entries-notes.txt"}
	for _, name := range append(left, others...) {
		if err := os.WriteFile(filepath.Join(b.state, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opts := b.opts
	opts.Embed, opts.Reader, opts.Space = nil, nil, b.opts.Space
	opts.Space.Model = ""
	blind, err := remember.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blind.Forget(t.Context(), remember.Target{Ref: "memory/contacts.md#L1"}, false); err != nil {
		t.Fatal(err)
	}
	if now := size(); now != before/2 {
		t.Errorf("%d bytes of vectors of %d stay", now, before)
	}
	for _, name := range left {
		if _, err := os.Lstat(filepath.Join(b.state, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s stays: %v", name, err)
		}
	}
	for _, name := range others {
		if _, err := os.Lstat(filepath.Join(b.state, name)); err != nil {
			t.Errorf("%s went: %v", name, err)
		}
	}
}
