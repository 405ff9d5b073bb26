package tag_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/tag"
)

func FuzzCut(f *testing.F) {
	for _, text := range []string{"a <x>b</x> c", "<X><x>b</x></X>d", "a <x", "</x><x>", "<x/></x>", "<x </x>>", "İ <x>ß</x> 潮"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before, between, after, ok := tag.Cut(text, "x")
		switch {
		case !ok && before+between+after != text:
			t.Errorf("%q becomes %q, %q, %q", text, before, between, after)
		case ok && (!strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) || !strings.Contains(text[len(before):len(text)-len(after)], between) || len(before)+len(after) >= len(text)):
			t.Errorf("%q is cut into %q, %q, %q", text, before, between, after)
		}
	})
}

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
