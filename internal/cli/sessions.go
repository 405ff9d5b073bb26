package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "sessions", Short: "List the sessions of agents, or show what was said in one",
		Long:    "Sessions lists the transcripts of the agents that the settings sessions.enabled and\nsessions.agents name, the newest first; with --agent those of that agent alone. It reads the transcripts\nas they are, and no index.",
		Example: "  memoir sessions\n  memoir sessions --agent codex --json\n  memoir sessions show 8f3c2f4e",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return positional(0, 0, "")(cmd, args)
			}
			return usage("memoir sessions show "+shellQuoted(args[0]), "unexpected argument %q", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return s.sessions(cmd.Context()) },
	}
	cmd.AddCommand(s.paged(&cobra.Command{
		Use: "show ID", Short: "Show what was said in a session",
		Long: "Show prints the turns of a session, by its id, the beginning of it, or the path of\nits transcript as memoir search cites it.",
		Args: positional(1, 1, "the id of a session"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.showSession(cmd.Context(), args[0]) },
	}))
	return cmd
}

// eachSession calls do for each session in which something was said. It warns
// of those that cannot be read.
func (s *session) eachSession(ctx context.Context, do func(app.Session)) error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	if !settings.Sessions.Enabled || len(settings.Sessions.Agents)+len(settings.Sessions.Mappings) == 0 {
		return errNoSessions
	}
	sources, err := app.OpenSessions(settings)
	if err != nil {
		return err
	}
	for _, src := range sources {
		for entry, err := range src.Scan(ctx) {
			if err != nil {
				return fmt.Errorf("list the sessions of %s: %w", src.Agent(), err)
			}
			if entry.Skip != "" {
				s.warn(named(string(entry.ID))+": "+entry.Skip, "")
				continue
			}
			x, err := src.Session(ctx, entry.ID)
			skip := (*memoir.SkipError)(nil)
			switch {
			case errors.Is(err, memoir.ErrNotFound): // it has vanished
			case errors.As(err, &skip):
				s.warn(err.Error(), "")
			case err != nil:
				return err
			case len(x.Turns) > 0:
				do(x)
			}
		}
	}
	return nil
}

func (s *session) sessions(ctx context.Context) error {
	answers := []wire.Session{}
	err := s.eachSession(ctx, func(x app.Session) {
		answers = append(answers, sessionOf(x))
	})
	if err != nil {
		return err
	}
	order.By(answers, func(a, b wire.Session) int {
		return cmp.Or(cmp.Compare(b.Started, a.Started), cmp.Compare(a.Path, b.Path))
	})
	if s.json {
		return writeJSON(s.out, answers)
	}
	st := s.style()
	w := bufio.NewWriter(s.out)
	for _, x := range answers {
		fmt.Fprintf(w, "%s  %s  %s  %s  %s\n", st.wrapped(st.bold, x.ID), x.Agent, cmp.Or(localTime(x.Started), "-"), s.said("%s", count(x.Turns, "turn")), st.text(x.Title))
	}
	if len(answers) == 0 {
		s.say(s.err, "there are no sessions\n")
	}
	return w.Flush()
}

func (s *session) showSession(ctx context.Context, id string) error {
	x, err := s.findSession(ctx, id)
	if err != nil {
		return err
	}
	answer := turnsOf(x)
	if s.json {
		return writeJSON(s.out, answer)
	}
	st := s.style()
	w := bufio.NewWriter(s.out)
	for i, t := range answer.Turns {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n", st.wrapped(st.bold, strings.TrimSpace(s.said("%s, line %d  %s", s.language.Say(t.Role), t.Line, localTime(t.Time)))))
		fmt.Fprintln(w, strings.TrimRight(printableLines(t.Text), "\n"))
	}
	return w.Flush()
}

// errNoSessions says that the settings name no sessions to read.
var errNoSessions = memoir.WithHint(fmt.Errorf("sessions are not enabled: %w", memoir.ErrUnavailable),
	"memoir config set sessions.agents claude-code && memoir config set sessions.enabled true")

const hintSessions = "memoir sessions, which prints their ids"

// findSession returns the session with an id, a path, or the beginning of an id
// that no other session has.
func (s *session) findSession(ctx context.Context, id string) (app.Session, error) {
	var called, begun []app.Session
	err := s.eachSession(ctx, func(x app.Session) {
		switch {
		case x.ID == id || string(x.Doc) == id:
			called = append(called, x)
		case id != "" && strings.HasPrefix(x.ID, id):
			if len(begun) > 0 {
				x.Turns = nil // if several match, none is shown
			}
			begun = append(begun, x)
		}
	})
	if len(called) == 0 {
		called = begun
	}
	switch {
	case err != nil:
		return app.Session{}, err
	case len(called) == 0:
		return app.Session{}, memoir.WithHint(fmt.Errorf("there is no session %s: %w", id, memoir.ErrNotFound), hintSessions)
	case len(called) > 1:
		return app.Session{}, memoir.WithHint(fmt.Errorf("%s stands for %d sessions: %w", id, len(called), memoir.ErrInvalid), "memoir sessions show "+shellQuoted(string(called[0].Doc)))
	}
	return called[0], nil
}

func sessionOf(x app.Session) wire.Session {
	return wire.Session{ID: x.ID, Agent: x.Agent, Path: string(x.Doc), Project: x.Project, Title: x.Title, Started: moment(x.Started), Ended: moment(x.Ended), Turns: len(x.Turns)}
}

func turnsOf(x app.Session) wire.Turns {
	out := wire.Turns{ID: x.ID, Turns: []wire.Turn{}}
	for _, t := range x.Turns {
		out.Turns = append(out.Turns, wire.Turn{Role: t.Role, Text: t.Text, Time: moment(t.Time), Line: t.Line})
	}
	return out
}

// moment writes a time; "" for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
