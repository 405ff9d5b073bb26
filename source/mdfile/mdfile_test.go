package mdfile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/mdfile"
)

// workspace writes files into a new folder; a name with a trailing slash is a folder.
func workspace(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string, opts mdfile.Options) *mdfile.Source {
	t.Helper()
	src, err := mdfile.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// scan returns the entries in order, "id" for a note and "id: reason" for a skipped file.
func scan(t testing.TB, src *mdfile.Source) []string {
	t.Helper()
	var got []string
	for e, err := range src.Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		line := string(e.ID)
		if e.Skip != "" {
			line += ": " + e.Skip
		}
		got = append(got, line)
	}
	return got
}

func names(names ...string) map[string]string {
	files := map[string]string{}
	for _, name := range names {
		files[name] = "text\n"
	}
	return files
}

const notMemory = ": not memory but a file of the agent's host; include it by name to index it"

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opts  mdfile.Options
		files map[string]string
		want  []string
	}{
		{
			name:  "Markdown of any case, in order of id",
			files: names("b.md", "a.MD", "a/z.Markdown", "a-b.md", "c.txt", "d.md.bak", "md", "日记/三月.md"),
			want:  []string{"a-b.md", "a.MD", "a/z.Markdown", "b.md", "日记/三月.md"},
		},
		{
			name: "hidden and foreign folders",
			files: names(".git/a.md", ".memoir/a.md", ".obsidian/a.md", "memory/.dreams/a.md", ".venv/a.md", ".hidden.md",
				"x/node_modules/a.md", "venv/a.md", "x/__pycache__/a.md", "venv.md"),
			want: []string{"venv.md"},
		},
		{
			name: "OpenClaw's workspace",
			files: names("MEMORY.md", "USER.md", "AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md",
				"DREAMS.md", "memory/2026-03-02.md", "memory/AGENTS.md", "memory/a/b.md"),
			want: []string{"AGENTS.md" + notMemory, "BOOTSTRAP.md" + notMemory, "DREAMS.md" + notMemory, "HEARTBEAT.md" + notMemory,
				"IDENTITY.md" + notMemory, "MEMORY.md", "SOUL.md" + notMemory, "TOOLS.md" + notMemory, "USER.md",
				"memory/2026-03-02.md", "memory/AGENTS.md", "memory/a/b.md"},
		},
		{
			name:  "instructions are notes elsewhere",
			files: names("AGENTS.md", "notes/a.md"),
			want:  []string{"AGENTS.md", "notes/a.md"},
		},
		{
			name:  "instructions that are named",
			opts:  mdfile.Options{Include: []string{"*.md", "SOUL.md"}},
			files: names("AGENTS.md", "SOUL.md", "memory/a.md"),
			want:  []string{"AGENTS.md" + notMemory, "SOUL.md", "memory/a.md"},
		},
		{
			name:  "the older name alone",
			files: names("memory.md", "AGENTS.md"),
			want:  []string{"AGENTS.md" + notMemory, "memory.md"},
		},
		{
			name:  "ignore files",
			files: with(names("a.md", "b.md", "keep.md", "sub/a.md", "sub/c.md", "sub/deep/c.md", "out/x.md"), ".gitignore", "/a.md\r\nout/\n", "sub/.gitignore", "c.md\n!deep/c.md\n", ".memoirignore", "b.md\n"),
			want:  []string{"keep.md", "sub/a.md", "sub/deep/c.md"},
		},
		{
			name:  "own ignore file over git's, options over both",
			opts:  mdfile.Options{Exclude: []string{"*.draft.md", "!out/b.md", "!.notes/", "x/"}},
			files: with(names("a.draft.md", "out/a.md", "out/b.md", "git.md", ".notes/a.md", "x/a.md"), ".gitignore", "git.md\n", ".memoirignore", "!git.md\nout/*\n"),
			want:  []string{".notes/a.md", "git.md", "out/b.md"},
		},
		{
			name:  "memory that git ignores is said to be left out",
			files: with(names("MEMORY.md", "memory/a.md", "b.md", "c.md"), ".gitignore", "memory\nMEMORY.md\nb.md\n"),
			want:  []string{"MEMORY.md: left out by .gitignore", "c.md", "memory: left out by .gitignore"},
		},
		{
			name:  "include",
			opts:  mdfile.Options{Include: []string{"docs/", "/*.txt", "log/**", "!docs/old.md"}},
			files: names("a.md", "a.txt", "x/a.txt", "docs/a.md", "docs/old.md", "docs/pic.png", "log/a.md", "log/b/a.png", "log/b/b.md"),
			want:  []string{"a.txt", "docs/a.md", "log/a.md", "log/b/b.md"},
		},
		{
			name:  "size",
			opts:  mdfile.Options{MaxBytes: 10},
			files: map[string]string{"ten.md": "0123456789", "more.md": "0123456789a", "none.md": ""},
			want:  []string{"more.md: too large: 11 B, the limit is 10 B", "none.md", "ten.md"},
		},
		{
			name:  "no limit",
			opts:  mdfile.Options{MaxBytes: -1},
			files: map[string]string{"a.md": strings.Repeat("x", mdfile.DefaultMaxBytes+1)},
			want:  []string{"a.md"},
		},
		{
			name:  "default limit",
			files: map[string]string{"a.md": strings.Repeat("x", mdfile.DefaultMaxBytes+1), "b.md": strings.Repeat("x", mdfile.DefaultMaxBytes)},
			want:  []string{"a.md: too large: 4.0 MiB, the limit is 4.0 MiB", "b.md"},
		},
		{name: "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := open(t, workspace(t, tt.files), tt.opts)
			got := scan(t, src)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			checkReads(t, src, tt.files, got)
		})
	}
}

// with adds files, given as name and text in turn.
func with(files map[string]string, add ...string) map[string]string {
	for i := 0; i < len(add); i += 2 {
		files[add[i]] = add[i+1]
	}
	return files
}

// checkReads reads every file: what a scan lists as a note is read, anything else is refused.
func checkReads(t *testing.T, src *mdfile.Source, files map[string]string, listed []string) {
	t.Helper()
	notes := map[string]bool{}
	for _, line := range listed {
		notes[line] = true
	}
	for name := range files {
		_, err := src.Read(t.Context(), memoir.DocID(name))
		var skip *memoir.SkipError
		switch {
		case notes[name] && err != nil:
			t.Errorf("Read(%q) of a listed note: %v", name, err)
		case !notes[name] && !errors.As(err, &skip):
			t.Errorf("Read(%q) of a file that is no note: got %v, want a SkipError", name, err)
		}
	}
}

func TestLegacyNameBesideNew(t *testing.T) {
	dir := workspace(t, map[string]string{"MEMORY.md": "new\n"})
	if err := os.WriteFile(filepath.Join(dir, "memory.md"), []byte("old\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	// Where case does not count both names are one file, and the directory lists the first.
	want := []string{"MEMORY.md"}
	if entries, _ := os.ReadDir(dir); len(entries) == 2 {
		want = append(want, "memory.md: older name of MEMORY.md, which is there too")
	}
	if diff := cmp.Diff(want, scan(t, open(t, dir, mdfile.Options{}))); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestScanMeta(t *testing.T) {
	dir := workspace(t, map[string]string{"a.md": "\ufeffabc\n"})
	src := open(t, dir, mdfile.Options{})
	info, err := os.Stat(filepath.Join(dir, "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := memoir.DocumentMeta{ID: "a.md", Kind: memoir.KindNote, Size: 7, ModTime: info.ModTime()}
	for e, err := range src.Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		want.Stamp = e.Stamp // another on every file system; what is read has the same
		if diff := cmp.Diff(want, e.DocumentMeta); diff != "" || e.Stamp == 0 {
			t.Errorf("scan: stamp %d, want -, got +:\n%s", e.Stamp, diff)
		}
	}
	want.Hash = memoir.HashText("abc\n")
	doc, err := src.Read(t.Context(), "a.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(memoir.Document{DocumentMeta: want, Text: "abc\n"}, doc); diff != "" {
		t.Errorf("read: want -, got +:\n%s", diff)
	}
}

// TestScanOrder: folders that are looked at side by side are listed in the order
// of the paths, whose slashes stand behind some signs and before others.
func TestScanOrder(t *testing.T) {
	files := map[string]string{".gitignore": "*9.md\n", "b/.GITIGNORE": "x\n", "a/7/.memoirignore": "!*.md\n"}
	var want []string
	for i := range 30 {
		for _, dir := range []string{"", "a", "a-b", "a.b", "a0", "b/" + strconv.Itoa(i%4), "b/" + strconv.Itoa(i%4) + "/c", "a/" + strconv.Itoa(i%10)} {
			id := path.Join(dir, fmt.Sprintf("%02d.md", i))
			files[id] = "text\n"
			if i%10 != 9 || strings.HasPrefix(id, "a/7/") {
				want = append(want, id)
			}
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, scan(t, open(t, workspace(t, files), mdfile.Options{}))); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// TestStamp: what leaves size and modification time as they were changes the
// stamp. The clock of a file system ticks some hundred times a second, so that an
// edit is made again until it has.
func TestStamp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a listing does not tell when a file was changed there")
	}
	at := time.Now().Add(-time.Hour)
	for name, change := range map[string]func(string) error{
		"written in place": func(file string) error { return os.WriteFile(file, []byte("else\n"), 0o666) },
		"replaced": func(file string) error {
			write(t, file+".new", "else\n")
			return errors.Join(os.Chtimes(file+".new", at, at), os.Rename(file+".new", file))
		},
		"made again": func(file string) error {
			return errors.Join(os.Remove(file), os.WriteFile(file, []byte("else\n"), 0o666))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := workspace(t, names("a.md"))
			file, src := filepath.Join(dir, "a.md"), open(t, dir, mdfile.Options{})
			look := func() memoir.DocumentMeta {
				if err := os.Chtimes(file, at, at); err != nil {
					t.Fatal(err)
				}
				doc, err := src.Read(t.Context(), "a.md")
				if err != nil {
					t.Fatal(err)
				}
				for e, err := range src.Scan(t.Context()) {
					doc.Hash = ""
					if diff := cmp.Diff(e.DocumentMeta, doc.DocumentMeta); diff != "" || err != nil {
						t.Fatalf("%v; listed -, read +:\n%s", err, diff)
					}
				}
				return doc.DocumentMeta
			}
			before := look()
			after := before
			for tries := 0; after.Stamp == before.Stamp && tries < 10_000; tries++ {
				if err := change(file); err != nil {
					t.Fatal(err)
				}
				after = look()
			}
			if after.Stamp == before.Stamp || after.Size != before.Size || !after.ModTime.Equal(before.ModTime) {
				t.Errorf("before %+v, after %+v, want another stamp and nothing else", before, after)
			}
		})
	}
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, content, want, reason string }{
		{name: "empty"},
		{name: "lines kept", content: "a\r\nb\n\nc", want: "a\r\nb\n\nc"},
		{name: "byte order mark", content: "\ufeff# 日记\n", want: "# 日记\n"},
		{name: "only a byte order mark", content: "\ufeff"},
		{name: "right to left", content: "שלום 👋🏽 e\u0301\n", want: "שלום 👋🏽 e\u0301\n"},
		{name: "replacement character", content: "\ufffd", want: "\ufffd"},
		{name: "zero byte", content: "a\nb\x00c", reason: "binary file with a zero byte at line 2 (byte 3)"},
		{name: "latin 1", content: "a\n\nb caf\xe9\n", reason: "not valid UTF-8 at line 3 (byte 8), perhaps WINDOWS-1252; save it as UTF-8 (iconv -f WINDOWS-1252 -t UTF-8)"},
		{name: "GBK", content: "\xd5\xc5\xce\xb0\xb5\xc4\xb5\xe7\xbb\xb0\n", reason: "not valid UTF-8 at line 1 (byte 0), perhaps GBK; save it as UTF-8 (iconv -f GBK -t UTF-8)"},
		{name: "cut character", content: "日\xe6\x97", reason: "not valid UTF-8 at line 1 (byte 3)"},
		{name: "surrogate", content: "\xed\xa0\x80", reason: "not valid UTF-8 at line 1 (byte 0)"},
		{name: "UTF-16 little endian", content: "\xff\xfea\x00", reason: "UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
		{name: "UTF-16 big endian", content: "\xfe\xff\x00a", reason: "UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := open(t, workspace(t, map[string]string{"n.md": tt.content}), mdfile.Options{})
			doc, err := src.Read(t.Context(), "n.md")
			if got := reason(t, err); got != tt.reason || doc.Text != tt.want {
				t.Errorf("got %q, reason %q, want %q, reason %q", doc.Text, got, tt.want, tt.reason)
			}
		})
	}
}

// reason returns the reason of a SkipError, "" without an error.
func reason(t *testing.T, err error) string {
	t.Helper()
	var skip *memoir.SkipError
	if err != nil && !errors.As(err, &skip) {
		t.Fatalf("got %v, want a SkipError", err)
	}
	if skip == nil {
		return ""
	}
	return skip.Reason
}

func TestReadRefuses(t *testing.T) {
	dir := workspace(t, map[string]string{"w/a.md": "a", "secret.md": "s", "w/pic.png": "p", "w/sub/b.md": "b"})
	src := open(t, filepath.Join(dir, "w"), mdfile.Options{})
	for _, id := range []memoir.DocID{"", ".", "..", "/", "../secret.md", "sub/../../secret.md", "sub/../a.md", "./a.md", "a.md/",
		"sub//b.md", "\xff.md", "a.md\x00", memoir.DocID(filepath.ToSlash(filepath.Join(dir, "secret.md")))} {
		if _, err := src.Read(t.Context(), id); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("Read(%q): got %v, want ErrInvalid", id, err)
		}
	}
	for _, id := range []memoir.DocID{"gone.md", "gone/b.md", "a.md/b.md", "日记.md"} {
		if _, err := src.Read(t.Context(), id); !errors.Is(err, memoir.ErrNotFound) {
			t.Errorf("Read(%q): got %v, want ErrNotFound", id, err)
		}
	}
	if _, err := src.Read(t.Context(), "sub"); reason(t, err) != "not a note" {
		t.Errorf("Read of a folder: %v", err)
	}
}

func TestLongName(t *testing.T) {
	src := open(t, workspace(t, nil), mdfile.Options{})
	_, err := src.Read(t.Context(), memoir.DocID(strings.Repeat("x", 5000)+".md"))
	var skip *memoir.SkipError
	if !errors.As(err, &skip) && !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("got %v, want a SkipError or ErrNotFound", err)
	}
}

func TestUnreadable(t *testing.T) {
	dir := workspace(t, names("a.md", "closed/b.md", "ignored/c.md", "ignored/.gitignore"))
	for _, name := range []string{"a.md", "closed", "ignored/.gitignore"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "closed"), 0o777) })
	src := open(t, dir, mdfile.Options{})
	if f, err := os.Open(filepath.Join(dir, "a.md")); err == nil {
		f.Close() // a superuser, or a system without such permissions, reads all
		if diff := cmp.Diff([]string{"a.md", "closed/b.md", "ignored/c.md"}, scan(t, src)); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
		return
	}
	want := []string{"a.md", "closed: cannot be read: permission denied",
		"ignored: left out because ignored/.gitignore cannot be read: permission denied"}
	if diff := cmp.Diff(want, scan(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if _, err := src.Read(t.Context(), "a.md"); reason(t, err) != "cannot be read: permission denied" {
		t.Errorf("Read: %v", err)
	}
}

func TestUnusualNames(t *testing.T) {
	const nfc, nfd = "caf\u00e9", "cafe\u0301"
	dir := workspace(t, map[string]string{nfd + "/" + nfd + ".md": "decomposed", nfc + ".md": "composed"})
	src := open(t, dir, mdfile.Options{})
	want := []string{nfc + ".md", nfc + "/" + nfc + ".md"}
	if diff := cmp.Diff(want, scan(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	for id, text := range map[memoir.DocID]string{
		nfc + "/" + nfc + ".md": "decomposed", nfd + "/" + nfd + ".md": "decomposed", nfd + ".md": "composed",
	} {
		doc, err := src.Read(t.Context(), id)
		if err != nil || doc.Text != text {
			t.Errorf("Read(%+q) = %q, %v, want %q", id, doc.Text, err, text)
		}
	}
}

func TestNamesThatFallTogether(t *testing.T) {
	const nfc, nfd = "\u00e9", "e\u0301"
	dir := workspace(t, map[string]string{nfc + ".md": "first", nfc + "/a.md": "in composed"})
	write(t, filepath.Join(dir, nfd+".md"), "second")
	write(t, filepath.Join(dir, nfd, "b.md"), "in decomposed")
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		return // a file system where the names are one
	}
	src := open(t, dir, mdfile.Options{})
	want := []string{nfc + ".md", nfc + ".md: another file has this name in another Unicode normal form", nfc + "/a.md", nfc + "/b.md"}
	if diff := cmp.Diff(want, scan(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	for id, text := range map[memoir.DocID]string{nfc + ".md": "first", nfc + "/a.md": "in composed", nfc + "/b.md": "in decomposed"} {
		doc, err := src.Read(t.Context(), id)
		if err != nil || doc.Text != text {
			t.Errorf("Read(%+q) = %q, %v, want %q", id, doc.Text, err, text)
		}
	}
}

func TestNamesThatCannotBeCited(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return // such names cannot be made there
	}
	dir := workspace(t, names("a\nb.md", "caf\xe9.md", "\xff/a.md", "\x01.txt"))
	want := []string{"a\nb.md: its name has a control character", "caf\ufffd.md: its name is not valid UTF-8", "\ufffd: its name is not valid UTF-8"}
	if diff := cmp.Diff(want, scan(t, open(t, dir, mdfile.Options{}))); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestOpen(t *testing.T) {
	dir := workspace(t, names("a.md"))
	for _, tt := range []struct {
		name string
		dir  string
		opts mdfile.Options
		want error
	}{
		{"absent", filepath.Join(dir, "gone"), mdfile.Options{}, memoir.ErrNotFound},
		{"no name", "", mdfile.Options{}, memoir.ErrInvalid}, // not the working directory, which may be anything
		{"a file", filepath.Join(dir, "a.md"), mdfile.Options{}, memoir.ErrInvalid},
		{"bad include", dir, mdfile.Options{Include: []string{"[a"}}, memoir.ErrInvalid},
		{"bad exclude", dir, mdfile.Options{Exclude: []string{"ok", `a\`}}, memoir.ErrInvalid},
		{"empty pattern", dir, mdfile.Options{Exclude: []string{" "}}, memoir.ErrInvalid},
		{"fine", dir, mdfile.Options{}, nil},
	} {
		if _, err := mdfile.Open(tt.dir, tt.opts); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
}

// A workspace that is gone must not look like one whose notes were all deleted.
func TestVanishedWorkspace(t *testing.T) {
	dir := filepath.Join(workspace(t, names("w/a.md")), "w")
	src := open(t, dir, mdfile.Options{})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range src.Scan(t.Context()) {
		n++
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Scan: got %v", err)
		}
	}
	if n != 1 {
		t.Errorf("Scan yielded %d times, want one error", n)
	}
	var skip *memoir.SkipError
	if _, err := src.Read(t.Context(), "a.md"); err == nil || errors.Is(err, memoir.ErrNotFound) || errors.As(err, &skip) {
		t.Errorf("Read: got %v, want an error that says nothing about the note", err)
	}
	write(t, filepath.Join(dir, "b.md"), "back")
	if diff := cmp.Diff([]string{"b.md"}, scan(t, src)); diff != "" {
		t.Errorf("after it came back: want -, got +:\n%s", diff)
	}
}

func TestCancel(t *testing.T) {
	src := open(t, workspace(t, names("a.md")), mdfile.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range src.Scan(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Scan: got %v", err)
		}
	}
	if _, err := src.Read(ctx, "a.md"); !errors.Is(err, context.Canceled) {
		t.Errorf("Read: got %v", err)
	}
}

func BenchmarkScan(b *testing.B) {
	sizes := []int{367, 10_000}
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_BENCH_NOTES")); err == nil {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			files := map[string]string{"MEMORY.md": "# Facts\n", ".gitignore": "*.tmp\n/build/\n"}
			for i := range n - 1 {
				files[fmt.Sprintf("memory/%04d/%02d/%02d.md", 2000+i/372, i/31%12+1, i%31+1)] = "- a line\n"
			}
			src := open(b, workspace(b, files), mdfile.Options{})
			for b.Loop() {
				if got := len(scan(b, src)); got != n {
					b.Fatalf("got %d entries, want %d", got, n)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	text := strings.Repeat("A line of a note, 一行笔记。\n", 500)
	src := open(b, workspace(b, map[string]string{"memory/2026-03-02.md": text}), mdfile.Options{})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := src.Read(b.Context(), "memory/2026-03-02.md"); err != nil {
			b.Fatal(err)
		}
	}
}
