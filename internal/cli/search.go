package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/querylang"
	"github.com/memoir-ai/memoir/internal/wire"
)

// searchFlags are the flags of search. A flag that is not given leaves the
// value of the settings.
type searchFlags struct {
	limit     int
	maxTokens int
	maxChars  int
	mode      string
	minScore  float64
	path      string
	source    string
	since     string
	explain   bool
	trace     bool
	stdin     bool
	files, md bool // the form of the answer
}

func (s *session) searchCommand() *cobra.Command {
	var flags searchFlags
	cmd := &cobra.Command{
		Use: "search [flags] QUERY...", Short: "Find passages by word and by meaning",
		Long: "Search finds passages of notes by word and by meaning. The words of the query\nneed no quotes; after -- they may start with a dash.\n\nA phrase in double quotes comes first; +word, -word, path:, tag:, type:, heading:,\nsession:, agent:, since:, until:, on:, before: and after: narrow the answer.",
		Example: "  memoir search why did we choose SQLite\n  memoir search 数据库 为什么\n" +
			"  memoir search -n 3 --json DB_PASSWORD\n  memoir search -l receipts\n  memoir search -- --dry-run\n  memoir search 'why \"blue button\" tag:work since:2026-01 -draft'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.stdin && len(args) > 0 {
				return usage("memoir search --stdin < queries.txt", "--stdin reads the queries from standard input, so the command line may have none")
			}
			if !flags.stdin && len(args) == 0 {
				return usage(`memoir search "what you want to know"`, "the query is missing")
			}
			if err := s.onlyOneForm(flags); err != nil {
				return err
			}
			return s.search(cmd.Context(), cmd.Flags().Changed, flags, strings.Join(args, " "))
		},
	}
	flags.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&flags.explain, "explain", false, "show the parts of each score")
	f.BoolVar(&flags.trace, "trace", false, "say what the answer took, stage by stage, on standard error, or with --json in it")
	f.BoolVarP(&flags.files, "files", "l", false, "print the paths of the notes alone, each once")
	f.BoolVar(&flags.md, "md", false, "print the passages as Markdown to paste")
	f.BoolVar(&flags.stdin, "stdin", false, "read one query a line and answer each with one line of JSON")
	return cmd
}

// add adds the flags that describe the query.
func (f *searchFlags) add(cmd *cobra.Command) {
	to := cmd.Flags()
	to.IntVarP(&f.limit, "limit", "n", memoir.DefaultLimit, "of how many notes, with no more than twice as many passages in all; when not given, the setting query.maxResults")
	to.IntVar(&f.maxTokens, "max-tokens", 0, "at most so many tokens of text (estimated); without -n as many passages as fit")
	to.IntVar(&f.maxChars, "max-chars", 0, "at most so many characters of text; without -n as many passages as fit")
	to.StringVar(&f.mode, "mode", string(memoir.ModeHybrid), "hybrid, text or vector; when not given, the setting query.mode")
	to.Float64Var(&f.minScore, "min-score", 0, "leave out results with a lower score, 0 to 1; when not given, the setting query.minScore")
	to.StringVar(&f.path, "path", "", "only notes with this in their path, as path: in the query")
	to.StringVar(&f.source, "source", wire.AllSources, "memory for notes alone, sessions for transcripts alone, collections for those alone, or all")
	to.StringVar(&f.since, "since", "", "only what is of that day or later, such as 2026-03-02 or 2026-03")
	completeMode(cmd)
}

// needs returns how much of an App a query needs.
func needs(q memoir.Query) app.Need {
	if q.Mode == memoir.ModeText {
		return app.NeedWords
	}
	return app.NeedAll
}

// modes are what the flag --mode may be.
func modes() []string {
	return []string{string(memoir.ModeHybrid), string(memoir.ModeText), string(memoir.ModeVector)}
}

// completeMode offers the modes to shell completion.
func completeMode(cmd *cobra.Command) {
	// It fails only for a flag that does not exist.
	if err := cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions(modes(), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// query returns the query that settings and flags ask for.
func (f searchFlags) query(settings *config.Loaded, changed func(string) bool) (memoir.Query, error) {
	q := defaults(settings)
	q.MaxTokens, q.MaxChars, q.Path, q.Since, q.Explain = f.maxTokens, f.maxChars, f.path, f.since, f.explain
	if err := f.narrow(&q.Filter); err != nil {
		return q, err
	}
	if q.MaxTokens > 0 || q.MaxChars > 0 {
		q.Limit = 0 // as many as fit
	}
	if changed("max-tokens") && f.maxTokens == 0 {
		q.MaxTokens = -1 // 0 means no bound to the engine, but is a mistake here
	}
	if changed("max-chars") && f.maxChars == 0 {
		q.MaxChars = -1
	}
	if changed("limit") {
		if f.limit == 0 { // 0 means the default to the engine, but is a mistake here
			return q, fmt.Errorf("limit 0 is not between 1 and %d: %w", memoir.MaxLimit, memoir.ErrInvalid)
		}
		q.Limit = f.limit
	}
	if changed("mode") {
		q.Mode = memoir.Mode(f.mode)
	}
	if changed("min-score") {
		q.MinScore = f.minScore
	}
	return q, nil
}

// narrow makes a filter of --source, and refuses a --since that is no day.
func (f searchFlags) narrow(filter *memoir.Filter) error {
	var known bool
	if filter.Kinds, known = wire.KindsOf(f.source); !known {
		return fmt.Errorf("source %q is not one of memory, sessions, collections and all: %w", f.source, memoir.ErrInvalid)
	}
	if f.since == "" {
		return nil
	}
	if _, ok := querylang.Days(f.since, time.Now()); !ok {
		return memoir.WithHint(fmt.Errorf("--since %q is not a day: %w", f.since, memoir.ErrInvalid), "memoir search --since 2026-03-02")
	}
	return nil
}

func (s *session) search(ctx context.Context, changed func(string) bool, flags searchFlags, text string) (err error) {
	settings, err := s.memories()
	if err != nil {
		return err
	}
	query, err := flags.query(settings.First(), changed)
	if err != nil {
		return err
	}
	query.Text, query.Brief = text, !s.json && !changed("limit")
	found := func() {}
	if !flags.stdin {
		found = s.waiting("searching; new notes are read first")
	}
	defer found()
	a, err := s.openMemory(ctx, settings, app.Options{Need: needs(query)})
	if err != nil {
		return err
	}
	defer closing(&err, a)
	if flags.stdin {
		return s.searchLines(ctx, a, query, flags.trace)
	}
	res, stages, err := searchTraced(ctx, a, query, flags.trace)
	found()
	if err != nil {
		return err
	}
	if !s.json && flags.trace {
		s.printStages(stages)
	}
	switch {
	case s.json:
		return writeJSON(s.out, s.tracedAnswer(res, stages, flags.trace))
	case flags.files:
		return s.printFiles(res)
	case flags.md:
		return s.printMarkdown(res)
	}
	if query.Brief && !query.Explain && query.MaxTokens == 0 && query.MaxChars == 0 {
		leaveFaint(res.Hits)
	}
	return s.printResults(res, s.linked(a.File))
}

// leaveFaint takes the text of passages without a single dot that stand behind one that is
// likely to answer: where there are few notes these are most of an answer, and none of what
// was asked for. Their places stay, and a person who gives a number sees all.
func leaveFaint(hits []memoir.Hit) {
	sure := false
	for i := range hits {
		h := &hits[i]
		if sure && dotsOf(h) == 0 {
			h.Snippet, h.Highlights = "", nil
		}
		sure = sure || h.Confident()
	}
}

// searchLines answers one query a line with one line of JSON.
func (s *session) searchLines(ctx context.Context, a *app.Memory, query memoir.Query, traced bool) error {
	s.json = true // so that a failure between lines is JSON too
	return s.answerLines(ctx, func(line string) any {
		query.Text = line
		res, stages, err := searchTraced(ctx, a, query, traced)
		if err != nil {
			return s.failureOf(err)
		}
		return s.tracedAnswer(res, stages, traced)
	})
}

// answer returns the JSON form of results.
func (s *session) answer(res memoir.Results) wire.Answer {
	answer := wire.NewAnswer(res)
	s.location().completeAll(answer.Degraded)
	return answer
}
