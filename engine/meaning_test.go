package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/store/memstore"
)

// reasons joins what an answer says is missing.
func reasons(res memoir.Results) string {
	var all []string
	for _, d := range res.Degraded {
		all = append(all, d.Reason+" ["+d.Action+"]")
	}
	return strings.Join(all, "; ")
}

// picky is an embedder that does not take texts with a word.
type picky struct {
	memoir.Embedder
	word string
}

func (p *picky) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	vectors, err := p.Embedder.Embed(ctx, task, texts)
	for i, text := range texts {
		if err == nil && p.word != "" && strings.Contains(text, p.word) {
			vectors[i] = nil
		}
	}
	return vectors, err
}

// hybrid asks without a sync, so that the index stays as it is.
func hybrid(text string) memoir.Query { return memoir.Query{Text: text, NoSync: true} }

// A change of model never stops the search: the old one answers until the new
// one is complete.
func TestChangeOfModel(t *testing.T) {
	older := &embedtest.Embedder{Synonyms: map[string]string{"taxi": "cab"}}
	newer := embedtest.NewFailing(&embedtest.Embedder{Model: "newer", Synonyms: older.Synonyms}, nil)
	store := memstore.New()
	first := newNotes(t, engine.Config{Store: store, Embedder: older}, "a.md", "receipts of the cab\n", "b.md", "tea\n")
	first.sync()
	first.embed()

	opened := 0
	cfg := engine.Config{Store: store, Embedder: newer, Open: func(_ context.Context, space memoir.Space) (memoir.Embedder, error) {
		opened++
		if space != older.Space() {
			return nil, fmt.Errorf("asked for %v", space)
		}
		return older, nil
	}}
	changed := newNotes(t, cfg, "a.md", "receipts of the cab\n", "b.md", "tea\n")
	check := func(when string, space memoir.Space, degraded string) {
		t.Helper()
		res := changed.search(hybrid("taxi"))
		if diff := cmp.Diff(citations(res), []string{"a.md#L1"}); diff != "" || res.Space != space || res.Mode != memoir.ModeHybrid {
			t.Errorf("%s: space %v in mode %s, want %v; hits (-got +want):\n%s", when, res.Space, res.Mode, space, diff)
		}
		if got := reasons(res); got != degraded {
			t.Errorf("%s: degraded %q, want %q", when, got, degraded)
		}
	}
	check("nothing done", older.Space(), "the model newer is 0 % ready; hashing answers until then [memoir index]")
	status, err := changed.engine.Status(t.Context())
	if err != nil || status.Answering != older.Space() || status.Space != newer.Space() || status.Pending != 2 {
		t.Errorf("status %+v, %v", status, err)
	}
	newer.Set(errors.New("out of order"))
	if _, err := changed.engine.EmbedPending(t.Context(), nil); err == nil {
		t.Error("no error from a broken provider")
	}
	check("outage", older.Space(), "the model newer is 0 % ready; hashing answers until then [memoir index]")
	newer.Set(nil)
	changed.embed()
	check("complete", newer.Space(), "")
	if opened != 1 {
		t.Errorf("the old model was opened %d times, want once", opened)
	}
	res := first.search(hybrid("tea"))
	if res.Space != (memoir.Space{}) && res.Space != older.Space() {
		t.Errorf("an engine of the old model answers with %v", res.Space)
	}
}

// When the old model cannot be opened, words answer and the reason is named.
func TestChangeOfModelWithoutTheOldOne(t *testing.T) {
	tests := []struct {
		name string
		open func(context.Context, memoir.Space) (memoir.Embedder, error)
		want string
	}{
		{"nobody opens it", nil, "no other model can be opened"},
		{"gone", func(context.Context, memoir.Space) (memoir.Embedder, error) {
			return nil, errors.New("the file is gone")
		}, "the file is gone"},
		{"another one", func(context.Context, memoir.Space) (memoir.Embedder, error) {
			return &embedtest.Embedder{Model: "wrong"}, nil
		}, "the model has changed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := memstore.New()
			first := newNotes(t, engine.Config{Store: store, Embedder: &embedtest.Embedder{}}, "a.md", "tea\n")
			first.sync()
			first.embed()
			n := newNotes(t, engine.Config{Store: store, Embedder: &embedtest.Embedder{Model: "newer"}, Open: tt.open}, "a.md", "tea\n")
			res := n.search(hybrid("tea"))
			if got := reasons(res); len(res.Hits) != 1 || res.Mode != memoir.ModeText || !strings.Contains(got, tt.want) || !strings.Contains(got, "0 % ready") {
				t.Errorf("%d hits in mode %s, degraded %q, want %q", len(res.Hits), res.Mode, got, tt.want)
			}
		})
	}
}

// A search whose sync completes the new model is answered by that model.
func TestTakeOverDuringSearch(t *testing.T) {
	store := memstore.New()
	older := &embedtest.Embedder{}
	first := newNotes(t, engine.Config{Store: store, Embedder: older}, "a.md", "tea\n")
	first.sync()
	first.embed()
	newer := &embedtest.Embedder{Model: "newer"}
	n := newNotes(t, engine.Config{Store: store, Embedder: newer, SyncBudget: new(time.Minute),
		Open: func(context.Context, memoir.Space) (memoir.Embedder, error) { return older, nil }}, "a.md", "tea\n")
	n.search(memoir.Query{Text: "tea"})
	res := n.search(memoir.Query{Text: "tea"})
	if res.Space != newer.Space() || res.Mode != memoir.ModeHybrid || len(res.Degraded) != 0 {
		t.Errorf("space %v in mode %s, degraded %v", res.Space, res.Mode, res.Degraded)
	}
}

// A text that the provider does not take is noted, holds nothing up, and is
// tried again by itself after pauses that grow.
func TestFailedTexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		embedder := &picky{&embedtest.Embedder{}, "poison"}
		cfg := engine.Config{Embedder: embedder}
		files := []string{"bad.md", "poison\n"}
		for i := range 12 {
			files = append(files, fmt.Sprintf("%d.md", i), fmt.Sprintf("tea number %d\n", i))
		}
		n := newNotes(t, cfg, files...)
		n.sync()
		var got []memoir.EmbedStats
		for _, pause := range []time.Duration{0, time.Minute, time.Hour, time.Hour, 4 * time.Hour} {
			time.Sleep(pause)
			got = append(got, n.embed())
		}
		want := []memoir.EmbedStats{{Embedded: 12, Failed: 1}, {}, {Failed: 1}, {}, {Failed: 1}}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("now, after a minute, an hour, two and six (-got +want):\n%s", diff)
		}
		status, err := n.engine.Status(t.Context())
		if err != nil || status.Failed != 1 || status.Pending != 0 || len(status.Degraded) != 1 || status.Degraded[0].Action != "memoir index --retry-failed" {
			t.Errorf("status %+v, %v", status, err)
		}
		if res := n.search(hybrid("tea")); len(res.Degraded) != 0 {
			t.Errorf("degraded %v, want nothing: all that can have a vector has one", res.Degraded)
		}
		embedder.word = ""
		stats, err := n.engine.RetryFailed(t.Context(), nil)
		if err != nil || stats.Embedded != 1 {
			t.Errorf("RetryFailed = %+v, %v", stats, err)
		}
		if status, err := n.engine.Status(t.Context()); err != nil || status.Failed != 0 || len(status.Degraded) != 0 {
			t.Errorf("status %+v, %v", status, err)
		}
	})
}

// A question that is asked again costs no embedding, and equal ones that come
// together cost one.
func TestQueryVectorsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocking := embedtest.NewBlocking(&embedtest.Embedder{})
		counting := embedtest.NewCounting(blocking)
		n := newNotes(t, engine.Config{Embedder: counting, EmbedTimeout: time.Hour}, "a.md", "tea\n")
		n.sync()
		done := make(chan memoir.Results)
		for range 5 {
			go func() { done <- n.search(hybrid("tea")) }()
		}
		synctest.Wait()
		blocking.Release()
		for range 5 {
			<-done
		}
		if counting.Calls() != 1 {
			t.Errorf("%d calls for five equal questions at once, want 1", counting.Calls())
		}
		for i := range 300 {
			n.search(hybrid("tea"))
			n.search(hybrid(fmt.Sprint("question ", i)))
		}
		if counting.Calls() != 301 {
			t.Errorf("%d calls, want one for each question", counting.Calls())
		}
		n.search(hybrid("question 0"))
		if counting.Calls() != 302 {
			t.Error("the cache does not forget")
		}
	})
}

// A provider that hangs costs one search its deadline; those after it do not
// wait, and it is used again by itself when it is back.
func TestHangingProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocking := embedtest.NewBlocking(&embedtest.Embedder{})
		n := newNotes(t, engine.Config{Embedder: blocking}, "a.md", "tea\n")
		n.sync()
		took := func(text string) time.Duration {
			start := time.Now()
			res := n.search(hybrid(text))
			if len(res.Hits) != 1 || len(res.Degraded) == 0 || res.Degraded[0].Action == "" {
				t.Errorf("%d hits, degraded %v; want one by words, with the reason", len(res.Hits), res.Degraded)
			}
			return time.Since(start)
		}
		got := []time.Duration{took("tea"), took("tea"), took("green tea")}
		time.Sleep(10 * time.Second) // the call in the background is given up
		got = append(got, took("tea"))
		time.Sleep(2 * time.Second) // the pause after it
		got = append(got, took("tea"), took("black tea"))
		want := []time.Duration{time.Second, 0, 0, 0, time.Second / 4, 0}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("how long searches took (-got +want):\n%s", diff)
		}
		blocking.Release()
		synctest.Wait()
		n.embed()
		for _, text := range []string{"tea", "green tea", "black tea"} {
			if res := n.search(hybrid(text)); res.Mode != memoir.ModeHybrid || len(res.Degraded) != 0 {
				t.Errorf("%q afterwards: mode %s, degraded %v", text, res.Mode, res.Degraded)
			}
		}
	})
}

// Nor do searches wait for vectors of texts when the provider hangs.
func TestHangingProviderWithPendingTexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocking := embedtest.NewBlocking(&embedtest.Embedder{})
		n := newNotes(t, engine.Config{Embedder: blocking}, "a.md", "tea\n")
		var got []time.Duration
		for i := range 3 {
			start := time.Now()
			n.search(memoir.Query{Text: fmt.Sprint("tea ", i)})
			got = append(got, time.Since(start))
		}
		blocking.Release()
		synctest.Wait()
		if diff := cmp.Diff(got, []time.Duration{time.Second, 0, 0}); diff != "" {
			t.Errorf("how long searches took (-got +want):\n%s", diff)
		}
		n.search(memoir.Query{Text: "tea"})
		if res := n.search(memoir.Query{Text: "tea"}); res.Mode != memoir.ModeHybrid || len(res.Degraded) != 0 {
			t.Errorf("afterwards: mode %s, degraded %v", res.Mode, res.Degraded)
		}
	})
}

// Closing the engine ends the calls that go on in the background.
func TestCloseEndsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes(t, engine.Config{Embedder: embedtest.NewBlocking(&embedtest.Embedder{})}, "a.md", "tea\n")
		n.search(memoir.Query{Text: "tea", NoSync: true})
		start := time.Now()
		if err := n.engine.Close(); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited > 0 {
			t.Errorf("closing took %v", waited)
		}
	})
}

// An outage stops the embedding, keeps what was done, and the next run goes on.
func TestOutageWhileIndexing(t *testing.T) {
	failing := embedtest.NewFailing(&embedtest.Embedder{}, memoir.WithHint(errors.New("connection refused"), "start the server"))
	n := newNotes(t, engine.Config{Embedder: failing}, "a.md", "tea\n", "b.md", "cake\n")
	n.sync()
	_, err := n.engine.EmbedPending(t.Context(), nil)
	if err == nil || memoir.Hint(err) != "start the server" {
		t.Errorf("got %v with the hint %q", err, memoir.Hint(err))
	}
	res := n.search(hybrid("tea"))
	if len(res.Hits) != 1 || res.Mode != memoir.ModeText || !strings.Contains(reasons(res), "connection refused [start the server]") {
		t.Errorf("%d hits in mode %s, degraded %q", len(res.Hits), res.Mode, reasons(res))
	}
	failing.Set(nil)
	if stats := n.embed(); stats.Embedded != 2 {
		t.Errorf("the next run: %+v", stats)
	}
	if res := n.search(hybrid("tea")); res.Mode != memoir.ModeHybrid || len(res.Degraded) != 0 {
		t.Errorf("afterwards: mode %s, degraded %v", res.Mode, res.Degraded)
	}
}

// elsewhere has the vectors of another index.
type elsewhere map[memoir.Hash][]float32

func (e elsewhere) Vectors(_ context.Context, _ memoir.Space, hashes []memoir.Hash) map[memoir.Hash][]float32 {
	found := map[memoir.Hash][]float32{}
	for _, h := range hashes {
		if v := e[h]; v != nil {
			found[h] = v
		}
	}
	return found
}

// A text that another index has a vector of is not embedded again, and a vector
// that cannot be one is not taken over.
func TestVectorsFromElsewhere(t *testing.T) {
	counting := embedtest.NewCounting(&embedtest.Embedder{})
	known := make([]float32, embedtest.DefaultDimensions)
	known[0] = 1
	n := newNotes(t, engine.Config{Embedder: counting, Vectors: elsewhere{
		memoir.HashText("tea"): known, memoir.HashText("cake"): {1, 2},
	}}, "a.md", "tea\n", "b.md", "cake\n")
	n.sync()
	stats := n.embed()
	if diff := cmp.Diff(stats, memoir.EmbedStats{Embedded: 2, Copied: 1}); diff != "" {
		t.Errorf("stats (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(counting.Texts(), []string{"cake"}); diff != "" {
		t.Errorf("embedded texts (-got +want):\n%s", diff)
	}
}

// putting counts the writes of vectors, each of which is several requests to a store
// that is far away.
type putting struct {
	memoir.Store
	times *int
}

func (p putting) PutVectors(ctx context.Context, space memoir.Space, vectors map[memoir.Hash][]float32, failed []memoir.FailedText) error {
	*p.times++
	return p.Store.PutVectors(ctx, space, vectors, failed)
}

// Vectors that nobody has to compute are stored at once, and not a few at a time.
func TestVectorsFromElsewhereAreStoredAtOnce(t *testing.T) {
	known, files, times := elsewhere{}, []string{}, 0
	for i := range 300 {
		text := fmt.Sprint("tea ", i)
		known[memoir.HashText(text)] = make([]float32, embedtest.DefaultDimensions)
		known[memoir.HashText(text)][0] = 1
		files = append(files, fmt.Sprint(i, ".md"), text+"\n")
	}
	n := newNotes(t, engine.Config{Store: putting{memstore.New(), &times}, Embedder: &embedtest.Embedder{}, Vectors: known}, files...)
	n.sync()
	if stats := n.embed(); stats.Copied != 300 || times != 1 {
		t.Errorf("copied %d vectors in %d writes, want 300 in one", stats.Copied, times)
	}
}

// bare hides what an embedder states of itself.
type bare struct{ memoir.Embedder }

// offset is an embedder whose vectors all share a direction, as those of E5 do.
type offset struct{ memoir.Embedder }

func (o offset) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	vectors, err := o.Embedder.Embed(ctx, task, texts)
	for _, v := range vectors {
		v[0] += 3
	}
	return vectors, err
}

// stating states a calibration.
type stating struct{ memoir.Embedder }

func (stating) Calibration() memoir.Calibration { return memoir.Calibration{Unrelated: -1} }

// A space whose embedder states no calibration gets one of the index: texts
// that share no word score next to nothing, however high their cosines are.
func TestMeasuredCalibration(t *testing.T) {
	var files []string
	for i := range 40 {
		files = append(files, fmt.Sprintf("%02d.md", i), fmt.Sprintf("alpha%d beta%d gamma%d\n", i, i, i))
	}
	scores := func(e memoir.Embedder) (same, other float64) {
		n := newNotes(t, engine.Config{Embedder: e}, files...)
		n.sync()
		n.embed()
		res := n.search(memoir.Query{Text: "alpha7 beta7 gamma7", Mode: memoir.ModeVector, Limit: 40, NoSync: true, Explain: true})
		if len(res.Hits) < 20 {
			t.Fatalf("%d hits", len(res.Hits))
		}
		return res.Hits[0].VectorScore, res.Hits[19].VectorScore
	}
	if same, other := scores(bare{offset{&embedtest.Embedder{}}}); same < .99 || other > .3 {
		t.Errorf("measured: %.2f for the same text and %.2f for the twentieth, want 1 and little", same, other)
	}
	if same, other := scores(stating{offset{&embedtest.Embedder{}}}); same < .99 || other < .9 {
		t.Errorf("stated: %.2f for the same text and %.2f for the twentieth, want both near 1", same, other)
	}
}

// While notes wait for their vectors, one that alone holds the word of a query stands
// above those that have a vector near to it.
func TestNewNoteBeforeItsVector(t *testing.T) {
	files := []string{}
	for i := range 30 {
		files = append(files, fmt.Sprintf("%02d.md", i), fmt.Sprintf("cab number%d\n", i))
	}
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{Synonyms: map[string]string{"taxi": "cab"}}, SyncBudget: new(time.Duration(0))}, files...)
	n.sync()
	n.embed()
	n.write("new.md", "a taxi came with lots of other words around it\n")
	n.sync()
	for _, limit := range []int{1, 6, 40} {
		if got := citations(n.search(memoir.Query{Text: "taxi", Limit: limit})); len(got) == 0 || got[0] != "new.md#L1" {
			t.Errorf("the first %d are %v, want the new note first", limit, got)
		}
	}
	n.embed()
	if got := citations(n.search(memoir.Query{Text: "cab number7", Limit: 1})); got[0] != "07.md#L1" {
		t.Errorf("got %v", got)
	}
}

// While nearly all notes wait for their vectors, source code does not stand above a
// note that holds more of the query's words.
func TestCodeBeforeItsVector(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, SyncBudget: new(time.Duration(0))}, "first.md", "tea and cake\n")
	n.sync()
	n.embed()
	for i := range 30 {
		n.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("soup number%d\n", i))
	}
	n.write("board.md", "Mei wrote cobalt walnut amber violet on the board\n")
	n.write("code.md", "```go\nfunc amber() int { violet := 3; return violet }\n```\n")
	n.sync()
	if got := citations(n.search(memoir.Query{Text: "who wrote cobalt walnut amber violet"})); len(got) == 0 || got[0] != "board.md#L1" {
		t.Errorf("got %v, want board.md first", got)
	}
}

// A passage that waits for its vector is as relevant as by its words alone: nothing is
// known of what it means.
func TestRelevanceBeforeItsVector(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, SyncBudget: new(time.Duration(0))}, "first.md", "amber tea and cake\n")
	n.sync()
	n.embed()
	for i := range 30 {
		n.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("soup number%d\n", i))
	}
	n.write("board.md", "Mei wrote cobalt walnut amber violet on the board\n")
	n.sync()
	words := n.search(memoir.Query{Text: "cobalt and amber or something else", Mode: memoir.ModeText}).Hits
	both := n.search(memoir.Query{Text: "cobalt and amber or something else"}).Hits
	if words[0].Doc != "board.md" || both[0].Doc != "board.md" || both[0].Relevance != words[0].Relevance {
		t.Errorf("%s has %v by words, and %s %v with vectors that are to come", words[0].Doc, words[0].Relevance, both[0].Doc, both[0].Relevance)
	}
}

// Who asks for nothing but an identifier is sure of a passage that holds it, among however
// many passages that one is, and however long.
func TestIdentifierAlone(t *testing.T) {
	var log strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&log, "## Call number%d\n\nThe part was filed.\n\n", i)
	}
	long := "PART-1c610007 was filed. " + strings.Repeat("Lunch was late and the tests were flaky on Mondays. ", 12)
	n := newNotes(t, engine.Config{}, "log.md", log.String(), "part.md", long, "other.md", strings.Replace(long, "0007", "0008", 1))
	n.sync()
	for _, query := range []string{"PART-1c610007", " part-1C610007", `"PART-1c610007"`} {
		hits := n.search(memoir.Query{Text: query}).Hits
		if len(hits) == 0 || hits[0].Doc != "part.md" || hits[0].Relevance < .95 {
			t.Fatalf("%s: got %+v, want part.md with a relevance of .95", query, hits[:min(len(hits), 1)])
		}
		for _, h := range hits[1:] {
			if h.Confident() {
				t.Errorf("%s: %s does not hold it and has %v", query, h.Doc, h.Relevance)
			}
		}
	}
}

// A note is found by its file name also when its words are written apart.
func TestFileNameInWords(t *testing.T) {
	n := newNotes(t, engine.Config{}, "memory/refund-policy.md", "TODO\n", "memory/database_migration.md", "See above\n",
		"log.md", "The refund policy of the database migration was discussed.\n")
	n.sync()
	for query, want := range map[string]string{"Refund  policy": "memory/refund-policy.md#L1", "database migration": "memory/database_migration.md#L1"} {
		if hits := n.search(memoir.Query{Text: query}).Hits; len(hits) == 0 || hits[0].Citation() != want || !hits[0].Confident() {
			t.Errorf("%s: got %+v, want %s", query, hits[:min(len(hits), 1)], want)
		}
	}
}
