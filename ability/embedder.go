package ability

import (
	"context"

	"github.com/memoir-ai/memoir"
)

// Packer is implemented by embedders that work better with more texts in a call
// than the engine would give them by itself.
type Packer interface {
	// Texts returns how many texts a call should have, when that many are at
	// hand.
	Texts() int
}

// A BatchEmbedder is an embedder whose provider also takes many texts as a job,
// which is done within hours and costs less. It remembers its jobs when the
// process ends.
type BatchEmbedder interface {
	memoir.Embedder
	// Collect asks the provider for the jobs under way. For each job that has
	// ended it calls keep with the vectors of that job, and forgets the job when
	// keep returns nil. Texts of an ended job that got no vector are no longer
	// under way.
	Collect(ctx context.Context, keep func(map[memoir.Hash][]float32) error) error
	// Submit hands documents over as jobs, except texts that are already under
	// way and texts too few to be worth a job. It returns the hashes of all
	// texts that are under way, even when it returns an error. The caller embeds
	// the other texts itself.
	Submit(ctx context.Context, texts []memoir.PendingText) (map[memoir.Hash]bool, error)
}

// Calibrator is implemented by embedders that know how their cosines are
// distributed. For all others, and when it returns the zero [memoir.Calibration], the
// engine uses what the store measured.
type Calibrator interface {
	Calibration() memoir.Calibration
}

// A ScriptReader is an [memoir.Embedder] or a [memoir.Reranker] that cannot read every
// script. Its vectors of other text would say nothing and spoil the answers
// that words give. So a query in a script that it cannot read is answered by
// words alone and is not reranked, and a chunk in such a script gets no vector
// score.
type ScriptReader interface {
	// Scripts returns the scripts that the model reads, by their Unicode names:
	// "Latin", "Han". nil means all scripts.
	Scripts() []string
}
