package remember

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/reader"
)

// A verdict is what the judge said of a pair of entries.
type verdict struct {
	Kind  string  `json:"kind"` // NearDuplicate or Contradiction, the likelier of the two when it is unsure
	Score float64 `json:"score"`
	// Unsure says that both are surely about the same matter, and that the newer
	// entry may say the same or change the older.
	Unsure bool `json:"unsure,omitempty"`
}

// minAlike is the share of common words from which on two entries are called
// near duplicates without the model, if their numbers are the same.
const minAlike = .85

// pairs adds findings for pairs of entries that say the same in other words, or
// of which the newer changes the older. It compares only entries that are new
// since the last run; the results for the rest are known.
func (t *tidier) pairs(ctx context.Context, learned *looks) error {
	byDigest := map[string]*known{}
	var all []*known
	replaced := t.stock.replaced()
	for _, e := range t.stock {
		d := t.keeper.marks.digest(e.normal())
		if d == "" || !e.active() || replaced.by(e) != "" || byDigest[d] != nil || strings.HasPrefix(e.Text, "[") {
			continue
		}
		byDigest[d] = e
		all = append(all, e)
	}
	for d := range learned.Judged {
		if byDigest[d] == nil {
			delete(learned.Judged, d)
		}
	}
	for key := range learned.Pairs {
		if older, newer, _ := strings.Cut(key, " "); byDigest[older] == nil || byDigest[newer] == nil {
			delete(learned.Pairs, key)
		}
	}
	c := &comparer{t, learned}
	if err := c.compare(ctx, all); err != nil {
		return err
	}
	for key, v := range learned.Pairs {
		older, newer, _ := strings.Cut(key, " ")
		t.pair(byDigest[older], byDigest[newer], v)
	}
	return nil
}

// pair adds a finding for a verdict.
func (t *tidier) pair(older, newer *known, v verdict) {
	f := finding(v.Kind, "", nil, older, newer)
	f.Score = v.Score
	if v.Unsure {
		f.Proposal = "both may say the same, or the newer one changes the older: mark the older one as superseded"
		f.plan = t.superseding(older, newer)
	} else if v.Kind == NearDuplicate {
		merged, ok := merge([]*known{older, newer})
		if !ok {
			return
		}
		merged = t.identified(older, merged)
		f.Proposal = "both may say the same: keep the older one, and count"
		f.plan = func(d *notebook.Draft) error {
			if err := t.holds(d, newer); err != nil {
				return err
			}
			if err := t.change(older, func(text string, now *known) string {
				return entry.Set(text, now.Entry, merged, layout.Curated(now.path))
			})(d); err != nil {
				return err
			}
			return t.change(newer, remove)(d)
		}
	} else {
		f.Proposal = "both may not hold: mark the older one as superseded"
		f.plan = t.superseding(older, newer)
	}
	t.found(f)
}

// holds reports whether an entry still says the same.
func (t *tidier) holds(d *notebook.Draft, e *known) error {
	text, _, err := d.Read(e.path)
	if err != nil {
		return err
	}
	if now := t.keeper.again(e, text); now == nil || now.normal() != e.normal() || now.active() != e.active() {
		return errGone
	}
	return nil
}

// superseding plans to mark an entry as superseded by another one. That one
// gets an id if it has none.
func (t *tidier) superseding(older, newer *known) func(*notebook.Draft) error {
	return func(d *notebook.Draft) error {
		if err := t.holds(d, older); err != nil {
			return err
		}
		fields := t.identified(newer, nil)
		was, id := t.idOf(older), t.idOf(newer)
		if newer.Fields.Get(entry.Replaces) == "" {
			fields = append(fields, entry.Field{Key: entry.Replaces, Value: was})
		}
		if err := t.change(newer, func(text string, now *known) string {
			return entry.Set(text, now.Entry, fields, layout.Curated(now.path))
		})(d); err != nil {
			return err
		}
		return t.change(older, func(text string, now *known) string {
			return entry.Set(text, now.Entry, entry.Fields{
				{Key: entry.ID, Value: was}, {Key: entry.Status, Value: "superseded"}, {Key: entry.By, Value: id},
				{Key: entry.Until, Value: cmp.Or(newer.observed(), t.today.Format("2006-01-02"))},
			}, layout.Curated(now.path))
		})(d)
	}
}

// idOf returns the id of an entry, or the one that it will get. It is the same
// in the diff and in the note.
func (t *tidier) idOf(e *known) string {
	d := t.keeper.marks.digest("id\x00" + e.path + "\x00" + e.observed() + "\x00" + e.Text)
	return cmp.Or(e.Fields.Get(entry.ID), d[:min(len(d), 8)])
}

// identified returns the fields for an entry, with a new id first if it has
// none.
func (t *tidier) identified(e *known, fields entry.Fields) entry.Fields {
	if id := t.idOf(e); id != e.Fields.Get(entry.ID) {
		return append(entry.Fields{{Key: entry.ID, Value: id}}, fields...)
	}
	return fields
}

// comparer compares entries with each other.
type comparer struct {
	*tidier
	learned *looks
}

// compare compares each entry that was not judged yet with those nearest to it.
func (c *comparer) compare(ctx context.Context, all []*known) error {
	k := c.keeper
	var fresh []*known
	for _, e := range all {
		if !c.learned.Judged[k.marks.digest(e.normal())] {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if k.opts.Embed == nil || k.opts.Reader == nil {
		c.byWords(fresh, all)
		return nil
	}
	if err := k.prepare(ctx, all); err != nil {
		return err
	}
	table := k.vectors.load()
	vectors := make([][]float32, len(all))
	for i, e := range all {
		vectors[i] = table.of(k.marks.digest(e.normal()))
	}
	for _, e := range fresh {
		if err := ctx.Err(); err != nil {
			return err
		}
		own := vectors[slices.Index(all, e)]
		var near []*candidate
		for i, other := range all {
			if other != e && own != nil && vectors[i] != nil {
				near = append(near, &candidate{known: other, cosine: dot(own, vectors[i])})
			}
		}
		for _, other := range chosen(near, cjk(e.Text)) {
			if !other.near() {
				continue
			}
			if err := c.meet(ctx, e, other.known); err != nil {
				return err
			}
		}
		c.learned.Judged[k.marks.digest(e.normal())] = true
	}
	return nil
}

// meet asks the judge about two entries. If nobody knows which of them is the newer, it may
// be either that changes the other.
func (c *comparer) meet(ctx context.Context, a, b *known) error {
	older, newer, ordered := inOrder(a, b)
	digest := func(e *known) string { return c.keeper.marks.digest(e.normal()) }
	for _, key := range []string{digest(older) + " " + digest(newer), digest(newer) + " " + digest(older)} {
		if _, ok := c.learned.Pairs[key]; ok {
			return nil
		}
	}
	there, err := c.relation(ctx, older, newer)
	if err != nil {
		return err
	}
	v := c.verdict(older, newer, there)
	if !ordered {
		back, err := c.relation(ctx, newer, older)
		if err != nil {
			return err
		}
		if other := c.verdict(newer, older, back); other.Kind == Contradiction && (v.Kind != Contradiction || other.Score > v.Score) {
			older, newer, v = newer, older, other
		}
	}
	if v.Kind != "" {
		c.learned.Pairs[digest(older)+" "+digest(newer)] = v
	}
	return nil
}

// relation reads how the newer entry relates to the older.
func (c *comparer) relation(ctx context.Context, older, newer *known) (reader.Pair, error) {
	odds, err := c.keeper.opts.Reader.Pairs(ctx, []string{older.Text}, newer.Text)
	if err != nil || len(odds) != 1 {
		return reader.Pair{}, fmt.Errorf("read an entry of %s: %w", older.path, err)
	}
	return odds[0], nil
}

// verdict returns what the odds say of two entries; no kind when they are not worth naming.
func (c *comparer) verdict(older, newer *known, o reader.Pair) verdict {
	changed := math.Round(o.Changed*1e4) / 1e4
	switch {
	case toPropose.repeats(o):
		return verdict{Kind: NearDuplicate, Score: o.Same}
	case !c.mayChange(older, newer):
	case toPropose.changes(o):
		return verdict{Kind: Contradiction, Score: changed}
	case o.Same+o.Changed < oneTooMany:
	case o.Changed > o.Same:
		return verdict{Contradiction, changed, true}
	default:
		return verdict{NearDuplicate, o.Same, true}
	}
	return verdict{}
}

// oneTooMany is the sum of the odds of the same and of a change from which on one of two
// entries is too many, although it is open whether the newer says the same or changes the
// older.
const oneTooMany = .9

// mayChange reports whether the newer entry may supersede the older. What came
// from outside may not supersede the word of a person or an agent.
func (c *comparer) mayChange(older, newer *known) bool {
	outside := func(e *known) bool {
		o := e.Fields.Get(entry.Origin)
		return o == Tool || o == Web
	}
	return outside(older) || !outside(newer)
}

// inOrder returns the older of two entries first. If their days do not tell, it is the one
// that stands first in its note; in two notes the order is not known, and that of their
// paths stands for it.
func inOrder(a, b *known) (older, newer *known, ordered bool) {
	x, y := max(a.observed(), a.Fields.Get(entry.Last)), max(b.observed(), b.Fields.Get(entry.Last))
	if x == "" || y == "" {
		x, y = "", ""
	}
	ordered = x != y || a.path == b.path
	if cmp.Or(strings.Compare(x, y), strings.Compare(a.path, b.path), a.StartLine-b.StartLine) > 0 {
		return b, a, ordered
	}
	return a, b, ordered
}

// byWords finds near duplicates without the model: entries that have nearly all
// words and all numbers in common.
func (c *comparer) byWords(fresh, all []*known) {
	k := c.keeper
	isFresh := make(map[*known]bool, len(fresh))
	for _, e := range fresh {
		isFresh[e] = true
	}
	groups := map[string][]*known{}
	for _, e := range all {
		if len(e.terms()) > 0 {
			n := numbers(e)
			groups[n] = append(groups[n], e)
		}
	}
	for _, group := range groups {
		nearlyAll(group, func(a, b *known) {
			if !(isFresh[a] && len(a.terms()) >= fewTerms || isFresh[b] && len(b.terms()) >= fewTerms) {
				return
			}
			older, newer, _ := inOrder(a, b)
			c.learned.Pairs[k.marks.digest(older.normal())+" "+k.marks.digest(newer.normal())] = verdict{Kind: NearDuplicate, Score: math.Round(common(a.terms(), b.terms())*1e4) / 1e4}
		})
	}
	for _, e := range fresh {
		c.learned.Judged[k.marks.digest(e.normal())] = true
	}
}

// fewTerms is how many terms an entry needs at least to be called a near duplicate.
const fewTerms = 4

// nearlyAll hands over each pair of entries that have the share minAlike of their terms
// in common. Of n terms, those in common with such an entry are minAlike/(2-minAlike)
// times n at least. So when all entries have their terms in one order, one that both have
// is among the first of each, and these are the rarest.
func nearlyAll(all []*known, yield func(a, b *known)) {
	if len(all) < 2 {
		return
	}
	having := map[uint64]int{}
	for _, e := range all {
		for _, p := range e.terms() {
			having[p]++
		}
	}
	before := map[uint64][]*known{} // entries by their rarest terms
	for _, e := range all {
		terms := slices.Clone(e.terms())
		slices.SortFunc(terms, func(a, b uint64) int { return cmp.Or(having[a]-having[b], cmp.Compare(a, b)) })
		least := int(math.Ceil(minAlike/(2-minAlike)*float64(len(terms)) - 1e-9))
		own := e.terms().sought()
		met := map[*known]bool{}
		for _, p := range terms[:len(terms)-least+1] {
			for _, other := range before[p] {
				if met[other] {
					continue
				}
				met[other] = true
				if n := own.holds(other.terms()); 2*float64(n)/float64(len(terms)+len(other.terms())) >= minAlike {
					yield(e, other)
				}
			}
			before[p] = append(before[p], e)
		}
	}
}

// numbers returns the digits of an entry, in order.
func numbers(e *known) string {
	return strings.Join(strings.FieldsFunc(e.normal(), func(r rune) bool { return r < '0' || r > '9' }), " ")
}
