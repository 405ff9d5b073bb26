package mdfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/mdfile"
)

// collected is what a scan of a collection yields, each id with the reason of a skip.
func collected(t *testing.T, c *mdfile.Collection) (found []string, temporary int) {
	t.Helper()
	for e, err := range c.Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != memoir.KindCollection && e.Skip == "" {
			t.Errorf("%s is a %s", e.ID, e.Kind)
		}
		if e.Temporary {
			temporary++
		}
		what := string(e.ID)
		if e.Skip != "" {
			what += ": " + e.Skip[:min(len(e.Skip), 13)]
		}
		found = append(found, what)
	}
	return found, temporary
}

// Documents of a collection bear its name before their paths, in all that a source does.
func TestCollection(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	c, err := mdfile.OpenCollection("vault", dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	missing := func(step string) {
		t.Helper()
		got, temporary := collected(t, c)
		if len(got) != 1 || !strings.HasPrefix(got[0], "collections/vault: the folder") || temporary != 1 {
			t.Errorf("%s: got %q, %d temporary", step, got, temporary)
		}
	}
	var skip *memoir.SkipError
	missing("a folder that is not there")
	if _, err := c.Read(t.Context(), "collections/vault/a.md"); !errors.As(err, &skip) || !skip.Temporary {
		t.Errorf("read of it: %v", err)
	}
	if c.Problem() == nil || c.Mark() != 0 || c.Blind() == nil {
		t.Error("it has no problem")
	}
	if err := os.MkdirAll(filepath.Join(dir, "memory"), 0o700); err != nil {
		t.Fatal(err)
	}
	missing("an empty folder")
	for path, text := range map[string]string{"MEMORY.md": "a", "memory/cafe\u0301.md": "b", "memory/x.txt": "c", "memory/nul.md": "\x00", ".git/a.md": "d"} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(filepath.Dir(dir), "outside.md")
	if err := os.WriteFile(outside, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"collections/vault/MEMORY.md", "collections/vault/memory/caf\u00e9.md", "collections/vault/memory/nul.md"}
	if err := os.Symlink(outside, filepath.Join(dir, "out.md")); err == nil {
		want = append(want, "collections/vault/out.md: symbolic link")
	} else if runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	got, temporary := collected(t, c)
	if diff := cmp.Diff(want, got); diff != "" || temporary != 0 {
		t.Errorf("want -, got +:\n%s, %d temporary", diff, temporary)
	}
	doc, err := c.Read(t.Context(), "collections/vault/memory/caf\u00e9.md")
	if err != nil || doc.Text != "b" || doc.ID != "collections/vault/memory/caf\u00e9.md" || doc.Kind != memoir.KindCollection {
		t.Errorf("got %+v, %v", doc, err)
	}
	for _, id := range []memoir.DocID{"collections/vault/memory/nul.md", "collections/vault/out.md"} {
		if _, err := c.Read(t.Context(), id); !errors.As(err, &skip) || skip.Temporary || id != "collections/vault/out.md" && skip.ID != id {
			t.Errorf("%s: %v", id, err)
		}
	}
	for id, owns := range map[memoir.DocID]bool{"collections/vault/a.md": true, "collections/vault/a.txt": false, "collections/vault/../a.md": false, "collections/vaults/a.md": false, "collections/vault": false, "a.md": false} {
		if c.Owns(id) != owns {
			t.Errorf("Owns(%q) is %v", id, !owns)
		}
		if _, err := c.Read(t.Context(), id); err == nil {
			t.Errorf("%s can be read", id)
		}
	}
	if id, ok := c.Locate(filepath.Join(dir, "memory", "a.md")); !ok || id != "collections/vault/memory/a.md" {
		t.Errorf("located %q, %v", id, ok)
	}
	for _, path := range []string{outside, "", "a\x00", dir} {
		if id, ok := c.Locate(path); ok {
			t.Errorf("located %q as %q", path, id)
		}
	}
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	missing("a folder that went away")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, temporary := collected(t, c); len(got) != 1 || temporary != 1 {
		t.Errorf("a file in its place: got %q", got)
	}
}
