package remember

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/secret"
)

// How the entries that a question may mean are chosen, when they are to be forgotten.
// Nobody waits for long, and nothing brings back what is missed, so more are read than
// when a text is told.
const (
	meantBy     = .5 // the score from which on an entry with all words of the question is meant
	readNear    = 16 // entries that the model reads because their vectors are near
	readUnknown = 8  // the same, of those without a vector, because they share words
)

// asked returns what a question means: the entries that are likely, also superseded ones,
// and others that stay; and of those that stand in the history alone the ones that have all
// of its words. The exact words of entries mean these alone.
// Likely is what has all of its words, and is about the same. What is about the same in
// other words is only named: "allergy to pollen" is as near to one to penicillin, and what
// is forgotten does not come back.
// Of likely ones everything that they replaced is likely, too, and what replaced them.
func (k *Keeper) asked(ctx context.Context, question string) (m meaning, err error) {
	question = plain(question[:min(len(question), maxText)])
	if judge.Normal(question) == "" {
		return m, fmt.Errorf("the text is empty: %w", memoir.ErrInvalid)
	}
	all, gone, err := k.hereAndGone(ctx)
	if err != nil {
		return m, err
	}
	is := exact(question)
	likely := map[*known]bool{}
	for _, e := range all {
		if is(e) {
			likely[e] = true
		}
	}
	told := len(likely) > 0 || slices.ContainsFunc(gone, is) // in its exact words
	if told {
		m.gone = slices.DeleteFunc(gone, func(e *known) bool { return !is(e) })
	} else {
		m.gone = withAll(question, gone)
	}
	chained, holds := chains(all), heldBy(question, all)
	linked := map[string]bool{} // chains that are meant
	var near []*known           // entries that are about something similar, the likeliest first
	if !told {
		found, err := k.closeTo(ctx, question, all)
		if err != nil {
			return m, err
		}
		for _, c := range found {
			if c.score() >= meantBy && holds(c.known).every {
				likely[c.known], linked[chained(c.known)] = true, true
			} else {
				near = append(near, c.known)
			}
		}
	}
	means := func(e *known) bool { return likely[e] || linked[chained(e)] && chained(e) != "" }
	for _, e := range all {
		switch has := holds(e); {
		case means(e):
			m.entries = append(m.entries, e)
		case has.whole:
			m.also = append(m.also, e)
		case has.telling && !slices.Contains(near, e):
			m.some = append(m.some, e)
		}
	}
	m.near = slices.DeleteFunc(near, func(e *known) bool { return means(e) || holds(e).whole })
	return m, nil
}

// everywhere returns the entries of all notes but the agent's own.
func (k *Keeper) everywhere(ctx context.Context) (all []*known, err error) {
	paths, err := k.paths(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if layout.Host(path) {
			continue
		}
		switch text, err := k.opts.Notebook.Read(path); {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, regular.ErrKind), errors.Is(err, regular.ErrFolder):
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", path, err)
		default:
			all = append(all, k.parse(path, text)...)
		}
	}
	return all, nil
}

// closeTo returns the entries that are worth naming for a question, by the model or, without
// it, by their words; the likeliest first.
func (k *Keeper) closeTo(ctx context.Context, question string, all []*known) ([]*candidate, error) {
	t := &told{}
	t.text, _ = secret.Mask(question)
	if err := k.look(ctx, t); err != nil {
		return nil, err
	}
	var picked []*candidate
	strange := all
	if t.side.Vector != nil {
		vectors := k.vectors.load()
		strange = nil
		for _, e := range all {
			if v := vectors.of(k.marks.digest(e.normal())); v == nil {
				strange = append(strange, e)
			} else if cosine := dot(v, t.side.Vector); cosine >= minCosine {
				picked = append(picked, &candidate{known: e, cosine: cosine})
			}
		}
		slices.SortStableFunc(picked, func(a, b *candidate) int { return cmp.Compare(b.cosine, a.cosine) })
		picked = picked[:min(len(picked), readNear)]
	}
	shared := alike(t.text, slices.Values(strange))
	for _, c := range shared[:min(len(shared), readUnknown)] {
		if c.words >= minShared {
			picked = append(picked, c)
		}
	}
	picked, err := k.weigh(ctx, t.side, picked)
	picked = slices.DeleteFunc(picked, func(c *candidate) bool { return c.score() < k.near() })
	slices.SortStableFunc(picked, func(a, b *candidate) int { return cmp.Compare(b.score(), a.score()) })
	return picked, err
}

// chains returns what tells the chain of replacements that an entry belongs to: a name of
// one of its entries, or "" for an entry that neither replaces another nor was replaced. An
// entry may have replaced several.
func chains(all []*known) func(*known) string {
	next := map[string]string{} // name of an entry -> one of its chain, or itself at the end
	end := func(name string) string {
		for next[name] != name {
			next[name] = next[next[name]]
			name = next[name]
		}
		return name
	}
	join := func(a, b string) {
		next[a], next[b] = cmp.Or(next[a], a), cmp.Or(next[b], b)
		next[end(a)] = end(b)
	}
	for _, e := range all {
		id := e.Fields.Get(entry.ID)
		if id != "" && e.replaces != "" {
			join(id, e.replaces)
		}
		if by := e.Fields.Get(entry.By); id != "" && by != "" {
			join(id, by)
		}
	}
	return func(e *known) string {
		for _, name := range []string{e.Fields.Get(entry.ID), citation(e.place())} {
			if next[name] != "" {
				return end(name)
			}
		}
		return ""
	}
}

// held is what an entry has of the words of a question.
type held struct {
	every   bool // all of them
	whole   bool // all of them, or all that are a number or a name
	telling bool // one that is a number or a name
}

// heldBy returns what reports which words of a question an entry has. Particles and
// question words do not count, a single character as 母 does. A name is what the entries
// write with a capital only; scripts without capitals have none.
func heldBy(question string, all []*known) func(*known) held {
	var every, telling terms
	var sieve analyze.Sieve // an entry is mostly other words
	said := analyze.Query(question)
	named := names(said, all)
	for _, t := range said {
		if t.Weight >= 1 || t.Kind == analyze.Character {
			every = append(every, hashed(t.Text))
			sieve.Add(t.Text)
		}
		if ofWords(t) && (strings.ContainsFunc(t.Text, unicode.IsNumber) || named[t.Text]) {
			telling = append(telling, hashed(t.Text))
			sieve.Add(t.Text)
		}
	}
	every, telling = every.distinct(), telling.distinct()
	return func(e *known) held {
		has := allTerms(sieve.Sift(e.Text))
		said, told := has.holds(every), has.holds(telling)
		all := said > 0 && said == len(every)
		return held{every: all, whole: all || told > 0 && told == len(telling), telling: told > 0}
	}
}

// ofWords reports whether a term is a word as it was written, and no part of one.
func ofWords(t analyze.Term) bool {
	return t.Kind == analyze.Word || t.Kind == analyze.Identifier || t.Kind == analyze.Compound
}

// names returns those of some folded words that entries write with a capital, and never
// without. It looks at every word of the entries once.
func names(said []analyze.Term, all []*known) map[string]bool {
	const asked, capital, small = 1, 2, 4
	seen, longest := map[string]int{}, 0
	for _, t := range said {
		if ofWords(t) {
			seen[t.Text] = asked
			longest = max(longest, len(t.Text))
		}
	}
	for _, e := range all {
		for w := range strings.FieldsFuncSeq(e.Text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) }) {
			if len(w) > 4*longest {
				continue
			}
			folded := analyze.Fold(w)
			switch {
			case seen[folded] == 0 || len(w) > 4*len(folded):
			case strings.ContainsFunc(w, unicode.IsUpper):
				seen[folded] |= capital
			default:
				seen[folded] |= small
			}
		}
	}
	found := map[string]bool{}
	for word, as := range seen {
		found[word] = as&(capital|small) == capital
	}
	return found
}
