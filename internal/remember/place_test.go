package remember_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestToldAboveSections: what is told stands under no heading of the user's, on a shelf, in
// MEMORY.md and in the log of a day, also where the heading has what is most like it. The
// older one stands first, and no byte of the note is another.
func TestToldAboveSections(t *testing.T) {
	const sections = "\r\n## What Mum likes\r\n\r\n- Mum prefers the window seat on night trains\r\n" +
		"\r\n已作废\r\n------\r\n- 喜欢靠窗的座位"
	files := map[string]string{
		"MEMORY.md":             "# Memory\r\n\r\nWhat stays.\r\n" + sections,
		"memory/preferences.md": "# Preferences\r\n\r\n- Likes oat porridge\r\n" + sections,
		"memory/2026-03-02.md":  "- Rain all day\r\n" + sections,
	}
	for name, change := range map[string]func(*remember.Options){"by words": nil, "with the model": withModel(t)} {
		b := newBench(t, files, change)
		for _, req := range []remember.Request{
			{Text: "I prefer the window seat on night trains, facing forward", Type: "preference"},
			{Text: "I prefer tea that was brewed for four minutes", Type: "preference"},
			{Text: "My blood group is A negative", Pin: true, Type: "contact"},
			{Text: "The plumber mended the boiler today at noon", Type: "journal"},
			{Text: "The chimney sweep came in the afternoon", Type: "journal", Aside: true},
		} {
			code := remember.New
			if req.Type == "journal" {
				code = remember.Journal
			}
			out := b.tell(req, remember.Added, code)
			if line := strings.Split(b.read(out.Path), "\n")[out.StartLine-1]; !strings.HasPrefix(line, "- "+req.Text) {
				t.Errorf("%s: %q is said to stand in %q", name, req.Text, line)
			}
		}
		for path, was := range files {
			got := b.read(path)
			above, below, _ := strings.Cut(got, sections)
			if below != "" || !strings.HasSuffix(got, sections) || !strings.HasPrefix(above, strings.TrimSuffix(was, sections)) {
				t.Errorf("%s: %s became %q", name, path, got)
			}
		}
		if got := b.read("memory/preferences.md"); strings.Index(got, "I prefer the window") > strings.Index(got, "brewed") {
			t.Errorf("%s: the newer one stands first: %q", name, got)
		}
	}
}

// TestTakesThePlaceWhereItWas: what replaces an entry stands where that stood.
func TestTakesThePlaceWhereItWas(t *testing.T) {
	const above = "# Preferences\n\n- Likes tea\n\n## Private\n\n- Keeps a diary in red <!-- id: aaaa1111"
	b := newBench(t, map[string]string{"memory/preferences.md": above + " -->\n\n## Mum\n"}, nil)
	b.tell(remember.Request{Text: "Keeps a diary in blue", Replaces: "aaaa1111"}, remember.Superseded, remember.Changed)
	got := b.read("memory/preferences.md")
	if !strings.HasPrefix(got, above) || !strings.Contains(got, "-->\n- Keeps a diary in blue") || !strings.HasSuffix(got, "\n\n## Mum\n") {
		t.Errorf("%q", got)
	}
}

// read returns a note as it is.
func (b *bench) read(path string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(path)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// TestDiverted: a caller who may see nothing private writes to no note that is private by its
// name; the text goes to the log of the day.
func TestDiverted(t *testing.T) {
	files := map[string]string{"USER.md": "# User\n\n- Likes tea\n", "MEMORY.md": "# Memory\n\n- The boat is blue\n"}
	b := newBench(t, files, func(o *remember.Options) {
		inside(t, o)
		o.Shelves = layout.Shelves{layout.Preference: layout.User}
	})
	for _, req := range []remember.Request{
		{Text: "I prefer the window seat on night trains", Type: "preference"},
		{Text: "I like coffee better than anything else"},
		{Text: "My blood group is A negative", Type: "contact", Pin: true},
		{Text: "Likes tea", Type: "preference"}, // as USER.md has it
	} {
		req.Shared = true
		out := b.tell(req, remember.Added, remember.Journal)
		if out.Path != "memory/2026-03-02.md" || !strings.Contains(b.read(out.Path), req.Text) || !strings.Contains(out.Reason.Text, "private") {
			t.Errorf("%q: %+v", req.Text, out)
		}
	}
	for path, want := range files {
		if got := b.read(path); got != want {
			t.Errorf("%s became %q", path, got)
		}
	}
	b.tell(remember.Request{Text: "I prefer the aisle seat on planes", Type: "preference"}, remember.Added, remember.New)
	if !strings.Contains(b.read(layout.User), "aisle") {
		t.Error("who may see it does not write there")
	}
}
