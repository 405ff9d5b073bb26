package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/app"
)

// latin is an embedder that reads one script.
type latin struct{ memoir.Embedder }

func (latin) Scripts() []string { return []string{"Latin"} }

// TestLaterKeepsAbilities: a provider that could be opened only when a vector was
// needed can do what it could have done at once.
func TestLaterKeepsAbilities(t *testing.T) {
	calls := 0
	a := open(t, load(t, "query.embedTimeout = \"1m\""), app.Options{Embedder: func(context.Context) (memoir.Embedder, error) {
		if calls++; calls == 1 {
			return nil, context.DeadlineExceeded
		}
		return latin{&embedtest.Embedder{}}, nil
	}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, tt := range []struct {
		text   string
		refuse bool
	}{{"which database", false}, {"哪个数据库", true}} {
		res, err := a.Engine.Search(ctx, memoir.Query{Text: tt.text})
		if err != nil {
			t.Fatal(err)
		}
		refused := false
		for _, d := range res.Degraded {
			refused = refused || strings.Contains(d.Reason, "does not read")
		}
		if refused != tt.refuse {
			t.Errorf("%q: degraded %+v; want that the model cannot read it: %v", tt.text, res.Degraded, tt.refuse)
		}
	}
}
