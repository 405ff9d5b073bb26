package memoir

import (
	"context"
	"io"
	"iter"
	"time"
)

// A Store keeps the index of one workspace: documents, chunks, terms, vectors.
// Everything in it is derived; losing it costs time, never a note.
//
// Methods are safe for concurrent use. A reader sees the state before or after
// a write, never between. Errors wrap [ErrCorrupt], [ErrForeign] or
// [ErrUnavailable] where those apply. Package store/storetest is the contract
// as a test suite; every store passes it.
type Store interface {
	// View calls f with the index as it is at one moment, which no write changes
	// until f returns. Within f only the view is used, never the store, and the
	// view not after it. The error is that of f, or says why there is no view.
	View(ctx context.Context, f func(View) error) error

	// PutDocuments replaces documents, each with its names and all its chunks:
	// all of them, or nothing. A document is given once. Where the ordinals of
	// chunks are not their places the error wraps [ErrInvalid].
	// The chunks are searchable by word when it returns; those whose EmbedHash
	// has a vector already are searchable by meaning too. One without an
	// EmbedHash gets no vector.
	PutDocuments(ctx context.Context, docs []IndexedDocument) error
	// TouchDocuments replaces what is known of indexed documents (size, time,
	// stamp) and leaves their names and chunks: all of them, or nothing. An absent
	// document is no error.
	TouchDocuments(ctx context.Context, docs []DocumentMeta) error
	// DeleteDocuments removes documents and their chunks: all of them, or nothing.
	// One that is absent, or given twice, is no error. Vectors may be kept for
	// texts that come back.
	DeleteDocuments(ctx context.Context, ids []DocID) error
	// Documents yields what is indexed, ordered by id. After an error it stops.
	Documents(ctx context.Context) iter.Seq2[DocumentMeta, error]
	// Stats counts what is stored, texts and vectors for the space. For the
	// zero space nothing is pending.
	Stats(ctx context.Context, space Space) (StoreStats, error)

	// Serving returns the space that searches are answered with: the first that
	// got a vector, until another is complete. It is zero while there is none.
	Serving(ctx context.Context) (Space, error)

	// PendingTexts returns up to limit distinct texts that have no vector of
	// the space, ordered by hash, starting after the given one ("" is the
	// start). Texts that failed are left out when their next try is after due.
	// For the zero space nothing is pending.
	PendingTexts(ctx context.Context, space Space, due time.Time, after Hash, limit int) ([]PendingText, error)
	// PutVectors stores vectors by the hash of their text. Vectors are kept as
	// given; each has space.Dimensions finite values. Hashes of texts that are
	// not in the index are kept for later. A text that has a vector has not failed.
	PutVectors(ctx context.Context, space Space, vectors map[Hash][]float32) error
	// PutFailures notes texts that could not be embedded, in place of what was
	// noted of them before.
	PutFailures(ctx context.Context, space Space, failures []FailedText) error
	// Calibrate measures the space's calibration when that is due
	// ([StoreStats.Measure]). Without the means to write it does nothing.
	Calibrate(ctx context.Context, space Space) error
	// Settle is what a caller does when it has nothing more to write. It brings
	// together what many writes have left apart; for the zero space that is all.
	// Else it takes the space into service when that is complete
	// ([StoreStats.Complete]) and drops the vectors of all others; it calibrates
	// the space; and it removes vectors that nobody uses, beyond
	// the limits. What is settled already costs little. Without the means to
	// write it does nothing.
	Settle(ctx context.Context, space Space, limits CacheLimits) error
	io.Closer
}

// A View is the index at one moment. It is for one goroutine. Errors are those
// of a [Store].
type View interface {
	// SearchText ranks the chunks that pass the filter and hold at least one
	// term, by BM25 over the fields with the terms' weights (internal/rank says
	// how, for every store alike). Scores lie in (0, 1): the share of the
	// highest score that the query could reach. Ties are ordered by chunk id.
	// Corpus statistics are those of the whole index, whatever the filter.
	SearchText(ctx context.Context, terms []Term, filter Filter, limit int) ([]Match, error)
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
	// Code returns how many chunks are source code.
	Code(ctx context.Context) (int, error)
	// Resolve returns the documents that bear each of the names, compared byte
	// by byte, ordered by id: all of them, or any limit of them where there are
	// more. A name that none bears is not in the map.
	Resolve(ctx context.Context, names []string, limit int) (map[string][]LinkedDocument, error)
	// Chunks returns those of the chunks that the index has and can read, ordered
	// by id and each once.
	Chunks(ctx context.Context, ids []ChunkID) ([]Chunk, error)
}

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
	Written     time.Time // of the last change; zero: never, or not known
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

// CacheLimits bounds the vectors that are kept for texts that come back. A
// vector that a chunk uses, in the space that serves or in the one that is
// embedded, is never removed; of the others the least recently used go first.
type CacheLimits struct {
	MaxEntries int           // vectors in all, used or not; 0: no limit
	MaxAge     time.Duration // since a vector was used last, to the day; 0: no limit
}

// Clearer is implemented by stores that can forget all documents at once,
// while vectors are kept: a rebuild then computes none again.
type Clearer interface {
	Clear(ctx context.Context) error
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

// Degrader is implemented by stores that can work with a part missing.
type Degrader interface {
	// Degradations returns what is missing now; nil when all is well.
	Degradations() []Degradation
}

// An Embedder turns texts into vectors of one space. It is safe for concurrent use.
type Embedder interface {
	// Space returns the space of the vectors, the zero value as long as nobody
	// knows it (a server that was off when it was to be asked). Once known it
	// does not change.
	Space() Space
	// Embed returns a vector of Space().Dimensions values for each text, in
	// order. A text that cannot be embedded alone gets a nil vector and the
	// rest goes on. With an error there are no vectors, or as many places as
	// texts with the vectors that were computed before it and nil for the
	// others. Texts longer than the model reads are cut, not refused.
	Embed(ctx context.Context, task Task, texts []string) ([][]float32, error)
}

// A VectorSource has vectors that were computed before, for another index. It
// is safe for concurrent use.
type VectorSource interface {
	// Vectors returns the vectors that it has for texts of those hashes. What
	// it cannot read it does not have.
	Vectors(ctx context.Context, space Space, hashes []Hash) map[Hash][]float32
}

// Packer is implemented by embedders that do better with more texts a call
// than the engine would give them.
type Packer interface {
	// Texts returns how many texts a call should have, as far as there are so many.
	Texts() int
}

// A BatchEmbedder is an embedder whose provider also takes many texts as a job,
// which it does within hours and for less. It remembers its jobs beyond the
// process.
type BatchEmbedder interface {
	Embedder
	// Collect asks for the jobs under way. For each that ended, keep is called
	// with the vectors that it gave; the job is forgotten when that returns nil.
	// Texts that it gave none for are no longer under way.
	Collect(ctx context.Context, keep func(map[Hash][]float32) error) error
	// Submit hands documents over as jobs, unless they are under way already or
	// too few to be worth it. It returns the hashes of all that are under way,
	// also with an error; the others are for the caller to embed.
	Submit(ctx context.Context, texts []PendingText) (map[Hash]bool, error)
}

// Calibrator is implemented by embedders that know how their cosines are
// distributed. Without it, and for [Calibration]{}, it is what the store
// measured.
type Calibrator interface {
	Calibration() Calibration
}

// Calibration places a space's cosines on the scale of scores, where 0 is
// unrelated and 1 is the same (docs/design/calibration.md). The zero value
// leaves cosines above 0 as they are.
type Calibration struct {
	Unrelated float64 // cosine of texts that have nothing to do with each other, in [-1, 1)
}

// Score maps a cosine to [0, 1].
func (c Calibration) Score(cosine float64) float64 {
	if c.Unrelated >= 1 {
		return 0
	}
	return min(1, max(0, (cosine-c.Unrelated)/(1-c.Unrelated)))
}

// A Source lists and reads documents; what it reads from is the truth.
// It is safe for concurrent use.
type Source interface {
	// Kind returns the kind of every document of the source.
	Kind() Kind
	// Scan yields every document with size, modification time and stamp, without
	// reading it, and every skipped file with the reason. It is quickest for
	// callers when ordered by id. After an error it stops.
	Scan(ctx context.Context) iter.Seq2[ScanEntry, error]
	// Read reads a document whole. A vanished one gives [ErrNotFound]; one that
	// cannot be indexed (binary, too large, changed while it was read) gives a
	// [SkipError].
	Read(ctx context.Context, id DocID) (Document, error)
}

// ScanEntry is one file that a scan met: a document, or a skipped file when
// Skip is not empty.
type ScanEntry struct {
	DocumentMeta
	Skip string // why the file is not indexed; "" when it is
}

// SkipError reports a file that exists and is not indexed.
type SkipError struct {
	ID     DocID
	Reason string // for people, without the path
	// Temporary says that it may be readable in a moment: what is indexed of
	// it stays until then.
	Temporary bool
}

// Error returns path and reason.
func (e *SkipError) Error() string { return string(e.ID) + ": " + e.Reason }

// A Reranker reads a query together with each of a few passages and says how
// well they answer it. That is slower than comparing vectors, and sees more. It
// is safe for concurrent use.
type Reranker interface {
	// Rerank returns a finite score for each passage, in their order; higher is
	// better. Only scores of one call are compared: a probability will do as well
	// as a logit. Passages longer than the model reads are cut, not refused. With
	// an error there are no scores. When ctx is done it returns soon.
	Rerank(ctx context.Context, query string, passages []string) ([]float64, error)
}

// A ScriptReader is an [Embedder] or a [Reranker] that cannot read every script.
// Its vectors of other text would say nothing and spoil the answers of words, so
// such a query is answered by words and such a chunk has no score of vectors;
// and such a query is not reranked.
type ScriptReader interface {
	// Scripts returns the scripts that the model reads, by the names of
	// Unicode's property: "Latin", "Han". None means all.
	Scripts() []string
}

// Watched is a [Source] that can tell, at the price of a system call or two, that
// nothing has changed, where its system can.
type Watched interface {
	// Mark returns a number that stands for what has happened so far; 0: the source
	// cannot tell.
	Mark() uint64
	// Unchanged reports whether a Scan that began after the mark was taken, and
	// came to its end, would list the same now. When in doubt it is false.
	Unchanged(mark uint64) bool
}

// A TokenReader is an [Embedder] that also tells what it makes of each token, by
// which two texts that say nearly the same are told apart.
type TokenReader interface {
	// Read returns a reading of each text. Tokens behind the model's limit are left
	// out; a model whose tokens are not known gives vectors alone.
	Read(ctx context.Context, task Task, texts []string) ([]Reading, error)
}

// A Reading is a text's vector, as [Embedder] gives it, with its tokens.
type Reading struct {
	Vector []float32
	Tokens []Token
}

// A Token is a piece of a text as a model reads it.
type Token struct {
	Text   string    // the first piece of a word begins with U+2581
	Score  float64   // the logarithm of how likely the piece is in any text
	Vector []float32 // that the model's last layer makes of it
}
