package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	mode        string
	global      bool
	depth       int
	perQuestion string
	keep        string
	queries     string
	compare     string
	replay      bool

	overlay config.Flags // settings of --compare; nil: no comparison
}

func (s *session) evalCommand() *cobra.Command {
	var flags evalFlags
	cmd := &cobra.Command{
		Use: "eval [flags] SET... | --queries FILE | --replay", Short: "Measure retrieval on questions with known answers",
		Long: "Eval writes the documents of each set into a temporary workspace, indexes it and asks\nevery question through the ordinary engine, with the settings in effect. A set is a\nfolder with corpus.jsonl.gz and queries.jsonl.gz. A question of a scope searches the\ndocuments of that scope.\n\n" +
			"With --queries the questions are your own, over the notes of the workspace, one line\nof JSON each: {\"query\": \"why SQLite\", \"expect\": [\"decisions.md#L12\"]}.\n\n" +
			"With --replay the questions are those that query.log has kept. What is found now is\ncompared with what was found then.\n\n" +
			"With --compare everything is asked again with other settings, and the questions whose\nanswer moved are listed.\n\n" +
			"The latency is that of the search alone, without the look for changed files. Intervals\nare those that hold the mean in 95 of 100 draws of the questions.",
		Example: "  memoir eval --queries questions.jsonl\n  memoir eval --queries questions.jsonl --compare query.fusion=rrf\n" +
			"  memoir eval --json --mode text evals/notes-world",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			switch {
			case flags.depth < 1 || flags.depth > memoir.MaxLimit:
				return usage("memoir help eval", "-n %d is not between 1 and %d", flags.depth, memoir.MaxLimit)
			case len(args) == 0 && flags.queries == "" && !flags.replay:
				return usage("memoir help eval", "the folder of a set is missing")
			case len(args) > 0 && flags.queries != "" || len(args) > 0 && flags.replay || flags.queries != "" && flags.replay:
				return usage("memoir help eval", "sets, --queries and --replay are measured one at a time")
			case flags.mode != "" && !slices.Contains(modes(), flags.mode):
				return usage("memoir help eval", "mode %q is not one of %s", flags.mode, strings.Join(modes(), ", "))
			case cmd.Flags().Changed("compare"):
				if flags.overlay, err = config.ParseOverlay(flags.compare); err != nil {
					return usage("memoir config --docs", "--compare: %w", err)
				}
			}
			return s.eval(cmd.Context(), flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.mode, "mode", "", "hybrid, text or vector; when not given, the setting")
	f.BoolVar(&flags.global, "global", false, "search all documents, whatever the scope of a question")
	f.IntVarP(&flags.depth, "limit", "n", 25, "of how many notes passages are asked for; more where they come from fewer than 10")
	f.StringVar(&flags.queries, "queries", "", "ask the questions of this file over the notes of the workspace")
	f.BoolVar(&flags.replay, "replay", false, "ask the questions of the query log again (setting query.log)")
	f.StringVar(&flags.compare, "compare", "", "settings to compare with: KEY=VALUE[,KEY=VALUE...]")
	f.StringVar(&flags.perQuestion, "per-question", "", "write the scores of each question to this file, one line of JSON each")
	f.StringVar(&flags.keep, "keep", "", "keep indexes in this folder, so that the next run computes no vector again")
	completeMode(cmd)
	return cmd
}

func (s *session) eval(ctx context.Context, flags evalFlags, dirs []string) (err error) {
	if flags.replay {
		return s.evalReplay(ctx, flags)
	}
	report := evalReport{session: s, json: s.json, out: s.out, style: s.style(), compared: flags.compare}
	if flags.perQuestion != "" {
		f, createErr := os.Create(flags.perQuestion)
		if createErr != nil {
			return fmt.Errorf("write the scores of each question: %w", createErr)
		}
		defer closing(&err, f)
		report.perQuestion = f
	}
	if flags.queries != "" {
		if err := s.evalOwn(ctx, flags, &report); err != nil {
			return err
		}
		return report.flush()
	}
	for _, dir := range dirs {
		set, err := eval.Load(dir)
		var missing *fs.PathError
		if errors.Is(err, fs.ErrNotExist) && errors.As(err, &missing) {
			return memoir.WithHint(fmt.Errorf("%s is no set: it has no %s", dir, filepath.Base(missing.Path)), "memoir help eval")
		}
		if err != nil {
			return err
		}
		if err := s.evalSet(ctx, flags, set, dir, &report); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	return report.flush()
}

// evalSet indexes a set, asks its questions and reports them.
func (s *session) evalSet(ctx context.Context, flags evalFlags, set *eval.Set, dir string, report *evalReport) (err error) {
	home, remove, err := evalHome(flags.keep, set.Name, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	notes := filepath.Join(home, "notes")
	files, err := set.WriteWorkspace(notes)
	if err != nil {
		return err
	}
	subject := evalSubject{name: set.Name, Subject: eval.Subject{Questions: set.Questions}}
	subject.Ask = func(q *eval.Question, query *memoir.Query) {
		if q.Scope != "" && !flags.global {
			query.Filter.Prefix = files.Folders[q.Scope]
		}
	}
	subject.Passages = func(_ *eval.Question, h memoir.Hit) []eval.Passage {
		return []eval.Passage{eval.PassageOf(files.IDs[string(h.Doc)], h)}
	}
	subject.settings = func(overlay config.Flags) (*config.Loaded, error) {
		more := config.Flags{"workspace": notes, "stateDir": filepath.Join(home, "state")}
		if changesModel(overlay) { // an index that changes its model would drop the other model's vectors
			more["stateDir"] = filepath.Join(home, "state-"+overlayName(overlay))
		}
		maps.Copy(more, overlay)
		settings, err := s.settings(more)
		if err != nil {
			return nil, err
		}
		// A set is measured completely and at once, whatever files the user's
		// settings exclude, and without waiting for a provider's job.
		settings.Include, settings.Exclude, settings.MaxFileBytes = nil, nil, -1
		settings.OpenAI.Batch, settings.Gemini.Batch, settings.Voyage.Batch = false, false, false
		return settings, nil
	}
	// A kept index may have been cut in another way. Only its vectors are
	// wanted.
	subject.index = func(ctx context.Context, e *engine.Engine, overlay config.Flags) error {
		read := e.Rebuild
		if overlay != nil && !changesIndex(overlay) {
			read = e.Sync
		}
		return s.evalIndex(ctx, e, set.Name, read)
	}
	before, after, err := s.measure(ctx, flags, &subject)
	if err != nil {
		return err
	}
	return report.add(&subject, before, after)
}

// changesIndex reports whether the settings change how notes are cut, read or
// embedded, so that another index is needed.
func changesIndex(overlay config.Flags) bool {
	for name := range overlay {
		if !searchOnly(name) {
			return true
		}
	}
	return false
}

// searchOnly reports whether a setting affects only searches, not the index.
func searchOnly(name string) bool {
	return strings.HasPrefix(name, "query.") || strings.HasPrefix(name, "rerank.")
}

// changesModel reports whether the settings may change the vectors. Where an
// index is does not: one in another store takes the vectors of the one beside it.
func changesModel(overlay config.Flags) bool {
	for name := range overlay {
		if !searchOnly(name) && !strings.HasPrefix(name, "chunking.") && name != "store" && !strings.HasPrefix(name, "weaviate.") {
			return true
		}
	}
	return false
}

// overlayName returns a name for settings. Equal settings have the same name.
func overlayName(overlay config.Flags) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(overlay)) {
		fmt.Fprintf(&b, "%s=%s\n", name, overlay[name])
	}
	return string(memoir.HashText(b.String()))[:8]
}

// evalMark names the file that marks a folder of kept indexes.
const evalMark = "made by memoir eval"

// evalHome makes the folder in which a set is indexed, and returns a function
// that removes it or, when it is kept, gives it free. It removes the notes of an
// earlier run, and so refuses a folder in which another run is at work.
func evalHome(keep, name, dir string) (home string, remove func() error, err error) {
	if keep == "" {
		home, err = os.MkdirTemp("", "memoir-eval-")
		return home, func() error { return os.RemoveAll(home) }, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	home = filepath.Join(keep, fmt.Sprintf("%s-%.8s", name, memoir.HashText(abs)))
	if home, err = filepath.Abs(home); err != nil {
		return "", nil, err
	}
	mark := filepath.Join(home, evalMark)
	switch _, err := os.Stat(home); {
	case errors.Is(err, fs.ErrNotExist):
		if err := errors.Join(os.MkdirAll(home, 0o777), createFile(mark, "")); err != nil {
			return "", nil, fmt.Errorf("keep the index: %w", err)
		}
	case err != nil:
		return "", nil, fmt.Errorf("keep the index: %w", err)
	}
	if _, err := os.Stat(mark); err != nil {
		return "", nil, fmt.Errorf("%s was not made by memoir eval; nothing is removed there: %w", home, memoir.ErrInvalid)
	}
	release, ok, err := app.HoldEval(home)
	if err != nil {
		return "", nil, fmt.Errorf("keep the index: %w", err)
	}
	if !ok {
		return "", nil, memoir.WithHint(fmt.Errorf("another memoir eval is at work in %s: %w", home, memoir.ErrUnavailable), "wait for it, or name another folder with --keep")
	}
	if err := os.RemoveAll(filepath.Join(home, "notes")); err != nil {
		return "", nil, errors.Join(err, release())
	}
	return home, release, nil
}
