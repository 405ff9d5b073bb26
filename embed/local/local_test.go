package local_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
)

// A build without a model says what meaning needs, and both ways to get it.
func TestNoModel(t *testing.T) {
	_, err := local.New(nil, local.Options{})
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "meaning needs a provider or an installed model") {
		t.Errorf("got %v, want ErrUnavailable and what meaning needs", err)
	}
	for _, way := range []string{"memoir model pull", "set provider"} {
		if !strings.Contains(memoir.Hint(err), way) {
			t.Errorf("got the hint %q, want it to name %q", memoir.Hint(err), way)
		}
	}
}

func TestDamagedModel(t *testing.T) {
	for name, file := range map[string][]byte{
		"text":  []byte("# a note, not a model\n"),
		"zeros": bytes.Repeat([]byte{0}, 4096),
	} {
		if _, err := local.New(file, local.Options{}); err == nil || memoir.Hint(err) == "" {
			t.Errorf("%s: got %v with the hint %q, want an error with one", name, err, memoir.Hint(err))
		}
	}
}
