package remember

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// A keeper that lives on takes what it has parsed for what it reads, and finds what others
// added, changed or took away.
func TestPages(t *testing.T) {
	notes, err := notebook.Open(t.TempDir(), t.TempDir(), notebook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := Open(Options{Notebook: notes})
	if err != nil {
		t.Fatal(err)
	}
	path := k.opts.Shelves.File(layout.Contact, k.opts.Now())
	first := k.parse(path, "# Contacts\n\n- Ada <!-- id: a -->\n- Bo <!-- id: b -->\n")
	again := k.parse(path, "# Contacts\n\n- Ada <!-- id: a -->\n- Bo <!-- id: b -->\n- Cy <!-- id: c -->\n")
	if again[0] != first[0] || len(again) != 3 || again[2].StartLine != 5 || again[2].typ != layout.Contact {
		t.Errorf("got %v, want the first entry as it was and a third in line 5", again)
	}
	if cap(again) != len(again) {
		t.Error("who appends to what is kept shares room with others")
	}
	if changed := k.parse(path, "# Contacts\n\n- Ada <!-- id: a -->\n- Bea <!-- id: b -->\n"); len(changed) != 2 || changed[1].Text != "Bea" {
		t.Errorf("got %v, want what the note holds now", changed)
	}
	for i := range 3 * maxPages {
		k.parse(fmt.Sprintf("memory/2026-01-%02d.md", i), "- one\n")
	}
	if len(k.pages.all) > maxPages {
		t.Errorf("%d notes are kept, want %d at most", len(k.pages.all), maxPages)
	}
}

// Entries that were handed out stay as they are when two read at once how a note goes on,
// each in its own way.
func TestPagesShared(t *testing.T) {
	const path, start = "memory/contacts.md", "- one\n- two\n- three\n"
	var p pages
	texts := func(those []*known) (texts []string) {
		for _, e := range those {
			texts = append(texts, e.Text)
		}
		return texts
	}
	made := func(path string, entries []entry.Entry) (all []*known) {
		for _, e := range entries {
			all = append(all, &known{Entry: e})
		}
		return all
	}
	p.read(path, start, made)
	p.read(path, start+"- four\n", made) // from here on there is room behind the entries
	var other []*known
	mine := p.read(path, start+"- four\n- mine\n", func(path string, entries []entry.Entry) []*known {
		other = p.read(path, start+"- four\n- other\n", made)
		return made(path, entries)
	})
	if got, want := texts(other), []string{"one", "two", "three", "four", "other"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := texts(mine), []string{"one", "two", "three", "four", "mine"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
