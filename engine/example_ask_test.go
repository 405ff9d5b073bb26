package engine_test

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// ask searches a folder of notes by word and by meaning.
func ask(ctx context.Context, notes, index, question string) (answer memoir.Results, err error) {
	source, err := mdfile.Open(notes, mdfile.Options{})
	if err != nil {
		return answer, err
	}
	embedder, err := local.New(weights.File(), local.Options{})
	if err != nil {
		return answer, err
	}
	store, err := sqlite.Open(ctx, index, sqlite.Options{})
	if err != nil {
		return answer, err
	}
	memory, err := engine.New(engine.Config{Store: store, Sources: []memoir.Source{source}, Embedder: embedder})
	if err != nil {
		return answer, err
	}
	defer memory.Close()
	if _, err := memory.Sync(ctx, nil); err != nil { // words can be found now
		return answer, err
	}
	if _, err := memory.EmbedPending(ctx, nil); err != nil { // and now the meaning
		return answer, err
	}
	return memory.Search(ctx, memoir.Query{Text: question})
}
