package notebook

import (
	"fmt"
	"slices"
	"testing"
)

// TestHeld: when there are too many, the note that nobody asked for the longest goes, and
// no other.
func TestHeld(t *testing.T) {
	var h heldNotes
	held := map[string]*heldNote{}
	for i := range maxHeld {
		name := fmt.Sprint(i)
		held[name] = h.of(name)
	}
	h.of("0")
	h.of("one more")
	for name, note := range held {
		if kept := slices.Contains(h.all, note); kept != (name != "1") {
			t.Errorf("%s is held: %v", name, kept)
		}
	}
	if h.of("0") != held["0"] || len(h.all) != maxHeld {
		t.Errorf("%d are held", len(h.all))
	}
}
