package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/eval"
)

// languageSet is what a language's notes and questions have to give.
type languageSet struct {
	code  string
	floor map[memoir.Mode]hits
}

// hits are how many of a set's questions find their note at the first place,
// and among the first five.
type hits struct{ first, five int }

// The sets of other languages, and floors a little below what was measured
// (docs/design/languages.md): one question by words, two with vectors, which
// differ between processors.
var languageSets = []languageSet{
	{"ar", map[memoir.Mode]hits{memoir.ModeText: {15, 16}, memoir.ModeVector: {21, 24}, memoir.ModeHybrid: {20, 25}}},
	{"de", map[memoir.Mode]hits{memoir.ModeText: {13, 18}, memoir.ModeVector: {22, 28}, memoir.ModeHybrid: {19, 27}}},
	{"es", map[memoir.Mode]hits{memoir.ModeText: {17, 21}, memoir.ModeVector: {24, 26}, memoir.ModeHybrid: {23, 27}}},
	{"hi", map[memoir.Mode]hits{memoir.ModeText: {18, 19}, memoir.ModeVector: {19, 24}, memoir.ModeHybrid: {20, 24}}},
	{"ko", map[memoir.Mode]hits{memoir.ModeText: {19, 19}, memoir.ModeVector: {24, 26}, memoir.ModeHybrid: {21, 26}}},
	{"ru", map[memoir.Mode]hits{memoir.ModeText: {19, 20}, memoir.ModeVector: {25, 28}, memoir.ModeHybrid: {23, 28}}},
	{"th", map[memoir.Mode]hits{memoir.ModeText: {20, 23}, memoir.ModeVector: {20, 26}, memoir.ModeHybrid: {21, 24}}},
	{"tr", map[memoir.Mode]hits{memoir.ModeText: {16, 17}, memoir.ModeVector: {21, 26}, memoir.ModeHybrid: {21, 25}}},
}

// What a set consists of.
const (
	languageNotes = 30
	languageKind  = 10 // questions of each kind
)

// languageKinds are how near a question is to the words of its note: it has some
// of them, other forms of them, or none.
var languageKinds = []string{"words", "forms", "meaning"}

func languageDir(code string) string { return filepath.Join("testdata", "languages", code) }

// Each set has as many notes and questions of each kind as the others, each note
// is the answer to a question, and no question stands twice.
func TestLanguageSets(t *testing.T) {
	for _, set := range languageSets {
		t.Run(set.code, func(t *testing.T) {
			unasked := map[string]bool{}
			root := os.DirFS(filepath.Join(languageDir(set.code), "notes"))
			notes, err := fs.Glob(root, "*/*.md")
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range notes {
				unasked[name] = true
			}
			if len(notes) != languageNotes {
				t.Errorf("%d notes, want %d", len(notes), languageNotes)
			}
			kinds, asked := map[string]int{}, map[string]bool{}
			for _, q := range setQuestions(t, languageDir(set.code)) {
				if len(q.Relevant) != 1 {
					t.Errorf("%s expects %d notes, want 1", q.ID, len(q.Relevant))
				}
				if asked[q.Text] {
					t.Errorf("%s: asked twice: %s", q.ID, q.Text)
				}
				asked[q.Text] = true
				kinds[q.Kind]++
				delete(unasked, q.Relevant[0])
			}
			for _, kind := range languageKinds {
				if kinds[kind] != languageKind {
					t.Errorf("%d questions of the kind %s, want %d", kinds[kind], kind, languageKind)
				}
			}
			for name := range unasked {
				t.Errorf("no question asks for %s", name)
			}
		})
	}
}

// Notes in each language are found, by words everywhere, and by meaning where the
// model is inside. With -v the figures of docs/quality.md are shown.
func TestLanguages(t *testing.T) {
	modes := []memoir.Mode{memoir.ModeText}
	if !testing.Short() && app.About().Model != "" {
		modes = append(modes, memoir.ModeVector, memoir.ModeHybrid)
	}
	for _, set := range languageSets {
		t.Run(set.code, func(t *testing.T) {
			questions := setQuestions(t, languageDir(set.code))
			memory := setEngine(t, languageDir(set.code), len(modes) > 1)
			for _, mode := range modes {
				scores := askLanguage(t, memory, mode, questions)
				reportLanguage(t, mode, scores)
				var got hits
				for _, s := range scores {
					got.first += int(s.Values["hit@1"])
					got.five += int(s.Values["hit@5"])
				}
				if want := set.floor[mode]; got.first < want.first || got.five < want.five {
					t.Errorf("%s: of %d questions %d find their note first and %d among five, want at least %d and %d",
						mode, len(scores), got.first, got.five, want.first, want.five)
				}
			}
		})
	}
}

// askLanguage asks all questions and returns their scores.
func askLanguage(t *testing.T, memory *engine.Engine, mode memoir.Mode, questions []eval.Question) (scores []eval.QuestionScore) {
	t.Helper()
	for _, q := range questions {
		res, err := memory.Search(t.Context(), memoir.Query{Text: q.Text, Mode: mode, Limit: goldenDepth, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Degraded) > 0 {
			t.Fatalf("%s: %v", q.ID, res.Degraded)
		}
		var passages []eval.Passage
		for _, h := range res.Hits {
			passages = append(passages, eval.PassageOf(string(h.Doc), h))
		}
		scores = append(scores, eval.Score(&q, eval.Answer{Ranked: passages}))
	}
	return scores
}

// reportLanguage logs the means of all questions and of each kind, and which
// questions do not find their note first.
func reportLanguage(t *testing.T, mode memoir.Mode, scores []eval.QuestionScore) {
	t.Helper()
	all, intervals := eval.Summarize(scores).Metrics, eval.Intervals(scores)
	t.Logf("%s: hit@1 %.3f [%.2f, %.2f], hit@5 %.3f [%.2f, %.2f], nDCG@10 %.3f", mode, all["hit@1"], intervals["hit@1"].Low, intervals["hit@1"].High,
		all["hit@5"], intervals["hit@5"].Low, intervals["hit@5"].High, all["ndcg@10"])
	for _, kind := range languageKinds {
		of := slices.DeleteFunc(slices.Clone(scores), func(s eval.QuestionScore) bool { return s.Kind != kind })
		m := eval.Summarize(of).Metrics
		t.Logf("%s, %s: hit@1 %.1f, hit@5 %.1f, nDCG@10 %.3f", mode, kind, m["hit@1"], m["hit@5"], m["ndcg@10"])
	}
	for i, s := range scores {
		if s.Rank != 1 {
			t.Logf("%s: question %d, %s, at rank %d", mode, i+1, s.ID, s.Rank)
		}
	}
}
