package secret_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/secret"
)

func TestCorpora(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "evals", "*", "corpus.jsonl.gz"))
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, _ := gzip.NewReader(f)
		d := json.NewDecoder(z)
		n, docs, bytes := 0, 0, 0
		for {
			var c struct{ Text string }
			if d.Decode(&c) != nil {
				break
			}
			docs++
			bytes += len(c.Text)
			for _, s := range secret.Find(c.Text) {
				n++
				a, b := max(0, s.Start-60), min(len(c.Text), s.End+30)
				t.Logf("%s %s «%s» in %q", filepath.Base(filepath.Dir(file)), s.Kind, c.Text[s.Start:s.End], c.Text[a:b])
			}
		}
		f.Close()
		t.Logf("== %s: %d found in %d documents, %d kB", filepath.Base(filepath.Dir(file)), n, docs, bytes>>10)
	}
}
