package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ReadQueries reads questions about one's own notes, one line of JSON each:
//
//	{"query": "why SQLite", "expect": ["decisions.md", "memory/2026-03-02.md#L12"]}
//
// Each entry of "expect" names a place where the answer stands. It is copied to
// [Question.Relevant] unchanged, and the caller interprets it. "id" and "kind"
// are optional; an absent id becomes "line N". Other members and a byte order
// mark are ignored.
func ReadQueries(r io.Reader) ([]Question, error) {
	var questions []Question
	ids := map[string]bool{}
	err := eachLine(r, func(n int, line []byte) error {
		q, err := parseQuery(n, line)
		if err != nil {
			return err
		}
		if ids[q.ID] {
			return fmt.Errorf("a question with the id %q stands above", q.ID)
		}
		ids[q.ID] = true
		questions = append(questions, q)
		return nil
	})
	return questions, err
}

func parseQuery(n int, line []byte) (Question, error) {
	var in struct {
		ID     string   `json:"id"`
		Query  string   `json:"query"`
		Kind   string   `json:"kind"`
		Expect []string `json:"expect"`
	}
	if n == 1 {
		line = []byte(strings.TrimPrefix(string(line), "\ufeff"))
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return Question{}, err
	}
	if strings.TrimSpace(in.Query) == "" {
		return Question{}, fmt.Errorf(`a question needs a "query"`)
	}
	q := Question{ID: in.ID, Text: in.Query, Kind: in.Kind}
	if q.ID == "" {
		q.ID = fmt.Sprintf("line %d", n)
	}
	for _, place := range in.Expect {
		if place = strings.TrimSpace(place); place != "" && !slices.Contains(q.Relevant, place) {
			q.Relevant = append(q.Relevant, place)
		}
	}
	if len(q.Relevant) == 0 {
		return Question{}, fmt.Errorf(`a question needs "expect", a list of paths such as ["notes/a.md", "notes/b.md#L12"]`)
	}
	return q, nil
}
