package tag_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/tag"
)

func FuzzWithoutPrivate(f *testing.F) {
	for _, text := range []string{"a <private>b</private> c", "<PRIVATE><private>b</private></Private> d", "a <private", "</private>", "<private>", "İ <private>ß</private> 潮"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := tag.WithoutPrivate(text)
		if len(got) > len(text) || !strings.Contains(strings.ToLower(text), "<private") && got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
