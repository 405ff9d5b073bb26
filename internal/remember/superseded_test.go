package remember_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
)

// TestSupersededStaysFindable: a line that was superseded by one elsewhere is found first,
// and marked, by a question for what it alone holds; what took its place is found first by a
// question for what that says.
func TestSupersededStaysFindable(t *testing.T) {
	for _, tt := range []struct{ older, newer, only, both string }{
		{"Swim training with coach Brandt on Tuesdays at 17:00", "Swim training is on Thursdays at 18:00 now",
			"who is the swim coach|Brandt", "when is swim training|what time does swimming start"},
		{"游泳课周二17点，教练是勃兰特", "游泳课改到周四18点了", "游泳教练是谁|勃兰特", "游泳课几点|游泳课在哪天"},
		{"水泳教室は火曜17時、コーチはブラント", "水泳教室は木曜18時になった", "水泳のコーチは誰|ブラント", "水泳教室は何時"},
		{"Dana lives in Bergen with two cats", "Dana moved to Oslo", "how many cats does Dana have", "where does Dana live"},
		{"The weekly is on Mondays in room Fjord", "The weekly is on Wednesday now", "Fjord", "when is the weekly"},
	} {
		m := newMemory(t, true)
		b := &bench{t: t, root: m.root}
		b.put("memory/2026-01-05.md", "# 2026-01-05\n\n- The baker was closed\n\n- "+tt.older+
			" <!-- id: aaaa1111 | status: superseded | by: bbbb2222 | until: 2026-03-02 -->\n")
		b.put("memory/projects.md", "# Projects\n\n- The football coach is Kim\n- 猫的名字叫豆豆\n- "+tt.newer+
			" <!-- id: bbbb2222 | observed: 2026-03-02 | replaces: aaaa1111 -->\n- 歯医者は駅前\n")
		for _, fact := range []string{"The printer is on the second floor", "The bus to work is number 12", "图书馆周日关门", "犬の散歩は朝"} {
			b.put("memory/notes/"+strings.ReplaceAll(fact, " ", "-")+".md", "- "+fact+"\n")
		}
		index(t, m.engine)
		for i, questions := range []string{tt.only, tt.both} {
			for question := range strings.SplitSeq(questions, "|") {
				res, err := m.engine.Search(t.Context(), memoir.Query{Text: question})
				if err != nil || len(res.Hits) == 0 {
					t.Fatal(question, err)
				}
				first := res.Hits[0]
				older := first.Labels.Has(memoir.LabelSuperseded)
				if older != (i == 0) || !strings.Contains(first.Text, []string{tt.older, tt.newer}[i]) {
					t.Errorf("%q finds %q first", question, first.Text)
				}
				if older && first.Successor != "memory/projects.md#L5" {
					t.Errorf("%q: %q stands in its place", question, first.Successor)
				}
			}
		}
	}
}
