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
	for name, file := range map[string][]byte{"a changed bit": bad, "text": []byte("# notes"), "nothing": nil} {
		if _, err := dir.Install("tiny", file); !errors.Is(err, modelfile.ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, modelfile.ErrDamaged)
		}
	}
	if got, err := os.ReadFile(filepath.Join(path, "tiny.memoir")); err != nil || string(got) != string(good) {
		t.Errorf("got %d bytes, error %v; want the good file", len(got), err)
	}
	if err := os.WriteFile(filepath.Join(path, "bad.memoir"), []byte("x"), 0o600); err != nil {
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
	})
}
