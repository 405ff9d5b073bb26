package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
)

const forgetHelp = `Forget removes an entry by its id or citation, a note by its path, or everything that
came from a session or an origin. The history keeps no copy, and the same words are
refused when an agent or an import brings them back.

With --query it lists entries and removes none. The first is certain: it has exactly
these words, or is the only one that has them all and is about the same thing. Then
come the others with all of the words, those that replaced one of them or were
replaced by it, those about something similar, and those with some of the names and
numbers. --yes removes the certain one. If the words are there but no entry is certain,
it removes nothing, and the exit code is 1. --yes --all removes every entry with all of
the words, and nothing else. Superseded entries count, too. What stays can be removed
by its citation.

At a terminal, a whole note, a session or an origin is shown and asked about first,
unless there is --yes.

With --session a session goes as a whole, by its citation, its id or the beginning
of that: its entries, the notes with its summaries, and what the index has of its
transcript, which memoir does not read again. The transcript itself is the agent's and
stays; the answer says where. No command takes that back.

What stands in no note any more, because it was taken back or removed by hand, is
forgotten in the history: by its id, session or origin, or with --query by all of its
words.

A list names an entry without an id by its line and a check of its words, as in
memory/contacts.md#L3~1a2b3c4d. That finds it also where it has moved, and nothing else.`

func (s *session) forgetCommand() *cobra.Command {
	var target engine.Target
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use: "forget [flags] ID|CITATION|PATH", Short: "Take entries out of the notes and of their history, for good",
		Long:    forgetHelp,
		Example: "  memoir forget memory/contacts.md#L3\n  memoir forget --session 7f3a\n  memoir forget --query \"Bob's phone number\"",
		Args:    positional(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				target.Ref = args[0]
			}
			given := 0
			for _, x := range []string{target.Ref, target.Session, target.Origin, target.Query} {
				if x != "" {
					given++
				}
			}
			if target.All && target.Query == "" {
				return usage("memoir help forget", "--all is for --query alone")
			}
			if given != 1 {
				return usage("memoir help forget", "say in one way what to forget: an id, a citation, a path, --session, --origin or --query")
			}
			if target.Query != "" {
				return s.forgetQuery(cmd.Context(), target, yes && !dryRun)
			}
			return s.forget(cmd.Context(), target, yes, dryRun)
		},
	}
	f := cmd.Flags()
	f.StringVar(&target.Session, "session", "", "this session: its entries and summaries, and its transcript in the index")
	f.StringVar(&target.Origin, "origin", "", "all entries of this origin: user, agent, tool, web or import")
	f.StringVar(&target.Query, "query", "", "what is about this; listed first")
	f.BoolVar(&yes, "yes", false, "with --query: remove the entry that is certain; else ask nothing")
	f.BoolVar(&target.All, "all", false, "with --query: every entry with all words of the question")
	f.BoolVar(&dryRun, "dry-run", false, "list what would be removed")
	return cmd
}

// forget removes what is meant. A person at a terminal sees first what goes with a whole
// note, a session or an origin, and has to agree.
func (s *session) forget(ctx context.Context, target engine.Target, yes, dryRun bool) (err error) {
	a, blind, err := s.openForgetting(ctx, dryRun)
	if err != nil {
		return err
	}
	defer closing(&err, a)
	whole := target.Ref == "" || strings.HasSuffix(target.Ref, ".md") && !strings.Contains(target.Ref, "#")
	asks := whole && !yes && !dryRun && !s.json && s.terminal(s.in)
	done, err := a.Forget(ctx, target, dryRun || asks)
	if err == nil && asks {
		if err := s.printForgetting(done); err != nil {
			return err
		}
		if err := s.agree(ctx, "memoir help forget", false, "No copy stays, and memoir undo cannot bring it back. Forget it for good?"); err != nil {
			return err
		}
		done, err = a.Forget(ctx, target, false)
	}
	done.InIndex = done.InIndex || blind
	if errors.Is(err, memoir.ErrNotFound) && target.Session != "" {
		err = memoir.WithHint(err, s.hintSession(a))
	}
	if errors.Is(err, memoir.ErrNotFound) && target.Ref != "" && !strings.Contains(target.Ref, "#") && !strings.HasSuffix(target.Ref, ".md") {
		err = memoir.WithHint(err, "memoir forget --query "+shellQuoted(target.Ref)+", if those are words of it; memoir entries lists all with their ids")
	}
	if err != nil {
		return err
	}
	return s.printForgetting(done)
}

// hintSession returns the next step where no session is meant.
func (s *session) hintSession(a *app.Memory) string {
	if of := a.First().Settings.Sessions; of.Enabled && len(of.Agents)+len(of.Mappings) > 0 {
		return hintSessions
	}
	return "memoir entries lists all entries; of transcripts the index has none, because sessions are not enabled"
}

// openForgetting opens the notes, and the index if there is one that has to forget, too.
// An index that cannot be opened keeps nobody from forgetting: blind says that it stays
// as it is.
func (s *session) openForgetting(ctx context.Context, dryRun bool) (a *app.Memory, blind bool, err error) {
	settings, err := s.memories()
	if err != nil {
		return nil, false, err
	}
	opts := app.Options{Need: app.NeedNotes, Write: true}
	for _, one := range settings.All() {
		if !dryRun && (app.HasIndex(one) || one.Store == config.StoreWeaviate) {
			opts.Need = app.NeedWords
		}
	}
	a, err = s.openMemory(ctx, settings, opts)
	if opts.Need == app.NeedNotes || err == nil && (a.ProjectErr == nil || settings.ProjectErr != nil) {
		return a, false, err
	}
	if err == nil { // the project was left out
		if err := a.Close(); err != nil {
			return nil, false, err
		}
	}
	opts.Need = app.NeedNotes
	a, err = s.openMemory(ctx, settings, opts)
	return a, true, err
}

// forgetQuery lists the entries that a text may mean, and removes them after a
// person has agreed.
func (s *session) forgetQuery(ctx context.Context, target engine.Target, yes bool) (err error) {
	a, err := s.openKept(ctx, app.Options{Need: app.NeedAll})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	done, err := a.Forget(ctx, target, !yes)
	if err != nil {
		return err
	}
	if meant(done)+staying(done) == 0 && !s.json {
		s.warn("nothing is meant by that", "memoir search "+shellQuoted(target.Query)+", which finds single words, too; forget takes the citations that it prints")
		return nil
	}
	if err := s.printForgetting(done); err != nil {
		return err
	}
	if s.json {
		return s.doubts(done, yes)
	}
	st := s.style()
	for _, group := range []struct {
		what    string
		entries []engine.Entry
	}{
		{"also has the words", done.Also}, {"is about something similar", done.Near}, {"has only some of the words", done.Some},
	} {
		for _, e := range group.entries {
			if err := st.beside(s.out, s.language.Say(group.what)+"  "+st.nameable(e), e.Text, indent); err != nil {
				return err
			}
		}
	}
	s.sayStays(done, yes)
	return s.doubts(done, yes)
}

// doubts returns an error when entries were to be removed and none is certain.
func (s *session) doubts(done engine.Forgetting, yes bool) error {
	having := slices.Concat(done.Also, done.Recorded)
	if !yes || meant(done) > 0 || len(having) == 0 {
		return nil
	}
	one := "memoir forget --yes --query " + shellQuoted(having[0].Text)
	if len(done.Also) > 0 {
		one = "memoir forget " + shellQuoted(having[0].Name())
	}
	err := fmt.Errorf("nothing is removed: all of the words are in %s, and none is certain",
		count(len(having), "entry"))
	return memoir.WithHint(err, one+" removes the first; --yes --all removes all of them")
}

// meant counts the entries that a question means, in the notes and in the history.
func meant(done engine.Forgetting) int { return len(done.Entries) + len(done.InHistory) }

// staying counts the entries that a question does not mean, and that stay.
func staying(done engine.Forgetting) int { return len(done.Also) + len(done.Some) + len(done.Near) }

// nameable writes where an entry stands, with what names it also when others before it
// have gone: its id, or the check of its words.
func (s style) nameable(e engine.Entry) string {
	place := s.entry(s.bold, e.Scope, e.Path, e.StartLine, e.EndLine)
	if e.ID == "" {
		return place + "~" + e.Check
	}
	return place + "  " + s.text(e.Name())
}

// sayStays says what of the listed entries stays, and what removes it.
func (s *session) sayStays(done engine.Forgetting, yes bool) {
	one := func(entries []engine.Entry) string {
		return s.location().complete("memoir forget " + shellQuoted(entries[0].Name()))
	}
	if len(done.Near) > 0 {
		s.say(s.err, "something similar is in %s, which --all leaves; %s removes one\n", count(len(done.Near), "entry"), one(done.Near))
	}
	if len(done.Some) > 0 {
		s.say(s.err, "only some of the words are in %s, which --all leaves; %s removes one\n", count(len(done.Some), "entry"), one(done.Some))
	}
	switch likely := meant(done) > 0; {
	case yes && likely && len(done.Also) > 0:
		s.say(s.err, "what also has the words stays; --all removes it, too\n")
	case yes && (likely || len(done.Also)+len(done.Recorded) > 0):
	case staying(done) == 0:
		s.say(s.err, "nothing is removed; --yes removes them. What says the same in other words may not be here; memoir search finds it\n")
	case likely && len(done.Also) > 0:
		s.say(s.err, "nothing is removed; --yes removes what would be forgotten, --yes --all also what has the words\n")
	case likely:
		s.say(s.err, "nothing is removed; --yes removes what would be forgotten\n")
	case len(done.Also) > 0:
		s.say(s.err, "nothing is removed; --yes --all removes what has the words, --all alone lists it\n")
	default:
		s.say(s.err, "nothing is removed, because no entry has all of the words\n")
	}
}

// clearing names the command that clears the index of what was forgotten: of each memory
// that it was in.
func clearing(done engine.Forgetting) string {
	var commands []string
	add := func(scope memoir.Scope) {
		command := "memoir scan --fix"
		if scope != "" {
			command = "memoir --scope " + string(scope) + " scan --fix"
		}
		if !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	for _, e := range slices.Concat(done.Entries, done.InHistory) {
		add(e.Scope)
	}
	for _, note := range done.Notes {
		scope, _ := memoir.ParseName(note)
		add(scope)
	}
	if len(commands) == 0 {
		add("")
	}
	return strings.Join(commands, "; ")
}

func (s *session) printForgetting(done engine.Forgetting) error {
	if s.json {
		return writeJSON(s.out, done)
	}
	st := s.style()
	what := "forgotten"
	if done.DryRun {
		what = "would be forgotten"
	}
	what = s.language.Say(what)
	w := bufio.NewWriter(s.out)
	for _, e := range done.Entries {
		place := st.nameable(e)
		if !done.DryRun {
			place = st.entry(st.bold, e.Scope, e.Path, e.StartLine, e.EndLine)
		}
		_ = st.beside(w, what+"  "+place, e.Text, indent)
	}
	s.printHistory(w, what, done)
	for _, note := range done.Notes {
		fmt.Fprintf(w, "%s  %s\n", what, st.wrapped(st.bold, named(note)))
	}
	s.printElsewhere(w, what, done)
	for _, x := range done.Sessions {
		fmt.Fprintf(w, "%s  %s\n", what, st.wrapped(st.bold, named(x.Path)))
	}
	if len(done.Sessions) > 1 {
		s.say(s.err, "these are %d transcripts of the session; they go together\n", len(done.Sessions))
	}
	for _, x := range done.Sessions {
		if x.File != "" {
			s.say(s.err, "the agent's own transcript stays as it is, at %s; memoir does not read it again\n", named(x.File))
		}
	}
	for _, note := range done.Unmarked {
		s.say(s.err, "%s may hold a summary of the session, and stays; %s removes it\n", named(note), s.location().complete("memoir forget "+shellQuoted(note)))
	}
	for _, x := range done.StillSaid {
		s.say(s.err, "%s says it, too, and searches find it there; %s forgets all of that session\n", named(x.Path), s.location().complete("memoir forget --session "+shellQuoted(x.Path)))
	}
	if n := len(done.Recorded); n > 0 {
		s.say(s.err, "the history has something of it in %s that no note has any more, maybe an older wording; %s removes the first one\n",
			count(n, "entry"), s.location().complete("memoir forget --yes --query "+shellQuoted(done.Recorded[0].Text)))
	}
	s.printCleaned(done)
	for _, file := range done.Unread {
		s.say(s.err, "%s was left over and cannot be read; look whether it holds that, too\n", named(file))
	}
	if done.InIndex {
		s.warn("the files of the index may still hold it, though no search finds it", "end the programs that use the index, then "+clearing(done))
	}
	if meant(done)+len(done.Notes)+len(done.Sessions)+staying(done) == 0 {
		s.say(s.err, "nothing is meant by that\n")
	}
	return w.Flush()
}

// printHistory says what is forgotten in the history alone, and what stays there.
func (s *session) printHistory(w *bufio.Writer, what string, done engine.Forgetting) {
	st := s.style()
	for _, e := range done.InHistory {
		head := what + s.said("  in the history only  ") + st.wrapped(st.bold, named(e.Scope.Name(memoir.DocID(e.Path))))
		if e.ID != "" && done.DryRun {
			head += "  " + st.text(e.Name())
		}
		_ = st.beside(w, head, e.Text, indent)
	}
	for _, e := range done.Recorded {
		place := s.language.Say("stays in the history only") + "  " + st.wrapped(st.bold, named(e.Scope.Name(memoir.DocID(e.Path))))
		_ = st.beside(w, place, e.Text, indent)
	}
}

// printCleaned says what besides the notes had it, too.
func (s *session) printCleaned(done engine.Forgetting) {
	for _, x := range done.Cleaned {
		switch x.In {
		case "hooks":
			s.say(s.err, "it is also gone from %d of the summaries of sessions that waited to be kept\n", x.Items)
		case "queries":
			s.say(s.err, "%d of the questions in the query log asked for it, and are gone, too\n", x.Items)
		case "aside":
			s.say(s.err, "it is also gone from %d of the files that were moved out of the copy of the bucket\n", x.Items)
		}
	}
}

// printElsewhere says what was forgotten in other workspaces, and what may be left there.
func (s *session) printElsewhere(w *bufio.Writer, what string, done engine.Forgetting) {
	st := s.style()
	for _, e := range done.Elsewhere {
		file := func(note string) string { return filepath.Join(e.Workspace, filepath.FromSlash(note)) }
		in := func(note string) string { return st.wrapped(st.bold, named(file(note))) }
		for _, x := range e.Entries {
			_ = st.beside(w, what+"  "+st.wrapped(st.bold, placeText("", file(x.Path), x.StartLine, x.EndLine)), x.Text, indent)
		}
		for _, x := range e.InHistory {
			_ = st.beside(w, what+s.said("  in the history only  ")+in(x.Path), x.Text, indent)
		}
		for _, note := range e.Notes {
			fmt.Fprintf(w, "%s  %s\n", what, in(note))
		}
		at := location{}.with("--workspace", e.Workspace).with("--state-dir", s.stateDir)
		if e.InIndex && e.Agent != config.Yours {
			at = at.with("--agent", e.Agent)
		}
		for _, note := range e.Unmarked {
			s.say(s.err, "%s may hold a summary of the session, and stays; %s removes it\n", named(file(note)), at.complete("memoir forget "+shellQuoted(note)))
		}
		for _, left := range e.Unread {
			s.say(s.err, "%s was left over and cannot be read; look whether it holds that, too\n", named(file(left)))
		}
		again := at.complete("memoir index") + "; " + at.complete("memoir scan --fix")
		if len(done.Sessions) > 0 {
			again = at.complete("memoir forget --session " + shellQuoted(done.Sessions[0].Path))
		}
		switch place := named(cmp.Or(e.Workspace, e.Agent)); {
		case e.Problem != "":
			s.warn(s.said("the notes of %s may still hold the session: %s", place, e.Problem), again)
		case e.InIndex:
			s.warn(s.said("the files of the index of %s may still hold it, though no search finds it", place), s.said("end the programs that use that index, then %s", again))
		}
	}
}
