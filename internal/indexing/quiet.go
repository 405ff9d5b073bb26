package indexing

import (
	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

// looked records a comparison of files and index that found nothing to do. As
// long as neither changes, another comparison would find the same.
type looked struct {
	marks    []uint64 // of the sources, from before the comparison; nil: there was none
	revision uint64   // of the index, from before the comparison
	hidden   []memoir.Degradation
}

// before records the state of sources and index before a comparison.
func (x *Indexer) before(counts memoir.StoreStats) looked {
	x.last = looked{}
	return looked{marks: x.marks(), revision: counts.Revision}
}

// found records what the comparison found that began in that state.
func (x *Indexer) found(before looked, work syncWork) {
	if len(work.put)+len(work.remove) == 0 && before.marks != nil {
		before.hidden = work.hides()
		x.last = before
	}
}

// marks returns the mark of each source, or nil when a source cannot tell.
func (x *Indexer) marks() []uint64 {
	marks := make([]uint64, len(x.sources))
	for i, src := range x.sources {
		w, ok := memoir.As[ability.Watched](src)
		if !ok {
			return nil
		}
		if marks[i] = w.Mark(); marks[i] == 0 {
			return nil
		}
	}
	return marks
}

// quiet reports whether neither a file nor the index has changed since the last
// comparison that found nothing to do.
func (x *Indexer) quiet(stats memoir.StoreStats) bool {
	if x.last.marks == nil || stats.Revision == 0 || stats.Revision != x.last.revision {
		return false
	}
	for i, src := range x.sources {
		w, ok := memoir.As[ability.Watched](src)
		if !ok || !w.Unchanged(x.last.marks[i]) {
			return false
		}
	}
	return true
}
