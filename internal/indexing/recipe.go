package indexing

import (
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/tune"
)

// chunkingOf returns the options of cutting with their defaults, or an error
// that says what is wrong with them.
func chunkingOf(o tune.Chunks) (chunk.Options, error) {
	if o.MaxTokens == 0 {
		o.MaxTokens = tune.DefaultMaxTokens
	}
	overlap := min(tune.DefaultOverlapTokens, o.MaxTokens/4)
	if o.OverlapTokens != nil {
		overlap = *o.OverlapTokens
	}
	if o.MaxTokens < 16 || overlap < 0 || overlap >= o.MaxTokens {
		return chunk.Options{}, fmt.Errorf("chunks of %d tokens with %d of overlap: the size must be 16 or more, the overlap 0 or more and smaller: %w", o.MaxTokens, overlap, memoir.ErrInvalid)
	}
	return chunk.Options{MaxTokens: o.MaxTokens, OverlapTokens: overlap}, nil
}

// indexVersion grows whenever the same document and options would give other
// chunks, terms, names or labels than before. The next sync of an older index
// then indexes its documents again.
const indexVersion = 30

// recipeOf returns the recipe of documents that are cut and analysed with those
// options.
func recipeOf(o chunk.Options, shelves layout.Shelves) string {
	recipe := fmt.Sprintf("%d %d/%d", indexVersion, o.MaxTokens, o.OverlapTokens)
	for _, typ := range layout.Types() {
		if file := shelves.Pattern(typ); file != (layout.Shelves{}).Pattern(typ) {
			recipe += fmt.Sprintf(" %s=%s", typ, file)
		}
	}
	return recipe
}
