package modelfile

import (
	"encoding/json"
	"fmt"
)

// Sample is a text with the vector that the model makes of it, as a document.
type Sample struct {
	Text   string
	Vector []float32 // of Hidden numbers and length 1, rounded to 8 bits
}

const (
	samplesSection = "samples"         // the texts, a JSON list
	vectorsSection = "samples.vectors" // their vectors, [KindQ8Rows]
	maxSamples     = 64
)

// Samples returns the texts whose vectors are stored in the file; there may be
// none. A machine that computes other vectors for them has a damaged file or
// wrong kernels. The error wraps [ErrDamaged].
func (f *File) Samples() ([]Sample, error) {
	texts := f.find(samplesSection)
	if texts == nil {
		return nil, nil
	}
	var list []string
	if err := json.Unmarshal(texts.data, &list); err != nil {
		return nil, fmt.Errorf("%w: section %q: %w", ErrDamaged, samplesSection, err)
	}
	vectors, err := f.Embedding(vectorsSection)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(list) != vectors.Rows {
		return nil, fmt.Errorf("%w: %d samples with %d vectors", ErrDamaged, len(list), vectors.Rows)
	}
	samples := make([]Sample, len(list))
	for i, text := range list {
		samples[i] = Sample{Text: text, Vector: make([]float32, vectors.Dim)}
		vectors.Row(i, samples[i].Vector)
	}
	return samples, nil
}

// AddSamples returns the file with these samples in place of its own.
func AddSamples(file []byte, samples []Sample) ([]byte, error) {
	f, err := Parse(file)
	if err != nil {
		return nil, err
	}
	w := new(Writer)
	for _, s := range f.sections {
		if s.name != infoSection && s.name != samplesSection && s.name != vectorsSection {
			w.add(s.name, s.kind, s.rows, s.cols, s.data)
		}
	}
	if len(samples) > 0 {
		var texts []string
		var vectors []float32
		for _, s := range samples {
			texts, vectors = append(texts, s.Text), append(vectors, s.Vector...)
		}
		list, err := json.Marshal(texts)
		if err != nil {
			return nil, err
		}
		w.Bytes(samplesSection, list)
		w.Table(vectorsSection, len(samples), f.info.Hidden, 8, vectors)
	}
	return w.File(f.info)
}

// checkSamples returns an error unless texts and vectors are both there, or
// neither is.
func (f *File) checkSamples() error {
	texts, vectors := f.find(samplesSection), f.find(vectorsSection)
	if texts == nil && vectors == nil {
		return nil
	}
	if texts == nil || vectors == nil || texts.kind != KindBytes || len(texts.data) > maxInfoLength || vectors.rows > maxSamples {
		return fmt.Errorf("sections %q and %q do not fit together", samplesSection, vectorsSection)
	}
	return f.checkShape(vectorsSection, vectors.rows, f.info.Hidden, KindQ8Rows)
}
