package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/evalset"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	mode        string
	global      bool
	depth       int
	perQuestion string
	keep        string
}

func (s *session) evalCommand() *cobra.Command {
	var flags evalFlags
	cmd := &cobra.Command{
		Use: "eval [flags] SET...", Short: "Measure retrieval on sets of questions with known answers",
		Long: "Eval writes the documents of each set into a temporary workspace, indexes it and\nasks every question through the ordinary engine, with the settings in effect.\n" +
			"A set is a folder with corpus.jsonl.gz and queries.jsonl.gz. A question of a\nscope searches the documents of that scope.\n\n" +
			"The latency is that of the search alone; looking for changed files is left out.",
		Args: positional(1, -1, "the folder of a set"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.depth < 1 || flags.depth > evalMaxDepth {
				return usage("memoir help eval", "-n %d is not between 1 and %d", flags.depth, evalMaxDepth)
			}
			return s.eval(cmd.Context(), flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.mode, "mode", "", "hybrid, text or vector; when not given, the setting")
	f.BoolVar(&flags.global, "global", false, "search all documents, whatever the scope of a question")
	f.IntVarP(&flags.depth, "limit", "n", 50, "how many passages are asked for; more where they come from fewer than 10 documents")
	f.StringVar(&flags.perQuestion, "per-question", "", "write the scores of each question to this file, one line of JSON each")
	f.StringVar(&flags.keep, "keep", "", "keep indexes in this folder, so that the next run computes no vector again")
	completeMode(cmd)
	return cmd
}

// evalMaxDepth is the most passages that the engine gives.
const evalMaxDepth = 1000

func (s *session) eval(ctx context.Context, flags evalFlags, dirs []string) (err error) {
	report := evalReport{json: s.json, out: s.out}
	if flags.perQuestion != "" {
		f, createErr := os.Create(flags.perQuestion)
		if createErr != nil {
			return fmt.Errorf("write the scores of each question: %w", createErr)
		}
		defer closing(&err, f)
		report.perQuestion = f
	}
	for _, dir := range dirs {
		set, err := evalset.Load(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return memoir.WithHint(fmt.Errorf("%s is no set: %w", dir, err), "memoir help eval")
		}
		if err != nil {
			return err
		}
		run, err := s.evalSet(ctx, flags, set, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		if run.degraded > 0 {
			s.warn(fmt.Sprintf("%s: %d questions were answered with a part missing: %s", set.Name, run.degraded, run.reason), "")
		}
		if err := report.add(set, run); err != nil {
			return err
		}
	}
	return report.flush()
}

// evalRun is what running one set gave.
type evalRun struct {
	scores   []evalset.QuestionScore
	passages [][]evalset.Passage // of each question
	indexing time.Duration
	degraded int    // questions that were answered with a part missing
	reason   string // of the first of them
}

// evalSet indexes a set and asks its questions.
func (s *session) evalSet(ctx context.Context, flags evalFlags, set *evalset.Set, dir string) (run evalRun, err error) {
	home, remove, err := evalHome(flags.keep, set.Name, dir)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	notes := filepath.Join(home, "notes")
	files, err := set.WriteWorkspace(notes)
	if err != nil {
		return run, err
	}
	settings, err := s.settings(config.Flags{"workspace": notes, "stateDir": filepath.Join(home, "state")})
	if err != nil {
		return run, err
	}
	// A set is measured whole, whatever the user leaves out of the own notes,
	// and now, whatever may wait for a job.
	settings.Include, settings.Exclude, settings.MaxFileBytes = nil, nil, -1
	settings.OpenAI.Batch, settings.Gemini.Batch, settings.Voyage.Batch = false, false, false
	query := memoir.Query{Mode: memoir.Mode(settings.Query.Mode), Limit: flags.depth, NoSync: true}
	if flags.mode != "" {
		query.Mode = memoir.Mode(flags.mode)
	}
	need := app.NeedAll
	if query.Mode == memoir.ModeText {
		need = app.NeedWords
	}
	a, err := s.open(ctx, settings, app.Options{Need: need, Exclusive: true})
	if err != nil {
		return run, err
	}
	defer closing(&err, a)
	if a.EmbedderErr != nil {
		return run, a.EmbedderErr
	}
	if run.indexing, err = s.evalIndex(ctx, a.Engine, set.Name); err != nil {
		return run, err
	}
	report, done := s.progress(set.Name+": asking", "questions")
	defer done()
	for i := range set.Questions {
		q := &set.Questions[i]
		query.Text, query.Filter = q.Text, memoir.Filter{}
		if q.Scope != "" && !flags.global {
			query.Filter.Prefix = files.Folders[q.Scope]
		}
		if err := run.ask(ctx, a.Engine, q, query, files.IDs); err != nil {
			return run, fmt.Errorf("question %s: %w", q.ID, err)
		}
		if report != nil {
			report(i+1, len(set.Questions))
		}
	}
	return run, nil
}

// ask asks one question and scores the answer; ids are the documents' by path.
func (r *evalRun) ask(ctx context.Context, engine *memoir.Engine, q *evalset.Question, query memoir.Query, ids map[string]string) error {
	start := time.Now()
	res, err := searchDeep(ctx, engine, query)
	latency := time.Since(start)
	// A question without text, which the engine refuses, scores 0.
	if err != nil && strings.TrimSpace(q.Text) != "" {
		return err
	}
	if len(res.Degraded) > 0 {
		if r.degraded++; r.degraded == 1 {
			r.reason = res.Degraded[0].Reason
		}
	}
	passages := make([]evalset.Passage, 0, len(res.Hits))
	for _, h := range res.Hits {
		passages = append(passages, evalset.Passage{Document: ids[string(h.Doc)], StartLine: h.StartLine, EndLine: h.EndLine, Text: h.Text})
	}
	score := evalset.Score(q, passages)
	score.Latency = latency
	r.scores = append(r.scores, score)
	r.passages = append(r.passages, passages)
	return nil
}

// evalMark is the file by which a folder of kept indexes is known as one.
const evalMark = "made by memoir eval"

// evalHome makes the folder that a set is indexed in, and returns what removes
// it: nothing when it is kept. The notes of an earlier run are removed.
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
	return home, func() error { return nil }, os.RemoveAll(filepath.Join(home, "notes"))
}

// evalIndex indexes from scratch: a kept index may have been cut in another
// way, and only its vectors are wanted.
func (s *session) evalIndex(ctx context.Context, engine *memoir.Engine, name string) (time.Duration, error) {
	start := time.Now()
	report, done := s.progress(name+": reading", "documents")
	_, err := engine.Rebuild(ctx, report)
	done()
	if err != nil {
		return 0, err
	}
	report, done = s.progress(name+": computing vectors", "texts")
	_, err = engine.EmbedPending(ctx, report)
	done()
	return time.Since(start), err
}

// searchDeep asks for more passages until they come from enough documents to
// be scored. A larger limit only appends, so the first passages stay the same.
func searchDeep(ctx context.Context, engine *memoir.Engine, query memoir.Query) (memoir.Results, error) {
	for {
		res, err := engine.Search(ctx, query)
		if err != nil || len(res.Hits) < query.Limit || query.Limit == evalMaxDepth {
			return res, err
		}
		documents := map[memoir.DocID]bool{}
		for _, h := range res.Hits {
			documents[h.Doc] = true
		}
		if len(documents) >= evalset.MinDocuments {
			return res, nil
		}
		query.Limit = min(4*query.Limit, evalMaxDepth)
	}
}
