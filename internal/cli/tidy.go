package cli

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
)

func (s *session) tidyCommand() *cobra.Command {
	var opts engine.TidyOptions
	var summaries bool
	cmd := &cobra.Command{
		Use: "tidy [flags] [ID...]", Short: "Find what could be better in the notes, and do what is certain",
		Long: "Tidy lists what could be better, each with a proposal as a diff: duplicates,\nnear-duplicates, contradictions, what is stale, links to notes that are not there,\nsecrets, conflict copies of a synced folder, what nobody asks for, what is often asked\nfor in day logs, and a MEMORY.md that says too much. It changes nothing.\n\n" +
			"With --apply it does what is certain, in one change that one memoir undo takes back.\nWith ids it does those findings, certain or not. It masks secrets only with --yes,\nbecause they do not come back. What is marked with ? is for a person to judge.\n\n" +
			"With --summaries it lists the months whose logs could be summarised, and what that\ntakes. With --apply too, the language model of summaries.baseURL writes summaries\nbelow memory/summaries. Each line quotes the lines of the logs that it stands on, and\nis left out if it does not. The logs stay.\n\n" +
			"Kinds: secret, conflict-copy, duplicate, near-duplicate, contradiction, stale, orphan,\nlow-value, promote, oversized.",
		Example: "  memoir tidy\n  memoir tidy --kind duplicate --apply\n  memoir tidy --apply 3f9a01bc\n  memoir tidy --summaries --apply",
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.IDs = args; len(args) > 0 && !opts.Apply {
				return usage("memoir help tidy", "ids are only for --apply")
			}
			if opts.Mask && !opts.Apply {
				return usage("memoir tidy --apply --yes", "--yes is only for --apply")
			}
			if summaries && (len(args) > 0 || opts.Mask || len(opts.Kinds) > 0) {
				return usage("memoir tidy --summaries --apply", "--summaries goes with --apply and nothing else")
			}
			if summaries {
				return s.summarise(cmd.Context(), opts.Apply)
			}
			return s.tidy(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&opts.Kinds, "kind", nil, "only findings of this kind; may be given several times")
	f.BoolVar(&opts.Apply, "apply", false, "do what is certain, or the findings that are named")
	f.BoolVar(&summaries, "summaries", false, "months whose logs a language model could summarise; with --apply it does")
	f.BoolVar(&opts.Mask, "yes", false, "with --apply: mask secrets, which do not come back")
	return cmd
}

func (s *session) tidy(ctx context.Context, opts engine.TidyOptions) (err error) {
	a, err := s.openOneKept(ctx, app.Options{Need: app.NeedAll})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	done, err := a.Engine.Tidy(ctx, opts)
	if err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.out, done)
	}
	return s.printTidying(done, opts.Apply, s.linked(func(_ memoir.Scope, id memoir.DocID) (string, error) { return a.File(id) }))
}

func (s *session) printTidying(done engine.Tidying, apply bool, st style) error {
	w := bufio.NewWriter(s.out)
	certain, secrets := 0, map[string]bool{}
	for _, f := range done.Findings {
		mark := "?"
		if f.Certain {
			mark = "!"
			certain++
		}
		if f.Kind == "secret" && f.Certain {
			secrets[f.ID] = true
		}
		e := f.Entries[0]
		// What cannot be written is said by the writer's Flush.
		_ = st.beside(w, fmt.Sprintf("%s %s  %s  %s", mark, f.ID, f.Kind, st.entry(st.bold, e.Scope, e.Path, e.StartLine, e.EndLine)), opening(e.Text), indent)
		for _, e := range f.Entries[1:] {
			_ = st.beside(w, "    "+st.entry("", e.Scope, e.Path, e.StartLine, e.EndLine), opening(e.Text), indent)
		}
		_ = st.below(w, s.language.Say(f.Proposal), "    ")
		for line := range strings.Lines(f.Diff) {
			fmt.Fprintf(w, "    %s\n", st.wrapped(st.dim, opening(strings.TrimRight(line, "\n"))))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, x := range done.Skipped {
		next := ""
		if secrets[x.ID] {
			next = "memoir tidy --apply --yes " + x.ID + ", which masks it"
		}
		s.warn(fmt.Sprintf("not done: %s: %s", x.ID, x.Reason), next)
	}
	switch {
	case apply && done.Change == "":
		s.say(s.err, "nothing was changed\n")
	case apply:
		s.say(s.err, "%s done; memoir undo %s takes them back\n", count(len(done.Applied), "finding"), done.Change)
	case len(done.Findings) == 0:
		s.say(s.err, "the notes are tidy\n")
	case len(secrets) > 0:
		s.say(s.err, "%s, %d of them certain (!); memoir tidy --apply does %d of those, and with --yes masks what is secret, too\n", count(len(done.Findings), "finding"), certain, certain-len(secrets))
	default:
		s.say(s.err, "%s, %d of them certain (!); memoir tidy --apply does those\n", count(len(done.Findings), "finding"), certain)
	}
	return nil
}

// maxTidied is how many characters of a line tidy prints.
const maxTidied = 400

// opening shortens a line that is longer than anybody reads.
func opening(line string) string {
	if r := []rune(line); len(r) > maxTidied {
		return string(r[:maxTidied]) + "…"
	}
	return line
}

func (s *session) summarise(ctx context.Context, apply bool) (err error) {
	a, err := s.openOneKept(ctx, app.Options{Need: app.NeedAll})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	opts, err := a.Summaries(apply)
	if err != nil {
		return err
	}
	done, err := a.Engine.Summarise(ctx, opts)
	if err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.out, done)
	}
	st := s.style()
	w := bufio.NewWriter(s.out)
	tokens := 0
	for _, p := range done.Parts {
		s.say(w, "%s  %s  %s to %s: %s", s.language.Say(string(p.State)), st.wrapped(st.bold, named(p.Path)), p.From, p.To, count(p.Entries, "entry"))
		switch p.State {
		case engine.SummaryDue, engine.SummaryWaiting:
			tokens += p.Tokens
			s.say(w, ", %d tokens at most", p.Tokens)
		case engine.SummaryWritten, engine.SummaryEmpty:
			s.say(w, ", %s written", count(p.Lines, "line"))
		}
		for _, reason := range slices.Sorted(maps.Keys(p.Refused)) {
			s.say(w, ", %d left out (%s)", p.Refused[reason], reason)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	switch {
	case done.Change != "":
		s.say(s.err, "memoir undo %s takes them back\n", done.Change)
	case len(done.Parts) == 0:
		s.say(s.err, "there is nothing to summarise\n")
	case !apply:
		s.say(s.err, "%d tokens at most; memoir tidy --summaries --apply asks the model\n", tokens)
	}
	return nil
}
