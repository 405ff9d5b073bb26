package app

import (
	"context"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/querylog"
)

// Secrets looks for secrets in the notes, in the query log and, if the App may
// write, in the history of changes.
func (a *App) Secrets(ctx context.Context) ([]engine.Finding, engine.ScanStats, error) {
	found, stats, err := a.Engine.Scan(ctx)
	if err != nil {
		return nil, stats, err
	}
	asked, err := querylog.Secrets(questionsOf(a.Settings))
	for _, f := range asked {
		found = append(found, engine.Finding{In: engine.InQueries, Line: f.Line, Kind: string(f.Kind), Preview: f.Preview})
	}
	return found, stats, err
}

// MaskSecrets masks what [App.Secrets] finds, for good.
func (a *App) MaskSecrets(ctx context.Context) (engine.Masking, error) {
	if err := querylog.Mask(questionsOf(a.Settings)); err != nil {
		return engine.Masking{}, err
	}
	return a.Engine.MaskSecrets(ctx)
}
