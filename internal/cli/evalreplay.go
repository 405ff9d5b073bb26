package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/eval"
	"github.com/memoir-ai/memoir/internal/querylog"
	"github.com/memoir-ai/memoir/internal/wire"
)

// replayedFirst is how many notes of each answer are compared.
const replayedFirst = 5

// evalReplay asks the questions of the query log again.
func (s *session) evalReplay(ctx context.Context, flags evalFlags) error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	log := querylog.Path(settings.KeptDir(), settings.Agent)
	all, damaged, err := querylog.Read(log)
	if err != nil {
		return err
	}
	logged := lastAsked(all)
	if len(logged) == 0 {
		return memoir.WithHint(fmt.Errorf("no question was kept in %s: %w", log, memoir.ErrNotFound),
			"set query.log = true in your own settings, or MEMOIR_QUERY_LOG=true, and ask some")
	}
	byID := map[string]querylog.Query{}
	subject := evalSubject{name: "replay", modes: true}
	subject.Passages = eval.Places(nil).Passages
	for i, q := range logged {
		id := fmt.Sprint(i + 1)
		byID[id] = q
		subject.Questions = append(subject.Questions, eval.Question{ID: id, Text: q.Query})
	}
	subject.Ask = func(q *eval.Question, query *memoir.Query) {
		query.Path = byID[q.ID].Path
		if flags.mode == "" && flags.overlay["query.mode"] == "" {
			query.Mode = memoir.Mode(byID[q.ID].Mode)
		}
	}
	now, other, err := s.evalWorkspace(ctx, flags, &subject)
	if err != nil {
		return err
	}
	answer := wire.ReplayAnswer{Damaged: damaged, LatencyMs: measures(now).LatencyMs}
	if other != nil {
		answer.Compare = &wire.ReplayCompare{Settings: flags.compare, LatencyMs: measures(other).LatencyMs}
	}
	compareReplay(&answer, logged, now, other)
	if s.json {
		return writeJSON(s.out, answer)
	}
	s.printReplay(&answer)
	return nil
}

// lastAsked returns each question once, with its last answer, those asked last
// first.
func lastAsked(all []querylog.Query) []querylog.Query {
	type key struct{ query, mode, path string }
	seen := map[key]bool{}
	var out []querylog.Query
	for _, q := range slices.Backward(all) {
		if k := (key{q.Query, q.Mode, q.Path}); !seen[k] {
			seen[k] = true
			out = append(out, q)
		}
	}
	return out
}

// compareReplay fills in what changed between the log and now, or between now
// and other settings.
func compareReplay(a *wire.ReplayAnswer, logged []querylog.Query, now, other *eval.Run) {
	a.Questions, a.Changed = len(logged), []wire.ReplayChange{}
	same, found := 0, 0
	for i, q := range logged {
		before, after := firstOf(q.Paths), firstNotes(now.Passages[i])
		if other != nil {
			before, after = after, firstNotes(other.Passages[i])
		} else if len(after) > len(before) {
			after = after[:len(before)] // the log has no more hits than were asked for
		}
		kept := 0
		for _, path := range before {
			if slices.Contains(after, path) {
				kept++
			}
		}
		if len(before) > 0 {
			found++
			a.Overlap += float64(kept) / float64(len(before))
		}
		if slices.Equal(before[:min(1, len(before))], after[:min(1, len(after))]) {
			same++
		}
		if !slices.Equal(before, after) {
			a.Changed = append(a.Changed, wire.ReplayChange{Query: q.Query, Mode: q.Mode, Before: before, After: after})
		}
	}
	a.SameFirst = round(float64(same)/float64(max(len(logged), 1)), 6)
	a.Overlap = round(a.Overlap/float64(max(found, 1)), 6)
}

// firstNotes returns the notes of the first passages, each once.
func firstNotes(passages []eval.Passage) []string {
	paths := []string{}
	for _, p := range passages {
		if !slices.Contains(paths, p.Document) {
			paths = append(paths, p.Document)
		}
	}
	return firstOf(paths)
}

func firstOf(paths []string) []string {
	return append([]string{}, paths[:min(replayedFirst, len(paths))]...)
}

func (s *session) printReplay(a *wire.ReplayAnswer) {
	out, st := s.out, s.style()
	before, after, asked := "then", "now", s.said("%s asked again", count(a.Questions, "question"))
	if a.Compare != nil {
		before, after, asked = "now", "other", s.said("%s asked again with %s", count(a.Questions, "question"), st.text(a.Compare.Settings))
	}
	s.say(out, "%s: the first note is the same for %.1f %%, and so are %.1f %% of the first %d; p50 %.1f ms, p95 %.1f ms\n",
		asked, 100*a.SameFirst, 100*a.Overlap, replayedFirst, a.LatencyMs.P50, a.LatencyMs.P95)
	if a.Damaged > 0 {
		s.say(out, "%s of the log could not be read\n", count(a.Damaged, "line"))
	}
	for _, c := range a.Changed[:min(shownChanges, len(a.Changed))] {
		fmt.Fprintf(out, "\n%s\n  %s  %s\n  %s  %s\n", st.text(c.Query), padded(s.language.Say(before), 5), listed(st, c.Before), padded(s.language.Say(after), 5), listed(st, c.After))
	}
	if more := len(a.Changed) - shownChanges; more > 0 {
		s.say(out, "\nand %d more; --json lists all\n", more)
	}
}

// listed shows paths on one line.
func listed(st style, paths []string) string {
	return cmp.Or(st.text(strings.Join(paths, "  ")), "nothing")
}
