package crossencoder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/bert"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// reference is what an independent implementation makes of a pair.
type reference struct {
	Query, Passage string
	IDs, Types     []int32
	Score          float64
}

func references(t *testing.T) map[string][]reference {
	t.Helper()
	data, err := os.ReadFile("testdata/references.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]reference
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// published are the models that the references are of.
func published() map[string]map[string][]byte {
	return map[string]map[string][]byte{"bert": embedtest.PublishedCrossEncoder(11), "xlm-roberta": embedtest.PublishedRobertaCrossEncoder(12)}
}

// convert makes a model file of published ones.
func convert(t *testing.T, files map[string][]byte, bits int) []byte {
	t.Helper()
	folder := fstest.MapFS{}
	for name, data := range files {
		folder[name] = &fstest.MapFile{Data: data}
	}
	file, err := modelfile.ConvertFolder(folder, modelfile.Options{Name: "tiny", WeightBits: bits, EmbeddingBits: bits})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func open(t *testing.T, file []byte) *Reranker {
	t.Helper()
	r, err := New(file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two texts are read as one as the library that models are published with reads them.
func TestPairs(t *testing.T) {
	for name, files := range published() {
		r := open(t, convert(t, files, 8))
		limit := r.file.Info().MaxTokens
		for _, ref := range references(t)[name] {
			got := r.pair(r.tokenizer.Encode(nil, ref.Query, limit), r.tokenizer.Encode(nil, ref.Passage, limit))
			want := bert.Pair{IDs: ref.IDs, Second: slices.Index(ref.Types, 1)}
			if want.Second < 0 {
				want.Second = got.Second // both texts have one type
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %q and %q: want -, got +:\n%s", name, ref.Query, ref.Passage, diff)
			}
		}
	}
}

// Every set of kernels gives the scores of an independent implementation. With
// numbers of 8 bits, which random weights amplify layer by layer, they are near.
func TestScores(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for name, files := range published() {
		for bits, most := range map[int]float64{32: 1e-4, 16: 0.05, 8: 1} {
			for _, kernels := range vecmath.Available() {
				t.Run(fmt.Sprintf("%s/%d/%s", name, bits, kernels), func(t *testing.T) {
					r := open(t, convert(t, files, bits))
					most := most
					if kernels.HasInt8(r.file.Info().Hidden) {
						most = 1
					}
					encoder, err := bert.New(r.file, bert.Options{Kernels: kernels})
					if err != nil {
						t.Fatal(err)
					}
					r.encoder = func() (*bert.Encoder, error) { return encoder, nil }
					for _, ref := range references(t)[name] {
						got, err := r.Rerank(t.Context(), ref.Query, []string{ref.Passage})
						if err != nil {
							t.Fatal(err)
						}
						if !(math.Abs(got[0]-ref.Score) <= most) {
							t.Errorf("%q and %q: got %.6f, want %.6f", ref.Query, ref.Passage, got[0], ref.Score)
						}
					}
				})
			}
		}
	}
}

// Passages together have the same scores as alone, in their order.
func TestOrder(t *testing.T) {
	r := open(t, convert(t, published()["bert"], 8))
	var passages []string
	for i := range 40 {
		passages = append(passages, strings.Repeat("abc def ", i%7)+string(rune('a'+i%26)))
	}
	all, err := r.Rerank(t.Context(), "which letter", passages)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range passages {
		alone, err := r.Rerank(t.Context(), "which letter", []string{p})
		if err != nil || alone[0] != all[i] {
			t.Errorf("passage %d: got %v, %v; want %v", i, alone, err, all[i])
		}
	}
	if none, err := r.Rerank(t.Context(), "x", nil); err != nil || len(none) != 0 {
		t.Errorf("no passages: got %v, %v", none, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Rerank(ctx, "x", passages); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if got := r.Model(); got != "tiny" {
		t.Errorf("got the model %q", got)
	}
}

func TestNotACrossEncoder(t *testing.T) {
	if _, err := New(convert(t, embedtest.Published(1), 8)); !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" {
		t.Errorf("an encoder: got %v", err)
	}
	if _, err := New([]byte("GGUF")); !errors.Is(err, modelfile.ErrForeign) {
		t.Errorf("another file: got %v", err)
	}
}

func BenchmarkRerank(b *testing.B) {
	folder := fstest.MapFS{}
	for name, data := range embedtest.PublishedCrossEncoder(1) {
		folder[name] = &fstest.MapFile{Data: data}
	}
	file, err := modelfile.ConvertFolder(folder, modelfile.Options{Name: "tiny"})
	if err != nil {
		b.Fatal(err)
	}
	r, err := New(file)
	if err != nil {
		b.Fatal(err)
	}
	passages := slices.Repeat([]string{"a passage of a dozen words that says who owns the service"}, 25)
	for b.Loop() {
		if _, err := r.Rerank(b.Context(), "who owns the auth service", passages); err != nil {
			b.Fatal(err)
		}
	}
}
