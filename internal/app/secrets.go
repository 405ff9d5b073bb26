package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// Secrets looks for secrets in the notes, in all that is kept of them and, if the App may
// write, in the history of changes. It names files in the folder of state that memoir does
// not know as skipped.
func (a *App) Secrets(ctx context.Context) ([]engine.Finding, engine.ScanStats, error) {
	found, stats, err := a.Engine.Scan(ctx)
	if err != nil {
		return nil, stats, err
	}
	at := a.kept()
	for _, k := range kinds {
		if k.secrets == nil {
			continue
		}
		more, err := k.secrets(at)
		if err != nil {
			return nil, stats, err
		}
		found = append(found, more...)
	}
	for _, dir := range []string{at.dir, filepath.Dir(a.Settings.IndexPath())} {
		strange, failed := Unlisted(a.Settings.StateDir, dir)
		for _, file := range strange {
			unknown := memoir.Skipped{ID: memoir.DocID(file), Reason: "memoir knows no such file"}
			stats.Skipped = append(stats.Skipped, unknown)
		}
		err = errors.Join(err, failed)
	}
	return found, stats, err
}

// MaskSecrets masks what [App.Secrets] finds, for good.
func (a *App) MaskSecrets(ctx context.Context) (engine.Masking, error) {
	for _, k := range kinds {
		if k.mask == nil {
			continue
		}
		if err := k.mask(a.kept()); err != nil {
			return engine.Masking{}, err
		}
	}
	done, err := a.Engine.MaskSecrets(ctx)
	if err != nil || len(done.Notes) == 0 {
		return done, err
	}
	indexes, err := Indexes(ctx, a.Settings.StateDir)
	for _, index := range indexes {
		if path := index.Path; filepath.Dir(path) == filepath.Dir(a.Settings.IndexPath()) && path != a.Settings.IndexPath() {
			if failed := forgetIn(context.WithoutCancel(ctx), path, nil, done.Notes); failed != nil {
				err = errors.Join(err, fmt.Errorf("the notes are masked, but the index of the agent %s may still hold what they said: %w", index.Agent, failed))
			}
		}
	}
	return done, err
}
