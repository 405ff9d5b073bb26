package local_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
)

func TestNoModel(t *testing.T) {
	_, err := local.New(nil, local.Options{})
	if !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) == "" {
		t.Errorf("got %v with the hint %q, want ErrUnavailable with one", err, memoir.Hint(err))
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
