package indexing

import "github.com/memoir-ai/memoir"

// looked is what the last comparison of files and index found, where that was
// nothing to do: as long as neither changes, another one would find the same.
type looked struct {
	marks    []uint64 // of the sources, taken before it; nil: there was none
	revision uint64   // of the index, before it
	hidden   []memoir.Degradation
}

// before notes where sources and index stand before a comparison.
func (x *Indexer) before(counts memoir.StoreStats) looked {
	x.last = looked{}
	return looked{marks: x.marks(), revision: counts.Revision}
}

// found notes what a comparison found that began there.
func (x *Indexer) found(before looked, work syncWork) {
	if len(work.put)+len(work.remove) == 0 && before.marks != nil {
		before.hidden = work.hides()
		x.last = before
	}
}

// marks asks each source how far it is; nil when one cannot tell.
func (x *Indexer) marks() []uint64 {
	marks := make([]uint64, len(x.sources))
	for i, src := range x.sources {
		w, ok := memoir.As[memoir.Watched](src)
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
		w, ok := memoir.As[memoir.Watched](src)
		if !ok || !w.Unchanged(x.last.marks[i]) {
			return false
		}
	}
	return true
}
