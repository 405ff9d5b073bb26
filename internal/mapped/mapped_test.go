package mapped_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/mapped"
)

// open maps the file at a path, which is closed meanwhile.
func open(path string) (*mapped.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return mapped.Of(f)
}

func TestOf(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", "a", string(make([]byte, 100_001))} {
		path := filepath.Join(dir, "模型")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(f.Bytes()) != content {
			t.Errorf("got %d bytes, want %d", len(f.Bytes()), len(content))
		}
		for range 2 {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "nowhere")} {
		if _, err := open(path); err == nil {
			t.Errorf("%s: got no error", path)
		}
	}
}
