package memoir

import (
	"context"
	"iter"
)

// An Embedder turns texts into vectors of one space. It is safe for concurrent use.
type Embedder interface {
	// Space returns the space of the vectors. It is the zero value while the
	// space is unknown, for example because the server that would name it has
	// not answered yet. Once known, it does not change.
	Space() Space
	// Embed returns one vector of Space().Dimensions values for each text, in
	// order. When a single text cannot be embedded, its vector is nil and the
	// others are still computed. With an error Embed returns either no vectors,
	// or one place per text: the vectors computed before the error, and nil for
	// the rest. Texts longer than the model reads are cut, not refused. Embed
	// returns soon after ctx is done: searches and the end of the engine wait for it.
	Embed(ctx context.Context, task Task, texts []string) ([][]float32, error)
}

// A VectorSource has vectors that were computed before for another index. It is
// safe for concurrent use.
type VectorSource interface {
	// Vectors returns the vectors that the source has for texts with those
	// hashes. It leaves out what it cannot read.
	Vectors(ctx context.Context, space Space, hashes []Hash) map[Hash][]float32
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

// A Source lists and reads documents. What it reads from is the truth. It is
// safe for concurrent use.
//
// An id belongs to one source. When there are several sources, each puts a
// folder of its own before its ids. If two sources still have documents with
// the same id, the one that was named first counts. The other document is
// skipped, and answers say that something is missing. A source writes nothing
// and does not announce changes by itself (docs/design/ports.md).
type Source interface {
	// Kind returns the kind of every document of the source, one of the
	// constants. Only documents in the folder that the engine writes to are
	// notes; those of another program are of [KindCollection], so that they are
	// found and never changed.
	Kind() Kind
	// Scan lists every document with size, modification time and stamp, without
	// reading it, and every skipped file with the reason. Callers are fastest
	// when the entries come in order of id. Scan stops after an error, which
	// ends the sync of all sources and leaves the index as it is. A source that
	// is away for a while had better list one temporary entry, by an id that
	// its documents are below: then only these wait.
	Scan(ctx context.Context) iter.Seq2[ScanEntry, error]
	// Read reads a whole document. It returns [ErrNotFound] when the document
	// has vanished, and a [SkipError] when it cannot be indexed because it is
	// binary, too large or was changed while it was read.
	Read(ctx context.Context, id DocID) (Document, error)
}

// ScanEntry is one file that a scan met: a document, or a skipped file when
// Skip is not empty.
type ScanEntry struct {
	DocumentMeta
	Skip string // why the file is not indexed; "" when it is
	// Temporary says that a skipped file may be readable in a moment. Until then
	// the index keeps what it has of the file and of everything below its id.
	Temporary bool
}

// SkipError reports a file that exists and is not indexed.
type SkipError struct {
	ID     DocID
	Reason string // for people, without the path
	// Temporary says that the file may be readable in a moment. Until then the
	// index keeps what it has of it.
	Temporary bool
}

// Error returns path and reason.
func (e *SkipError) Error() string { return string(e.ID) + ": " + e.Reason }

// A Reranker reads a query together with each of a few passages and scores how
// well each passage answers it. That is slower than comparing vectors but finds
// more. It is safe for concurrent use.
type Reranker interface {
	// Rerank returns a finite score for each passage, in order; higher is
	// better. Only scores of the same call are compared, so probabilities serve
	// as well as logits. Passages longer than the model reads are cut, not
	// refused. With an error there are no scores. Rerank returns soon after ctx
	// is done.
	Rerank(ctx context.Context, query string, passages []string) ([]float64, error)
}

// A Lease makes sure that only one process at a time computes vectors for an
// index. It is safe for concurrent use; each call of Take is independent of the
// others.
type Lease interface {
	// Take takes the lease. It is given back by release, or when the process
	// ends. With wait, Take blocks until nobody else holds the lease or ctx is
	// done. Without wait it returns at once, and ok says whether the lease was
	// free.
	Take(ctx context.Context, wait bool) (release func(), ok bool, err error)
	// Wanted reports whether another process is waiting to whom a holder that is
	// in no hurry should give the lease.
	Wanted() bool
}

// A Wrapper is a part that stands before another part, for example to count its
// calls or to open it only when it is needed. Through Unwrap the abilities of
// the other part stay available.
type Wrapper interface {
	// Unwrap returns the wrapped part, or nil while there is none.
	Unwrap() any
}

// As returns an ability of a part: an interface that only some parts implement,
// such as [Scorer] or one of package ability. It is the part's own ability, or that of the
// part which it wraps. Always ask for an ability with As, and at the moment it
// is needed, because a part may gain one later.
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
