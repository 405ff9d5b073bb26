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
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/querylang"
)

// maxUpdates is the number of newer passages that a search looks at in one step.
const maxUpdates = 16

// clearlyNearer is the lead in score that a passage needs over one of its entries, so that the
// question is about another part of the passage.
const clearlyNearer = .1

// A statement is an entry of a candidate that was not superseded.
type statement struct {
	in   *candidate
	text string
	day  string // the last on which it was told; "" when unknown
}

// update adds the chunks with newer entries that may update an entry of the first chunks. The
// change is not certain, so both stay in the answer.
func (s *search) update(ctx context.Context, all []*candidate) ([]*candidate, error) {
	if !s.asksNow() {
		return all, nil
	}
	seen, known := 0, map[memoir.ChunkID]bool{}
	first := slices.Clone(all[:min(len(all), linkSources)])
	for range maxSuccessors { // a newer entry may have been updated in turn
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

// asksNow reports whether the question asks about now: it names neither past days nor a status,
// and not all of it is literal words.
func (s *search) asksNow() bool {
	ofDays := slices.ContainsFunc(s.asked.conditions, func(c condition) bool { return c.days != querylang.Range{} })
	ofDays = ofDays || len(s.asked.on) > 0 || len(s.asked.past(s.today)) > 0
	return !ofDays && s.asked.status == "" && !s.query.Literal
}

// later adds the chunks with entries that may update an entry of the given candidates.
func (s *search) later(ctx context.Context, all, old []*candidate) ([]*candidate, error) {
	statements, err := s.statements(ctx, old)
	if err != nil || len(statements) == 0 {
		return all, err
	}
	var any []memoir.Filter
	for check, o := range statements {
		label := memoir.KeyLabel(memoir.KeyUpdates, check)
		any = append(any, memoir.Filter{Scope: o.in.Scope, Labels: []memoir.Label{label}})
	}
	found, err := s.passing(ctx, memoir.AnyOf(any...), maxUpdates)
	if err != nil {
		return nil, fmt.Errorf("look for newer entries: %w", err)
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

// earlier looks among the first candidates for entries that the very first ones may update.
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

// statements returns the entries of some candidates by their checks. It leaves out superseded
// entries, and those that another entry of the same candidate may update.
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
			check := judge.Check(judge.Normal(e.Text))
			updated := f.Labels.Has(memoir.KeyLabel(memoir.KeyUpdates, check))
			if _, known := all[check]; known || updated || entry.Marked(e.Text) {
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

// pair notes which statements the entries of the chunk by may update. The candidate now is that
// chunk, or the successor of a superseded one. It leaves out statements that were told again
// later, that the question asks for, or that it is not about.
func (s *search) pair(
	ctx context.Context, statements map[string]statement, by *memoir.ChunkMeta, now *candidate,
) error {
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

// asksForOld reports whether a question asks for what only the older of two texts says. The
// change is not certain, so it is enough that the older has all words of the question and the
// newer lacks some.
func (s *search) asksForOld(ctx context.Context, before, after string) bool {
	_, every := s.cover(&memoir.Chunk{Text: before})
	return every && s.lacks(ctx, before, after) || s.staysBy(ctx, before, after) == first
}

// about reports whether a question is about a statement, and not about another part of its
// chunk that is clearly nearer or, without vectors, has more of the words.
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

// placeUpdates puts a newer candidate directly before the older one that it may update.
func (s *search) placeUpdates() {
	slices.SortStableFunc(s.updates, func(a, b succession) int { return cmp.Compare(b.old.score, a.old.score) })
	for range s.updates { // one that updates another may itself be updated
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
