package eval_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/eval"
)

func TestReadQueries(t *testing.T) {
	got, err := eval.ReadQueries(strings.NewReader("\ufeff" +
		`{"query":"why SQLite","expect":["a.md"," a.md ","b.md#L3-L9",""],"note":1}` + "\r\n\n" +
		`{"id":"潮","kind":"zh","query":"潮水","expect":["日记/三月.md:12"]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []eval.Question{
		{ID: "line 1", Text: "why SQLite", Relevant: []string{"a.md", "b.md#L3-L9"}},
		{ID: "潮", Kind: "zh", Text: "潮水", Relevant: []string{"日记/三月.md:12"}},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestReadQueriesErrors(t *testing.T) {
	const good = `{"query":"?","expect":["a.md"]}` + "\n"
	for _, tt := range []struct{ name, lines, want string }{
		{"not JSON", good + "why SQLite", "line 2: invalid character"},
		{"cut line", `{"query":"?","exp`, "line 1: unexpected end of JSON input"},
		{"an array", `["?"]`, "line 1: json: cannot unmarshal array"},
		{"no query", `{"expect":["a.md"]}`, `line 1: a question needs a "query"`},
		{"blank query", `{"query":" \t","expect":["a.md"]}`, `line 1: a question needs a "query"`},
		{"nothing expected", `{"query":"?"}`, `line 1: a question needs "expect"`},
		{"blanks expected", `{"query":"?","expect":[" "]}`, `line 1: a question needs "expect"`},
		{"one path, no list", `{"query":"?","expect":"a.md"}`, "line 1: json: cannot unmarshal string"},
		{"numbers", `{"query":"?","expect":[1]}`, "line 1: json: cannot unmarshal number"},
		{"same id twice", `{"id":"x","query":"?","expect":["a.md"]}` + "\n" + `{"id":"x","query":"?","expect":["a.md"]}`, `line 2: a question with the id "x" stands above`},
		{"id of a line", `{"id":"line 2","query":"?","expect":["a.md"]}` + "\n" + good, `line 2: a question with the id "line 2" stands above`},
		{"line too long", `{"query":"` + strings.Repeat("x", 17<<20) + `"}`, "line 1: bufio.Scanner: token too long"},
		{"deep", strings.Repeat("[", 100_000), "line 1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := eval.ReadQueries(strings.NewReader(tt.lines))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s…", err, tt.want)
			}
		})
	}
}

// Whatever the lines hold, each question that is read can be asked and scored.
func FuzzReadQueries(f *testing.F) {
	f.Add(`{"query":"why SQLite","expect":["a.md","b.md#L3"]}` + "\n" + `{"id":"1","kind":"k","query":"潮水","expect":["日记.md:1-2"]}`)
	f.Add("\ufeff\r\n{\"query\":\"\\ud800\",\"expect\":[\"\\u0000\"]}")
	f.Fuzz(func(t *testing.T, lines string) {
		questions, err := eval.ReadQueries(strings.NewReader(lines))
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for i, q := range questions {
			if strings.TrimSpace(q.Text) == "" || len(q.Relevant) == 0 || q.ID == "" || ids[q.ID] {
				t.Errorf("question %d: %+v", i, q)
			}
			ids[q.ID] = true
			if s := eval.Score(&q, eval.Answer{Ranked: []eval.Passage{{Document: q.Relevant[0]}}}); s.Rank != 1 {
				t.Errorf("question %d: what is expected first has rank %d", i, s.Rank)
			}
		}
	})
}
