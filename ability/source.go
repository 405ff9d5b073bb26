package ability

import (
	"context"

	"github.com/memoir-ai/memoir"
)

// An Owner is a source that recognises its ids by their names. A few of its
// documents can be checked without listing all of them.
type Owner interface {
	// Owns reports whether a document of that id, if it existed, would belong to
	// the source. It reads nothing.
	Owns(id memoir.DocID) bool
}

// Watched is a [memoir.Source] that can often tell that nothing has changed, at the
// price of a system call or two.
type Watched interface {
	// Mark returns a number that stands for everything that has happened so far.
	// 0 means that the source cannot tell.
	Mark() uint64
	// Unchanged reports whether a Scan now would list the same as one that began
	// after the mark was taken and was completed. When in doubt it returns
	// false.
	Unchanged(mark uint64) bool
	// Wait blocks until something may have happened since the mark, and returns
	// true. It returns false when ctx is done or the source cannot tell.
	Wait(ctx context.Context, mark uint64) bool
}

// Growing is a [memoir.Source] whose documents grow while they are in use.
type Growing interface {
	// Due reports whether a document has changed so much since it was indexed
	// that a search should index it again. A sync indexes every changed
	// document, whatever Due says.
	Due(ctx context.Context, known, found memoir.DocumentMeta) bool
}
