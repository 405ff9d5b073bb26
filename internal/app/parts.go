package app

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// openStore opens the index, or an empty one in memory when only notes are read.
func openStore(ctx context.Context, settings *config.Loaded, need Need) (memoir.Store, error) {
	if need == NeedNotes {
		return memstore.New(), nil
	}
	if err := makeFolder(settings.IndexPath()); err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, settings.IndexPath(), sqlite.Options{})
}

func openLocal(*config.Loaded) (memoir.Embedder, error) {
	return nil, memoir.WithHint(fmt.Errorf("no model: %w", memoir.ErrUnavailable), "memoir config")
}

func openOpenAI(context.Context, *config.Loaded) (memoir.Embedder, error) {
	return nil, memoir.WithHint(fmt.Errorf("no openai: %w", memoir.ErrUnavailable), "memoir config")
}
