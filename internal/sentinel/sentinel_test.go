package sentinel_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/memoir-ai/memoir/internal/sentinel"
)

func TestAs(t *testing.T) {
	kind := errors.New("kind")
	err := fmt.Errorf("wrapped: %w", sentinel.As(fmt.Errorf("a: %w", fs.ErrExist), kind))
	if want := "wrapped: a: file already exists"; err.Error() != want || !errors.Is(err, kind) || !errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %q, want %q that matches both and no other", err, want)
	}
}
