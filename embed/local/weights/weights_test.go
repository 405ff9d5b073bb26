//go:build !nomodel

package weights_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/internal/modelfile"
)

func TestFileIsWhole(t *testing.T) {
	f, err := modelfile.Parse(weights.File())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
	if info := f.Info(); info.Licence != "MIT" || info.LicenceText == "" || info.Origin == "" {
		t.Errorf("licence %q, %d bytes of its text, origin %q: want all three", info.Licence, len(info.LicenceText), info.Origin)
	}
	if f.Size() > 45_000_000 {
		t.Errorf("got %d bytes, want 45 million at most", f.Size())
	}
}

func open(t testing.TB) *local.Embedder {
	t.Helper()
	e, err := local.New(weights.File(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// Each question is nearest to the passage that answers it, though they share
// no word; one question is in another language than its passage.
func TestMeaning(t *testing.T) {
	passages := []string{
		"Photograph every cab receipt and upload it to the expenses portal.",
		"Bake the loaf for forty minutes and let it cool on a rack.",
		"洗衣机放到夜里十一点以后跑，一个月账单少八十块。",
		"孩子体温超过三十八度五再吃药，多喝水。",
		"猫は毎朝六時に起きて、窓のそばで日光浴をする。",
	}
	questions := map[string]int{
		"how do I get reimbursed for a taxi?": 0,
		"when is the bread done?":             1,
		"怎样省电费？":                              2,
		"what to do when my son has a fever?": 3,
		"うちのペットは朝何をしている？":                     4,
	}
	e := open(t)
	vectors, err := e.Embed(t.Context(), memoir.TaskDocument, passages)
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range questions {
		q, err := e.Embed(t.Context(), memoir.TaskQuery, []string{question})
		if err != nil {
			t.Fatal(err)
		}
		best := 0
		for i := range vectors {
			if cosine(q[0], vectors[i]) > cosine(q[0], vectors[best]) {
				best = i
			}
		}
		if best != want {
			t.Errorf("%s: nearest is %q, want %q", question, passages[best], passages[want])
		}
	}
}

func TestOddTexts(t *testing.T) {
	long := make([]byte, 1<<20)
	for i := range long {
		long[i] = "word "[i%5]
	}
	e := open(t)
	vectors, err := e.Embed(t.Context(), memoir.TaskDocument, []string{"", "\xff\xfe\x00", string(long), "👩‍👩‍👧‍👦", "שלום עולם"})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if len(v) != e.Space().Dimensions {
			t.Errorf("text %d: got %d dimensions, want %d", i, len(v), e.Space().Dimensions)
		}
		if n := cosine(v, v); math.Abs(n-1) > 1e-6 {
			t.Errorf("text %d: the vector has no direction", i)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t).Embed(ctx, memoir.TaskQuery, []string{"alpha"}); err == nil {
		t.Error("got no error, want the context's")
	}
}

// The whole way from text to vector, against an independent encoder over the
// published weights.
func TestReferenceVectors(t *testing.T) {
	folder := os.Getenv("MEMOIR_TEST_REFERENCE")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "models")
	}
	f, err := os.Open(filepath.Join(folder, "multilingual-e5-small-q4", "vectors.jsonl.gz"))
	if err != nil {
		if os.Getenv("MEMOIR_TEST_DISALLOW_SKIP") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	e := open(t)
	tasks := map[string]memoir.Task{"query: ": memoir.TaskQuery, "passage: ": memoir.TaskDocument}
	n := 0
	for lines := bufio.NewScanner(z); lines.Scan(); n++ {
		var r struct {
			Name, Prefix, Text string
			Vector             []float32
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if testing.Short() && len(r.Text) > 200 {
			continue
		}
		got, err := e.Embed(t.Context(), tasks[r.Prefix], []string{r.Text})
		if err != nil {
			t.Fatal(err)
		}
		if c := cosine(got[0], r.Vector); !(c >= .99) {
			t.Errorf("%s%s: got a cosine of %.4f, want .99 or more", r.Prefix, r.Name, c)
		}
	}
	if n == 0 {
		t.Error("there is no reference vector")
	}
}

func BenchmarkFirstQuery(b *testing.B) {
	for b.Loop() {
		if _, err := open(b).Embed(b.Context(), memoir.TaskQuery, []string{"how do I get reimbursed for a taxi?"}); err != nil {
			b.Fatal(err)
		}
	}
}

func Example() {
	e, err := local.New(weights.File(), local.Options{})
	if err != nil {
		log.Fatal(err)
	}
	vectors, err := e.Embed(context.Background(), memoir.TaskQuery, []string{"怎样省电费？"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Space().Model, len(vectors[0]))
	// Output: multilingual-e5-small 384
}
