package remember

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
)

// maxUpdates is how many entries and lines a new text names at most as those that it may change.
const maxUpdates = 3

// update notes which entries and lines a new text may change: those of which it is more
// likely that it changes them, or says the same, than that both hold
// (docs/design/remember.md). The notes keep their checks, so that a search shows what was told
// later beside what was told before. Nothing is marked there.
func (k *Keeper) update(t *told, found []*candidate) {
	if t.apart || t.quote {
		return
	}
	may := slices.DeleteFunc(slices.Clone(found), func(c *candidate) bool {
		likely := c.side.Vector != nil && c.odds.Same+c.odds.Changed > c.odds.Distinct
		return !likely || !k.mayChange(t, c.known) || !t.follows(c.path) || k.private(c.path)
	})
	slices.SortStableFunc(may, func(a, b *candidate) int { return cmp.Compare(a.odds.Distinct, b.odds.Distinct) })
	for _, c := range may[:min(len(may), maxUpdates)] {
		t.updates = append(t.updates, c.check())
	}
}

// private reports whether a note is private, or cannot be read. The check of a line of it would
// tell who reads the newer entry what to guess at.
func (k *Keeper) private(path string) bool {
	text, _, err := k.read(path)
	return err != nil || layout.Private(path) || entry.HasPrivate(text)
}

// follows reports whether the text was told on the day of a note or after it. A note without
// a day is from before.
func (t *told) follows(path string) bool {
	day, ok := layout.Date(path)
	return !ok || day.Format(time.DateOnly) <= t.day()
}

// updatesWithout returns what an entry may change, but for what has some checks.
func updatesWithout(e entry.Entry, gone map[string]bool) string {
	kept := slices.DeleteFunc(strings.Fields(e.Fields.Get(entry.Updates)), func(check string) bool { return gone[check] })
	return strings.Join(kept, " ")
}
