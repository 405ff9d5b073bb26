package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) rememberCommand() *cobra.Command {
	var t wire.Told
	var dryRun, jsonl bool
	cmd := &cobra.Command{
		Use: "remember [flags] TEXT...", Short: "Keep what is told: once, in the right note, with its reason",
		Long: "Remember writes a text into the note of its type, as an entry that people can read and\nedit. What is no fact is refused. What is there already is counted. What changes an\nentry takes its place. Every answer has its reason. Secrets are masked before anything\nis written. memoir undo takes the last change back.\n\n" +
			"Types: preference, instruction, contact, project, decision, learning, journal, or their\nnames in Chinese or Japanese, such as 偏好 and 好み. Without --type the text decides.\nWhere there are two memories, the first three are the user's and the others the\nproject's, unless --scope says otherwise.\n\n" +
			"With --jsonl each line of standard input is a JSON object with text and what else the\nflags say. Each is answered with one line of JSON. The exit status is 1 when one of them\nis an error; a refusal is none.",
		Example: "  memoir remember Ann prefers tabs over spaces\n  memoir remember --type decision \"We use Postgres, because of the extensions\"\n" +
			"  memoir remember --replaces memory/contacts.md#L3 \"Bob's number is 555 0199 now\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case jsonl && len(args) > 0:
				return usage("memoir remember --jsonl < told.jsonl", "--jsonl reads the texts from standard input, so the command line may have none")
			case jsonl:
				return s.rememberLines(cmd.Context(), dryRun)
			case len(args) == 0:
				return usage(`memoir remember "what is worth knowing"`, "there is nothing to remember")
			}
			t.Text = strings.Join(args, " ")
			return s.remember(cmd.Context(), t, dryRun)
		},
	}
	f := cmd.Flags()
	f.StringVar(&t.Type, "type", "", "which note it belongs in; when not given, the text decides")
	f.BoolVar(&t.Pin, "pin", false, "keep it in MEMORY.md, which agents are given at every start")
	f.StringVar(&t.Origin, "origin", "", "who says it: user, agent, tool, web or import; when not given, user")
	f.IntVar(&t.Importance, "importance", 0, "1 to 5")
	f.StringVar(&t.At, "at", "", "when it was told, as 2026-03-02, yesterday, 昨天 or 2026-03-02T10:32:00Z; when not given, now")
	f.StringVar(&t.Key, "key", "", "a name for this text; a second call with it changes nothing")
	f.StringVar(&t.Replaces, "replaces", "", "id or citation of the entry that it corrects")
	f.StringVar(&t.Session, "session", "", "the session that it comes from")
	f.BoolVar(&dryRun, "dry-run", false, "say what would be done, and write nothing")
	f.BoolVar(&jsonl, "jsonl", false, "read one JSON object a line from standard input")
	return cmd
}

// openWriting opens a memory for writing notes. The default workspace is made
// if there is none.
func (s *session) openWriting(ctx context.Context, need app.Need) (*app.Memory, error) {
	settings, err := s.memories()
	if err != nil {
		return nil, err
	}
	return s.openMemory(ctx, settings, app.Options{Need: need, Write: true})
}

// openOneWriting does what openWriting does for commands that work with one
// workspace.
func (s *session) openOneWriting(ctx context.Context, need app.Need) (*app.App, error) {
	settings, err := s.settings(nil)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, settings, app.Options{Need: need, Write: true})
}

func (s *session) remember(ctx context.Context, t wire.Told, dryRun bool) (err error) {
	st, err := t.Statement(dryRun)
	if err != nil {
		return err
	}
	a, err := s.openWriting(ctx, app.NeedAll)
	if err != nil { // so that nobody's words are lost
		text, _ := secret.Mask(st.Text)
		return fmt.Errorf("%w; not kept: %s", err, text)
	}
	defer closing(&err, a)
	outcome, err := a.Remember(ctx, st)
	if err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.out, outcome)
	}
	return s.printOutcome(outcome, s.linked(a.File))
}

// rememberLines answers every line with its outcome.
func (s *session) rememberLines(ctx context.Context, dryRun bool) (err error) {
	s.json = true // so that a failure between lines is JSON too
	a, err := s.openWriting(ctx, app.NeedAll)
	if err != nil {
		return err
	}
	defer closing(&err, a)
	first, failed := true, false
	err = s.answerEach(ctx, func(line inputLine) any {
		if first {
			line.text = strings.TrimPrefix(line.text, "\ufeff")
		}
		first = false
		outcome, err := rememberLine(ctx, a, line, dryRun)
		if err != nil {
			failed = true
			return s.failureOf(err)
		}
		return outcome
	})
	if err == nil && failed {
		return errAnswered
	}
	return err
}

// rememberLine does what a line of JSON says.
func rememberLine(ctx context.Context, a *app.Memory, line inputLine, dryRun bool) (engine.Outcome, error) {
	if line.err != nil {
		return engine.Outcome{}, line.err
	}
	t, err := wire.ReadTold(line.text)
	if err != nil {
		return engine.Outcome{}, err
	}
	st, err := t.Statement(dryRun)
	if err != nil {
		return engine.Outcome{}, err
	}
	return a.Remember(ctx, st)
}

func (s *session) printOutcome(o engine.Outcome, st style) error {
	w := bufio.NewWriter(s.out)
	what := o.Outcome
	if o.DryRun {
		what = "would be " + what
	}
	what = s.language.Say(what)
	reason := s.language.Say(o.Reason.Text)
	if o.Path == "" {
		_ = st.below(w, s.withKnown(s.said("%s: %s", what, reason), o), "") // Flush has the error
		if o.Reason.Wants == engine.WantsType {
			_ = st.below(w, s.language.Say("if it is a fact, name its type, such as --type project"), "  ")
		}
	} else {
		_ = st.beside(w, what+"  "+st.entry(st.bold, o.Scope, o.Path, o.StartLine, o.EndLine), s.typeName(o.Type), "  ")
		_ = st.below(w, s.withKnown(reason, o), "  ")
	}
	if o.Redacted {
		s.say(w, "  a secret in it was masked\n")
	}
	if o.Replaces != nil {
		_ = st.beside(w, s.said("  instead of %s", st.entry("", o.Replaces.Scope, o.Replaces.Path, o.Replaces.StartLine, o.Replaces.EndLine)), o.Known, indent)
	}
	for _, x := range o.Similar {
		_ = st.beside(w, s.said("  similar  %s  %.2f", st.entry("", x.Scope, x.Path, x.StartLine, x.EndLine), x.Score), x.Text, indent)
	}
	if o.Outcome == engine.Added && len(o.Similar) > 0 {
		_ = st.below(w, s.said("try: %s, if it corrects the first of these", s.location().complete("memoir remember --replaces "+shellQuoted(o.Similar[0].Name())+" …")), "  ")
	}
	return w.Flush()
}

// typeName names the type of an entry in the person's language.
func (s *session) typeName(name string) string {
	name = cmp.Or(name, "entry")
	if of := "type " + name; s.language.Say(of) != of {
		return s.language.Say(of)
	}
	return name
}

// withKnown adds to the reason that a text is known already what is known.
func (s *session) withKnown(reason string, o engine.Outcome) string {
	if o.Known == "" || o.Replaces != nil {
		return reason
	}
	return s.said("%s: %s", reason, o.Known)
}

// placeText writes where an entry stands, in the form that get takes.
func placeText(scope memoir.Scope, path string, from, to int) string {
	c := memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: memoir.DocID(path), Scope: scope}}, StartLine: from, EndLine: to}
	return named(c.Citation())
}

func (s *session) similarCommand() *cobra.Command {
	var threshold float64
	cmd := &cobra.Command{
		Use: "similar [flags] TEXT...", Short: "List entries that may be about the same as a text",
		Long: "Similar lists the entries that a text may repeat or change, the likeliest first. It\nwrites nothing.",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 0 {
				return usage(`memoir similar "what is worth knowing"`, "the text is missing")
			}
			a, err := s.openWriting(cmd.Context(), app.NeedAll)
			if err != nil {
				return err
			}
			defer closing(&err, a)
			found, err := a.Similar(cmd.Context(), strings.Join(args, " "), threshold)
			if err != nil {
				return err
			}
			if s.json {
				if found == nil {
					found = []engine.Similar{}
				}
				return writeJSON(s.out, found)
			}
			st := s.linked(a.File)
			for _, x := range found {
				if err := st.beside(s.out, fmt.Sprintf("%.2f  %s", x.Score, st.entry(st.bold, x.Scope, x.Path, x.StartLine, x.EndLine)), x.Text, indent); err != nil {
					return err
				}
			}
			if len(found) == 0 {
				s.say(s.err, "no entry is about the same\n")
			}
			return nil
		},
	}
	cmd.Flags().Float64Var(&threshold, "threshold", 0, "the least score, 0 to 1; when not given, the usual one")
	return cmd
}

func (s *session) entriesCommand() *cobra.Command {
	var types []string
	var status string
	var limit int
	cmd := &cobra.Command{
		Use: "entries [flags]", Short: "List what was remembered",
		Long: "Entries lists the entries of the notes that memoir writes to, and of MEMORY.md and\nUSER.md, whoever wrote them.",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if cmd.Flags().Changed("limit") && limit < 1 {
				return usage("memoir help entries", "-n %d is less than 1", limit)
			}
			a, err := s.openWriting(cmd.Context(), app.NeedNotes)
			if err != nil {
				return err
			}
			defer closing(&err, a)
			entries, err := a.Entries(cmd.Context(), engine.EntryFilter{Types: types, Status: status})
			if err != nil {
				return err
			}
			all := len(entries)
			if limit > 0 {
				entries = entries[:min(limit, all)]
			}
			if s.json {
				if entries == nil {
					entries = []engine.Entry{}
				}
				return writeJSON(s.out, entries)
			}
			return s.printEntries(entries, all, s.linked(a.File))
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, "how many are listed; when not given, all")
	cmd.Flags().StringSliceVar(&types, "type", nil, "only entries of this type; may be given several times")
	cmd.Flags().StringVar(&status, "status", "", "active, superseded or all; when not given, active")
	return cmd
}

// printEntries lists entries, and says how many there are in all.
func (s *session) printEntries(entries []engine.Entry, all int, st style) error {
	w := bufio.NewWriter(s.out)
	for _, e := range entries {
		head := st.entry(st.bold, e.Scope, e.Path, e.StartLine, e.EndLine) + "  " + s.typeName(e.Type)
		if e.Status == "superseded" {
			head += s.said("  superseded")
		}
		if err := st.beside(w, head, e.Text, indent); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var end io.Writer = s.err
	if s.terminal(s.out) {
		end = s.out // below the last one, also in a pager
	}
	if len(entries) < all {
		s.say(end, "the first %d of %s\n", len(entries), count(all, "entry"))
		return nil
	}
	s.say(end, "%s\n", count(all, "entry"))
	return nil
}

func (s *session) forgetCommand() *cobra.Command {
	var target engine.Target
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use: "forget [flags] ID|CITATION|PATH", Short: "Take entries out of the notes and of their history, for good",
		Long:    "Forget removes an entry by its id or citation, a note by its path, or everything that\ncame from a session or an origin. The history keeps no copy, and the same words are\nrefused when an agent or an import brings them back. With --query it lists what is\nlikely meant, what else has the words of the question or all of its names and numbers,\nwhat has only some of them, and what is about something similar. It removes what is\nlikely only with --yes, and with --all what else has the words, too. The rest stays.\nWhat was superseded is among them.\n\nWhat stands in no note any more, because it was taken back or removed by hand, is\nforgotten in the history: by its id, session or origin, or with --query by all of its\nwords.\n\nA list names an entry without an id by its line and a check of its words, as in\nmemory/contacts.md#L3~1a2b3c4d. That finds it also where it has moved, and nothing else.",
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
			return s.forget(cmd.Context(), target, dryRun)
		},
	}
	f := cmd.Flags()
	f.StringVar(&target.Session, "session", "", "all entries of this session")
	f.StringVar(&target.Origin, "origin", "", "all entries of this origin: user, agent, tool, web or import")
	f.StringVar(&target.Query, "query", "", "what is about this; listed first")
	f.BoolVar(&yes, "yes", false, "with --query: remove what is likely")
	f.BoolVar(&target.All, "all", false, "with --query: also what only has the words of the question, or all of its names and numbers")
	f.BoolVar(&dryRun, "dry-run", false, "list what would be removed")
	return cmd
}

func (s *session) forget(ctx context.Context, target engine.Target, dryRun bool) (err error) {
	a, blind, err := s.openForgetting(ctx, dryRun)
	if err != nil {
		return err
	}
	defer closing(&err, a)
	done, err := a.Forget(ctx, target, dryRun)
	done.InIndex = done.InIndex || blind
	if errors.Is(err, memoir.ErrNotFound) && target.Ref != "" && !strings.Contains(target.Ref, "#") && !strings.HasSuffix(target.Ref, ".md") {
		err = memoir.WithHint(err, "memoir forget --query "+shellQuoted(target.Ref)+", if those are words of it; memoir entries lists all with their ids")
	}
	if err != nil {
		return err
	}
	return s.printForgetting(done)
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
	for _, m := range []*config.Loaded{settings.User, settings.Project} {
		if dryRun || m == nil {
			continue
		}
		if _, err := os.Lstat(m.IndexPath()); err == nil || m.Store == config.StoreWeaviate {
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
	a, err := s.openWriting(ctx, app.NeedAll)
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
	if err := s.printForgetting(done); err != nil || s.json {
		return err
	}
	st := s.style()
	for _, group := range []struct {
		what    string
		entries []engine.Entry
	}{
		{"also has the words", done.Also}, {"has only some of the words", done.Some}, {"is about something similar", done.Near},
	} {
		for _, e := range group.entries {
			if err := st.beside(s.out, s.language.Say(group.what)+"  "+st.nameable(e), e.Text, indent); err != nil {
				return err
			}
		}
	}
	s.sayStays(done, yes)
	return nil
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
	if len(done.Some) > 0 {
		s.say(s.err, "only some of the words are in %s, which --all leaves; %s removes one\n", count(len(done.Some), "entry"), one(done.Some))
	}
	if len(done.Near) > 0 {
		s.say(s.err, "something similar is in %s, which --all leaves; %s removes one\n", count(len(done.Near), "entry"), one(done.Near))
	}
	switch likely := meant(done) > 0; {
	case yes && len(done.Also) > 0:
		s.say(s.err, "what also has the words stays; --all removes it, too\n")
	case yes:
	case staying(done) == 0:
		s.say(s.err, "nothing is removed; --yes removes them. What says the same in other words may not be here; memoir search finds it\n")
	case likely && len(done.Also) > 0:
		s.say(s.err, "nothing is removed; --yes removes what would be forgotten, --yes --all also what has the words\n")
	case likely:
		s.say(s.err, "nothing is removed; --yes removes what would be forgotten\n")
	case len(done.Also) > 0:
		s.say(s.err, "nothing is removed; --yes --all removes what has the words, --all alone lists it\n")
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
	for _, e := range done.InHistory {
		head := what + s.said("  in the history only  ") + st.wrapped(st.bold, named(e.Scope.Name(memoir.DocID(e.Path))))
		if e.ID != "" && done.DryRun {
			head += "  " + st.text(e.Name())
		}
		_ = st.beside(w, head, e.Text, indent)
	}
	for _, note := range done.Notes {
		fmt.Fprintf(w, "%s  %s\n", what, st.wrapped(st.bold, named(note)))
	}
	for _, file := range done.Unread {
		s.say(s.err, "%s was left over and cannot be read; look whether it holds that, too\n", named(file))
	}
	if done.InIndex {
		s.warn("the files of the index may still hold it, though no search finds it", "end the programs that use the index, then "+clearing(done))
	}
	if meant(done)+len(done.Notes)+staying(done) == 0 {
		s.say(s.err, "nothing is meant by that\n")
	}
	return w.Flush()
}
