package app

import (
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/chat"
)

// Summaries returns how the settings want months to be summarised. Without
// apply nobody is asked. The error is [memoir.ErrUnavailable] when no language
// model is named.
func (a *App) Summaries(apply bool) (engine.SummaryOptions, error) {
	s := a.Settings.Summaries
	opts := engine.SummaryOptions{Model: s.Model, DailyTokens: s.DailyTokens}
	if !apply {
		return opts, nil
	}
	if s.BaseURL == "" {
		return opts, memoir.WithHint(fmt.Errorf("no language model may write summaries: %w", memoir.ErrUnavailable), "memoir config set summaries.baseURL ADDRESS names one")
	}
	c, err := chat.New(chat.Options{Settings: "summaries", BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Options: remote.Options{Timeout: s.Timeout}})
	if err != nil {
		return opts, err
	}
	opts.Apply, opts.Ask = true, c.Ask
	return opts, nil
}
