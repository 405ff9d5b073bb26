package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// TestLongPaths: a filter by path counts each of its parts once, however often it stands
// there, and is refused when it has more than count.
func TestLongPaths(t *testing.T) {
	n := newNotes(t, engine.Config{})
	n.write("memory/tea.md", "Oolong is a tea.\n")
	n.write("cups.md", "Cups for tea are blue.\n")
	n.sync()
	for text, want := range map[string]int{
		"path:" + strings.Repeat("**/", 5000) + "memory tea": 1, "path:" + strings.Repeat("*a", 5000) + " tea": 1,
		"path:" + strings.Repeat("*", 5000) + " tea": 2, "path:*mem*tea* tea": 1, "-path:" + strings.Repeat("/mem*", 400) + " tea": 1,
	} {
		res, err := n.engine.Search(t.Context(), memoir.Query{Text: text, Mode: memoir.ModeText})
		if err != nil || len(res.Hits) != want {
			t.Errorf("%.40q: %d hits, want %d: %v", text, len(res.Hits), want, err)
		}
	}
	var parts []string
	for i := range 300 {
		parts = append(parts, fmt.Sprint(i))
	}
	for _, q := range []memoir.Query{
		{Text: "path:" + strings.Join(parts, "*") + "*" + strings.Repeat("x", 400) + " tea"}, {Text: "-path:" + strings.Repeat("x", 1025) + " tea"},
		{Text: "tea", Path: strings.Repeat("x", 1025)}, {Text: "tea", Filter: memoir.Filter{Paths: []string{strings.Repeat("x", 1025)}}},
	} {
		if _, err := n.engine.Search(t.Context(), q); !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" {
			t.Errorf("%.40q is searched: %v", q.Text, err)
		}
	}
}
