package engine_test

import (
	"fmt"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
)

// Nothing that a hand lying on the keyboard, a cry or a single stop word asks for is
// answered with confidence, among however many notes, though each note holds the
// stop words and the model finds something near.
func TestNonsense(t *testing.T) {
	nonsense := []string{
		"zzzqqq", "asdfghjkl qwertyuiop", "sdkfjh skdjfh wieuryt", "фывапролдж", "aaaaaaaaaaaa", "🦄", "🎉🎉🎉", "?", "...", "!!!???",
		"the", "of", "what", "的", "啊啊啊啊", "哈哈哈哈哈", "吗吗吗", "嗯嗯嗯嗯嗯", "什么", "あああああ", "ㅋㅋㅋㅋㅋ", "zzz 啊啊 ыыы ααα",
		"qwe啊asd嗯zxc", "lorem ipsum dolor sit amet",
	}
	near := map[string]string{"哈哈": "harbour", "哈": "harbour", "吗吗": "tide", "嗯": "tide", "嗯嗯": "harbour", "the": "tide", "ああ": "tide", "あ": "tide",
		"qwe": "tide", "啊": "harbour", "asd": "high", "lorem": "tide", "ipsum": "harbour", "dolor": "high"}
	for _, size := range []int{14, 400, 15_000} {
		var files []string
		notes := min(size, 400)
		for i := range notes {
			text := ""
			for part := range size / notes {
				text += fmt.Sprintf("## Day %d\n\nThe tide of the harbour is high and number%d is what it was.\n\n船在港口里,是的,第%d号的人都在。\n\n", part, i*100+part, i*100+part)
			}
			files = append(files, fmt.Sprintf("memory/n%d.md", i), text)
		}
		n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{Synonyms: near}}, files...)
		n.sync()
		modes := []memoir.Mode{memoir.ModeText}
		if size <= 400 { // vectors of 15,000 passages take a test too long
			n.embed()
			modes = append(modes, memoir.ModeVector, memoir.ModeHybrid)
		}
		for _, mode := range modes {
			for _, query := range nonsense {
				res := n.search(memoir.Query{Text: query, Mode: mode, NoSync: true})
				for _, h := range res.Hits {
					if h.Confident() {
						t.Errorf("%q by %s in %d notes: %s has relevance %v", query, mode, size, h.Citation(), h.Relevance)
						break
					}
				}
				if len(res.Hits) > 0 && res.Nothing == "" {
					t.Errorf("%q by %s in %d notes: the answer does not say that nothing is relevant", query, mode, size)
				}
			}
			if res := n.search(memoir.Query{Text: "tide harbour number100", Mode: mode, NoSync: true}); size > 14 && mode != memoir.ModeVector && (len(res.Hits) == 0 || !res.Hits[0].Confident()) {
				t.Errorf("by %s in %d notes a question with an answer has none", mode, size)
			}
		}
	}
}
