package remember_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/remember"
)

// left puts a file beside the note of contacts that an editor saved in the moment in which
// a process that rewrote the note was killed.
func (b *bench) left(text string) (path string) {
	b.t.Helper()
	path = "memory/.contacts.md.0123abcd-0123456789abcdef-fedcba9876543210.new"
	if err := os.WriteFile(filepath.Join(b.root, path), []byte(text), 0o640); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// TestForgetInLeftovers: what is forgotten goes from what an editor left, too, and the rest
// of that stays as it is.
func TestForgetInLeftovers(t *testing.T) {
	b := newBench(t, nil, nil)
	wrong := b.tell(remember.Request{Text: "Otto owes me\nforty crowns.", Type: "contact"}, remember.Added, "new")
	b.tell(remember.Request{Text: "Anna is my sister.", Type: "contact"}, remember.Added, "new")
	now, err := os.ReadFile(filepath.Join(b.root, "memory/contacts.md"))
	if err != nil {
		t.Fatal(err)
	}
	path := b.left(strings.Replace(string(now), "Otto", "Otto,", 1) + "\nWhat the person wrote.\n\n- OTTO owes me\n  forty crowns\n")
	want := b.notes()[path]
	for _, entry := range []string{"- Otto, owes me\n  forty crowns.", "- OTTO owes me"} {
		start := strings.Index(want, entry)
		lines := strings.SplitAfterN(want[start:], "\n", 3)
		want = want[:start] + lines[2]
	}
	b.forget(remember.Target{Ref: wrong.ID}, 1)
	if b.holds("forty crowns") {
		t.Error("it is still there")
	}
	if diff := cmp.Diff(strings.TrimRight(want, "\n"), strings.TrimRight(b.notes()[path], "\n")); diff != "" {
		t.Errorf("what the editor left (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(filepath.Join(b.root, path)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	b.forget(remember.Target{Ref: "memory/contacts.md"}, 1)
	if text, there := b.notes()[path]; there {
		t.Errorf("the note was forgotten, and beside it stays %q", text)
	}
}

// TestForgetNamesLeftovers: a left-over that cannot be looked into is named.
func TestForgetNamesLeftovers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	b := newBench(t, nil, nil)
	wrong := b.tell(remember.Request{Text: "Otto owes me forty crowns.", Type: "contact"}, remember.Added, "new")
	path := b.left("")
	full := filepath.Join(b.root, path)
	outside := filepath.Join(t.TempDir(), "else.md")
	if err := os.WriteFile(outside, []byte("- Otto owes me forty crowns.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, full); err != nil {
		t.Fatal(err)
	}
	if out := b.forget(remember.Target{Ref: wrong.ID}, 1); !cmp.Equal(out.Unread, []string{path}) {
		t.Errorf("named %q, want %q", out.Unread, path)
	}
	if text, err := os.ReadFile(outside); err != nil || !strings.Contains(string(text), "Otto") {
		t.Errorf("the link was followed: %q, %v", text, err)
	}
}
