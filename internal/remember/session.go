package remember

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
)

// names returns all that entries may call the session of a target; none when it means no
// session.
func (target Target) names() []string {
	if target.Session == "" {
		return nil
	}
	named := append([]string{target.Session}, target.Names...)
	return slices.DeleteFunc(named, func(name string) bool { return name == "" })
}

// agents returns the agents whose session a target means, as the ids of transcripts say;
// none when nobody knows.
func (target Target) agents() (agents []string) {
	for _, name := range target.names() {
		if rest, ok := strings.CutPrefix(name, "sessions/"); ok {
			agent, _, _ := strings.Cut(rest, "/")
			agents = append(agents, agent)
		}
	}
	return agents
}

// Means reports whether a session of an agent, by the agent's own name for it, is the one
// that a target means.
func (target Target) Means(agent, session string) bool {
	agents := target.agents()
	return slices.Contains(target.names(), session) && (len(agents) == 0 || slices.Contains(agents, agent))
}

// In reports whether the bytes of a history may have something of the session that a target
// means, by the ids of its transcripts.
func (target Target) In(history []byte) bool {
	return slices.ContainsFunc(target.names(), func(name string) bool {
		return strings.HasPrefix(name, "sessions/") && bytes.Contains(history, []byte(entry.AsKept(name)))
	})
}

// summarized reports whether a note holds the summaries of the session that a target means,
// by the mark in its name.
func (target Target) summarized(path string) bool {
	agent, mark, ok := layout.SummaryOf(path)
	if agents := target.agents(); !ok || len(agents) > 0 && !slices.Contains(agents, agent) {
		return false
	}
	return slices.ContainsFunc(target.names(), func(name string) bool { return layout.SummaryMark(name) == mark })
}

// unmarked reports whether a note has a summary of a session of the same agent and does not
// say of which session it is.
func (target Target) unmarked(path, text string) bool {
	if _, mark, ok := layout.SummaryOf(path); ok && mark != layout.SummaryMark("") {
		return false
	}
	agents := target.agents()
	return slices.ContainsFunc(layout.Summarized(text), func(agent string) bool { return len(agents) == 0 || slices.Contains(agents, agent) })
}

// from reports whether an entry comes from the session or the origin of a target: as it
// says itself, or else as the note says in which it stands.
func (target Target) from(e *known) bool {
	said := e.Fields.Get(entry.Session)
	return slices.ContainsFunc(target.names(), func(name string) bool { return ofSession(said, name) }) ||
		said == "" && target.summarized(e.path) ||
		target.Origin != "" && strings.EqualFold(e.Fields.Get(entry.Origin), target.Origin)
}

// ofSession reports whether an entry comes from a session, given the entry's
// own words: the session, or a line of it.
func ofSession(said, session string) bool {
	rest, ok := strings.CutPrefix(said, entry.AsKept(session))
	return ok && (rest == "" || strings.HasPrefix(rest, "#L"))
}

// Sessions returns the transcripts that entries of the notes and of the history come from, by
// the ids that they had then, each once.
func (k *Keeper) Sessions(ctx context.Context) (all []string, err error) {
	seen := map[string]bool{}
	add := func(e *entry.Entry) {
		session, _, _ := strings.Cut(e.Fields.Get(entry.Session), "#")
		if strings.HasPrefix(session, "sessions/") && !seen[session] {
			seen[session], all = true, append(all, session)
		}
	}
	paths, err := k.paths(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		entries, _ := k.entries(path) // a note that cannot be read says nothing of it
		for _, e := range entries {
			add(&e.Entry)
		}
	}
	changes, err := k.opts.Notebook.History()
	for _, c := range changes {
		for _, e := range c.Edits {
			for _, lines := range []string{e.Old, e.New} {
				if !strings.Contains(lines, "sessions/") {
					continue
				}
				for _, one := range entry.Parse(lines) {
					add(&one)
				}
			}
		}
	}
	return all, err
}

// allFrom returns what comes from the session or the origin of a target: entries, and as a
// whole the notes of summaries that are the session's and hold nothing of others.
func (k *Keeper) allFrom(ctx context.Context, target Target) (m meaning, err error) {
	paths, err := k.paths(ctx)
	if err != nil {
		return m, err
	}
	for _, path := range paths {
		text, entries, err := k.read(path)
		if err != nil {
			return m, err
		}
		from := slices.DeleteFunc(slices.Clone(entries), func(e *known) bool { return !target.from(e) })
		m.entries = append(m.entries, from...)
		switch {
		case target.Session == "":
		case !target.summarized(path):
			if target.unmarked(path, text) {
				m.unmarked = append(m.unmarked, path)
			}
		case len(from) == len(entries) && text != "":
			m.notes = append(m.notes, path)
		case text != "":
			m.unmarked = append(m.unmarked, path)
		}
	}
	if len(m.entries)+len(m.notes) == 0 {
		return m, fmt.Errorf("there is no entry of %s: %w", target.Session+target.Origin, memoir.ErrNotFound)
	}
	return m, nil
}

// withoutSummaries returns a scrub that also leaves out all lines of the session's notes of
// summaries, which no entry may hold, unless something of others is among them.
func (target Target) withoutSummaries(scrub func(note, lines string) string) func(note, lines string) string {
	if target.Session == "" {
		return scrub
	}
	return func(note, lines string) string {
		if target.summarized(note) && !slices.ContainsFunc(entry.Parse(lines), func(e entry.Entry) bool { return !target.from(&known{Entry: e, path: note}) }) {
			return ""
		}
		return scrub(note, lines)
	}
}
