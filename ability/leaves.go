package ability

import (
	"context"

	"github.com/memoir-ai/memoir"
)

// A Leaver is a [memoir.Source] whose documents are another program's, and can be left out
// for good.
type Leaver interface {
	// Meant returns what a person may mean by a name: what has that id or name, or else
	// all whose names begin with it. known are ids of documents that an index has; one
	// of these may be meant whose file is gone. What was left out before is meant by its
	// whole name alone, and when nothing else has it.
	Meant(ctx context.Context, name string, known []memoir.DocID) ([]Left, error)
	// Leave leaves documents out from now on: no scan lists them, and they cannot be read,
	// in this process and in others. It changes nothing of them.
	Leave(left Left) error
}

// Left is what is left out, or may be: the documents of one session, say.
type Left struct {
	IDs   []memoir.DocID
	Names []string // all that entries may call it besides its ids
	Files []string // where it stays: one for each id, "" when it is gone
	Again bool     // it was left out before
	// Before are ids that it had before: entries may still call it by these.
	Before []memoir.DocID
	// Copies are other documents, not meant, that begin as this does, and say it, too: a
	// session that was forked, say.
	Copies []memoir.DocID
}
