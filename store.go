package memoir

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/memoir-ai/memoir/tune"
)

// A Store keeps the index of one workspace: documents, chunks, terms, vectors.
// Everything in it is derived; losing it costs time, never a note.
//
// Methods are safe for concurrent use. A reader sees the state before or after
// a write, never between. Errors wrap [ErrCorrupt], [ErrForeign] or
// [ErrUnavailable] where those apply. Package store/storetest is the contract
// as a test suite; every store passes it. What only some stores can do is asked
// for with [As]: [Healer], [Purger], [Degrader]; of its views, [Scorer], [SharedView],
// [Snapshotter].
type Store interface {
	// View calls f with the index as it is at one moment. Within f only the view is
	// used, never the store, and the view not after it. Of each document the view
	// returns chunks of one state alone; some may be gone, unless it is a
	// [Snapshotter]. The error is that of f, or says why there is no view.
	View(ctx context.Context, f func(View) error) error

	// Write makes changes to the documents: all of them, or nothing. Where the
	// ordinals of chunks are not their places the error wraps [ErrInvalid].
	// The chunks are searchable by word when it returns; those whose EmbedHash
	// has a vector already are searchable by meaning too. One without an
	// EmbedHash gets no vector.
	Write(ctx context.Context, changes Changes) error
	// Clear forgets all documents. Vectors are kept, so that a rebuild computes
	// none again.
	Clear(ctx context.Context) error
	// Documents yields what is indexed, ordered by id. After an error it stops.
	Documents(ctx context.Context) iter.Seq2[DocumentMeta, error]
	// Stats counts what is stored, texts and vectors for the space. For the
	// zero space nothing is pending.
	Stats(ctx context.Context, space Space) (StoreStats, error)

	// PendingTexts returns up to limit distinct texts that have no vector of
	// the space, ordered by hash, starting after the given one ("" is the
	// start). Texts that failed are left out when their next try is after due.
	// For the zero space nothing is pending.
	PendingTexts(ctx context.Context, space Space, due time.Time, after Hash, limit int) ([]PendingText, error)
	// NewestPending returns up to limit of the texts that PendingTexts has, those of
	// the newest documents first: by the day that they are about, else by the time of
	// their modification, which counts as the latest when it is not known; then by
	// document and position. A text of several documents is where one of them is.
	NewestPending(ctx context.Context, space Space, due time.Time, limit int) ([]PendingText, error)
	// PutVectors stores vectors by the hash of their text, and notes texts that
	// could not be embedded, in place of what was noted of them before: all of
	// it, or nothing. Vectors are kept as given; each has space.Dimensions finite
	// values. Hashes of texts that are not in the index are kept for later. A text
	// that has a vector has not failed. The first space that gets a vector serves.
	PutVectors(ctx context.Context, space Space, vectors map[Hash][]float32, failed []FailedText) error
	// PutSpace replaces what is known of a space that has vectors. Without the
	// means to write it does nothing.
	PutSpace(ctx context.Context, space Space, facts SpaceFacts) error
	// Settle is what a caller does when it has nothing more to write. It brings
	// together what many writes have left apart, and removes vectors that nobody
	// uses, beyond the limits; those that chunks use in the space count as used,
	// beside those in the one that serves. What is settled already costs little.
	// Without the means to write it does nothing.
	Settle(ctx context.Context, space Space, limits tune.Cache) error
	io.Closer
}

// A View is the index at one moment. It is for one goroutine. Errors are those
// of a [Store].
type View interface {
	// Terms returns chunks that pass the filter and hold at least one term that finds
	// something, with the figures that [Candidates.Ranked] makes scores of: those that
	// score best, as far as the store can tell, limit of them or more, and fewer only
	// where there are fewer. With a limit of 0 or less there are figures of the index alone.
	// Who searches calls [SearchText].
	Terms(ctx context.Context, terms []Term, filter Filter, limit int) (Candidates, error)
	// SearchVector ranks the chunks that pass the filter and have a vector of
	// the space by cosine similarity in [-1, 1], ties by chunk id. A zero
	// vector matches nothing.
	SearchVector(ctx context.Context, space Space, vector []float32, filter Filter, limit int) ([]Match, error)
	// List returns chunks that pass the filter, those with the latest date
	// first, those without a date last, ties by chunk id.
	List(ctx context.Context, filter Filter, limit int) ([]ChunkMeta, error)
	// Twins returns the chunks that pass the filter and whose text has one of the
	// digests, ordered by id.
	Twins(ctx context.Context, digests []uint64, filter Filter) ([]ChunkMeta, error)
	// Labels counts the chunks that bear each label. A label that none bears is
	// not in the map, which the caller leaves as it is.
	Labels(ctx context.Context) (map[Label]LabelCount, error)
	// Resolve returns the documents that bear each of the names, compared byte
	// by byte, ordered by id: all of them, or any limit of them where there are
	// more. A name that none bears is not in the map.
	Resolve(ctx context.Context, names []string, limit int) (map[string][]LinkedDocument, error)
	// Chunks returns those of the chunks that the index has and can read, ordered
	// by id and each once.
	Chunks(ctx context.Context, ids []ChunkID) ([]Chunk, error)
	// Sample returns up to limit chunks with their vectors of the space, those
	// other than zero, ordered by the hashes of their texts, then by id: as good
	// as by chance, and the same every time.
	Sample(ctx context.Context, space Space, limit int) ([]SampledVector, error)
}

// Changes are what one write does to the documents of an index. A document is
// named in one of the lists, and once.
type Changes struct {
	// Put replaces documents, each with its names and all its chunks.
	Put []IndexedDocument
	// Touch replaces what is known of indexed documents (size, time, stamp) and
	// leaves their names and chunks. One that is absent is no error.
	Touch []DocumentMeta
	// Delete removes documents and their chunks. One that is absent, or given
	// twice, is no error. Vectors may be kept for texts that come back.
	Delete []DocID
}

// Empty reports whether nothing is changed.
func (c *Changes) Empty() bool { return len(c.Put)+len(c.Touch)+len(c.Delete) == 0 }

// StoreStats counts what a store holds. Of its distinct texts those that are
// neither pending nor failed have a vector of the space asked for.
type StoreStats struct {
	Documents int
	Chunks    int
	Texts     int // distinct texts that a vector is wanted for
	Pending   int // of them, those without a vector of the space that were not tried yet
	Failed    int // of them, those without a vector that the provider could not take
	// Calibration is how the space's cosines are distributed, as measured on
	// Measured vectors of the index; 0 is not measured.
	Calibration Calibration
	Measured    int
	// Serving is the space that searches are answered with, whichever was asked
	// for: the first that got a vector, until another takes over ([SpaceFacts]).
	// It is zero while there is none.
	Serving Space
	Written time.Time // of the last change; zero: never, or not known
	// Revision is another number after every change of the index, by whomever, and of
	// another index; 0 is not known.
	Revision uint64
}

// Complete reports whether the space can answer for the whole index: every
// text has a vector or failed, and one failed at most, or one in ten.
func (s StoreStats) Complete() bool {
	return s.Pending == 0 && s.Failed < s.Texts && s.Failed <= max(1, s.Texts/10)
}

// Measure reports whether the space's calibration is due to be measured: when
// it is complete for the first time, and when it has grown by half since.
func (s StoreStats) Measure() bool {
	return s.Complete() && 2*(s.Texts-s.Failed) >= 3*s.Measured
}

// SpaceFacts are what is known of a space beside its vectors.
type SpaceFacts struct {
	Calibration Calibration // as [StoreStats] has it
	Measured    int         // as [StoreStats] has it
	// TakesOver makes it the space that searches are answered with, and drops all
	// others with their vectors, in one step. Without it that stays as it is.
	TakesOver bool
}

// A SampledVector is the vector of a chunk.
type SampledVector struct {
	Doc    DocID
	Hash   Hash // of the text
	Vector []float32
}

// Healer is implemented by stores whose index can be damaged on its way through
// time: by a disk, by a program that writes over it.
type Healer interface {
	// Heal replaces a damaged index by a fresh one, with the vectors that could be
	// read and no documents: the sync that follows brings them back. Damage that was
	// met before is looked for, by this process or another one, and with thorough any.
	// An index that is whole, or cannot be written to, is left as it is.
	Heal(ctx context.Context, thorough bool) error
}

// Purger is implemented by stores whose files keep what was removed readable until
// its place is needed.
type Purger interface {
	// Purge leaves nothing in the files of what was removed before, kept vectors of
	// texts that no chunk uses included. It may take as long as writing the index
	// anew. After an error some may be left.
	Purge(ctx context.Context) error
}

// Degrader is implemented by stores that can work with a part missing.
type Degrader interface {
	// Degradations returns what is missing now; nil when all is well. Whoever asks
	// is told the same as long as it is so. What has passed, such as that the index
	// had to be replaced, is told once at least.
	Degradations() []Degradation
}
