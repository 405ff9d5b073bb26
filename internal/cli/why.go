package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) whyCommand() *cobra.Command {
	var flags searchFlags
	cmd := &cobra.Command{
		Use: "why [flags] QUERY... PATH[:LINE]", Short: "Say why a passage was or was not found",
		Long: "Why asks a query as search does and says what became of a passage: it is a hit,\nit is not indexed, a filter leaves it out, it holds none of the words, its score is\ntoo low, or enough others are better; and what would find it.\n\n" +
			"The last argument is the note, with a line or as a citation, PATH#L3-L9; without\na line its best passage is meant. Where there are two memories, that of the note is\nasked alone.",
		Example: "  memoir why who pays for the taxi decisions.md:12\n  memoir why 数据库 为什么 日记/三月.md#L3-L9\n" +
			"  memoir why --mode text -n 20 DB_PASSWORD ops.md",
		Args: positional(2, -1, "the query, or the path of the note after it,"),
		RunE: func(cmd *cobra.Command, args []string) error {
			last := len(args) - 1
			return s.why(cmd.Context(), cmd.Flags().Changed, flags, strings.Join(args[:last], " "), args[last])
		},
	}
	flags.add(cmd)
	return cmd
}

func (s *session) why(ctx context.Context, changed func(string) bool, flags searchFlags, text, arg string) (err error) {
	settings, err := s.memories()
	if err != nil {
		return err
	}
	query, err := flags.query(settings.First(), changed)
	if err != nil {
		return err
	}
	query.Text = text
	a, err := s.openMemory(ctx, settings, app.Options{Need: needs(query)})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	path, line, _, err := placeOf(ctx, a, "get", arg)
	if err != nil {
		return err
	}
	_, at, err := readNamed(ctx, a, "why "+shellQuoted(text), path, 0, 0)
	if at.App == nil || errors.Is(err, memoir.ErrNotFound) {
		return err
	}
	// Why a file that is there is no note is a part of the answer.
	answer, err := at.App.Engine.Why(ctx, query, at.ID, line)
	if err != nil {
		return err
	}
	if s.json {
		x := wire.NewWhy(answer)
		s.location().completeAll(x.Degraded)
		for i := range x.Try {
			x.Try[i].Action = s.location().complete(x.Try[i].Action)
		}
		return writeJSON(s.out, x)
	}
	return s.printWhy(answer)
}

// printWhy writes the verdict, the scores behind it, and what would help.
func (s *session) printWhy(x memoir.Why) error {
	for _, d := range x.Degraded {
		s.warn(d.Part+": "+d.Reason, d.Action)
	}
	st := s.style()
	w := bufio.NewWriter(s.out)
	where := string(x.Doc)
	if x.Passage != nil {
		where = x.Passage.Citation()
	}
	_ = st.beside(w, st.wrapped(st.bold, named(where)), s.language.Say(x.Reason), indent) // Flush has the error
	s.score(w, s.language.Say("this one"), x.Passage)
	if x.Passage != nil && x.Passage.Later != "" {
		_ = st.below(w, s.said("%s may update it, so it comes first", named(x.Passage.Later)), indent)
	}
	if x.Passage != nil && x.Passage.Earlier != "" {
		_ = st.below(w, s.said("it may update %s, so it comes before that", named(x.Passage.Earlier)), indent)
	}
	if x.Verdict != explain.VerdictHit {
		s.score(w, s.language.Say("last hit"), x.Last)
	}
	if len(x.Missing) > 0 {
		_ = st.below(w, s.said("not in it: %s", s.missingWords(x.Missing)), indent)
	}
	switch x.Vector {
	case explain.VectorPending, explain.VectorFailed:
		fmt.Fprintf(w, "%s%s\n", indent, s.language.Say("vector "+string(x.Vector)))
	}
	for _, t := range x.Try {
		s.say(w, "  try: %s", st.text(s.location().complete(s.language.Say(t.Action))))
		if t.Rank > 0 {
			s.say(w, "  (it is hit %d then)", t.Rank)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// score writes the parts of a hit's score on one line.
func (s *session) score(w *bufio.Writer, name string, h *memoir.Hit) {
	if h == nil || h.Explain == nil {
		return
	}
	st := s.style()
	fmt.Fprintf(w, "%s%s  %.3f  %s\n", indent, name, h.Score, st.wrapped(st.dim, s.explained(h.Explain)))
}

// missingWords lists words, each with similar words that the passage holds.
func (s *session) missingWords(words []explain.MissingWord) string {
	parts := make([]string, len(words))
	for i, m := range words {
		parts[i] = m.Word
		if len(m.Near) > 0 {
			parts[i] += s.said(" (has %s)", strings.Join(m.Near, ", "))
		}
	}
	return s.language.Join(parts)
}
