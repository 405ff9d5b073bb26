package remember

import (
	"fmt"
	"testing"

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
