//go:build !nomodel

package weights_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
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
