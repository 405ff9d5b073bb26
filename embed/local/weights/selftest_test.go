//go:build !nomodel

package weights_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/internal/modelfile"
)

// The model inside passes its own self-test; a copy with one bit changed does not.
func TestSelfTest(t *testing.T) {
	if testing.Short() {
		t.Skip("the encoder at full size is left out of short runs")
	}
	e, err := local.New(weights.File(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.SelfTest(t.Context())
	if err != nil || got.References == 0 || got.Kernels == "" {
		t.Errorf("got %+v, error %v", got, err)
	}
	t.Logf("%+v", got)

	damaged := slices.Clone(weights.File())
	damaged[len(damaged)/2] ^= 1
	if e, err = local.New(damaged, local.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.SelfTest(t.Context()); !errors.Is(err, local.ErrSelfTest) {
		t.Errorf("one bit changed: got %v, want %v", err, local.ErrSelfTest)
	}
}

// A file with samples passes by them; one whose samples are of another model does
// not.
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("the encoder at full size is left out of short runs")
	}
	file, err := local.WithSamples(t.Context(), weights.File())
	if err != nil {
		t.Fatal(err)
	}
	test := func(file []byte) (local.SelfTest, error) {
		e, err := local.New(file, local.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return e.SelfTest(t.Context())
	}
	if got, err := test(file); err != nil || got.Plain < 0.99 {
		t.Errorf("got %+v, error %v", got, err)
	}
	parsed, err := modelfile.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := parsed.Samples()
	if err != nil || len(samples) < 4 {
		t.Fatalf("got %d samples, error %v", len(samples), err)
	}
	slices.Reverse(samples[1].Vector)
	if file, err = modelfile.AddSamples(file, samples); err != nil {
		t.Fatal(err)
	}
	if got, err := test(file); !errors.Is(err, local.ErrSelfTest) {
		t.Errorf("another model's sample: got %+v, error %v", got, err)
	}
}
