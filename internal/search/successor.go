package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/rank"
)

// A succession is a superseded candidate and the one that holds in its place.
type succession struct{ old, now *candidate }

// What becomes of a superseded candidate.
type stay int

const (
	leaves stay = iota // what took its place answers
	behind             // the question may ask for what only it says: it stands behind that
	first              // the question asks for what only it says
)

// succeed looks at the superseded chunks among the first, and adds the chunks
// that hold in their place. Those then come before the superseded ones, even
// when only these have the words of the question, unless what is asked for is
// what only the superseded one says.
func (s *search) succeed(ctx context.Context, all []*candidate) ([]*candidate, error) {
	type pair struct {
		old *candidate
		now memoir.ChunkMeta
	}
	var pairs []pair
	var chunks []memoir.ChunkID
	for _, f := range all[:min(len(all), linkSources)] {
		if f.score == 0 || !f.Labels.Has(memoir.LabelSuperseded) {
			continue
		}
		now, err := s.successor(ctx, &f.ChunkMeta, s.passing)
		if err != nil {
			return nil, err
		}
		if now != nil {
			pairs, chunks = append(pairs, pair{f, *now}), append(chunks, now.ChunkID)
		}
	}
	if len(pairs) == 0 {
		return all, nil
	}
	all, err := s.include(ctx, all, chunks)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		at := slices.IndexFunc(all, func(f *candidate) bool { return f.ChunkID == p.now.ChunkID })
		if at < 0 { // neither its words nor its meaning match the question
			at, all = len(all), append(all, &candidate{ChunkMeta: p.now})
			s.fuse(all[at])
		}
		if p.old.stays, err = s.stays(ctx, p.old, all[at]); err != nil {
			return nil, err
		}
		s.successions = append(s.successions, succession{p.old, all[at]})
	}
	return all, nil
}

// A lister lists at most so many of the chunks that pass a filter.
type lister func(context.Context, memoir.Filter, int) ([]memoir.ChunkMeta, error)

// successor returns the chunk with the entry that holds in the place of a
// superseded one, of the same memory, if list lists it; else nil.
func (s *search) successor(ctx context.Context, old *memoir.ChunkMeta, list lister) (*memoir.ChunkMeta, error) {
	by := old.Labels.Value(memoir.KeyBy)
	for range maxSuccessors {
		if by == "" {
			return nil, nil
		}
		bears := memoir.Filter{Scope: old.Scope, Labels: []memoir.Label{memoir.KeyLabel(memoir.KeyEntry, by)}}
		bearers, err := s.index.List(ctx, bears, 1)
		if err != nil {
			return nil, fmt.Errorf("look for what replaced a passage: %w", err)
		}
		if len(bearers) == 0 {
			return nil, nil
		}
		if !bearers[0].Labels.Has(memoir.LabelSuperseded) {
			listed, err := list(ctx, bears, 1)
			if len(listed) == 0 || err != nil {
				return nil, err
			}
			return &listed[0], nil
		}
		by = bearers[0].Labels.Value(memoir.KeyBy)
	}
	return nil, nil
}

// inherit gives the chunk that holds now the score of the one that it replaced,
// if that is higher. When the question asks about a time at which the old one
// held, the old one stays first, and so it does, with the other behind it, when
// the question asks for what it alone says.
func (s *search) inherit() {
	for _, p := range s.successions {
		score := p.old.score
		switch {
		case score < p.now.score || s.asksForThen(&p.old.ChunkMeta):
		case p.old.stays == first:
			p.now.setScore(explain.SignalStatus, 1, max(p.now.score, score-1e-6))
		default:
			p.now.setScore(explain.SignalStatus, 1, score)
			p.old.setScore(explain.SignalStatus, 1, score-1e-6)
		}
	}
}

// place puts the superseded chunks that stay before or behind what took their place,
// whatever the signals did to either.
func (s *search) place() {
	for _, p := range s.successions {
		switch {
		case p.old.stays == first && p.old.score <= p.now.score:
			p.old.setScore(explain.SignalStatus, 1, min(1, p.now.score+1e-6))
		case p.old.stays == behind && p.old.score >= p.now.score:
			p.old.setScore(explain.SignalStatus, 1, max(0, p.now.score-1e-6))
		}
	}
}

// stays returns what becomes of a superseded chunk. It is first when the question has words
// that only it has, and either is its very words, or is about what tells it apart from a newer
// text that is worded like it. A newer text in words of its own may change what the question
// asks for, or say nothing about it; the words do not show which (docs/design/remember.md).
func (s *search) stays(ctx context.Context, old, now *candidate) (stay, error) {
	if !s.asksNow() || s.holds(&old.ChunkMeta) {
		return leaves, nil // it says which days or status it asks about, or all of it is words
	}
	texts := []*candidate{{ChunkMeta: old.ChunkMeta}, {ChunkMeta: now.ChunkMeta}}
	if err := s.readTexts(ctx, texts); err != nil {
		return leaves, err
	}
	was, is := &texts[0].chunk, &texts[1].chunk
	if was.EndLine == 0 || is.EndLine == 0 {
		return leaves, nil // one has gone meanwhile
	}
	part := tookPlace(is, old.Labels.Value(memoir.KeyUntil))
	return s.staysBy(ctx, wordsIn(was.Text), wordsIn(part.Text)), nil
}

// staysBy returns what becomes of the older of two texts, by what the question asks for.
func (s *search) staysBy(ctx context.Context, before, after string) stay {
	only := s.lacks(ctx, before, after)
	if asked := analyze.Fold(s.asked.text); only && strings.Contains(analyze.Fold(before), asked) {
		return first
	}
	shares, begins := alike(before, after)
	switch {
	case s.vector == nil && only && shares:
		return first
	case s.vector == nil || !s.tellsApart(ctx, before, after):
		return leaves
	case only && (shares || begins):
		return first
	}
	return behind
}

// tookPlace returns of a chunk the lines of what was told on the day on which another entry
// was superseded: what took its place is among them. Where nothing tells, it is all of them.
func tookPlace(c *memoir.Chunk, day string) memoir.Chunk {
	part := *c
	lines := strings.Split(c.Text, "\n")
	first, last := len(lines), -1
	for _, t := range tellings(&c.ChunkMeta) {
		if t.day == day && t.last < len(lines) {
			first, last = min(first, t.first), max(last, t.last)
		}
	}
	if last >= 0 && first <= last {
		part.Text = strings.Join(lines[first:last+1], "\n")
		part.StartLine, part.EndLine = c.StartLine+first, c.StartLine+last
	}
	return part
}

// wordsIn returns what the entries of some lines say, without marks.
func wordsIn(lines string) string {
	var all []string
	for _, e := range entry.Parse(entry.Unmarked(lines)) {
		all = append(all, e.Text)
	}
	return strings.Join(all, "\n")
}

// sameWords is the share of the words of the shorter of two texts that both have, above
// which the newer says again what it does not change.
const sameWords = 1.0 / 3

// alike reports whether a newer text has that share of words in common with the older one,
// and whether both begin with the same one, which is what they are about.
func alike(old, now string) (shares, begins bool) {
	before, after := mainWords(old), mainWords(now)
	both := 0
	for _, w := range after {
		if slices.Contains(before, w) {
			both++
		}
	}
	shares = float64(both) > sameWords*float64(min(len(before), len(after)))
	return shares, len(before) > 0 && len(after) > 0 && before[0] == after[0]
}

// mainWords returns the words of a text in their main forms, in order, each once.
func mainWords(text string) (words []string) {
	for _, t := range analyze.Query(text) {
		if t.Weight >= 1 && t.Kind != analyze.Character && !slices.Contains(words, t.Text) {
			words = append(words, t.Text)
		}
	}
	return words
}

// lacks reports whether the newer of two texts lacks more of the words of the question that
// the older one has than the other way round, each weighed as the ranking weighs it.
func (s *search) lacks(ctx context.Context, old, now string) bool {
	var asked []memoir.Term
	for _, t := range s.terms {
		if t.Weight >= 1 {
			asked = append(asked, s.storeTerm(t))
		}
	}
	counts, err := memoir.CountWords(ctx, s.index, asked, nil)
	if err != nil {
		return false // the search itself reports that the words cannot be read
	}
	sieve := sieveOf(s.terms)
	had, has := analyze.Document(nil, sieve.Sift(old)), analyze.Document(nil, sieve.Sift(now))
	missing := 0.0
	for _, t := range asked {
		weight := t.Weight * rank.InverseFrequency(counts.Holders[t.Text].Chunks, counts.Chunks)
		if slices.Contains(had, t.Text) {
			missing += weight
		}
		if slices.Contains(has, t.Text) {
			missing -= weight
		}
	}
	return missing > 0
}

// onlyInOld is the share from which on a question is about what tells two texts apart
// (docs/design/remember.md).
const onlyInOld = .4

// tellsApart reports whether a question is nearer to the older of two texts than to the
// newer by such a share of what the older itself is: whether it is about what tells them
// apart, and not about what both speak of.
func (s *search) tellsApart(ctx context.Context, old, now string) bool {
	var vectors [3][]float32
	for i, text := range []struct {
		task memoir.Task
		text string
	}{{memoir.TaskQuery, old}, {memoir.TaskDocument, old}, {memoir.TaskDocument, now}} {
		v, err := s.searcher.queries.embed(ctx, s.embedder, text.task, text.text)
		if err != nil {
			return false
		}
		vectors[i] = v
	}
	lead := func(v []float32) float64 { return cosine(v, vectors[1]) - cosine(v, vectors[2]) }
	itself := lead(vectors[0])
	return itself > 0 && lead(s.vector) >= onlyInOld*itself
}

// cosine returns the cosine of two vectors of one space, 0 where one has no direction.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// nameSuccessors finds where what took the place of the superseded ones among some candidates
// stands.
func (s *search) nameSuccessors(ctx context.Context, shown []*candidate) error {
	for _, f := range shown {
		if !f.Labels.Has(memoir.LabelSuperseded) {
			continue
		}
		now, err := s.successor(ctx, &f.ChunkMeta, s.index.List)
		if err != nil {
			return err
		}
		if now == nil {
			continue
		}
		read := &candidate{ChunkMeta: *now}
		if err := s.readTexts(ctx, []*candidate{read}); err != nil {
			return err
		}
		if read.chunk.EndLine > 0 {
			part := tookPlace(&read.chunk, f.Labels.Value(memoir.KeyUntil))
			f.successor = part.Citation()
		}
	}
	return nil
}
