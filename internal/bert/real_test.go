package bert

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// The tests of this file run the published weights of multilingual-e5-small,
// converted here, against reference vectors of an independent encoder.
const (
	envModels     = "MEMOIR_TEST_MODELS"        // folder of models, default ~/.cache/memoir-models
	envReference  = "MEMOIR_TEST_REFERENCE"     // folder of reference vectors, default beside the checkout
	envNoSkipping = "MEMOIR_TEST_DISALLOW_SKIP" // 1: a missing file is a failure
	envTexts      = "MEMOIR_TEST_TEXTS"         // regular expression for the texts that are compared with reference vectors, for slow machines

	e5Folder     = "multilingual-e5-small-q4"
	miniLMFolder = "all-MiniLM-L6-v2"
)

// skipHeavy skips a test that would take minutes.
func skipHeavy(t testing.TB) {
	if testing.Short() || raceEnabled {
		t.Skip("the encoder at full size is left out of short runs and of the race detector")
	}
}

// realFile returns the path of a file that is not in the repository, or skips.
func realFile(t testing.TB, env, fallback, name string) string {
	folder := os.Getenv(env)
	if folder == "" {
		folder = fallback
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		if os.Getenv(envNoSkipping) == "1" {
			t.Fatalf("%v (set %s)", err, env)
		}
		t.Skipf("%v (set %s)", err, env)
	}
	return path
}

// convert returns the published weights as a model file; each width of the
// embeddings is converted once.
var convert = func() func(bits int, path string) ([]byte, error) {
	var mu sync.Mutex
	done := map[int][]byte{}
	return func(bits int, path string) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if done[bits] == nil {
			published, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if done[bits], err = modelfile.ConvertE5S1(published, modelfile.Options{EmbeddingBits: bits}); err != nil {
				return nil, err
			}
		}
		return done[bits], nil
	}
}()

// realModel opens the published weights with embeddings of so many bits.
func realModel(t testing.TB, bits int) *modelfile.File {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	data, err := convert(bits, realFile(t, envModels, filepath.Join(home, ".cache", "memoir-models"), e5Folder+"/e5-small-q4.bin"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A reference is a text with its vector.
type reference struct {
	Name   string
	Prefix string
	Text   string
	IDs    []int32
	Vector []float64
}

func references(t testing.TB) []reference { return referencesOf(t, e5Folder) }

// referencesOf returns the vectors of the model with this folder.
func referencesOf(t testing.TB, folder string) []reference {
	path := realFile(t, envReference, filepath.Join("..", "..", "..", "shared", "models"), folder+"/vectors.jsonl.gz")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []reference
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r reference
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d vectors, error %v", path, len(all), err)
	}
	return all
}

// TestReferenceVectors compares every implementation of the kernels, on the
// published weights, with an independent encoder.
func TestReferenceVectors(t *testing.T) {
	skipHeavy(t)
	file := realModel(t, 4)
	for _, kernels := range vecmath.Available() {
		t.Run(kernels.String(), func(t *testing.T) {
			texts, least := chosen(t, references(t)), 0.9999
			if kernels.HasInt8(file.Info().Hidden) {
				least = 0.998
			}
			if kernels.String() == "generic" {
				// Plain Go takes seconds for long texts.
				texts = slices.DeleteFunc(texts, func(r reference) bool { return len(r.IDs) > 12 })
			}
			for i, cosine := range cosines(t, file, kernels, texts) {
				if r := texts[i]; !(cosine >= least) {
					t.Errorf("%s%s: got cosine %.7f, want %v or more", r.Prefix, r.Name, cosine, least)
				}
			}
		})
	}
}

// chosen returns the texts that are to be compared: all, unless the environment
// names some. A choice of none is a failure.
func chosen(t *testing.T, texts []reference) []reference {
	t.Helper()
	expression, err := regexp.Compile(os.Getenv(envTexts))
	if err != nil {
		t.Fatalf("%s: %v", envTexts, err)
	}
	texts = slices.DeleteFunc(texts, func(r reference) bool { return !expression.MatchString(r.Prefix + r.Name) })
	if len(texts) == 0 {
		t.Fatalf("%s=%s fits no text", envTexts, expression)
	}
	return texts
}

// TestTwoBitEmbeddings bounds what embeddings of 2 bits lose. They lose most in
// a text that repeats a few tokens, or in which most tokens are unknown. There
// the errors of single tokens do not average out.
func TestTwoBitEmbeddings(t *testing.T) {
	skipHeavy(t)
	texts := references(t)
	var sum float64
	for i, cosine := range cosines(t, realModel(t, 2), nil, texts) {
		if r := texts[i]; !(cosine >= 0.99) {
			t.Errorf("%s%s: got cosine %.7f, want .99 or more", r.Prefix, r.Name, cosine)
		}
		sum += cosine
	}
	if average := sum / float64(len(texts)); !(average >= 0.996) {
		t.Errorf("average of %d texts: got cosine %.7f, want .996 or more", len(texts), average)
	}
}

// cosines embeds the texts and returns how far each is from its reference.
func cosines(t *testing.T, file *modelfile.File, kernels *vecmath.Kernels, texts []reference) []float64 {
	t.Helper()
	encoder, err := New(file, Options{Kernels: kernels})
	if err != nil {
		t.Fatal(err)
	}
	var ids [][]int32
	for _, r := range texts {
		ids = append(ids, r.IDs)
	}
	vectors, err := encoder.Embed(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for i, r := range texts {
		all = append(all, cosine(vectors[i], r.Vector))
	}
	t.Logf("%s: least cosine of %d texts: 1 - %.1e", encoder.Kernels(), len(texts), 1-slices.Min(all))
	return all
}

func cosine(a []float32, b []float64) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), b[i]
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return dot / math.Sqrt(aa*bb)
}

// BenchmarkNew opens a model file and builds the encoder.
func BenchmarkNew(b *testing.B) {
	file := realModel(b, 2)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(file, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEmbed embeds a query of 16 tokens and many passages of 250.
func BenchmarkEmbed(b *testing.B) {
	file := realModel(b, 2)
	for _, size := range []struct{ texts, tokens, workers int }{
		{1, 16, 1}, {1, 16, 0}, {1, 250, 1}, {1, 250, 0}, {100, 16, 0}, {16, 250, 1}, {16, 250, 0}, {4, 512, 0},
	} {
		for _, kernels := range vecmath.Available() {
			name := fmt.Sprintf("texts=%d/tokens=%d/workers=%d/cpu=%s", size.texts, size.tokens, size.workers, kernels)
			b.Run(name, func(b *testing.B) {
				if kernels.String() == "generic" && size.texts*size.tokens > 1000 {
					b.Skip("plain Go takes seconds for each text")
				}
				encoder, err := New(file, Options{Kernels: kernels, Workers: size.workers})
				if err != nil {
					b.Fatal(err)
				}
				texts := make([][]int32, size.texts)
				for i := range texts {
					for j := range size.tokens {
						texts[i] = append(texts[i], int32(5+(i*7919+j*104729)%250000))
					}
				}
				for b.Loop() {
					if _, err := encoder.Embed(b.Context(), texts); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(size.texts*b.N)/b.Elapsed().Seconds(), "texts/s")
			})
		}
	}
}
