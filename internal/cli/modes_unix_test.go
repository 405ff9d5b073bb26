//go:build unix

package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestModes: what memoir makes in the home folder is for its user alone, a project's for
// whom the umask says. A note that is there keeps its permissions, and the doctor closes a
// home that an older memoir made.
func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	d := newDen(t)
	run := func(dir string, args ...string) string {
		t.Helper()
		cmd, out := d.command(t.Context(), args...)
		cmd.Dir = d.path(dir)
		if err := cmd.Run(); err != nil {
			t.Fatalf("memoir %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return out.String()
	}
	modes := func(dir string, folder, file fs.FileMode) {
		t.Helper()
		checkModes(t, d.path(dir), folder, file)
	}
	d.write("home/empty", "")
	for _, way := range [][]string{{"init"}, {"remember", "--type", "journal", "We chose SQLite because it is one file"}, {"remember", "Ann likes green tea", "--type", "preference"}} {
		run("home", append([]string{"--scope", "user"}, way...)...)
	}
	modes("home/.memoir", 0o700, 0o600)

	if err := os.Chmod(d.path("outside"), 0o755); err != nil {
		t.Fatal(err)
	}
	run("outside", "init", ".")
	run("outside", "--workspace", ".", "remember", "Ann likes green tea", "--type", "preference")
	shared := d.path("outside/memory/preferences.md")
	if err := os.Remove(d.path("outside/precious")); err != nil {
		t.Fatal(err)
	}
	modes("outside", 0o755, 0o644)
	if err := os.Chmod(shared, 0o660); err != nil {
		t.Fatal(err)
	}
	run("outside", "--workspace", ".", "remember", "Ann likes black tea now", "--type", "preference")
	if info, err := os.Stat(shared); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("a rewritten note has %v, %v", info.Mode(), err)
	}

	older, notes := d.path("home/.memoir"), d.path("home/.memoir/workspace")
	for _, dir := range []string{older, notes} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out := run("home", "--scope", "user", "doctor"); !strings.Contains(out, "other users of the machine may read the notes in "+older) || !strings.Contains(out, "try: memoir --scope user doctor --fix") {
		t.Errorf("the doctor says %s", out)
	}
	if out := run("home", "--scope", "user", "doctor", "--fix"); !strings.Contains(out, "let nobody else read the notes in "+older) || strings.Contains(out, "other users of the machine") {
		t.Errorf("the doctor says %s", out)
	}
	modes("home/.memoir", 0o700, 0o600)
	if out := run("outside", "doctor"); strings.Contains(out, "other users of the machine") {
		t.Errorf("the doctor says of a project %s", out)
	}
}

// checkModes checks the permissions of all that is in a folder, and of the folder.
func checkModes(t *testing.T, dir string, folder, file fs.FileMode) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		want := file
		if files++; e.IsDir() {
			want = folder
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has %v, want %v", path, got, want)
		}
		return nil
	})
	if err != nil || files < 5 {
		t.Fatalf("%d files in %s: %v", files, dir, err)
	}
}
