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
	"github.com/memoir-ai/memoir/internal/reader"
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

// A bar is the odds from which on what was read counts.
type bar struct{ same, changed float64 }

// Nothing that is told may be lost, so that telling needs more than tidy, which only
// proposes. Below the bars a text is added, and the other entry is named.
var (
	toAct     = bar{same: .92, changed: .95}
	toPropose = bar{same: .8, changed: .8}
)

// sameMeaning is the cosine from which on a text may say the same as an entry or change it. Nearly all
// that do are so near, and hardly any of the hundreds of entries that are about something else.
const sameMeaning = .86

// near reports whether a candidate is as near in meaning as what says the same is, or has words in
// common where no vector tells.
func (c *candidate) near() bool {
	return c.cosine >= sameMeaning || c.cosine == 0 && c.words >= minShared
}

// repeats reports whether the odds are enough to take a text for the same as another.
func (b bar) repeats(o reader.Pair) bool { return o.Same >= b.same }

// changes reports whether the odds are enough to call a text a change of another.
func (b bar) changes(o reader.Pair) bool { return o.Changed >= b.changed }

// leastNamed is the sum of the odds of the same and of a change from which on an entry is
// worth naming.
const leastNamed = .2

// candidate is an entry that a text may be compared with.
type candidate struct {
	*known
	cosine float64 // 0: unknown
	words  float64 // share of terms in common
	read   bool    // odds are known
	odds   reader.Pair
}

// compare compares the text with the entries that may be about the same, and
// decides.
func (k *Keeper) compare(ctx context.Context, t *told, s stock, near places, d *decision) error {
	found, err := k.candidates(ctx, t.text, t.vector, slices.Concat(s, k.recent(t)), k.visible(t, near))
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(c *candidate) bool { return slices.Contains(t.Listed, c.Fields.Get(entry.ID)) })
	found, err = k.weigh(ctx, t, found)
	if err != nil {
		return err
	}
	if d.old == nil && !t.apart {
		k.call(ctx, t, found, d)
	}
	if d.old == nil {
		k.pair(t, found, d)
	}
	if d.old == nil {
		k.update(t, found)
	}
	for _, c := range found {
		if len(d.similar) < maxSimilar && c.worthNaming() && (d.old == nil || c.place() != d.old.place()) {
			d.similar = append(d.similar, c)
		}
	}
	slices.SortStableFunc(d.similar, func(a, b *candidate) int { return cmp.Compare(b.score(), a.score()) })
	return nil
}

// score says how likely an entry and the text are about the same: by what was read, else
// by the words that they share.
func (c *candidate) score() float64 {
	if !c.read {
		return c.words
	}
	return c.odds.Same + c.odds.Changed
}

// worthNaming reports whether an entry is worth naming.
func (c *candidate) worthNaming() bool {
	if !c.read {
		return c.words >= minCommon
	}
	return c.score() >= leastNamed
}

// similar names the entry where it stands now.
func (c *candidate) similar(now Ref) Similar {
	s := Similar{Ref: now, Text: c.Text, Score: c.score()}
	if c.read {
		s.Odds = &Odds{c.odds.Same, c.odds.Changed, c.odds.Distinct}
	}
	return s
}

// call decides what the text repeats or changes among weighed candidates. Only entries on
// shelves can be either: a day's log is history, and other notes are people's own lines. What
// the caller tells for the log repeats and changes nothing. Of several entries that the text
// repeats or changes, the one with the highest odds counts. What changes an entry goes to the
// shelf of that, though it may be told as an event: "The dentist was cancelled".
func (k *Keeper) call(ctx context.Context, t *told, found []*candidate, d *decision) {
	if t.Aside || t.quote || t.Pin || t.hinted && t.Type == layout.Journal {
		return
	}
	var again, changed *candidate
	for _, c := range found {
		switch {
		case !c.read || !c.near() || k.fixed(c.path):
		case toAct.repeats(c.odds) && (again == nil || c.odds.Same > again.odds.Same):
			again = c
		case toAct.changes(c.odds) && (changed == nil || c.odds.Changed > changed.odds.Changed) && k.mayChange(t, c.known):
			changed = c
		}
	}
	switch {
	case again != nil && k.confirms(ctx, t, again, true):
		d.old, d.same = again.known, true
	case changed != nil && k.confirms(ctx, t, changed, false):
		d.old = changed.known
		if typ := k.opts.Shelves.Type(changed.path); typ != "" && !t.hinted {
			t.Type = typ
			k.shelve(t)
		}
	}
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
	var nearby []*candidate
	var strange []*known // those without a known vector
	for e := range all {
		if v := vectors.of(k.marks.digest(e.normal())); v == nil {
			strange = append(strange, e)
		} else if cosine := dot(v, vector); cosine >= minCosine {
			nearby = append(nearby, &candidate{known: e, cosine: cosine})
		}
	}
	picked := chosen(nearby, cjk(text))
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

// weigh reads how the text relates to each candidate, and returns them with the nearest
// first.
func (k *Keeper) weigh(ctx context.Context, t *told, found []*candidate) ([]*candidate, error) {
	if len(found) == 0 {
		return found, nil
	}
	texts := make([]string, len(found))
	for i, c := range found {
		texts[i] = c.Text
	}
	if err := k.measure(ctx, t.vector, found); err != nil {
		return nil, err
	}
	if k.opts.Reader != nil {
		odds, err := k.opts.Reader.Pairs(ctx, texts, t.text)
		if err != nil || len(odds) != len(texts) {
			return found, ctx.Err() // what was not read is neither the same nor a change
		}
		for i, c := range found {
			if c.read, c.odds = true, odds[i]; judge.Equal(c.Text, t.text) {
				c.odds = reader.Pair{Same: 1}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b *candidate) int { return cmp.Compare(b.cosine, a.cosine) })
	return found, nil
}

// measure computes the cosines of candidates that have no vector yet, and keeps their vectors.
func (k *Keeper) measure(ctx context.Context, vector []float32, found []*candidate) error {
	var strange []*candidate
	var texts []string
	for _, c := range found {
		if c.cosine == 0 && vector != nil {
			strange, texts = append(strange, c), append(texts, c.Text)
		}
	}
	if len(strange) == 0 {
		return nil
	}
	vectors, err := k.opts.Embed(ctx, texts)
	if err != nil || len(vectors) != len(texts) {
		return ctx.Err()
	}
	for i, c := range strange {
		k.vectors.put(k.marks.digest(c.normal()), vectors[i])
		c.cosine = dot(vectors[i], vector)
	}
	return nil
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
