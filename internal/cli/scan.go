package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/wire"
)

func answerSecrets(text string) wire.SecretsAnswer {
	spans := secret.Characters(text, secret.Find(text))
	x := wire.SecretsAnswer{Secret: len(spans) > 0, Spans: make([]wire.SecretSpan, len(spans))}
	for i, span := range spans {
		x.Spans[i] = wire.SecretSpan{Start: span.Start, End: span.End, Kind: string(span.Kind)}
	}
	return x
}

func (s *session) scanCommand() *cobra.Command {
	var stdin, jsonl, fix, yes bool
	cmd := &cobra.Command{
		Use: "scan [flags]", Short: "Find secrets in notes: passwords, keys, tokens, cards",
		Long: "Scan looks for what gives access: in the notes of the workspace, in the copies that\nmemoir undo goes back to, in the query log if there is one, and in what hooks left for\nthe next process. It prints where each secret is, masked, and changes nothing.\n\n" +
			"With --fix it masks what it finds, in all of them. No copy is kept, and memoir undo\ncannot bring a secret back, so it asks twice; --yes answers both. The index then\nfollows the notes, and its file is written anew.\n\n" +
			"With --stdin it reads one text a line and answers each with one line of JSON, in\ncharacters: {\"secret\":true,\"spans\":[{\"start\":16,\"end\":30,\"kind\":\"password\"}]}.",
		Example: "  memoir scan\n  memoir scan --fix\n  memoir scan --stdin < texts.txt\n  memoir scan --stdin --jsonl < texts.jsonl",
		Args:    positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case stdin && (fix || yes):
				return usage("memoir scan --fix", "--fix is for notes, not for --stdin")
			case stdin:
				return s.scanLines(cmd.Context(), jsonl)
			case jsonl:
				return usage("memoir scan --stdin --jsonl < texts.jsonl", "--jsonl is only for --stdin")
			case yes && !fix:
				return usage("memoir scan --fix --yes", "--yes is only for --fix")
			}
			return s.scan(cmd.Context(), fix, yes)
		},
	}
	cmd.Flags().BoolVar(&stdin, "stdin", false, "read one text a line")
	cmd.Flags().BoolVar(&jsonl, "jsonl", false, "each line of --stdin is a JSON string")
	cmd.Flags().BoolVar(&fix, "fix", false, "mask what is found, for good")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --fix: do not ask")
	return cmd
}

func (s *session) scan(ctx context.Context, fix, yes bool) (err error) {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	opts := app.Options{Need: app.NeedNotes}
	// Nothing is created that does not exist, neither notes nor an index.
	if _, err := os.Stat(settings.Workspace); err == nil {
		opts.Write = true
	}
	if fix && (app.HasIndex(settings) || settings.Store == config.StoreWeaviate) {
		opts.Need = app.NeedWords
	}
	a, err := s.open(ctx, settings, opts)
	if err != nil {
		return err
	}
	defer closing(&err, a)
	findings, stats, err := a.Secrets(ctx)
	if err != nil {
		return err
	}
	for _, skipped := range stats.Skipped {
		s.warn(fmt.Sprintf("not looked through: %s: %s", named(string(skipped.ID)), skipped.Reason), "")
	}
	switch {
	case fix:
		return s.fix(ctx, a, findings, stats, yes)
	case s.json:
		return writeJSON(s.out, wire.NewFindings(findings))
	}
	return s.printFindings(findings, stats)
}

// fix masks what was found, after a person has agreed twice.
func (s *session) fix(ctx context.Context, a *app.App, findings []engine.Finding, stats engine.ScanStats, yes bool) error {
	if !s.json {
		if err := s.printFindings(findings, stats); err != nil {
			return err
		}
	}
	if len(findings) > 0 {
		mask := s.said("Mask %s?", count(len(findings), "secret"))
		if err := s.agree(ctx, "memoir scan --fix --yes", yes, mask, "No copy stays, and memoir undo cannot bring them back. Mask them for good?"); err != nil {
			return err
		}
	}
	done, err := a.MaskSecrets(ctx)
	if err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.out, wire.NewFixed(findings, done.Notes, done.Skipped, done.Change))
	}
	for _, skipped := range done.Skipped {
		s.warn(fmt.Sprintf("not masked: %s: %s", named(string(skipped.ID)), skipped.Reason), "")
	}
	if len(done.Notes) > 0 {
		s.say(s.err, "masked in %s\n", count(len(done.Notes), "note"))
	}
	return nil
}

// agree asks a person each of the questions, unless yes is set. It fails when
// there is nobody to ask, and when an answer is not yes.
func (s *session) agree(ctx context.Context, command string, yes bool, questions ...string) error {
	if yes {
		return nil
	}
	if !s.terminal(s.in) {
		return usage(command, "there is nobody at a terminal to ask; --yes answers yes")
	}
	input := readLines(ctx, s.in)
	for _, question := range questions {
		fmt.Fprintf(s.err, "%s [y/N] ", s.language.Say(question))
		line, ok, err := next(ctx, input)
		if err != nil {
			return err
		}
		if answer := strings.ToLower(strings.TrimSpace(line.text)); !ok || answer != "y" && answer != "yes" {
			return memoir.WithHint(errors.New("nothing is changed"), command)
		}
	}
	return nil
}

func (s *session) printFindings(findings []engine.Finding, stats engine.ScanStats) error {
	st := s.style()
	w := bufio.NewWriter(s.out)
	notes := map[memoir.DocID]bool{}
	kept, left := 0, 0
	for _, f := range findings {
		where := fmt.Sprintf("%s:%d", named(string(f.ID)), f.Line)
		switch f.In {
		case engine.InHistory:
			where = s.said("%s in change %s", named(string(f.ID)), f.Change)
		case engine.InQueries:
			where = s.said("query log:%d", f.Line)
		case engine.InHooks:
			where = s.said("left by a hook:%d", f.Line)
		case engine.InLeftover:
			left++
		default:
			notes[f.ID] = true
		}
		if f.In == engine.InHistory || f.In == engine.InQueries || f.In == engine.InHooks {
			kept++
		}
		fmt.Fprintf(w, "%s  %s  %s\n", st.wrapped(st.bold, where), f.Kind, st.text(f.Preview))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(findings) == 0 {
		s.say(s.err, "no secrets in %s\n", count(stats.Scanned, "note"))
		return nil
	}
	s.say(s.err, "%s in %d of %s\n", count(len(findings)-kept-left, "secret"), len(notes), count(stats.Scanned, "note"))
	if kept > 0 {
		s.say(s.err, "%s in the history, the query log and what hooks left\n", count(kept, "secret"))
	}
	if left > 0 {
		s.say(s.err, "%s in files that a killed process left beside notes\n", count(left, "secret"))
	}
	return nil
}

// scanLines answers every line of standard input with one line of JSON. A line
// that cannot be read as a text is answered with its number, never with its
// content.
func (s *session) scanLines(ctx context.Context, jsonl bool) error {
	s.json = true // so that a failure between lines is JSON too
	number := 0
	return s.answerEach(ctx, func(line inputLine) any {
		number++
		text, err := textOf(line, jsonl)
		if err != nil {
			return s.failureOf(memoir.WithHint(fmt.Errorf("line %d %w", number, err), "memoir help scan"))
		}
		return answerSecrets(text)
	})
}

// textOf returns the text of a line. Its errors do not quote the line.
func textOf(line inputLine, jsonl bool) (string, error) {
	if line.err != nil {
		return "", fmt.Errorf("is longer than %d bytes: %w", maxLine, memoir.ErrInvalid)
	}
	if !utf8.ValidString(line.text) {
		return "", fmt.Errorf("is not UTF-8: %w", memoir.ErrInvalid)
	}
	if !jsonl {
		return line.text, nil
	}
	var text *string
	if json.Unmarshal([]byte(line.text), &text) != nil || text == nil {
		return "", fmt.Errorf("is not a JSON string: %w", memoir.ErrInvalid)
	}
	return *text, nil
}
