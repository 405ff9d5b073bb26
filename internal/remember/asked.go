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
	"github.com/memoir-ai/memoir/internal/reader"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/secret"
)

// How the entries that a question may mean are chosen, when they are to be forgotten.
// Nobody waits for long, and nothing brings back what is missed, so more are read than
// when a text is told.
const (
	meantBy     = .25 // the odds that it answers, or the words in common, from which on the one entry with all words of the question is meant
	readNear    = 16  // entries that the model reads because their vectors are near
	readUnknown = 8   // the same, of those without a vector, because they share words
)

// asked returns the entries that a question means for certain, superseded ones included, and
// others that stay. An entry with exactly its words is certain; or else the only entry that has
// all of them, when it is about the same thing. With all, every entry that has all of the words
// is meant. Entries that say the same in other words only get named: "allergy to pollen" is as
// near to an allergy to penicillin. So do entries that replaced one with the words, because a
// correction holds when the wrong entry is forgotten, and entries that one replaced.
func (k *Keeper) asked(ctx context.Context, question string, all bool) (m meaning, err error) {
	question = plain(question[:min(len(question), maxText)])
	if judge.Normal(question) == "" {
		return m, fmt.Errorf("the text is empty: %w", memoir.ErrInvalid)
	}
	here, gone, err := k.hereAndGone(ctx)
	if err != nil {
		return m, err
	}
	is, holds := exact(question), heldBy(question, here)
	has := func(e *known) bool { return is(e) || holds(e).every }
	having, left := only(here, has), only(gone, has)
	told := slices.ContainsFunc(having, is) || slices.ContainsFunc(left, is)
	others, same, err := k.others(ctx, question, told, here)
	if err != nil {
		return m, err
	}
	sure := func(e *known) bool {
		switch {
		case all || told:
			return all || is(e)
		case len(having) == 0:
			return len(left) == 1
		}
		return len(having) == 1 && same[e]
	}
	doubtful := func(e *known) bool { return !sure(e) }
	m.entries, m.also = only(having, sure), only(having, doubtful)
	m.gone, m.left = only(left, sure), only(left, doubtful)
	chained := chains(here)
	linked := map[string]bool{}
	for _, e := range having {
		linked[chained(e)] = true
	}
	m.near = only(here, func(e *known) bool { return !has(e) && chained(e) != "" && linked[chained(e)] })
	for _, e := range others {
		if !has(e) && !slices.Contains(m.near, e) {
			m.near = append(m.near, e)
		}
	}
	m.some = only(here, func(e *known) bool { return !has(e) && holds(e).telling && !slices.Contains(m.near, e) })
	return m, nil
}

// only returns the entries for which is reports true.
func only(entries []*known, is func(*known) bool) (some []*known) {
	for _, e := range entries {
		if is(e) {
			some = append(some, e)
		}
	}
	return some
}

// others returns the entries that are about something similar to a question, the likeliest
// first, and which of them are about the same thing. It returns none when an entry has exactly
// the words of the question, which told says.
func (k *Keeper) others(
	ctx context.Context, question string, told bool, here []*known,
) (near []*known, same map[*known]bool, err error) {
	if told {
		return nil, nil, nil
	}
	found, err := k.closeTo(ctx, question, here)
	same = map[*known]bool{}
	for _, c := range found {
		near = append(near, c.known)
		same[c.known] = !c.read && c.words >= meantBy || c.read && c.odds.Same >= meantBy
	}
	return near, same, err
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
	if t.vector != nil {
		vectors := k.vectors.load()
		strange = nil
		for _, e := range all {
			if v := vectors.of(k.marks.digest(e.normal())); v == nil {
				strange = append(strange, e)
			} else if cosine := dot(v, t.vector); cosine >= minCosine {
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
	if err := k.answering(ctx, t, picked); err != nil {
		return nil, err
	}
	picked = slices.DeleteFunc(picked, func(c *candidate) bool { return !c.worthNaming() })
	slices.SortStableFunc(picked, func(a, b *candidate) int { return cmp.Compare(b.score(), a.score()) })
	return picked, nil
}

// answering reads whether each candidate answers a question. Its odds then say so: same for
// one that answers, changed for one that is about the same and does not.
func (k *Keeper) answering(ctx context.Context, t *told, found []*candidate) error {
	if k.opts.Reader == nil || len(found) == 0 {
		return nil
	}
	texts := make([]string, len(found))
	for i, c := range found {
		texts[i] = c.Text
	}
	odds, err := k.opts.Reader.Answers(ctx, t.text, texts)
	if err != nil || len(odds) != len(texts) {
		return ctx.Err()
	}
	for i, c := range found {
		c.read, c.odds = true, reader.Pair{Same: odds[i].Answers, Changed: odds[i].About, Distinct: odds[i].Foreign}
	}
	return nil
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
		if content(t) {
			every = append(every, hashed(t.Text))
			sieve.Add(t.Text)
		}
		if ofWords(t) && (strings.ContainsFunc(t.Text, unicode.IsNumber) || named[t.Text]) {
			telling = append(telling, hashed(t.Text))
			sieve.Add(t.Text)
		}
	}
	every, telling = every.distinct(), telling.distinct()
	whole := len(said) < analyze.MaxQueryTerms // a longer question is cut
	return func(e *known) held {
		has := allTerms(sieve.Sift(e.Text))
		return held{every: len(every) > 0 && whole && has.holds(every) == len(every), telling: has.holds(telling) > 0}
	}
}

// content reports whether a term of a question is a content word in its main form.
func content(t analyze.Term) bool { return t.Weight >= 1 || t.Kind == analyze.Character }

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
