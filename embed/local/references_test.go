package local_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The vectors of the self-test are the rounded ones of the independent encoder.
func TestReferencesAreThose(t *testing.T) {
	data, err := os.ReadFile("references.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]struct {
		Text   string
		Query  bool
		Vector []byte
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for model, prefixes := range map[string]map[bool]string{
		"all-MiniLM-L6-v2":      {},
		"multilingual-e5-small": {true: "query: ", false: "passage: "},
	} {
		folder := map[string]string{"multilingual-e5-small": "multilingual-e5-small-q4"}[model]
		if folder == "" {
			folder = model
		}
		published := publishedVectors(t, folder)
		if len(all[model]) == 0 {
			t.Errorf("%s: no vectors", model)
		}
		for _, r := range all[model] {
			want := published[prefixes[r.Query]+r.Text]
			if len(want) != len(r.Vector) {
				t.Fatalf("%s: %q: got %d dimensions, want %d", model, r.Text, len(r.Vector), len(want))
			}
			var dot, aa, bb float64
			for i, b := range r.Vector {
				x, y := float64(int8(b)), want[i]
				dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
			}
			if cosine := dot / math.Sqrt(aa*bb); !(cosine >= 0.9999) {
				t.Errorf("%s: %q: cosine %.6f with the published vector", model, r.Text, cosine)
			}
		}
	}
}

// publishedVectors returns the reference vectors of a model by prefix and text,
// or skips.
func publishedVectors(t *testing.T, model string) map[string][]float64 {
	t.Helper()
	folder := os.Getenv("MEMOIR_TEST_REFERENCE")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "models")
	}
	f, err := os.Open(filepath.Join(folder, model, "vectors.jsonl.gz"))
	if err != nil {
		if os.Getenv("MEMOIR_TEST_DISALLOW_SKIP") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	vectors := map[string][]float64{}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct {
			Prefix, Text string
			Vector       []float64
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		vectors[r.Prefix+r.Text] = r.Vector
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return vectors
}
