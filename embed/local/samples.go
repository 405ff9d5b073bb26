package local

import (
	"context"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/bert"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// sampleTexts are the texts with which a model file is tested. Each names the
// script that a model must read for it.
var sampleTexts = []struct{ script, text string }{
	{"Latin", "Alice owns the auth service."},
	{"Latin", "Die Sitzung wurde auf Mittwoch verschoben."},
	{"Latin", "DB_PASSWORD v1.2.3-rc1"},
	{"Han", "上周三我们把数据库迁移到 PostgreSQL。"},
}

// WithSamples returns a model file with a few added sentences and the vectors
// that plain Go computes for them. With these [Embedder.SelfTest] can tell on
// any machine whether the file and the machine's kernels are sound. It takes
// some hundred milliseconds for a small model, and seconds for one of 768
// dimensions.
func WithSamples(ctx context.Context, file []byte) ([]byte, error) {
	e, err := open(file, Options{})
	if err != nil {
		return nil, err
	}
	encoder, err := plainEncoder(e.file)
	if err != nil {
		return nil, err
	}
	e.encoder = func() (*bert.Encoder, error) { return encoder, nil }
	scripts := e.file.Info().Scripts
	if len(scripts) == 0 {
		scripts = []string{"Latin"}
	}
	var texts []string
	for _, s := range sampleTexts {
		if slices.Contains(scripts, s.script) {
			texts = append(texts, s.text)
		}
	}
	vectors, err := e.Embed(ctx, memoir.TaskDocument, texts)
	if err != nil {
		return nil, fmt.Errorf("compute the samples: %w", err)
	}
	samples := make([]modelfile.Sample, len(texts))
	for i, text := range texts {
		samples[i] = modelfile.Sample{Text: text, Vector: vectors[i]}
	}
	return modelfile.AddSamples(file, samples)
}

// plainEncoder computes without assembly.
func plainEncoder(f *modelfile.File) (*bert.Encoder, error) {
	kernels := vecmath.Available()
	return bert.New(f, bert.Options{Kernels: kernels[len(kernels)-1]})
}
