package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge/feature"
	"github.com/memoir-ai/memoir/internal/querylang"
)

// maxUpdates is how many passages that were told later of the same are looked at.
const maxUpdates = 16

// clearlyNearer is by how much something else in a passage has to be nearer to a question than
// an entry is, so that the question is not about that entry, on the scale of scores.
const clearlyNearer = .1

// A statement is an entry of a candidate that was not superseded.
type statement struct {
	in   *candidate
	text string
	day  string // the last on which it was told; "" when nothing tells
}

// update looks for what was told later of the same as the first chunks say, and may change
// it. It adds the chunks with that. Nobody is sure of it, so that both stay in the answer.
func (s *search) update(ctx context.Context, all []*candidate) ([]*candidate, error) {
	if !s.asksNow() {
		return all, nil
	}
	seen, known := 0, map[memoir.ChunkID]bool{}
	first := slices.Clone(all[:min(len(all), linkSources)])
	for range maxSuccessors { // what was told later may itself have been changed
		first = slices.DeleteFunc(first, func(f *candidate) bool { return f.score == 0 || known[f.ChunkID] })
		if len(first) == 0 {
			break
		}
		for _, f := range first {
			known[f.ChunkID] = true
		}
		var err error
		if all, err = s.later(ctx, all, first); err != nil {
			return nil, err
		}
		first = first[:0]
		for ; seen < len(s.updates); seen++ {
			first = append(first, s.updates[seen].now)
		}
	}
	return all, s.earlier(ctx, all)
}

// asksNow reports whether the question asks about now: it names neither days that are past
// nor a status.
func (s *search) asksNow() bool {
	ofDays := slices.ContainsFunc(s.asked.conditions, func(c condition) bool { return c.days != querylang.Range{} })
	return !ofDays && len(s.asked.on) == 0 && len(s.asked.past(s.today)) == 0 && s.asked.status == "" && !s.query.Literal
}

// later adds the chunks with entries that may change one of some candidates.
func (s *search) later(ctx context.Context, all, old []*candidate) ([]*candidate, error) {
	statements, err := s.statements(ctx, old)
	if err != nil || len(statements) == 0 {
		return all, err
	}
	var any []memoir.Filter
	for check, o := range statements {
		any = append(any, memoir.Filter{Scope: o.in.Scope, Labels: []memoir.Label{memoir.KeyLabel(memoir.KeyUpdates, check)}})
	}
	found, err := s.passing(ctx, memoir.AnyOf(any...), maxUpdates)
	if err != nil {
		return nil, fmt.Errorf("look for what was told later: %w", err)
	}
	for _, f := range found {
		now := &f
		if f.Labels.Has(memoir.LabelSuperseded) {
			if now, err = s.successor(ctx, &f, s.passing); err != nil {
				return nil, err
			}
		}
		if now == nil {
			continue
		}
		if all, err = s.include(ctx, all, []memoir.ChunkID{now.ChunkID}); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, func(c *candidate) bool { return c.ChunkID == now.ChunkID })
		if at < 0 { // neither its words nor its meaning match the question
			at, all = len(all), append(all, &candidate{ChunkMeta: *now})
			s.fuse(all[at])
		}
		if err := s.pair(ctx, statements, &f, all[at]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// earlier looks among the first candidates for what the very first may change.
func (s *search) earlier(ctx context.Context, all []*candidate) error {
	first := slices.DeleteFunc(slices.Clone(all[:min(len(all), linkSources)]), func(f *candidate) bool {
		return f.score == 0 || f.Labels.Value(memoir.KeyUpdates) == "" || f.Labels.Has(memoir.LabelSuperseded)
	})
	if len(first) == 0 {
		return nil
	}
	statements, err := s.statements(ctx, all[:min(len(all), recencyPool)])
	for _, f := range first {
		if err == nil {
			err = s.pair(ctx, statements, &f.ChunkMeta, f)
		}
	}
	return err
}

// statements returns what the entries of some candidates say, by their checks. What was
// superseded is left out, and what the same candidate has in a newer form.
func (s *search) statements(ctx context.Context, among []*candidate) (map[string]statement, error) {
	among = slices.DeleteFunc(slices.Clone(among), func(f *candidate) bool {
		return f.Kind.ReadOnly() || f.Labels.Has(memoir.LabelSuperseded)
	})
	if err := s.readTexts(ctx, among); err != nil {
		return nil, err
	}
	all := map[string]statement{}
	for _, f := range among {
		told := tellings(&f.ChunkMeta)
		for _, e := range entry.Parse(f.chunk.Text) {
			check := feature.Check(feature.Normal(e.Text))
			if _, known := all[check]; known || entry.Marked(e.Text) || f.Labels.Has(memoir.KeyLabel(memoir.KeyUpdates, check)) {
				continue
			}
			day := f.Date
			for _, t := range told {
				if t.first == e.StartLine-1 {
					day = max(day, t.day)
				}
			}
			all[check] = statement{f, e.Text, day}
		}
	}
	return all, nil
}

// pair notes which statements the entries of a chunk may change, which are in the candidate
// now or were superseded by one in it. It leaves out what was told again after that, and what
// the question asks for, or does not ask about.
func (s *search) pair(ctx context.Context, statements map[string]statement, by *memoir.ChunkMeta, now *candidate) error {
	day := now.Date
	for _, t := range tellings(&now.ChunkMeta) {
		day = max(day, t.day)
	}
	for _, label := range by.Labels {
		check, _ := label.Value(memoir.KeyUpdates)
		old, ok := statements[check]
		if !ok || old.in.Scope != now.Scope || old.in.ChunkID == now.ChunkID || day < old.day ||
			slices.Contains(s.updates, succession{old.in, now}) {
			continue
		}
		if err := s.readTexts(ctx, []*candidate{now}); err != nil {
			return err
		}
		if now.chunk.EndLine == 0 { // it has gone meanwhile
			return nil
		}
		if s.about(ctx, old) && !s.asksForOld(ctx, old.text, wordsIn(now.chunk.Text)) {
			s.updates = append(s.updates, succession{old.in, now})
		}
	}
	return nil
}

// asksForOld reports whether a question asks for what only the older of two texts says.
// Nobody is sure that the newer changes it. So it is enough that the older has all words of
// the question, and the newer lacks some.
func (s *search) asksForOld(ctx context.Context, before, after string) bool {
	_, every := s.cover(&memoir.Chunk{Text: before})
	return every && s.lacks(ctx, before, after) || s.onlyOld(ctx, before, after) == first
}

// about reports whether a question is about a statement, and not about something else in its
// chunk that is clearly nearer to it, or without vectors has more of its words.
func (s *search) about(ctx context.Context, o statement) bool {
	c := &o.in.chunk
	entries := entry.Parse(c.Text)
	if len(entries) < 2 {
		return true
	}
	if s.vector == nil {
		own, _ := s.cover(&memoir.Chunk{Text: o.text})
		return !slices.ContainsFunc(entries, func(e entry.Entry) bool {
			other, _ := s.cover(&memoir.Chunk{Text: e.Text})
			return other > own
		})
	}
	text := (&memoir.Chunk{Title: c.Title, Heading: c.Heading, Text: o.text}).EmbedText()
	if c.Labels.Has(memoir.LabelEntries) {
		for _, t := range c.EmbedTexts() {
			if strings.Contains(t, o.text) {
				text = t
				break
			}
		}
	}
	v, err := s.searcher.queries.embed(ctx, s.embedder, memoir.TaskDocument, text)
	return err == nil && s.calibration.Score(cosine(v, s.vector)) >= s.calibration.Score(o.in.cosine)-clearlyNearer
}

// placeUpdates puts what was told later directly before what it may change, and that right
// behind it.
func (s *search) placeUpdates() {
	slices.SortStableFunc(s.updates, func(a, b succession) int { return cmp.Compare(b.old.score, a.old.score) })
	for range s.updates { // one may change what changed another
		behind := map[*candidate]int{}
		for _, u := range s.updates {
			if u.now.score <= u.old.score {
				u.now.setScore(explain.SignalUpdate, 1, max(u.old.score, 1e-6))
			}
			behind[u.now]++
			u.old.setScore(explain.SignalUpdate, 1, max(0, u.now.score-float64(behind[u.now])*1e-6))
		}
	}
	for _, u := range s.updates {
		u.old.later, u.now.earlier = u.now, u.old
	}
}
