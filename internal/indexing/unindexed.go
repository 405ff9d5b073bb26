package indexing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memoir-ai/memoir"
)

// Unindexed notes in a status what of the sources is not in the index, and what of it
// is left out. A document that was indexed when it was young, whose time is not
// believed yet, is not counted.
func (x *Indexer) Unindexed(ctx context.Context, st *memoir.Status) {
	work, stats, err := x.compare(ctx, whatIsDue)
	if err != nil {
		st.Degraded = append(st.Degraded, memoir.Degradation{Part: "sync", Reason: "the files could not be compared with the index: " + err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir index")})
		return
	}
	lacking, changed := 0, len(work.remove)
	left := peek{files: lookedAt, bytes: lookedInto}
	for _, item := range work.put {
		switch old := item.known; {
		case old == nil:
			if reason := left.leavesOut(ctx, &item); reason != "" {
				stats.Scanned--
				stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: item.meta.ID, Reason: reason})
				continue
			}
			lacking++
		case old.Size != item.meta.Size || old.Recipe != x.recipe || !old.ModTime.IsZero():
			changed++
		}
	}
	st.Listed, st.Unindexed, st.Changed, st.Skipped = stats.Scanned, lacking, changed, stats.Skipped
	if err := x.outdated(); err != nil { // others decide what is lacking
		st.Degraded = append(st.Degraded, older(err))
		return
	}
	st.Degraded = append(st.Degraded, work.lacks(lacking, changed)...)
}

// lookedAt and lookedInto are how many new files a status reads, to tell those that no
// run would index from those that wait for one.
const lookedAt, lookedInto = 256, 8 << 20 // files, bytes

// A peek is how many files and bytes may still be read.
type peek struct{ files, bytes int64 }

// leavesOut returns why a file that is listed is not indexed, whenever it is read; "" when
// it is, or when that is not known. Sessions are not read: they may be packed, and are as
// large unpacked as they like.
func (l *peek) leavesOut(ctx context.Context, item *syncItem) string {
	if item.meta.Kind == memoir.KindSession {
		return ""
	}
	if l.files--; l.files < 0 || item.meta.Size > l.bytes {
		return ""
	}
	l.bytes -= item.meta.Size
	_, err := item.read(ctx, item.meta.ID)
	if skip := (*memoir.SkipError)(nil); errors.As(err, &skip) && !skip.Temporary {
		return skip.Reason
	}
	return ""
}

// lacks says what of the sources is not in the index.
func (w *syncWork) lacks(lacking, changed int) []memoir.Degradation {
	if lacking+changed == 0 {
		return w.hides()
	}
	var reasons []string
	if lacking > 0 {
		reasons = append(reasons, notes(lacking)+" not indexed yet")
	}
	if changed > 0 {
		reasons = append(reasons, notes(changed)+" changed or removed since")
	}
	return append(w.hides(), memoir.Degradation{Part: "sync", Reason: strings.Join(reasons, ", "), Action: "memoir index"})
}

// hides says which documents cannot be found because others have the same names,
// and which are found although their folder holds none now or cannot be looked at.
func (w *syncWork) hides() (all []memoir.Degradation) {
	if w.hidden > 0 {
		all = append(all, memoir.Degradation{Part: "sync", Reason: notes(w.hidden) + " not indexed: another source has files of the same names", Action: "memoir index lists them"})
	}
	if w.stay > 0 {
		all = append(all, memoir.Degradation{Part: "sync", Reason: "the folder of notes holds none; the " + notes(w.stay) + " of the index stay",
			Action: "bring the notes back, or mount their disk; memoir index takes what is gone out of the index"})
	}
	for _, a := range w.away {
		all = append(all, memoir.Degradation{Part: "sync", Reason: notes(a.stay) + " in the index cannot be looked at now: " + a.reason,
			Action: "bring the folder back, or mount its disk; memoir doctor looks at all folders"})
	}
	return all
}

// notes returns "1 note" or "n notes".
func notes(n int) string {
	if n == 1 {
		return "1 note"
	}
	return fmt.Sprintf("%d notes", n)
}
