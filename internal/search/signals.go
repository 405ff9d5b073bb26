package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/querylang"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/tune"
)

// A signal adjusts the score of a candidate by what its own chunk says. Other
// candidates do not matter. So the highest score that a chunk outside the
// candidates can get is known.
type signal struct {
	name string
	// value is how strongly the signal applies to a chunk, 0 to 1. It returns
	// false when the chunk keeps its score.
	value func(*memoir.ChunkMeta) (float64, bool)
	// apply returns the new score for a value, in [0, 1]. It grows with both
	// arguments.
	apply func(score, value float64) float64
	// near holds filters. A chunk that the signal applies to passes at least one
	// of them. nil: the signal may apply to any chunk.
	near []memoir.Filter
}

// chooseSignals returns the signals that the options and the query ask for, in
// the order in which they apply.
func (s *search) chooseSignals() []signal {
	opts := s.searcher.cfg.Ranking.Signals
	chosen := []signal{s.held()}
	if opts.Salience != tune.SalienceOff {
		chosen = append(chosen, salience(opts.Salience))
	}
	if opts.Decay.Enabled && !s.isExact() {
		chosen = append(chosen, decay(opts.Decay, s.today))
	}
	if opts.AssistantWeight < 1 {
		chosen = append(chosen, speaker(opts.AssistantWeight, s.asked.assistant))
	}
	if *opts.DateWeight > 0 && len(s.asked.when) > 0 {
		chosen = append(chosen, proximity(*opts.DateWeight, float64(opts.DateWindowDays), s.asked.when))
	}
	return chosen
}

// isExact reports whether the query names a day, an identifier or a phrase. An
// old note answers such a query as well as a new one.
func (s *search) isExact() bool {
	return len(s.asked.when) > 0 || len(s.asked.phrases) > 0 ||
		slices.ContainsFunc(s.terms, func(t analyze.Term) bool { return t.Kind == analyze.Identifier })
}

// scaled applies a signal whose value is the share of its score that a chunk keeps.
func scaled(score, left float64) float64 { return score * left }

// decay lowers the score with age.
func decay(opts tune.Decay, today time.Time) signal {
	return signal{explain.SignalDecay, func(p *memoir.ChunkMeta) (float64, bool) {
		day, ok := date(p)
		halfLife := *opts.HalfLifeDays
		if p.Kind == memoir.KindSession {
			halfLife = *opts.SessionHalfLifeDays
		}
		if !ok || halfLife == 0 || layout.Curated(string(p.Doc)) {
			return 0, false
		}
		return rank.Decay(days(day, today), halfLife, *opts.Floor), true
	}, scaled, nil}
}

// speaker lowers what only an assistant says. An assistant's answers are long,
// use the words of every question, and are not what the user said. asked
// reports whether the query asks for them. It is called only when a candidate
// is such an answer.
func speaker(weight float64, asked func() bool) signal {
	return signal{explain.SignalSpeaker, func(p *memoir.ChunkMeta) (float64, bool) {
		return weight, p.Labels.Has(memoir.LabelAssistant) && !asked()
	}, scaled, nil}
}

// logWeight is the share of its score that the log of a day keeps beside a note
// of what holds. It was measured (docs/design/remember.md).
const logWeight = .85

// lowerLogs adds the signal that lowers day logs when a chunk that holds from a
// known day on may be the answer. Without it a short line of a log is near to
// any question. The signal is left out when the query names or asks for a time,
// for the latest, the last or the first, or for certain words, because it may then mean a log.
func (s *search) lowerLogs(ctx context.Context) error {
	if s.query.Literal || s.asked.latest || s.asked.occasion != "" || s.asked.time || len(s.asked.on) > 0 || s.isExact() {
		return nil
	}
	found, err := s.passing(ctx, standing(), 1)
	if err != nil {
		return fmt.Errorf("look for what holds: %w", err)
	}
	if len(found) > 0 {
		log := memoir.KeyLabel(memoir.KeyType, layout.Journal)
		s.signals = append(s.signals, signal{explain.SignalLog, func(p *memoir.ChunkMeta) (float64, bool) { return logWeight, p.Labels.Has(log) }, scaled, nil})
	}
	return nil
}

// proximity raises chunks dated near to one of the named days, and those of which an entry
// was told near to it.
func proximity(weight, window float64, when []querylang.Range) signal {
	return signal{explain.SignalDate, func(p *memoir.ChunkMeta) (float64, bool) {
		near := 0.0
		for _, day := range datesOf(p) {
			for _, r := range when {
				distance := 0.0
				switch {
				case !r.From.IsZero() && day.Before(r.From):
					distance = days(day, r.From)
				case !r.To.IsZero() && day.After(r.To):
					distance = days(r.To, day)
				}
				near = max(near, rank.Proximity(distance, window))
			}
		}
		return near, near > 0
	}, func(score, near float64) float64 { return rank.Raise(score, weight*near) }, append(around(when, window), standing())}
}

// around returns filters for the days within a window round the named ones.
func around(when []querylang.Range, window float64) []memoir.Filter {
	filters := make([]memoir.Filter, len(when))
	for i, r := range when {
		if !r.From.IsZero() {
			filters[i].From = dayOf(r.From.AddDate(0, 0, -int(window)))
		}
		if !r.To.IsZero() {
			filters[i].To = dayOf(r.To.AddDate(0, 0, int(window)))
		}
	}
	return filters
}

// near returns filters that a chunk passes if a signal may raise it.
func (s *search) near() (filters []memoir.Filter) {
	for _, sig := range s.signals {
		filters = append(filters, sig.near...)
	}
	return filters
}

// salience is one of the profiles of what front matter says. The profile seed
// also counts what entries say.
func salience(profile string) signal {
	if profile == tune.SalienceOpenClaw {
		return signal{explain.SignalSalience, func(p *memoir.ChunkMeta) (float64, bool) {
			return p.Salience.Importance / memoir.MaxImportance, p.Salience.Importance > 0
		}, func(score, importance float64) float64 { return min(1, score*(0.75+0.5*importance)) }, nil}
	}
	return signal{explain.SignalSalience, func(p *memoir.ChunkMeta) (float64, bool) { return seed(p.Salience) },
		func(score, salience float64) float64 { return (score + salience) / 2 }, nil}
}

// weighed is how many of the first chunks are read to weigh their entries.
const weighed = 50

// weighEntries adds what the entries of the first chunks say to what front
// matter says of them, for the salience seed. With seed the whole index is
// looked at, up to a limit, so the first chunks are the same whatever the limit
// of the answer.
func (s *search) weighEntries(ctx context.Context, all []*candidate) error {
	weigh := s.searcher.cfg.Weigh
	if s.searcher.cfg.Ranking.Signals.Salience != tune.SalienceSeed || weigh == nil {
		return nil
	}
	first := map[memoir.ChunkID]*candidate{}
	var ids []memoir.ChunkID
	for _, f := range all[:min(len(all), weighed)] {
		if !f.Kind.ReadOnly() {
			first[f.ChunkID], ids = f, append(ids, f.ChunkID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	chunks, err := s.index.Chunks(ctx, ids)
	if err != nil {
		return fmt.Errorf("read passages: %w", err)
	}
	said, err := weigh(ctx, chunks)
	if err != nil {
		return fmt.Errorf("weigh passages: %w", err)
	}
	for i, p := range chunks {
		own := &first[p.ChunkID].Salience
		own.Importance = max(own.Importance, said[i].Importance)
		own.Reinforced, own.Accessed = max(own.Reinforced, said[i].Reinforced), max(own.Accessed, said[i].Accessed)
	}
	return nil
}

// adjusted returns a candidate's score after the signals. Unless note is nil,
// it is told what each signal did.
func (s *search) adjusted(f *candidate, note func(name string, value, score float64)) float64 {
	score := f.score
	for _, sig := range s.signals {
		if f.stays != leaves && (sig.name == explain.SignalStatus || sig.name == explain.SignalLog) {
			continue // it is the answer, whether it holds or not
		}
		if value, ok := sig.value(&f.ChunkMeta); ok {
			score = round(sig.apply(score, value))
			if note != nil {
				note(sig.name, value, score)
			}
		}
	}
	return score
}

// setScore gives a candidate the score that a signal has computed for it.
func (f *candidate) setScore(name string, value, score float64) {
	if score = round(score); score != f.score {
		f.signals = append(f.signals, explain.Signal{Name: name, Value: round(value), Change: round(score - f.score)})
		f.score = score
	}
}

// bound returns the highest score that signals can make of a score. near says
// whether the chunk passes one of the filters of [search.near].
func (s *search) bound(score float64, near bool) float64 {
	for _, sig := range s.signals {
		if sig.near == nil || near {
			score = max(score, sig.apply(score, 1))
		}
	}
	return score
}

// applySignals applies the signals to all candidates, removes those that do not
// hold, and orders the rest anew.
func (s *search) applySignals(all []*candidate) []*candidate {
	s.inherit()
	all = slices.DeleteFunc(all, func(f *candidate) bool { return f.stays == leaves && !s.holds(&f.ChunkMeta) })
	for _, f := range all {
		if f.score > 0 || s.forms[f.ChunkID] > 0 {
			s.adjusted(f, f.setScore)
		}
	}
	s.place()
	s.placeUpdates()
	sortFound(all)
	switch pool := all[:min(len(all), s.pool())]; {
	case s.asked.occasion != "":
		s.preferOccasion(pool)
	case s.asked.latest:
		s.preferNewest(pool)
		sortFound(all)
	}
	s.placeScraps(all)
	return all
}

// recencyPool is how many of the first chunks are compared by their days.
const recencyPool = 10

// preferNewest raises the newest of the first chunks: those of the newest day
// most, those of the second newest half as much, of the third a third. A chunk
// gains less when it fits the question less. MEMORY.md and USER.md say what
// holds now, so they count as the newest. A chunk without a date, or with a
// date in the future, keeps its score.
func (s *search) preferNewest(pool []*candidate) {
	var known []time.Time
	for _, f := range pool {
		if day, ok := date(&f.ChunkMeta); ok && !day.After(s.today) && !layout.Curated(string(f.Doc)) {
			known = append(known, day)
		}
	}
	order.By(known, func(a, b time.Time) int { return b.Compare(a) })
	known = slices.Compact(known)
	top := 0.0
	if len(pool) > 0 {
		top = pool[0].score
	}
	for _, f := range pool {
		day, _ := date(&f.ChunkMeta)
		place := slices.Index(known, day)
		if layout.Curated(string(f.Doc)) {
			place = 0
		}
		if place < 0 || f.score == 0 {
			continue
		}
		value := f.score / top / float64(place+1)
		f.setScore(explain.SignalRecency, value, rank.Raise(f.score, *s.searcher.cfg.Ranking.Signals.RecencyWeight*value))
	}
}

// diversify chooses as many candidates as are asked for, if that is wanted. It
// weighs how good each is against how much it resembles those chosen before.
func (s *search) diversify(all []*candidate) []*candidate {
	if !s.searcher.cfg.Ranking.Signals.MMR.Enabled {
		return all
	}
	scores := make([]float64, len(all))
	words := make([]map[string]bool, len(all))
	for i, f := range all {
		scores[i] = f.score
	}
	wordsOf := func(i int) map[string]bool {
		if words[i] == nil {
			words[i] = map[string]bool{}
			for _, t := range analyze.Document(nil, all[i].chunk.Text) {
				words[i][t] = true
			}
		}
		return words[i]
	}
	similarity := func(i, j int) float64 { return rank.Jaccard(wordsOf(i), wordsOf(j)) }
	taken, adjusted := rank.Diversify(scores, s.searcher.cfg.Ranking.Signals.MMR.Lambda, s.query.Limit*memoir.PassagesPerNote, similarity)
	out := make([]*candidate, len(taken))
	for i, at := range taken {
		out[i] = all[at]
		if lost := 1 - adjusted[i]/scores[at]; lost > 0 {
			out[i].setScore(explain.SignalDiversity, lost/(1-s.searcher.cfg.Ranking.Signals.MMR.Lambda), adjusted[i])
		}
	}
	return out
}

// date returns the day of a chunk and whether it has one.
func date(p *memoir.ChunkMeta) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, p.Date)
	return day, err == nil
}

// datesOf returns the day of a chunk, if it has one, and those on which its entries were told.
func datesOf(p *memoir.ChunkMeta) (all []time.Time) {
	if day, ok := date(p); ok {
		all = append(all, day)
	}
	for _, t := range tellings(p) {
		if day, err := time.Parse(time.DateOnly, t.day); err == nil {
			all = append(all, day)
		}
	}
	return all
}

// days returns how many days lie between two midnights.
func days(from, to time.Time) float64 { return to.Sub(from).Hours() / 24 }

// midnightOf returns the day of a time, in the time's own location, as midnight
// in UTC.
func midnightOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// seed returns the part of the profile "seed" that is not relevance, and false
// when nothing is known. The profile weighs relevance .5, importance .2,
// reinforcement .2 and access .1. The score is the mean over those that are
// known.
func seed(s memoir.Salience) (float64, bool) {
	var sum, weights float64
	add := func(weight, value float64) {
		if value > 0 {
			sum, weights = sum+weight*value, weights+weight
		}
	}
	add(0.2, s.Importance/memoir.MaxImportance)
	add(0.2, rank.Frequency(s.Reinforced))
	add(0.1, rank.Frequency(s.Accessed))
	if weights == 0 {
		return 0, false
	}
	return sum / weights, true
}
