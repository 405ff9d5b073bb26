package memoir

import (
	"context"
	"iter"
)

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

// A Source lists and reads documents; what it reads from is the truth. It is safe
// for concurrent use.
//
// An id belongs to one source: one that is not alone puts a folder of its own
// before its ids. Where two have documents of one id, that of the source named
// first counts; the other is skipped, and answers say that something is missing.
// A source writes nothing, and tells of no change by itself (docs/design/ports.md).
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

// An Owner is a source that knows its ids by their names, so that a few documents
// can be looked at without listing all.
type Owner interface {
	// Owns reports whether a document of that id, if there is one, would be the
	// source's. It reads nothing.
	Owns(id DocID) bool
}

// ScanEntry is one file that a scan met: a document, or a skipped file when
// Skip is not empty.
type ScanEntry struct {
	DocumentMeta
	Skip string // why the file is not indexed; "" when it is
	// Temporary says of a skipped file that it may be readable in a moment: what is
	// indexed of it, and of what lies below its id, stays until then.
	Temporary bool
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
	// Wait returns true as soon as something may have happened since the mark, and
	// false when ctx is done or the source cannot tell.
	Wait(ctx context.Context, mark uint64) bool
}

// Growing is a [Source] whose documents grow while they are in use.
type Growing interface {
	// Due reports whether a document has changed so much since it was indexed that a
	// search indexes it again. A sync does so whatever it says.
	Due(ctx context.Context, known, found DocumentMeta) bool
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

// A Lease is held by whoever computes vectors for an index: of several processes
// one at a time does. It is safe for concurrent use, and each Take is for itself.
type Lease interface {
	// Take takes the lease, which release gives back; the end of the process does,
	// too. With wait it waits until nobody else has it or ctx is done. Without, ok
	// says whether nobody had it.
	Take(ctx context.Context, wait bool) (release func(), ok bool, err error)
	// Wanted reports whether somebody is there who should not wait for a holder that
	// has time.
	Wanted() bool
}

// A Wrapper is a part that stands before another one: it counts its calls, or
// opens it when it is needed. It says so, that the abilities of the other one
// are not lost.
type Wrapper interface {
	// Unwrap returns the part behind; nil while there is none.
	Unwrap() any
}

// As returns an ability of a part, an interface that only some implement such as
// [Packer] or [Healer]: its own, or that of the part which it wraps. Abilities are
// asked for in no other way, when they are needed: a part may come to have one.
func As[T any](part any) (ability T, ok bool) {
	for part != nil {
		if ability, ok = part.(T); ok {
			return ability, true
		}
		wrapper, wraps := part.(Wrapper)
		if !wraps {
			break
		}
		part = wrapper.Unwrap()
	}
	return ability, false
}
