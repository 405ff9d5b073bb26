package mapped_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/mapped"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", "a", string(make([]byte, 100_001))} {
		path := filepath.Join(dir, "模型")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := mapped.Open(path)
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
		if _, err := mapped.Open(path); err == nil {
			t.Errorf("%s: got no error", path)
		}
	}
}
