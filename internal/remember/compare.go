package remember

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
)

// decision says how a text relates to the entries that exist.
type decision struct {
	old     *known       // the entry that it repeats or replaces
	beside  *known       // the entry after which a new one stands
	same    bool         // it repeats old
	similar []*candidate // others that may be about the same, at most maxSimilar
}

// name names an entry first among those that are similar.
func (d *decision) name(e *known) {
	named := &candidate{known: e}
	if at := slices.IndexFunc(d.similar, func(c *candidate) bool { return c.place() == e.place() }); at >= 0 {
		named = d.similar[at]
		d.similar = slices.Delete(d.similar, at, at+1)
	}
	d.similar = append([]*candidate{named}, d.similar[:min(len(d.similar), maxSimilar-1)]...)
}

// first decides what needs no judge: the entry that the caller names, and equal
// words. When the text may not replace that entry, none counts as named.
func (k *Keeper) first(ctx context.Context, t *told, s stock) (decision, error) {
	if t.Replaces == "" {
		old := s.equal(t)
		return decision{old: old, same: old != nil}, nil
	}
	old, err := k.replaced(ctx, t)
	if err != nil {
		return decision{}, err
	}
	if same := t.says(old); same || t.mayReplace(old) {
		return decision{old: old, same: same}, nil
	}
	t.stays, t.Replaces = old, ""
	return decision{}, nil
}

// replaced returns the entry that the caller names as the one that is replaced. Somebody who
// names a superseded entry means the one that holds in its place. An entry that the caller
// may not see, and one that leads to such a one, is as one that is not there.
func (k *Keeper) replaced(ctx context.Context, t *told) (*known, error) {
	old, err := k.named(ctx, t.Replaces)
	for hops := 0; err == nil && hops < 100; hops++ {
		var text string
		if text, _, err = k.read(old.path); err != nil {
			break
		}
		if t.hidden(old.path, text) {
			return nil, noEntry(t.Replaces)
		}
		if old.active() {
			break
		}
		newer, missing := k.named(ctx, old.Fields.Get(entry.By))
		if newer == nil || missing != nil {
			break
		}
		old = newer
	}
	return old, err
}

// How many entries a text is compared with. Each comparison runs the encoder
// for some 9 ms, so the entries must be chosen well: by their stored vectors,
// or by their words when they have none.
const (
	nearest    = 3 // chosen by their vectors
	elsewhere  = 1 // further ones, in the other kind of script
	unknown    = 2 // further ones without a vector, chosen by their words, up to reads in all
	reads      = 5
	asked      = 8   // places that search is asked for
	others     = 4   // notes besides the stock that those may be in
	minCosine  = .80 // entries below it are never about the same, with vectors of this model
	minOther   = .82 // the same, between scripts
	minShared  = .25 // an entry without a vector that shares fewer words is not worth a run
	minCommon  = .5  // without the model, an entry that shares at least so many words is named
	maxSimilar = 3
)

// bars are the odds from which on a call of the judge counts.
type bars struct{ same, changed, related, matter float64 }

// Nothing that is told may be lost, so that telling needs more than tidy, which only
// proposes. Of 1,804 pairs in which the newer text says something else, one passes the bar of
// same; of 1,764 in which the older text still holds, one passes those of a change, and that
// has other words in two places (docs/design/remember.md). Below them a text is added, and the other entry is named.
var (
	toAct     = bars{same: .98, changed: .88, related: .99, matter: .99}
	toPropose = bars{same: .75, related: .6}
)

// repeats reports whether the odds are enough to take two texts for the same. Between two
// languages, and in those that the judge was not fitted to, they never are: it takes what
// is denied for what is said, and fish for shellfish (docs/design/remember.md). Then the
// newer text stands beside the older.
func (b bars) repeats(o judge.Odds, older, newer string) bool {
	return o.Call == judge.Same && o.Same >= b.same && judge.OneLanguage(older, newer)
}

// changes reports whether the odds are enough to call a text a change. In languages that
// the judge was not fitted to, a text that says "no longer" is one when that is said of what
// the older text says: of 77 pairs in which it is not, the odds call 59 a change.
func (b bars) changes(o judge.Odds, older, newer string) bool {
	if !judge.OneLanguage(older, newer) {
		if denies, says := noLongerHolds(older, newer); says {
			return denies
		}
	}
	return o.Call == judge.Changed && o.Changed >= b.changed && o.Related >= b.related && o.Matter >= b.matter
}

// candidate is an entry that a text may be compared with.
type candidate struct {
	*known
	side   judge.Side
	cosine float64 // 0: unknown
	words  float64 // share of terms in common
	odds   judge.Odds
}

// compare compares the text with the entries that may be about the same, and
// decides.
func (k *Keeper) compare(ctx context.Context, t *told, s stock, near places, d *decision) error {
	found, err := k.candidates(ctx, t.text, t.side.Vector, slices.Concat(s, k.recent(t)), k.visible(t, near))
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(c *candidate) bool { return slices.Contains(t.Listed, c.Fields.Get(entry.ID)) })
	found, err = k.weigh(ctx, t.side, found)
	if err != nil {
		return err
	}
	if d.old == nil && !t.apart {
		k.call(t, found, d)
	}
	if d.old == nil && k.opts.Read != nil {
		k.pair(t, found, d)
	}
	if d.old == nil {
		k.update(t, found)
	}
	for _, c := range found {
		if len(d.similar) < maxSimilar && c.score() >= k.near() && (d.old == nil || c.place() != d.old.place()) {
			d.similar = append(d.similar, c)
		}
	}
	slices.SortStableFunc(d.similar, func(a, b *candidate) int { return cmp.Compare(b.score(), a.score()) })
	return nil
}

// near returns the score from which on an entry is worth naming.
func (k *Keeper) near() float64 {
	if k.opts.Read == nil {
		return minCommon
	}
	return judge.Near
}

func (c *candidate) score() float64 {
	if c.side.Vector == nil {
		return c.words
	}
	return c.odds.Related
}

// similar names the entry where it stands now.
func (c *candidate) similar(now Ref) Similar {
	s := Similar{Ref: now, Text: c.Text, Score: c.score()}
	if c.side.Vector != nil {
		s.Odds = &Odds{c.odds.Same, c.odds.Changed, c.odds.Distinct}
	}
	return s
}

// call decides what the text repeats or changes among weighed candidates. Only entries on
// shelves can be either: a day's log is history, and other notes are people's own lines. So
// is a text for the log, which repeats and changes nothing. Of several entries that it
// repeats, the one with the highest odds counts, and so of several that it changes, but
// those that it denies come first. It changes nothing when another entry is nearer to it and
// surely about the same matter: then the caller has to say which one is meant.
func (k *Keeper) call(t *told, found []*candidate, d *decision) {
	if t.Type == layout.Journal || t.event {
		return
	}
	var again, changed []*candidate
	for _, c := range found {
		switch {
		case k.fixed(c.path):
		case toAct.repeats(c.odds, c.Text, t.text):
			again = append(again, c)
		case toAct.changes(c.odds, c.Text, t.text) && inOnePlace(c.Text, t.text) && k.mayChange(t, c.known):
			changed = append(changed, c)
		}
	}
	if len(again) > 0 {
		best := slices.MaxFunc(again, func(a, b *candidate) int { return cmp.Compare(a.odds.Same, b.odds.Same) })
		d.old, d.same = best.known, true
		return
	}
	slices.SortStableFunc(changed, func(a, b *candidate) int {
		if a.odds.Ends != b.odds.Ends {
			if a.odds.Ends {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.odds.Changed, a.odds.Changed)
	})
	if len(changed) > 0 && (changed[0].odds.Ends || !slices.ContainsFunc(found, changed[0].behind)) {
		d.old = changed[0].known
	}
}

// behind reports whether another candidate is nearer to the text and as surely about the
// same matter.
func (c *candidate) behind(other *candidate) bool {
	return other.cosine > c.cosine+.01 && other.odds.Related >= c.odds.Related && cjk(other.Text) == cjk(c.Text)
}

// mayChange reports whether a text may supersede an entry although nobody has
// said so. What was told earlier may not supersede what was told later.
func (k *Keeper) mayChange(t *told, old *known) bool {
	if !t.mayReplace(old) {
		return false
	}
	return !t.dated || max(old.Fields.Get(entry.Observed), old.Fields.Get(entry.Last)) <= t.day()
}

// places returns what a running search finds. It may be called again.
type places func() ([]Place, error)

// none stands for a search that was not begun.
func none() ([]Place, error) { return nil, nil }

// search begins to look for places that may be about the same as a text.
func (k *Keeper) search(ctx context.Context, text string, vector []float32) places {
	if k.opts.Near == nil {
		return none
	}
	type answer struct {
		places []Place
		err    error
	}
	found := make(chan answer, 1)
	go func() {
		p, err := k.opts.Near(ctx, text, vector, asked)
		found <- answer{p, err}
	}()
	return sync.OnceValues(func() ([]Place, error) {
		a := <-found
		return a.places, a.err
	})
}

// visible returns those of the places that a text may be compared with.
func (k *Keeper) visible(t *told, near places) places {
	if !t.Shared {
		return near
	}
	return func() ([]Place, error) {
		found, err := near()
		return slices.DeleteFunc(slices.Clone(found), func(p Place) bool {
			text, _, err := k.read(p.Path)
			return err != nil || t.hidden(p.Path, text)
		}), err
	}
}

// candidates chooses the entries that a text is compared with.
func (k *Keeper) candidates(ctx context.Context, text string, vector []float32, s stock, near places) ([]*candidate, error) {
	all, err := k.there(ctx, s, near)
	if err != nil {
		return nil, err
	}
	if vector == nil {
		strange := alike(text, all)
		return strange[:min(len(strange), maxSimilar)], nil
	}
	vectors := k.vectors.load()
	var close []*candidate
	var strange []*known // those without a known vector
	for e := range all {
		if v := vectors.of(k.marks.digest(e.normal())); v == nil {
			strange = append(strange, e)
		} else if cosine := dot(v, vector); cosine >= minCosine {
			close = append(close, &candidate{known: e, cosine: cosine})
		}
	}
	picked := chosen(close, cjk(text))
	likely := alike(text, slices.Values(strange))
	for _, c := range likely[:min(len(likely), unknown, reads-len(picked))] {
		if c.words >= minShared {
			picked = append(picked, c)
		}
	}
	return picked, nil
}

// there returns the active entries of the stock, and of the places that search
// has found.
func (k *Keeper) there(ctx context.Context, s stock, near places) (iter.Seq[*known], error) {
	found, err := near()
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	beside, replaced := k.beside(found), s.replaced() // no places when search fails; the stock is complete anyway
	return func(yield func(*known) bool) {
		for i, those := range []stock{beside, s} {
			for _, e := range those {
				if i > 0 && slices.Contains(beside, e) {
					continue
				}
				if e.active() && replaced.by(e) == "" && !yield(e) {
					return
				}
			}
		}
	}, nil
}

// latest is how many entries of a day log are compared although no search has found them.
const latest = 32

// recent returns the last entries of the logs of a day and the day before, which the index
// may not have yet.
func (k *Keeper) recent(t *told) (all stock) {
	for _, day := range []time.Time{t.At, t.At.AddDate(0, 0, -1)} {
		entries, _ := k.seen(t, k.opts.Shelves.File(layout.Journal, day)) // a note that cannot be read is not compared
		all = append(all, entries[max(0, len(entries)-latest):]...)
	}
	return all
}

// beside returns the entries at places that are not in notes of the stock, each once.
func (k *Keeper) beside(found []Place) []*known {
	read := map[string][]*known{} // so that each note is read once
	for _, path := range k.files() {
		read[path] = nil
	}
	var all []*known
	notes := 0
	for _, p := range found {
		if _, ok := read[p.Path]; !ok && notes < others {
			notes++
			read[p.Path], _ = k.entries(p.Path) // a note that cannot be read is not compared
		}
		for _, e := range read[p.Path] {
			if e.StartLine <= p.EndLine && e.EndLine >= p.StartLine && !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	return all
}

// chosen returns those of near candidates that are worth a run of the encoder.
func chosen(all []*candidate, inCJK bool) []*candidate {
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(b.cosine, a.cosine) })
	var out, far []*candidate
	for _, c := range all {
		switch {
		case len(out) < nearest:
			out = append(out, c)
		case c.cosine >= minOther && cjk(c.Text) != inCJK && len(far) < elsewhere:
			far = append(far, c)
		}
	}
	return append(out, far...)
}

// looked is how many candidates are compared word by word.
const looked = 16

// alike returns the entries that share words with a text, those with the most
// first.
func alike(text string, all iter.Seq[*known]) []*candidate {
	wanted := pieces(judge.Normal(text)).distinct().sought()
	type shared struct {
		*known
		pieces int
	}
	var those []shared // the most first; of those with as many the first first
	for e := range all {
		n := wanted.holds(e.pieces())
		if n == 0 || len(those) == looked && n <= those[looked-1].pieces {
			continue
		}
		at := len(those)
		for at > 0 && those[at-1].pieces < n {
			at--
		}
		those = slices.Insert(those[:min(len(those), looked-1)], at, shared{e, n})
	}
	words := termsOf(text)
	var found []*candidate
	for _, e := range those {
		found = append(found, &candidate{known: e.known, words: common(words, e.terms())})
	}
	slices.SortStableFunc(found, func(a, b *candidate) int { return cmp.Compare(b.words, a.words) })
	return found
}

// weigh asks the judge about candidates, and returns them with the most likely
// first.
func (k *Keeper) weigh(ctx context.Context, newer judge.Side, found []*candidate) ([]*candidate, error) {
	if newer.Vector == nil || len(found) == 0 {
		return found, nil
	}
	texts := make([]string, len(found))
	for i, c := range found {
		texts[i] = c.Text
	}
	sides, err := k.opts.Read(ctx, texts)
	if err != nil || len(sides) != len(texts) {
		return nil, ctx.Err() // without the judge nothing counts as the same
	}
	for i, c := range found {
		c.side = sides[i]
		if c.cosine == 0 {
			k.vectors.put(k.marks.digest(c.normal()), sides[i].Vector)
		}
		c.cosine = dot(sides[i].Vector, newer.Vector)
		c.odds = k.judge.Pair(c.side, newer)
	}
	slices.SortStableFunc(found, func(a, b *candidate) int { return cmp.Compare(b.cosine, a.cosine) })
	return found, nil
}

// cjk reports whether a text is mostly Chinese or Japanese.
func cjk(text string) bool {
	n, words := 0, len(strings.Fields(text))
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			n++
		}
	}
	return n > words
}

func dot(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
