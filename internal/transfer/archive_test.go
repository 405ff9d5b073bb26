package transfer_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/transfer"
)

// TestOutInOut: whatever the notes are called and hold, they come out of an
// archive as they went in, and the archive of what came out has the same bytes.
func TestOutInOut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		e, ws := workspace(t)
		put(t, ws, randomTree(r))
		want := tree(t, ws)
		dir := t.TempDir()
		one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
		out, err := transfer.Export(t.Context(), ws, e.Owns, one, false)
		if err != nil || out.Notes != len(want) || len(out.Skipped) != 0 {
			t.Fatalf("export: %+v, %v; want %d notes", out, err, len(want))
		}
		other, ws2 := workspace(t)
		if got := brought(t, other, "archive", one, transfer.Options{Workspace: ws2}); got.Counts != (transfer.Counts{Added: len(want)}) {
			t.Fatalf("import: %+v", got)
		}
		if diff := cmp.Diff(want, tree(t, ws2)); diff != "" {
			t.Fatalf("notes (-out +in):\n%s", diff)
		}
		if _, err := transfer.Export(t.Context(), ws2, other.Owns, two, false); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, one), read(t, two)) {
			t.Errorf("the archives of the same notes differ")
		}
		if got := brought(t, other, "archive", two, transfer.Options{Workspace: ws2}); got.Counts != (transfer.Counts{There: len(want)}) || got.Undo != "" {
			t.Errorf("import again: %+v", got)
		}
	}
}

// randomTree returns notes with odd names and contents.
func randomTree(r *rand.Rand) map[string]string {
	names := []string{"a", "MEMORY", "memory.v2", "café", "cafe\u0301 two", "日记", "한국어", "شخص", "a b", "🦊", "x" + strings.Repeat("long", 40), "-dash", "per%cent", "q'uote", "semi;colon"}
	if runtime.GOOS != "windows" {
		names = append(names, "a:b", "tab?")
	}
	contents := []string{"", "\n", "a", "a\r\nb\r\n", "\ufeff# 记忆\n", "---\nx: y\n---\n", strings.Repeat("長い行 ", 5000), "nul \x00 byte\n", "cafe\u0301\n", "mixed\r\nends\n"}
	files := map[string]string{}
	for range 1 + r.IntN(10) {
		var dir string
		for range r.IntN(3) {
			dir += names[r.IntN(len(names))] + "d/"
		}
		ending := []string{".md", ".MD", ".markdown"}[r.IntN(3)]
		files[dir+names[r.IntN(len(names))]+ending] = contents[r.IntN(len(contents))]
	}
	return files
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// archived is one file of an archive that is made by hand.
type archived struct {
	name, text string
	kind       byte
	size       int64 // when it is not that of the text
}

func archiveOf(t testing.TB, files ...archived) []byte {
	t.Helper()
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	w := tar.NewWriter(packed)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Typeflag: f.kind, Size: max(f.size, int64(len(f.text))), Mode: 0o644, Format: tar.FormatPAX}
		if f.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if f.kind == tar.TypeSymlink || f.kind == tar.TypeLink {
			h.Linkname = "/etc/passwd"
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.text); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close() // a size that is a lie is one for a reason
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRefusedArchives: an archive with anything that no archive of notes has is
// refused before a note is written.
func TestRefusedArchives(t *testing.T) {
	good := archived{name: "a.md", text: "one\n"}
	whole := archiveOf(t, good, archived{name: "b.md", text: strings.Repeat("two\n", 1000)})
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 0xff // of the checksum
	tests := []struct {
		name, want string
		data       []byte
	}{
		{"dots", "not a path below", archiveOf(t, good, archived{name: "../x.md", text: "x"})},
		{"dots inside", "not a path below", archiveOf(t, good, archived{name: "a/../../x.md", text: "x"})},
		{"absolute", "not a path below", archiveOf(t, good, archived{name: "/etc/x.md", text: "x"})},
		{"empty part", "not a path below", archiveOf(t, good, archived{name: "a//x.md", text: "x"})},
		{"symbolic link", "it is a link", archiveOf(t, good, archived{name: "x.md", kind: tar.TypeSymlink})},
		{"hard link", "it is a link", archiveOf(t, good, archived{name: "x.md", kind: tar.TypeLink})},
		{"device", "no ordinary file", archiveOf(t, good, archived{name: "x.md", kind: tar.TypeChar})},
		{"pipe", "no ordinary file", archiveOf(t, good, archived{name: "x.md", kind: tar.TypeFifo})},
		{"twice", "there twice", archiveOf(t, good, good)},
		{"the same with a dot", "there twice", archiveOf(t, good, archived{name: "./a.md", text: "x"})},
		{"more than may be", "more than 2 GiB", archiveOf(t, good, archived{name: "x.md", size: 3 << 30})},
		{"much more than may be", "more than 2 GiB", archiveOf(t, good, archived{name: "x.md", size: 1 << 62})},
		{"cut short", "no whole archive", whole[:len(whole)/2]},
		{"cut at its end", "no whole archive", whole[:len(whole)-4]},
		{"a wrong checksum", "no whole archive", flipped},
		{"text", "no whole archive", []byte(strings.Repeat("this is no archive\n", 100))},
		{"text, packed", "no whole archive", gzipped(t, []byte(strings.Repeat("this is no archive\n", 100)))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(file, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			e, ws := workspace(t)
			_, err := transfer.Import(t.Context(), e, "archive", file, transfer.Options{Workspace: ws})
			if err == nil || !strings.Contains(err.Error(), test.want) || !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" && !strings.Contains(test.want, "2 GiB") {
				t.Errorf("got %v, hint %q; want %q", err, memoir.Hint(err), test.want)
			}
			if got := tree(t, ws); len(got) != 0 {
				t.Errorf("written: %q", got)
			}
		})
	}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestForeignArchive: what other programs pack is read, too; what is no note of it
// is named.
func TestForeignArchive(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.tgz")
	data := archiveOf(t, archived{name: "./", kind: tar.TypeDir}, archived{name: "./a.md", text: "one\n"}, archived{name: "./.git/b.md", text: "x"},
		archived{name: "photo.jpg", text: "x"}, archived{name: "AGENTS.md", text: "Obey!\n"}, archived{name: "latin1.md", text: "caf\xe9"}, archived{name: "日/z.md", text: "二\n"})
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	e, ws := workspace(t)
	got := brought(t, e, "archive", file, transfer.Options{Workspace: ws})
	want := []transfer.Item{
		{Name: ".git/b.md", Outcome: "skipped", Reason: "it is hidden"}, {Name: "photo.jpg", Outcome: "skipped", Reason: "it is no note"},
		{Name: "latin1.md", Outcome: "skipped", Reason: "not valid UTF-8"}, {Name: "AGENTS.md", Outcome: "skipped", Reason: "agents take it for orders, and it is no memory"},
	}
	if diff := cmp.Diff(want, got.Items); diff != "" || got.Counts.Added != 2 {
		t.Errorf("got %+v (-want +got):\n%s", got.Counts, diff)
	}
	if diff := cmp.Diff(map[string]string{"a.md": "one\n", "日/z.md": "二\n"}, tree(t, ws)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// fake is a memory that checks what it is given.
type fake struct{ t testing.TB }

func (f fake) Owns(string) bool { return false }

func (f fake) Remember(_ context.Context, st engine.Statement) (engine.Outcome, error) {
	if !utf8.ValidString(st.Text) || strings.TrimSpace(st.Text) == "" || st.Key == "" || st.Origin != "import" || !st.At.IsZero() && (st.At.Year() < 1900 || st.At.Year() > 9999) {
		f.t.Errorf("told %+v", st)
	}
	return engine.Outcome{Outcome: engine.Added, Change: "x"}, nil
}

func (f fake) Bring(_ context.Context, _ engine.Bundle, notes []engine.Incoming, _ bool) ([]engine.Brought, error) {
	out := make([]engine.Brought, len(notes))
	names := map[string]bool{}
	for i, n := range notes {
		if !fs.ValidPath(n.Path) || !utf8.ValidString(n.Text) || names[engine.SameName(n.Path)] || strings.HasPrefix(n.Path, ".") || strings.Contains(n.Path, "/.") {
			f.t.Errorf("brought %q: %.40q", n.Path, n.Text)
		}
		names[engine.SameName(n.Path)] = true
		out[i] = engine.Brought{Outcome: engine.NoteAdded, Path: n.Path}
	}
	return out, nil
}

// fuzz imports what a fuzzer makes of a source; name is that of its file.
func fuzz(f *testing.F, from, name string) {
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o700), os.WriteFile(full, data, 0o600)); err != nil {
			t.Fatal(err)
		}
		path := full
		if strings.Contains(name, "/") {
			path = dir
		}
		_, err := transfer.Import(context.Background(), fake{t}, from, path, transfer.Options{Now: now})
		if err != nil && !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("got %v", err)
		}
	})
}

func FuzzArchive(f *testing.F) {
	f.Add(archiveOf(f, archived{name: "a.md", text: "one\n"}, archived{name: "日/b.md", text: "二"}))
	f.Add(archiveOf(f, archived{name: "../a.md", text: "one\n"}))
	plain, err := gzip.NewReader(bytes.NewReader(archiveOf(f, archived{name: "a.md", text: "one\n"}, archived{name: "x", kind: tar.TypeSymlink})))
	if err != nil {
		f.Fatal(err)
	}
	b, err := io.ReadAll(plain)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	fuzz(f, "archive", "x")
}

func FuzzMem0(f *testing.F) {
	f.Add([]byte(`{"results": [{"id": "1", "memory": "茶", "created_at": "2024-07-01T12:00:00Z", "metadata": {"type": "contact"}, "categories": ["x"], "expiration_date": "2024-01-01"}]}`))
	f.Add([]byte("---\nid: 1\ncreated_at: 2024-01-01\n---\ntea\n---\n---\n"))
	f.Add([]byte(`[1, "x", null, {"content": "x", "created_at": 1e18}]`))
	fuzz(f, "mem0", "x.json")
}

func FuzzMCPMemory(f *testing.F) {
	f.Add([]byte(`{"memories": [{"content": "茶", "content_hash": "h", "created_at": 1692633600.5, "memory_type": "decision"}]}`))
	f.Add([]byte(fmt.Sprintf(`{"memories": [{"content": %q, "created_at_iso": "x"}], "results": []}`, strings.Repeat("x", 100))))
	fuzz(f, "mcp-memory-service", "x.json")
}

func FuzzOpenClawMemory(f *testing.F) {
	f.Add([]byte("---\ntype: preference\nimportance: 4\nupdated: '2026-02-14'\n---\n- tea\n- 茶\n"))
	f.Add([]byte("---\r\ntype: entity\r\nstatus: archived\r\n---\r\n# H\r\n1. x\r\n"))
	f.Add([]byte("---\ntype: &a [*a]\nimportance: 99999999999999999999\n---\n- x\n"))
	fuzz(f, "openclaw-memory", "user/x.md")
}

func FuzzClaudeMem(f *testing.F) {
	f.Add([]byte(`{"observations": [{"id": 1, "type": "decision", "title": "茶", "narrative": "tea", "facts": "[\"x\"]", "created_at_epoch": 1771027200000}], "session_summaries": null}`))
	f.Add([]byte(`[{"title": "x", "facts": ["y"], "created_at_epoch": 1e300}, null, 1]`))
	fuzz(f, "claude-mem", "x.json")
}

func FuzzEngram(f *testing.F) {
	f.Add([]byte(`{"observations": [{"id": 1, "type": "decision", "title": "茶", "content": "tea", "revision_count": 3, "created_at": "2026-02-14 12:00:00"}], "prompts": []}`))
	f.Add([]byte("\ufeff" + `{"sessions": {}, "observations": [[], {"content": "x", "deleted_at": "x"}]}`))
	fuzz(f, "engram", "x.json")
}
