package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/rerank/endpoint"
)

// openReranker opens what the settings name. It returns nil without an error
// when that is none. No server is asked before the first search.
func openReranker(ctx context.Context, settings *config.Loaded) (memoir.Reranker, error) {
	s := settings.Rerank
	switch s.Provider {
	case "none":
		return nil, nil
	case "local":
		return openLocalReranker(ctx, settings)
	}
	if err := permitRerank(settings); err != nil {
		return nil, err
	}
	r, err := endpoint.New(endpoint.Options{
		Provider: s.Provider, BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Options: remote.Options{Timeout: s.Timeout},
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// permitRerank refuses to send passages to another machine because a file that
// came with them says so.
func permitRerank(settings *config.Loaded) error {
	return permitSetting(settings, "rerank.provider", settings.Rerank.Provider, settings.Rerank.Leaves())
}

// reranker opens the reranker, or what stands for one that cannot be opened.
func (a *App) reranker(ctx context.Context) memoir.Reranker {
	r, err := openReranker(ctx, a.Settings)
	if a.RerankerErr = err; err != nil {
		return noReranker{err}
	}
	return r
}

// noReranker stands for one that could not be opened, so that every search says so.
type noReranker struct{ err error }

// Rerank returns why there are no scores.
func (n noReranker) Rerank(context.Context, string, []string) ([]float64, error) { return nil, n.err }

// rerank asks the reranker about one word.
func (d *Diagnosis) rerank(ctx context.Context, settings *config.Loaded) {
	s := settings.Rerank
	if s.Provider == "none" {
		return
	}
	start := time.Now()
	r, err := openReranker(ctx, settings)
	var scores []float64
	if err == nil {
		scores, err = r.Rerank(ctx, doctorsWord, []string{doctorsWord})
	}
	if err == nil && len(scores) != 1 {
		err = fmt.Errorf("%d %s for 1 passage", len(scores), english.PluralWord(len(scores), "score", ""))
	}
	if err != nil {
		d.failed("rerank", Broken, fmt.Errorf("%s: %w", s.Provider, err), "memoir config")
		return
	}
	took := time.Since(start).Round(time.Millisecond)
	health, action := Healthy, ""
	if took > s.Timeout {
		health, action = Warning, "ask again, for the first answer may load the model; else raise rerank.timeout"
	}
	d.add("rerank", health, action, "%s orders the first %d results anew: %s, the first answer after %v", s.Provider, s.Top, cmp.Or(s.Model, "its own model"), took)
	if s.Leaves() {
		d.add("privacy", Healthy, `rerank.provider = "none" keeps them here`, "queries and the first passages are sent to %s", s.BaseURL)
	}
}
