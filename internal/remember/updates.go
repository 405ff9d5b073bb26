package remember

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
)

// maxUpdates is the number of entries and lines that a new text names at most.
const maxUpdates = 3

// update notes which entries and lines a new text may update: those that it more likely changes
// or repeats than leaves as they are (docs/design/remember.md). The new entry names them by
// their checks, so that a search shows both together. The older notes stay as they are.
func (k *Keeper) update(t *told, found []*candidate) {
	if t.apart || t.quote {
		return
	}
	may := slices.DeleteFunc(slices.Clone(found), func(c *candidate) bool {
		likely := c.read && c.score() > c.odds.Distinct
		return !likely || !k.mayChange(t, c.known) || !t.follows(c.path) || k.private(c.path)
	})
	slices.SortStableFunc(may, func(a, b *candidate) int { return cmp.Compare(a.odds.Distinct, b.odds.Distinct) })
	for _, c := range may[:min(len(may), maxUpdates)] {
		t.updates = append(t.updates, c.check())
	}
}

// private reports whether a note is private or cannot be read. The check of a private line would
// help a reader of the newer entry to guess it.
func (k *Keeper) private(path string) bool {
	text, _, err := k.read(path)
	return err != nil || layout.Private(path) || entry.HasPrivate(text)
}

// follows reports whether the text was told on the day of a note or later. A note without a
// date counts as older.
func (t *told) follows(path string) bool {
	day, ok := layout.Date(path)
	return !ok || day.Format(time.DateOnly) <= t.day()
}

// updatesWithout returns the checks in an entry's field without those that are gone.
func updatesWithout(e entry.Entry, gone map[string]bool) string {
	checks := strings.Fields(e.Fields.Get(entry.Updates))
	return strings.Join(slices.DeleteFunc(checks, func(check string) bool { return gone[check] }), " ")
}
