package engine_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/tune"
)

// TestDepthChangesNothing: the number of candidates that are looked at first
// changes only the time of a search: for words that stand everywhere, for code,
// links, days and phrases, in notes of two languages.
func TestDepthChangesNothing(t *testing.T) {
	var files []string
	r := rand.New(rand.NewPCG(5, 6))
	words := strings.Fields("server database queue cache worker token index login backup export")
	for i := range 900 {
		day := time.Date(2026, 1, 1+i/5, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		text := fmt.Sprintf("# %s\n\nthe %s timed out because of the %s\n", words[r.IntN(10)], words[r.IntN(10)], words[r.IntN(10)])
		switch i % 7 {
		case 1:
			text += fmt.Sprintf("\nsee [[%s-%d]]\n", day, r.IntN(900))
		case 3:
			text = fmt.Sprintf("# 记录\n\n%s 因为 %s 超时了\n", words[r.IntN(10)], words[r.IntN(10)])
		case 4:
			text = fmt.Sprintf("```go\n// %s 超时了\nfunc 超时() { %s() }\n```\n", words[r.IntN(10)], words[r.IntN(10)])
		case 2:
			text = fmt.Sprintf("```go\nfunc %s() error {\n\treturn %s.timeout()\n}\n```\n", words[r.IntN(10)], words[r.IntN(10)])
		}
		files = append(files, fmt.Sprintf("%s-%d.md", day, i), text)
	}
	shallow := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, Now: june}, files...)
	shallow.sync()
	shallow.embed()
	deep := newNotes(t, engine.Config{Store: shallow.store, Embedder: &embedtest.Embedder{}, Now: june, Ranking: tune.Rank{CandidateMultiplier: 1000}}, files...)
	for _, q := range []string{
		"why did the server time out", "how did the cache time out yesterday", "what timed out on 7 May 2026", "which queue failed last week", "latest backup",
		"\"because of the token\"", "the login of the worker and the export of the database", "func timeout error", "what timed out in March and in May",
		"why did the token of the 服务器 time out", "为什么 server 的 queue 会超时", "上周 cache 为什么超时了",
	} {
		for _, limit := range []int{1, 6, 20} {
			query := memoir.Query{Text: q, Limit: limit, NoSync: true}
			if diff := cmp.Diff(deep.search(query).Hits, shallow.search(query).Hits); diff != "" {
				t.Errorf("%q, limit %d (-all candidates +few):\n%s", q, limit, diff)
			}
		}
	}
}

// A sounding notes how many of all chunks the nearest were asked for.
type sounding struct {
	memoir.Store
	deepest int
}

func (s *sounding) View(ctx context.Context, f func(memoir.View) error) error {
	return s.Store.View(ctx, func(v memoir.View) error { return f(soundingView{v, s}) })
}

type soundingView struct {
	memoir.View
	all *sounding
}

func (v soundingView) SearchVector(ctx context.Context, space memoir.Space, vector []float32, filter memoir.Filter, limit int) ([]memoir.Match, error) {
	if filter.Chunks == nil {
		v.all.deepest = max(v.all.deepest, limit)
	}
	return v.View.SearchVector(ctx, space, vector, filter, limit)
}

// Marked gives a text the cosine to the query that it names: .85 for cos850. A text that
// names none is the query.
type marked struct{ embedtest.Embedder }

var mark = regexp.MustCompile(`cos(\d{3})`)

func (m *marked) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	vectors, err := m.Embedder.Embed(ctx, task, texts)
	for i, text := range texts {
		cosine := 1.0
		if found := mark.FindStringSubmatch(text); found != nil {
			thousandths, _ := strconv.Atoi(found[1])
			cosine = float64(thousandths) / 1000
		}
		rest, squares := vectors[i][1:], 0.0
		for _, x := range rest {
			squares += float64(x) * float64(x)
		}
		for j := range rest {
			rest[j] *= float32(math.Sqrt((1 - cosine*cosine) / squares))
		}
		vectors[i][0] = float32(cosine)
	}
	return vectors, err
}

// Vectors weigh much more for source code, so that code which is farther than much else
// stands first. A search finds it without going deep: the nearest code says how near other
// code can be.
func TestCodeIsFoundWithoutDepth(t *testing.T) {
	var files []string
	add := func(n, nearest int, name, format string) {
		for i := range n {
			files = append(files, fmt.Sprintf("%s%d.md", name, i), fmt.Sprintf(format, nearest-i))
		}
	}
	add(300, 800, "prose", "the tide of cos%d rises\n")
	add(50, 500, "far", "```go\nfunc tide() { cos%d() }\n```\n")
	add(50, 400, "注", "潮水 cos%d 涨了，然后又退了下去\n")
	const code = "```go\nfunc quay() { cos650() }\n```\n"
	var copies []string
	for i := range 40 {
		copies = append(copies, fmt.Sprintf("copy%d.md", i), code)
	}
	for _, tt := range []struct {
		name  string
		files []string
		want  string
		depth int
	}{
		{"no code near", nil, "prose0.md", 32},
		{"code", []string{"code.md", code}, "code.md", 32},
		{"code in another script", []string{"code.md", "```\n潮水上涨之时[cos360] = {10, 11, 12, 13, 14, 15, 16};\n岸边潮水退下 = {20, 21, 22, 23, 24, 25, 26};\n```\n"}, "code.md", 32},
		{"code behind copies of other code", append(copies, "code.md", "```go\nfunc pier() { cos620() }\n```\n"), "code.md", 128},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := append(slices.Clone(files), tt.files...)
			store := &sounding{Store: memstore.New()}
			cfg := engine.Config{Store: store, Embedder: &marked{}}
			n := newNotes(t, cfg, files...)
			n.sync()
			n.embed()
			query := memoir.Query{Text: "why is the ferry to the island late", NoSync: true}
			got := n.search(query)
			if !slices.ContainsFunc(got.Hits[:2], func(h memoir.Hit) bool { return string(h.Doc) == tt.want }) {
				t.Errorf("got %q, want %s among the first two", citations(got), tt.want)
			}
			if store.deepest != tt.depth {
				t.Errorf("the nearest %d chunks were asked for, want %d", store.deepest, tt.depth)
			}
			cfg.Ranking.CandidateMultiplier = 1000
			deep := newNotes(t, cfg, files...)
			if diff := cmp.Diff(deep.search(query).Hits, got.Hits); diff != "" {
				t.Errorf("(-all candidates +few):\n%s", diff)
			}
		})
	}
}

// Of many passages in another script the nearest is near by chance alone: it does not stand
// above what answers in the question's script.
func TestLargerCrowd(t *testing.T) {
	files := []string{"答.md", "渡船 cos530 停在码头\n"}
	for i := range 19 {
		files = append(files, fmt.Sprintf("注%d.md", i), fmt.Sprintf("潮水 cos%d 涨了\n", 500-i))
	}
	for i := range 400 {
		files = append(files, fmt.Sprintf("prose%d.md", i), fmt.Sprintf("the tide of cos%d rises, part %d\n", 480-i/4, i))
	}
	n := newNotes(t, engine.Config{Embedder: &marked{}}, files...)
	n.sync()
	n.embed()
	if got := citations(n.search(memoir.Query{Text: "轮船今天为什么迟到了", NoSync: true})); len(got) == 0 || got[0] != "答.md#L1" {
		t.Errorf("got %q, want 答.md first", got)
	}
}
