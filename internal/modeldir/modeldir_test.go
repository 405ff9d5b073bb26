package modeldir_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/modeldir"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/regular"
)

// tiny returns a model file.
func tiny(t *testing.T, seed uint64) []byte {
	t.Helper()
	folder := fstest.MapFS{}
	for name, data := range embedtest.Published(seed) {
		folder[name] = &fstest.MapFile{Data: data}
	}
	file, err := modelfile.ConvertFolder(folder, modelfile.Options{Name: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestInstall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "数据", "models")
	dir := modeldir.New(path)
	if got, err := dir.Names(); err != nil || len(got) != 0 {
		t.Errorf("of no folder: got %q, error %v", got, err)
	}
	file := tiny(t, 1)
	for _, name := range []string{"tiny", "模型", "tiny"} {
		if _, err := dir.Install(name, file); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{"notes.txt", ".hidden.memoir", "con.memoir"} {
		if err := os.WriteFile(filepath.Join(path, other), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := dir.Names()
	if diff := cmp.Diff(got, []string{"tiny", "模型"}); err != nil || diff != "" {
		t.Errorf("error %v, got - want +:\n%s", err, diff)
	}
	m, err := modeldir.Open(filepath.Join(path, "tiny.memoir"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Info().Name != "tiny" || string(m.Bytes()) != string(file) {
		t.Errorf("got the model %q of %d bytes", m.Info().Name, len(m.Bytes()))
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := dir.Remove("tiny"); err != nil {
		t.Fatal(err)
	}
	if err := dir.Remove("tiny"); !errors.Is(err, modeldir.ErrMissing) {
		t.Errorf("removed twice: got %v, want %v", err, modeldir.ErrMissing)
	}
}

// What is no model file is neither replaced nor removed; a damaged one is.
func TestForeign(t *testing.T) {
	path := t.TempDir()
	dir, file := modeldir.New(path), tiny(t, 1)
	note := filepath.Join(path, "note.memoir")
	if err := os.WriteFile(note, []byte("# Mia\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Install("note", file); !errors.Is(err, modelfile.ErrForeign) {
		t.Errorf("Install: got %v, want %v", err, modelfile.ErrForeign)
	}
	if err := dir.Remove("note"); !errors.Is(err, modelfile.ErrForeign) {
		t.Errorf("Remove: got %v, want %v", err, modelfile.ErrForeign)
	}
	if got, err := os.ReadFile(note); err != nil || string(got) != "# Mia\n" {
		t.Errorf("the note is %q now, %v", got, err)
	}
	for _, next := range []func() error{
		func() error { return dir.Remove("cut") },
		func() error { _, err := dir.Install("cut", file); return err },
	} {
		if err := os.WriteFile(filepath.Join(path, "cut.memoir"), file[:100], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := next(); err != nil {
			t.Errorf("of a damaged model: %v", err)
		}
	}
}

// An installed model is no link; a path that a person names may be one.
func TestLinks(t *testing.T) {
	path, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "m.memoir")
	dir, file := modeldir.New(path), tiny(t, 1)
	if err := os.WriteFile(elsewhere, file, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(path, "m.memoir")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	_, openErr := modeldir.Open(link)
	_, installErr := dir.Install("m", tiny(t, 2))
	for what, err := range map[string]error{"Open": openErr, "Install": installErr, "Remove": dir.Remove("m")} {
		if !errors.Is(err, regular.ErrKind) {
			t.Errorf("%s: got %v, want %v", what, err, regular.ErrKind)
		}
	}
	if got, err := os.ReadFile(elsewhere); err != nil || string(got) != string(file) {
		t.Errorf("the file is %d bytes now, %v", len(got), err)
	}
	m, err := modeldir.Follow(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}

	// Nor are the folders for what is known of models.
	for _, name := range []string{".downloads", ".tested"} {
		if err := os.Symlink(filepath.Dir(elsewhere), filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := dir.MarkTested("sum", "plain"); err == nil {
		t.Error("a mark was made through a link")
	}
	if _, err := dir.Downloads("owner", "name"); err == nil {
		t.Error("downloads may go through a link")
	}
	if entries, err := os.ReadDir(filepath.Dir(elsewhere)); err != nil || len(entries) != 1 {
		t.Errorf("elsewhere are %v, %v", entries, err)
	}
}

// What is damaged is not installed, and leaves what was there.
func TestInstallDamaged(t *testing.T) {
	path := t.TempDir()
	dir := modeldir.New(path)
	good := tiny(t, 1)
	if _, err := dir.Install("tiny", good); err != nil {
		t.Fatal(err)
	}
	bad := append([]byte(nil), good...)
	bad[len(bad)-100] ^= 1
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{{"a changed bit", bad, modelfile.ErrDamaged}, {"text", []byte("# notes"), modelfile.ErrForeign}, {"nothing", nil, modelfile.ErrForeign}} {
		if _, err := dir.Install("tiny", c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	if got, err := os.ReadFile(filepath.Join(path, "tiny.memoir")); err != nil || string(got) != string(good) {
		t.Errorf("got %d bytes, error %v; want the good file", len(got), err)
	}
	if err := os.WriteFile(filepath.Join(path, "bad.memoir"), good[:100], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := modeldir.Open(filepath.Join(path, "bad.memoir")); !errors.Is(err, modelfile.ErrDamaged) {
		t.Errorf("got %v, want %v", err, modelfile.ErrDamaged)
	}
	if _, err := modeldir.Open(filepath.Join(path, "none.memoir")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "all-MiniLM-L6-v2", "模型_1", "console", "bge-small-en-v1.5"} {
		if err := modeldir.CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, "a\x00b", "C:x", "NUL", "con.x", "Com1", "a..b", "a.", "-a", " a", "a b", "Inside", strings.Repeat("a", 101)} {
		if err := modeldir.CheckName(name); !errors.Is(err, modeldir.ErrName) {
			t.Errorf("%q: got %v, want %v", name, err, modeldir.ErrName)
		}
	}
	if _, err := modeldir.New("").Path("a"); !errors.Is(err, modeldir.ErrNoFolder) {
		t.Errorf("no folder: got %v, want %v", err, modeldir.ErrNoFolder)
	}
}

func TestTested(t *testing.T) {
	dir := modeldir.New(t.TempDir())
	for range 2 {
		for _, kernels := range []string{"avx2", "neon"} {
			if err := dir.MarkTested("0a", kernels); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		sum, kernels string
		want         bool
	}{{"0a", "avx2", true}, {"0a", "neon", true}, {"0a", "avx", false}, {"0b", "avx2", false}} {
		if got := dir.Tested(tt.sum, tt.kernels); got != tt.want {
			t.Errorf("%s with %s: got %v, want %v", tt.sum, tt.kernels, got, tt.want)
		}
	}
}

// Folders of downloads are apart, and below the folder, whatever the parts are.
func FuzzDownloads(f *testing.F) {
	f.Add("owner", "name", "owner", "name")
	f.Add("..", "..", "a/b", "c")
	f.Add("a@b", "c", "a", "b@c")
	f.Add("owner", strings.Repeat(".", 5000), "owner", strings.Repeat(".", 5001))
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		dir := modeldir.New("models")
		one, err := dir.Downloads(a, b)
		if err != nil {
			t.Fatal(err)
		}
		two, err := dir.Downloads(c, d)
		if err != nil {
			t.Fatal(err)
		}
		if (one == two) != (a == c && b == d) {
			t.Errorf("(%q, %q) and (%q, %q) give %q and %q", a, b, c, d, one, two)
		}
		if filepath.Dir(one) != filepath.Join("models", ".downloads") {
			t.Errorf("(%q, %q): got %q", a, b, one)
		}
		if n := len(filepath.Base(one)); n > 255 {
			t.Errorf("(%q, %q): a name of %d bytes, more than file systems take", a, b, n)
		}
	})
}
