package remember

import (
	"fmt"
	"slices"
	"sync"
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

// Entries that were handed out stay as they are while several read a note that goes on in
// different ways.
func TestPagesShared(t *testing.T) {
	notes, err := notebook.Open(t.TempDir(), t.TempDir(), notebook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := Open(Options{Notebook: notes})
	if err != nil {
		t.Fatal(err)
	}
	const path, readers, entries = "memory/contacts.md", 4, 60
	var wg sync.WaitGroup
	for r := range readers {
		wg.Go(func() {
			text := "# Contacts\n\n"
			var want []string
			given := map[int][]*known{}
			for i := range entries {
				who := fmt.Sprintf("who %d", i)
				if i%10 == 9 { // of one reader alone
					who += fmt.Sprintf(" of %d", r)
				}
				text, want = text+"- "+who+"\n", append(want, who)
				given[i] = k.parse(path, text)
			}
			for i, those := range given {
				var got []string
				for _, e := range those {
					got = append(got, e.Text)
				}
				if !slices.Equal(got, want[:i+1]) {
					t.Errorf("reader %d, after %d entries: got %q", r, i+1, got)
				}
			}
		})
	}
	wg.Wait()
}
