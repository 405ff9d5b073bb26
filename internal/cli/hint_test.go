package cli

import "testing"

// TestShellQuoted: a shell reads back every byte of a word, and a terminal shows none that steers it.
func TestShellQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"a.md":            "a.md",
		"it's":            `'it'\''s'`,
		"a\x1b'b\\.md":    `$'a\x1b\'b\\.md'`,
		"数\u202e.md":      `$'数\xe2\x80\xae.md'`,
		"a\xff\ufffd.md":  `$'a\xff` + "\ufffd" + `.md'`,
		"a\xffb\n\x1b.md": `$'a\xffb\x0a\x1b.md'`,
	} {
		if got := shellQuoted(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}
