package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/wire"
)

// secretsAnswer is the JSON of scan --stdin for one text.
type secretsAnswer struct {
	Secret bool         `json:"secret"` // the text holds one
	Spans  []secretSpan `json:"spans"`  // where secrets stand, in order
}

// secretSpan is where a secret stands, in characters, Unicode code points from 0.
type secretSpan struct {
	Start int    `json:"start"` // the first character
	End   int    `json:"end"`   // the one behind the last
	Kind  string `json:"kind"`  // one of [secret.Kind]
}

func answerSecrets(text string) secretsAnswer {
	spans := secret.Characters(text, secret.Find(text))
	x := secretsAnswer{len(spans) > 0, make([]secretSpan, len(spans))}
	for i, span := range spans {
		x.Spans[i] = secretSpan{span.Start, span.End, string(span.Kind)}
	}
	return x
}

func (s *session) scanCommand() *cobra.Command {
	var stdin, jsonl bool
	cmd := &cobra.Command{
		Use: "scan [flags]", Short: "Find secrets in notes: passwords, keys, tokens, cards",
		Long: "Scan looks for what gives access in the notes of the workspace and prints where it\nstands, with the secret masked. It changes nothing and asks nobody.\n\n" +
			"With --stdin it reads one text a line and answers each with one line of JSON, in\ncharacters: {\"secret\":true,\"spans\":[{\"start\":16,\"end\":30,\"kind\":\"password\"}]}.",
		Example: "  memoir scan\n  memoir scan --stdin < texts.txt\n  memoir scan --stdin --jsonl < texts.jsonl",
		Args:    positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case stdin:
				return s.scanLines(cmd.Context(), jsonl)
			case jsonl:
				return usage("memoir scan --stdin --jsonl < texts.jsonl", "--jsonl belongs to --stdin")
			}
			return s.scan(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&stdin, "stdin", false, "read one text a line")
	cmd.Flags().BoolVar(&jsonl, "jsonl", false, "each line of --stdin is a string of JSON")
	return cmd
}

func (s *session) scan(ctx context.Context) (err error) {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	a, err := s.open(ctx, settings, app.Options{Need: app.NeedNotes})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	findings, stats, err := a.Engine.Scan(ctx)
	if err != nil {
		return err
	}
	for _, skipped := range stats.Skipped {
		s.warn(fmt.Sprintf("not looked through: %s: %s", skipped.ID, skipped.Reason), "")
	}
	if s.json {
		return writeJSON(s.out, wire.NewFindings(findings))
	}
	return s.printFindings(findings, stats)
}

func (s *session) printFindings(findings []memoir.Finding, stats memoir.ScanStats) error {
	st := s.style()
	w := bufio.NewWriter(s.out)
	notes := map[memoir.DocID]bool{}
	for _, f := range findings {
		notes[f.ID] = true
		where := unbroken(fmt.Sprintf("%s:%d", f.ID, f.Line))
		fmt.Fprintf(w, "%s  %s  %s\n", st.wrapped(st.bold, where), f.Kind, st.text(unbroken(f.Preview)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(findings) == 0 {
		fmt.Fprintf(s.err, "no secrets in %s\n", count(stats.Scanned, "note"))
		return nil
	}
	fmt.Fprintf(s.err, "%s in %d of %s\n", count(len(findings), "secret"), len(notes), count(stats.Scanned, "note"))
	return nil
}

// scanLines answers every line of standard input with one line of JSON. A line
// that cannot be read as a text is answered with its number, never with what it
// holds.
func (s *session) scanLines(ctx context.Context, jsonl bool) error {
	s.json = true // a failure between the lines has their form
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

// textOf returns the text of a line. Errors do not quote it.
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
		return "", fmt.Errorf("is no string of JSON: %w", memoir.ErrInvalid)
	}
	return *text, nil
}
