package memoir

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/memoir-ai/memoir/tune"
)

// A Store keeps the index of one workspace: documents, chunks, terms and
// vectors. All of it is derived data: losing it costs time, never a note.
//
// Methods are safe for concurrent use. A reader sees the state before or after
// a write, never one in between. Errors wrap [ErrCorrupt], [ErrForeign] or
// [ErrUnavailable] where those apply. Package store/storetest is this contract
// as a test suite, which every store passes. What only some stores and views can
// do is [Scorer] and in package ability; ask for it with [As].
type Store interface {
	// View calls f with the index as it is at one moment. f must use only the
	// view, never the store, and must not keep the view. All chunks that the
	// view returns of one document are of one state of it. Between two calls
	// some may vanish, unless the view is an ability.Snapshotter. View returns the
	// error of f, or says why there is no view.
	View(ctx context.Context, f func(View) error) error

	// Write changes the documents: it makes all the changes, or none. If a
	// chunk's ordinal is not its place in the document, the error wraps
	// [ErrInvalid]. When Write returns, the chunks are searchable by word, and
	// by the vectors that their EmbedHashes already have by meaning too. A chunk
	// without EmbedHashes gets no vector.
	Write(ctx context.Context, changes Changes) error
	// Clear forgets all documents. It keeps the vectors, so that a rebuild need
	// not compute them again.
	Clear(ctx context.Context) error
	// Documents yields the indexed documents, ordered by id. It stops after an
	// error.
	Documents(ctx context.Context) iter.Seq2[DocumentMeta, error]
	// Stats counts what is stored, including the texts and vectors of the given
	// space. In the zero space nothing is pending.
	Stats(ctx context.Context, space Space) (StoreStats, error)

	// PendingTexts returns at most limit distinct texts that have no vector of
	// the space, ordered by hash, starting after the given one ("" is the
	// start). Failed texts whose next try is after due are left out. In the zero
	// space nothing is pending.
	PendingTexts(ctx context.Context, space Space, due time.Time, after Hash, limit int) ([]PendingText, error)
	// NewestPending returns at most limit of the texts that PendingTexts would
	// return, those of the newest documents first. A document is as new as the
	// day that it is about, or else as its modification time; an unknown time
	// counts as the latest. Equally new texts come by document and position. A
	// text that stands in several documents has the place of any one of them.
	NewestPending(ctx context.Context, space Space, due time.Time, limit int) ([]PendingText, error)
	// PutVectors stores vectors by the hash of their text. It also notes the
	// texts that could not be embedded, replacing earlier notes on them. It does
	// all of this or nothing. Vectors are kept as given; each has
	// space.Dimensions finite values. Hashes of texts that are not in the index
	// are kept for later. A text with a vector no longer counts as failed. The
	// first space that gets a vector serves.
	PutVectors(ctx context.Context, space Space, vectors map[Hash][]float32, failed []FailedText) error
	// PutSpace replaces what is known of a space that has vectors. It does
	// nothing where the store cannot be written to.
	PutSpace(ctx context.Context, space Space, facts SpaceFacts) error
	// Settle is called when there is nothing more to write. It merges what many
	// writes have left apart, and removes unused vectors beyond the limits.
	// Vectors are in use when chunks use them in the given space or in the one
	// that serves. Settling a store that is settled already costs little. Settle
	// does nothing where the store cannot be written to.
	Settle(ctx context.Context, space Space, limits tune.Cache) error
	io.Closer
}

// A View is the index at one moment. It is for a single goroutine. Its errors
// are those of a [Store].
type View interface {
	// Terms returns chunks that pass the filter and hold at least one term that
	// finds something, with the figures from which [Candidates.Ranked] computes
	// scores. As far as the store can tell they are the ones that score best: at
	// least limit of them, and fewer only when there are no more. When limit is
	// 0 or less, Terms returns only the figures of the index. To search, call
	// [SearchText].
	Terms(ctx context.Context, terms []Term, filter Filter, limit int) (Candidates, error)
	// SearchVector ranks the chunks that pass the filter and have a vector of
	// the space, by the cosine similarity in [-1, 1] of the nearest of their
	// vectors and then by chunk id. Scores are exact to 1e-6. A zero vector
	// matches nothing.
	SearchVector(ctx context.Context, space Space, vector []float32, filter Filter, limit int) ([]Match, error)
	// List returns at most limit chunks that pass the filter, those with the
	// latest date first and those without a date last. Chunks of equal date come
	// in order of chunk id.
	List(ctx context.Context, filter Filter, limit int) ([]ChunkMeta, error)
	// Twins returns the chunks that pass the filter and have one of the digests,
	// ordered by id.
	Twins(ctx context.Context, digests []uint64, filter Filter) ([]ChunkMeta, error)
	// Labels counts the chunks that bear each label. A label that no chunk bears
	// is not in the map. The caller must not change the map.
	Labels(ctx context.Context) (map[Label]LabelCount, error)
	// Resolve returns, for each name, the documents that bear it, ordered by id.
	// Names are compared byte by byte. When more than limit documents bear a
	// name, Resolve returns any limit of them. A name that no document bears is
	// not in the map.
	Resolve(ctx context.Context, names []string, limit int) (map[string][]LinkedDocument, error)
	// Chunks returns those of the given chunks that the index has and can read,
	// each once, ordered by id.
	Chunks(ctx context.Context, ids []ChunkID) ([]Chunk, error)
	// Sample returns at most limit chunks with one of their vectors of the space,
	// leaving out zero vectors. They come in order of the hashes of their texts,
	// then by id. A chunk with several vectors may come several times. That is as
	// good as a random choice, and the same every time.
	Sample(ctx context.Context, space Space, limit int) ([]SampledVector, error)
}

// Changes are what one write does to the documents of an index. Each document
// occurs at most once, in one of the lists.
type Changes struct {
	// Put replaces documents, each with its names and all its chunks.
	Put []IndexedDocument
	// Touch replaces what is known of indexed documents (size, time, stamp) and
	// keeps their names and chunks. An absent document is no error.
	Touch []DocumentMeta
	// Delete removes documents and their chunks. It is no error if a document is
	// absent or given twice. The store may keep vectors for texts that come
	// back.
	Delete []DocID
}

// Empty reports whether there is nothing to change.
func (c *Changes) Empty() bool { return len(c.Put)+len(c.Touch)+len(c.Delete) == 0 }

// StoreStats counts what a store holds. Each distinct text is pending, failed,
// or has a vector of the space asked for.
type StoreStats struct {
	Documents int
	Chunks    int
	Texts     int // distinct texts that a vector is wanted for
	Pending   int // of these, those without a vector that were not tried yet
	Failed    int // of these, those without a vector that the provider could not take
	// Calibration is how the space's cosines are distributed, measured on
	// Measured vectors of the index. Measured is 0 when nothing was measured.
	Calibration Calibration
	Measured    int
	// Serving is the space that answers searches, whichever space was asked for.
	// It is the first one that got a vector, until another takes over
	// ([SpaceFacts]), and zero while there is none.
	Serving Space
	Written time.Time // time of the last change; zero: never, or not known
	// Revision changes whenever anybody changes the index, and differs from that
	// of any other index. 0 means that it is not known.
	Revision uint64
}

// Complete reports whether the space can answer for the whole index. No text
// may be pending, and no more may have failed than one, or one in ten.
func (s StoreStats) Complete() bool {
	return s.Pending == 0 && s.Failed < s.Texts && s.Failed <= max(1, s.Texts/10)
}

// Measure reports whether to measure the space's calibration: when the space is
// complete for the first time, and each time it has grown by half since.
func (s StoreStats) Measure() bool {
	return s.Complete() && 2*(s.Texts-s.Failed) >= 3*s.Measured
}

// SpaceFacts are what is known of a space besides its vectors.
type SpaceFacts struct {
	Calibration Calibration // as [StoreStats] has it
	Measured    int         // as [StoreStats] has it
	// TakesOver makes this space the one that answers searches, and drops all
	// other spaces with their vectors, in one step. When it is false, the
	// serving space stays the same.
	TakesOver bool
}

// A SampledVector is the vector of a chunk.
type SampledVector struct {
	ChunkMeta
	Hash   Hash // of the vector's text
	Vector []float32
}
