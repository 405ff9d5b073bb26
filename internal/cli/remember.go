package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
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
	f.StringVar(&t.Replaces, "replaces", "", "id or citation of the entry that it corrects; none: it is about something else than all others")
	f.StringVar(&t.Session, "session", "", "the session that it comes from")
	f.BoolVar(&dryRun, "dry-run", false, "say what would be done, and write nothing")
	f.BoolVar(&jsonl, "jsonl", false, "read one JSON object a line from standard input")
	return cmd
}

// openWriting opens a memory for writing notes. The default workspace is made
// if there is none.
func (s *session) openWriting(ctx context.Context, need app.Need) (*app.Memory, error) {
	return s.openKept(ctx, app.Options{Need: need, Make: true})
}

// openKept opens a memory for listing and changing what is kept in it.
func (s *session) openKept(ctx context.Context, opts app.Options) (*app.Memory, error) {
	settings, err := s.memories()
	if err != nil {
		return nil, err
	}
	opts.Write = true
	return s.openMemory(ctx, settings, opts)
}

// openOneKept does what openKept does for commands that work with one workspace.
func (s *session) openOneKept(ctx context.Context, opts app.Options) (*app.App, error) {
	settings, err := s.settings(nil)
	if err != nil {
		return nil, err
	}
	opts.Write = true
	return s.open(ctx, settings, opts)
}

func (s *session) remember(ctx context.Context, t wire.Told, dryRun bool) (err error) {
	st, err := t.Statement(dryRun)
	if err != nil {
		return err
	}
	a, err := s.openWriting(ctx, app.NeedAll)
	if err != nil { // so that nobody's words are lost
		text, _ := secret.Mask(st.Text)
		if errors.Is(err, context.Canceled) {
			return &engine.NotKeptError{Text: text, Path: "the notes", Err: err}
		}
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
	shown := s.linked(a.File)
	for _, one := range append([]engine.Outcome{outcome}, outcome.More...) {
		err = errors.Join(err, s.printOutcome(one, shown))
		if one.Path != "" {
			err = errors.Join(err, s.printMemory(a, one, shown))
		}
	}
	return err
}

// printMemory says into which memory a text went, and why not into the project's where one
// might look for it there.
func (s *session) printMemory(a *app.Memory, o engine.Outcome, st style) error {
	of := a.Of(o.Scope)
	switch r := of.Settings.Repository(); {
	case of == a.Project && r != "":
		return st.below(s.out, s.said("in the notes of the repository %s", named(r)), "  ")
	case of == a.Project:
		return st.below(s.out, s.said("in the notes of the folder %s", named(o.Workspace)), "  ")
	}
	err := st.below(s.out, s.said("in your own notes, %s", named(o.Workspace)), "  ")
	if err == nil && a.Project != nil && !a.Project.Settings.Trusted() && !engine.OfUser(o.Type) {
		err = st.below(s.out, s.said("try: %s, if it is for the notes in %s", "memoir trust", named(a.Project.Settings.Place())), "  ")
	}
	return err
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
		if step := s.afterRefusal(o.Reason); step != "" {
			_ = st.below(w, step, "  ")
		}
	} else {
		_ = st.beside(w, what+"  "+st.entry(st.bold, o.Scope, o.Path, o.StartLine, o.EndLine), s.typeName(o.Type), "  ")
		_ = st.below(w, s.withKnown(reason, o), "  ")
	}
	if o.Redacted && o.Path != "" {
		s.say(w, "  a secret in it was masked\n")
	}
	if o.Withheld && o.Path != "" {
		s.say(w, "  what was marked as private in it was left out\n")
	}
	if o.Skipped != "" {
		_ = st.below(w, s.said("no search finds it: %s", s.language.Say(o.Skipped)), "  ")
	}
	if o.Replaces != nil {
		_ = st.beside(w, s.said("  instead of %s", st.entry("", o.Replaces.Scope, o.Replaces.Path, o.Replaces.StartLine, o.Replaces.EndLine)), o.Known, indent)
	}
	for _, x := range o.Similar {
		_ = st.beside(w, s.said("  similar  %s  %.2f", st.entry("", x.Scope, x.Path, x.StartLine, x.EndLine), x.Score), x.Text, indent)
	}
	if o.Told != "" {
		own := "memoir undo " + o.Change
		if o.Change == "" {
			own = "memoir remember --replaces " + engine.Nothing + " " + shellQuoted(o.Told)
		}
		_ = st.below(w, s.said("try: %s, to keep it as an entry of its own", s.location().complete(own)), "  ")
	}
	if o.Outcome == engine.Added && len(o.Similar) > 0 && o.Similar[0].Likely() {
		_ = st.below(w, s.said("try: %s, if it corrects the first of these", s.location().complete("memoir remember --replaces "+shellQuoted(o.Similar[0].Name())+" …")), "  ")
	}
	return w.Flush()
}

// afterRefusal says the next step after a refusal: a command, where one does it.
func (s *session) afterRefusal(r engine.Reason) string {
	command := func(format, command string) string { return s.said(format, s.location().complete(command)) }
	switch r.Wants {
	case engine.WantsSearch:
		return command("try: %s, which looks it up", "memoir search …")
	case engine.WantsForget:
		return command("try: %s, which lists first what is meant", "memoir forget --query …")
	}
	if r.Action == "" {
		return ""
	}
	return s.said("try: %s", s.language.Say(r.Action))
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
			a, err := s.openKept(cmd.Context(), app.Options{Need: app.NeedAll})
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
			a, err := s.openKept(cmd.Context(), app.Options{Need: app.NeedNotes})
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
