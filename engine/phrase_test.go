package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// shelf is notes with words and numbers that quotes may cut.
var shelf = []string{
	"a.md", "ウルリヒ・ヴィルヒャーは画家。\n",
	"b.md", "リヒターの絵とヴェネツィア。\n",
	"c.md", "2016年になると雨が降る。\n",
	"d.md", "2017年になると雪が降る。年になる。\n",
	"e.md", "# 第12章ヘッドライン\n\n数據庫V2のPostgres設定。\n",
	"f.md", "the blue button of this catalogue.\n",
}

// What is in quotes is found where it stands in the text, also where its ends cut
// a number, or a word of a script without spaces; words with spaces round them
// stay whole.
func TestPhrasesCutWords(t *testing.T) {
	stores := map[string]func(t *testing.T) memoir.Store{
		"memstore": func(*testing.T) memoir.Store { return nil },
		"sqlite": func(t *testing.T) memoir.Store {
			s, err := sqlite.Open(t.Context(), t.TempDir()+"/index.db", sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	}
	for name, open := range stores {
		n := newNotes(t, engine.Config{Store: open(t)}, shelf...)
		n.sync()
		for phrase, want := range map[string]string{
			"リヒ・ヴ": "a.md", "ルリヒ・ヴィ": "a.md", "リヒ･ヴ": "a.md", "リヒヴ": "", "ヒタ": "b.md", "ヒル": "", "ターの絵とヴ": "b.md",
			"6年にな": "c.md", "2016年にな": "c.md", "年になる": "c.md d.md", "7年になると雪": "d.md", "8年にな": "",
			"第1": "e.md", "2章ヘ": "e.md", "库V2の": "e.md", "数据库v2": "e.md", "tgres設": "", "Postgres設": "e.md", "のPostgres设定": "e.md",
			"blue button": "f.md", "lue button": "", "blue butt": "", "this cat": "",
		} {
			for _, q := range []struct{ text, want string }{
				{fmt.Sprintf(`+"%s"`, phrase), want},
				{fmt.Sprintf(`path:.md -"%s"`, phrase), others(want)},
			} {
				res := n.search(memoir.Query{Text: q.text, Limit: 99, NoSync: true})
				if diff := cmp.Diff(documents(res), q.want); diff != "" {
					t.Errorf("%s: %s (-got +want):\n%s", name, q.text, diff)
				}
			}
			res := n.search(memoir.Query{Text: fmt.Sprintf(`絵 雨 雪 設定 "%s"`, phrase), Limit: 99, NoSync: true, Explain: true})
			var raised []string
			for _, h := range res.Hits {
				if h.Explain.Exact.Phrases > 0 {
					raised = append(raised, string(h.Doc))
				}
			}
			if got := sorted(raised); got != want {
				t.Errorf("%s: %q is held by %q, want %q", name, phrase, got, want)
			}
		}
	}
}

// Why says so of a phrase that cuts words, too.
func TestWhyOfPhrasesThatCutWords(t *testing.T) {
	n := newNotes(t, engine.Config{}, shelf...)
	n.sync()
	for text, want := range map[string]explain.Verdict{
		`画家 -"リヒ・ヴ"`: explain.VerdictFiltered, `画家 +"リヒ・ヴ"`: explain.VerdictHit, `画家 +"リヒ・ル"`: explain.VerdictFiltered, `"リヒ・ヴ"`: explain.VerdictHit,
	} {
		w, err := n.engine.Why(t.Context(), memoir.Query{Text: text}, "a.md", 1)
		if err != nil || w.Verdict != want {
			t.Errorf("%s: got %s (%s), %v, want %s", text, w.Verdict, w.Reason, err, want)
		}
		if want == explain.VerdictHit && (w.Passage == nil || text == `"リヒ・ヴ"` && w.Passage.Explain.Exact.Phrases != 1) {
			t.Errorf("%s: the phrase is not told of: %+v", text, w.Passage)
		}
	}
}

// Characters that stand in no block of common ones are found alone.
func TestRareCharactersAreFound(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "昨日は𠮷野家で𩸽を食べた\n", "b.md", "rated ⭐⭐⭐ at ⏰ ❤️\n", "c.md", "字𪚥字と㐂び\n", "d.md", "野家\n")
	n.sync()
	for text, want := range map[string]string{"𠮷": "a.md", "𩸽": "a.md", `"𩸽"`: "a.md", "+𠮷": "a.md", "⭐": "b.md", "⏰": "b.md", "❤": "b.md", "❤️": "b.md", "𪚥": "c.md", "㐂": "c.md", "𠮷野": "a.md"} {
		if got := documents(n.search(memoir.Query{Text: text, Limit: 99})); got != want {
			t.Errorf("%s: found %q, want %q", text, got, want)
		}
	}
}

// documents returns the notes of the hits, each once, by path.
func documents(res memoir.Results) string {
	var out []string
	for _, h := range res.Hits {
		out = append(out, string(h.Doc))
	}
	return sorted(out)
}

// sorted joins paths of the shelf, each once, in its order.
func sorted(paths []string) string {
	var out []string
	for i := 0; i < len(shelf); i += 2 {
		for _, p := range paths {
			if p == shelf[i] {
				out = append(out, p)
				break
			}
		}
	}
	return strings.Join(out, " ")
}

// others returns the notes of the shelf that are not named.
func others(paths string) string {
	var out []string
	for i := 0; i < len(shelf); i += 2 {
		if !strings.Contains(paths, shelf[i]) {
			out = append(out, shelf[i])
		}
	}
	return strings.Join(out, " ")
}
