package mdfile

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"
)

// growing is a file that gets longer, newer or shorter whenever it was read.
type growing struct {
	fs.File
	file *fstest.MapFile
	left *int // how often it still changes
	edit func(*fstest.MapFile)
	fsys fstest.MapFS
}

func (g *growing) Read(p []byte) (int, error) {
	n, err := g.File.Read(p)
	if n > 0 && *g.left > 0 {
		*g.left--
		g.edit(g.file)
	}
	return n, err
}

func (g *growing) Stat() (fs.FileInfo, error) { return g.fsys.Stat("n.md") }

func TestReadFileThatChanges(t *testing.T) {
	grow := func(f *fstest.MapFile) { f.Data = append(bytes.Clone(f.Data), "more\n"...) }
	touch := func(f *fstest.MapFile) { f.ModTime = f.ModTime.Add(time.Second) }
	shrink := func(f *fstest.MapFile) { f.Data = f.Data[:1] }
	swell := func(f *fstest.MapFile) { f.Data = make([]byte, 101) }
	for _, tt := range []struct {
		name    string
		changes int
		edit    func(*fstest.MapFile)
		want    string
		reason  string
	}{
		{"once", 1, grow, "text\nmore\n", ""},
		{"twice", 2, grow, "text\nmore\nmore\n", ""},
		{"rewritten at the same length", 1, touch, "text\n", ""},
		{"cut", 1, shrink, "t", ""},
		{"without end", 100, grow, "", errChanging.reason},
		{"over the limit", 1, swell, "", "too large: 101 B, the limit is 100 B"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := &fstest.MapFile{Data: []byte("text\n"), ModTime: time.Unix(1e9, 0)}
			fsys := fstest.MapFS{"n.md": file}
			left := tt.changes
			src := &Source{maxBytes: 100}
			data, _, err := src.readFile(func() (fs.File, error) {
				f, err := fsys.Open("n.md")
				return &growing{f, file, &left, tt.edit, fsys}, err
			})
			var refused *refusedError
			reason := ""
			if errors.As(err, &refused) {
				reason = refused.reason
			}
			if string(data) != tt.want || reason != tt.reason {
				t.Errorf("got %q, %v, want %q, reason %q", data, err, tt.want, tt.reason)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "a\n", "\ufeffa", "\xff\xfea", "a\x00", "\xe9"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, problem := decode(data)
		if problem == "" && (len(text) != len(data) && len(text) != len(data)-3 || !bytes.HasSuffix(data, []byte(text))) {
			t.Errorf("decode(%q) = %q", data, text)
		}
		if problem != "" && text != "" {
			t.Errorf("decode(%q) = %q and %q", data, text, problem)
		}
	})
}
