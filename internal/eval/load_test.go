package eval_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/eval"
)

const (
	corpus = `{"id":"conv/1","text":"# 2023-05-08\n\nHi\nand more\n","meta":{"scope":"conv","date":"2023-05-08T13:56","turns":[{"id":"D1","line":3,"end":4},{"id":"D2","line":1}],"other":[1]}}

{"id":"日记","text":"","meta":{"date":"someday"}}
{"id":"conv/2","text":"x","meta":{"scope":"conv","turns":[{"id":"D3","line":1}]}}
`
	queries = `{"id":"q1","text":"When?","relevant":["conv/1","conv/1"],"kind":"temporal","scope":"conv","turns":["D1","D3","D1"],"answer":7}
{"id":"q2","text":"","relevant":{"日记":2,"conv/2":0.5,"conv/1":0}}
`
)

func TestRead(t *testing.T) {
	got, err := eval.Read(strings.NewReader(corpus), strings.NewReader(queries))
	if err != nil {
		t.Fatal(err)
	}
	want := &eval.Set{
		Documents: []eval.Document{
			{ID: "conv/1", Text: "# 2023-05-08\n\nHi\nand more\n", Scope: "conv", Date: "2023-05-08", Turns: []eval.Turn{{"D1", 3, 4}, {"D2", 1, 1}}},
			{ID: "日记"},
			{ID: "conv/2", Text: "x", Scope: "conv", Turns: []eval.Turn{{"D3", 1, 1}}},
		},
		Questions: []eval.Question{
			{ID: "q1", Text: "When?", Kind: "temporal", Scope: "conv", Relevant: []string{"conv/1"}, Evidence: []eval.Evidence{{"conv/1", 3, 4, "Hi\nand more"}, {"conv/2", 1, 1, "x"}}},
			{ID: "q2", Relevant: []string{"conv/2", "日记"}, Grades: map[string]float64{"日记": 2, "conv/2": .5}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestReadErrors(t *testing.T) {
	const doc = `{"id":"a","text":"one line","meta":{"turns":[{"id":"T","line":1}]}}` + "\n"
	const query = `{"id":"q","text":"?","relevant":["a"]}` + "\n"
	for _, tt := range []struct{ name, corpus, queries, want string }{
		{"cut line", doc + "\n" + `{"id":"b","te`, query, "corpus, line 3: unexpected end of JSON input"},
		{"not JSON", "hello", query, "corpus, line 1: invalid character"},
		{"an array", "[]", query, "corpus, line 1: json: cannot unmarshal array"},
		{"no id", `{"text":"x"}`, query, `corpus, line 1: a document needs an id`},
		{"no text", `{"id":"x"}`, query, `corpus, line 1: a document needs an id of its own and a text (id "x")`},
		{"same id twice", doc + doc, query, `corpus, line 2: a document needs an id of its own`},
		{"turn beyond the text", `{"id":"a","text":"x","meta":{"turns":[{"id":"T","line":2}]}}`, query, `corpus, line 1: turn "T" has lines 2 to 2 of a text of 1 lines`},
		{"turn before the text", `{"id":"a","text":"x","meta":{"turns":[{"id":"T"}]}}`, query, `corpus, line 1: turn "T" has lines 0 to 0`},
		{"line too long", `{"id":"a","text":"` + strings.Repeat("x", 17<<20) + `"}`, query, "corpus, line 1: bufio.Scanner: token too long"},
		{"question without text", doc, `{"id":"q","relevant":["a"]}`, "queries, line 1: a question needs"},
		{"same question twice", doc, query + query, "queries, line 2: a question needs"},
		{"no answer", doc, `{"id":"q","text":"?"}`, `queries, line 1: question "q" has no relevant document`},
		{"no answer graded above 0", doc, `{"id":"q","text":"?","relevant":{"a":0}}`, `queries, line 1: question "q" has no relevant document`},
		{"grade out of range", doc, `{"id":"q","text":"?","relevant":{"a":1e308}}`, `queries, line 1: grade 1e+308 of "a" is above 1000`},
		{"unknown answer", doc, `{"id":"q","text":"?","relevant":["b"]}`, `queries, line 1: question "q": relevant document "b" is not in the corpus`},
		{"answer of another type", doc, `{"id":"q","text":"?","relevant":"a"}`, "queries, line 1: json: cannot unmarshal"},
		{"unknown turn", doc, `{"id":"q","text":"?","relevant":["a"],"turns":["U"]}`, `queries, line 1: question "q": no turn "U"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := eval.Read(strings.NewReader(tt.corpus), strings.NewReader(tt.queries))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s…", err, tt.want)
			}
		})
	}
}

func pack(t *testing.T, name, text string) {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my-set")
	if _, err := eval.Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: got %v", err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	pack(t, filepath.Join(dir, "corpus.jsonl.gz"), corpus)
	pack(t, filepath.Join(dir, "queries.jsonl.gz"), queries)
	set, err := eval.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if set.Name != "my-set" || len(set.Documents) != 3 || len(set.Questions) != 2 {
		t.Errorf("got %q with %d documents and %d questions", set.Name, len(set.Documents), len(set.Questions))
	}

	data, err := os.ReadFile(filepath.Join(dir, "corpus.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, []byte("not packed"), data[:len(data)-12], append(bytes.Clone(data[:len(data)-8]), make([]byte, 8)...)} {
		if err := os.WriteFile(filepath.Join(dir, "corpus.jsonl.gz"), damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := eval.Load(dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("damaged file of %d bytes: got %v", len(damaged), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(corpus, queries)
	f.Add(`{"id":"a","text":"x"}`, `{"id":"q","text":"?","relevant":{"a":1e308}}`)
	f.Add("", `{"id":"q","relevant":[null]}`)
	f.Fuzz(func(t *testing.T, corpus, queries string) {
		set, err := eval.Read(strings.NewReader(corpus), strings.NewReader(queries))
		if err != nil {
			return
		}
		for i := range set.Questions {
			q := &set.Questions[i]
			var perfect []eval.Passage
			for _, e := range q.Evidence {
				perfect = append(perfect, eval.Passage{Document: e.Document, StartLine: e.Line, EndLine: e.End})
			}
			for _, id := range q.Relevant {
				perfect = append(perfect, eval.Passage{Document: id, StartLine: 1, EndLine: 1})
			}
			for name, v := range eval.Score(q, eval.Answer{Ranked: perfect, Shown: perfect, Within: perfect}).Values {
				if !(v >= 0 && v <= 1.000001) {
					t.Errorf("%s = %v", name, v)
				}
			}
		}
	})
}
