package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/wire"
)

// embedBatch is how many lines of standard input are embedded together, if that
// many are already there.
const embedBatch = 64

func (s *session) embedCommand() *cobra.Command {
	var query, stdin bool
	cmd := &cobra.Command{
		Use: "embed [flags] TEXT...", Short: "Print vectors of the configured provider",
		Long: "Embed prints one line for each text: its vector, numbers separated by blanks,\nor {\"vector\":[…]} with --json.",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case stdin && len(args) > 0:
				return usage("memoir embed --stdin < texts.txt", "--stdin reads the texts from standard input, so the command line may have none")
			case !stdin && len(args) == 0:
				return usage(`memoir embed "a text"`, "the text is missing")
			}
			task := memoir.TaskDocument
			if query {
				task = memoir.TaskQuery
			}
			return s.embed(cmd.Context(), task, args)
		},
	}
	cmd.Flags().BoolVar(&query, "query", false, "embed as queries, not as documents")
	cmd.Flags().BoolVar(&stdin, "stdin", false, "read one text a line")
	return cmd
}

// embed embeds the texts, or the lines of standard input when there are none.
func (s *session) embed(ctx context.Context, task memoir.Task, texts []string) error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	embedder, err := app.OpenEmbedder(ctx, settings, app.Options{Embedder: s.embedder})
	if err != nil {
		return err
	}
	if embedder == nil {
		return memoir.WithHint(fmt.Errorf("no embedding provider is configured: %w", memoir.ErrUnavailable), `MEMOIR_PROVIDER=local memoir embed "a text"`)
	}
	out := bufio.NewWriter(s.out)
	if len(texts) > 0 {
		err := s.writeVectors(ctx, out, embedder, task, texts)
		return errors.Join(err, out.Flush())
	}
	lines := readLines(ctx, s.in)
	for {
		texts, err := batch(ctx, lines)
		if err != nil || len(texts) == 0 {
			return err
		}
		if err := errors.Join(s.writeVectors(ctx, out, embedder, task, texts), out.Flush()); err != nil {
			return err
		}
	}
}

// batch waits for one line and adds the lines that are already there. At the
// end of the input it returns none.
func batch(ctx context.Context, lines <-chan inputLine) ([]string, error) {
	var texts []string
	for len(texts) < embedBatch && (len(texts) == 0 || len(lines) > 0) {
		line, ok, err := next(ctx, lines)
		if err == nil {
			err = line.err
		}
		if err != nil || !ok {
			return texts, err
		}
		texts = append(texts, line.text)
	}
	return texts, nil
}

func (s *session) writeVectors(ctx context.Context, w io.Writer, embedder memoir.Embedder, task memoir.Task, texts []string) error {
	vectors, err := embedder.Embed(ctx, task, texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(texts) {
		return fmt.Errorf("the provider gave %s for %s", count(len(vectors), "vector"), count(len(texts), "text"))
	}
	for i, v := range vectors {
		if v == nil {
			return fmt.Errorf("text %d (%.40q) cannot be embedded", i+1, texts[i])
		}
		if s.json {
			if err := writeJSON(w, wire.EmbedAnswer{Vector: v}); err != nil {
				return err
			}
			continue
		}
		if _, err := w.Write(vectorLine(v)); err != nil {
			return err
		}
	}
	return nil
}

func vectorLine(v []float32) []byte {
	var line []byte
	for i, x := range v {
		if i > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendFloat(line, float64(x), 'g', -1, 32)
	}
	return append(line, '\n')
}
