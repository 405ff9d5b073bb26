package app

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/querylog"
)

// Secrets looks for secrets in the notes, in the query log and, if the App may
// write, in the history of changes.
func (a *App) Secrets(ctx context.Context) ([]memoir.Finding, memoir.ScanStats, error) {
	found, stats, err := a.Engine.Scan(ctx)
	if err != nil {
		return nil, stats, err
	}
	asked, err := querylog.Secrets(a.Settings.IndexPath())
	return append(found, asked...), stats, err
}

// MaskSecrets masks what [App.Secrets] finds, for good.
func (a *App) MaskSecrets(ctx context.Context) (engine.Masking, error) {
	if err := querylog.Mask(a.Settings.IndexPath()); err != nil {
		return engine.Masking{}, err
	}
	return a.Engine.MaskSecrets(ctx)
}
