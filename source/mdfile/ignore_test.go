package mdfile

import (
	"strings"
	"testing"
)

func parsed(t *testing.T, text, base string) rules {
	t.Helper()
	rs, ok := parseIgnore(text, base)
	if !ok {
		t.Fatalf("%.80q is refused", text)
	}
	return rs
}

// The cases follow gitignore(5).
func TestIgnorePatterns(t *testing.T) {
	for _, tt := range []struct {
		patterns string
		path     string // a trailing slash makes it a folder
		want     verdict
	}{
		{"a.md", "a.md", ignored},
		{"a.md", "x/y/a.md", ignored},
		{"/a.md", "x/a.md", undecided},
		{"x/a.md", "x/a.md", ignored},
		{"x/a.md", "y/x/a.md", undecided},
		{"x/", "x/", ignored},
		{"x/", "x", undecided},
		{"x/", "y/x/", ignored},
		{"/x/", "y/x/", undecided},
		{"*.md\n!keep.md", "keep.md", kept},
		{"!keep.md\n*.md", "keep.md", ignored},
		{"*", "a", ignored},
		{"*.md", ".md", ignored},
		{"a*c", "abbc", ignored},
		{"x/*", "x/a/b", undecided},
		{"x/*", "x/a/", ignored},
		{"x/**", "x/", undecided},
		{"x/**", "x/a/b", ignored},
		{"**/x", "x", ignored},
		{"**/x", "a/b/x", ignored},
		{"a/**/b", "a/b", ignored},
		{"a/**/b", "a/x/y/b", ignored},
		{"a**b", "axxb", ignored},
		{"?.md", "é.md", ignored},
		{"[ab].md", "b.md", ignored},
		{"[!ab].md", "b.md", undecided},
		{"[a-c]x", "bx", ignored},
		{"{a,b}.md", "a.md", undecided},
		{"{a,b}.md", "{a,b}.md", ignored},
		{`\{a}.md`, "{a}.md", ignored},
		{`\!a.md`, "!a.md", ignored},
		{`\#a.md`, "#a.md", ignored},
		{"#a.md", "#a.md", undecided},
		{"a.md   ", "a.md", ignored},
		{`a\ `, "a ", ignored},
		{"a b", "a b", ignored},
		{"a.md\r\nb.md\r\n", "a.md", ignored},
		{"\ufeffa.md", "a.md", ignored},
		{"日记/", "日记/", ignored},
		{"cafe\u0301.md", "caf\u00e9.md", ignored},
		{"[", "[", undecided}, // malformed
		{`a\`, `a\`, undecided},
		{"\n\n  \n/\n!\n", "a", undecided},
	} {
		id, isDir := strings.CutSuffix(tt.path, "/")
		if got := parsed(t, tt.patterns, "").decide(id, isDir); got != tt.want {
			t.Errorf("%q on %q: got %v, want %v", tt.patterns, tt.path, got, tt.want)
		}
		// The same file one folder down decides the same below that folder only.
		below := parsed(t, tt.patterns, "sub")
		if got := below.decide("sub/"+id, isDir); got != tt.want {
			t.Errorf("%q in sub/ on %q: got %v, want %v", tt.patterns, "sub/"+tt.path, got, tt.want)
		}
		if got := below.decide("sub2/"+id, isDir); got != undecided {
			t.Errorf("%q in sub/ on %q: got %v, want undecided", tt.patterns, "sub2/"+tt.path, got)
		}
	}
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.md\n!keep.md\n/x/**/y\n[a-", "x/a/y")
	f.Add("{a,{b,c}}\n\\", "{a")
	f.Add(strings.Repeat("*a", 50), strings.Repeat("a", 200))
	f.Fuzz(func(t *testing.T, text, id string) {
		for _, base := range []string{"", "sub"} {
			rs, _ := parseIgnore(text, base)
			dir, file := rs.decide(id, true), rs.decide(id, false)
			if dir == undecided && file != undecided {
				t.Errorf("%q decides about the file %q and not about a folder of that name", text, id)
			}
		}
	})
}
