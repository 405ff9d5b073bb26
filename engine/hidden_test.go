package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/store/memstore"
)

// TestHiddenWordsScoreNothing: where notes are hidden from the caller, their words change no
// answer, in each store and in two memories that answer as one.
func TestHiddenWordsScoreNothing(t *testing.T) {
	type searching func(context.Context, memoir.Query) (memoir.Results, error)
	over := func(store memoir.Store, seed uint64, secret string) *notes {
		n := newNotes(t, engine.Config{Store: store}, append(generated(seed, 40), "memory/secret.md", "---\nprivate: true\n---\n"+secret)...)
		n.sync()
		return n
	}
	stores := map[string]func(secret string) searching{
		"memory": func(secret string) searching { return over(memstore.New(), 3, secret).engine.Search },
		"SQLite": func(secret string) searching { return over(openStore(t, t.TempDir()), 3, secret).engine.Search },
		"joined": func(secret string) searching {
			return join(t, over(openStore(t, t.TempDir()), 3, secret).engine, over(memstore.New(), 4, secret).engine).Search
		},
	}
	hidden := []memoir.Filter{{Labels: []memoir.Label{memoir.LabelPrivate}}}
	for name, open := range stores {
		words := strings.Repeat("- crane 93200 and the lantern of a storm\n\n", 40)
		with, without := open(words), open(strings.Repeat("- something else that nobody asks about\n\n", 9))
		differ := false
		for _, text := range []string{"crane 93200", "storm at the harbour", "lantern", `"night watch" heron`, "crane -storm +tide", "数据库 会议", "the lantern of a storm"} {
			ask := func(search searching, hidden []memoir.Filter) []memoir.Hit {
				res, err := search(t.Context(), memoir.Query{Text: text, Mode: memoir.ModeText, NoSync: true, Limit: 30, Explain: true, Hidden: hidden})
				if err != nil {
					t.Fatal(err)
				}
				return res.Hits
			}
			got := ask(with, hidden)
			if diff := cmp.Diff(got, ask(without, hidden)); diff != "" || len(got) == 0 {
				t.Errorf("%s: %q finds %d (-with +without):\n%s", name, text, len(got), diff)
			}
			differ = differ || !cmp.Equal(ask(with, nil), ask(without, nil))
		}
		if !differ {
			t.Errorf("%s: the words change nothing where nothing is hidden", name)
		}
	}
}
