package bert

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// miniLM converts the published folder of all-MiniLM-L6-v2.
func miniLM(t testing.TB, weights, embeddings int) *modelfile.File {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	path := realFile(t, envModels, filepath.Join(home, ".cache", "memoir-models"), miniLMFolder+"/model.safetensors")
	data, err := modelfile.ConvertFolder(os.DirFS(filepath.Dir(path)), modelfile.Options{
		Name: miniLMFolder, WeightBits: weights, EmbeddingBits: embeddings,
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestMiniLMIDs compares the WordPiece tokenizer, as it was converted, with the
// library that the reference was made with.
func TestMiniLMIDs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	f := miniLM(t, 4, 4)
	tokenizer, err := f.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range referencesOf(t, miniLMFolder) {
		if got := tokenizer.Encode(nil, r.Prefix+r.Text, f.Info().MaxTokens); !slices.Equal(got, r.IDs) {
			t.Errorf("%s: got ids %v, want %v", r.Name, got, r.IDs)
		}
	}
}

// TestMiniLMVectors compares every width on every implementation of the kernels
// with an independent encoder on the published weights.
func TestMiniLMVectors(t *testing.T) {
	skipHeavy(t)
	for _, c := range []struct {
		weights, embeddings int
		least               float64
	}{
		{32, 32, 0.9999999}, {16, 16, 0.99999}, {8, 8, 0.999}, {4, 4, 0.89},
	} {
		t.Run(fmt.Sprintf("bits=%d", c.weights), func(t *testing.T) {
			file := miniLM(t, c.weights, c.embeddings)
			for _, kernels := range vecmath.Available() {
				t.Run(kernels.String(), func(t *testing.T) { checkMiniLM(t, file, kernels, c.least) })
			}
		})
	}
}

func checkMiniLM(t *testing.T, file *modelfile.File, kernels *vecmath.Kernels, least float64) {
	texts := chosen(t, referencesOf(t, miniLMFolder))
	if kernels.HasInt8(file.Info().Hidden) {
		least = min(least, 0.998)
	}
	if kernels.String() == "generic" {
		// Plain Go takes seconds for long texts.
		texts = slices.DeleteFunc(texts, func(r reference) bool { return len(r.IDs) > 12 })
	}
	for i, cosine := range cosines(t, file, kernels, texts) {
		if !(cosine >= least) {
			t.Errorf("%s: got cosine %.7f, want %v or more", texts[i].Name, cosine, least)
		}
	}
}

// BenchmarkWidths embeds a query of 16 tokens and a passage of 250 with weights
// of each width.
func BenchmarkWidths(b *testing.B) {
	for _, bits := range []int{4, 8, 16, 32} {
		file := miniLM(b, bits, 8)
		for _, kernels := range vecmath.Available() {
			encoder, err := New(file, Options{Workers: 1, Kernels: kernels})
			if err != nil {
				b.Fatal(err)
			}
			for _, tokens := range []int{16, 250} {
				text := make([]int32, tokens)
				for i := range text {
					text[i] = int32(1000 + i*104729%29000)
				}
				b.Run(fmt.Sprintf("bits=%d/tokens=%d/cpu=%s", bits, tokens, kernels), func(b *testing.B) {
					for b.Loop() {
						if _, err := encoder.Embed(b.Context(), [][]int32{text}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
