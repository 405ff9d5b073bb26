package memoir

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// A Status says what the index holds and how far it is.
type Status struct {
	StoreStats
	Space Space // of the engine's embedder, zero without one
	// Answering is the space whose vectors answer searches: Space, or the one
	// before it while Space is not complete. It is zero while there are none.
	Answering Space
	Degraded  []Degradation // what cannot take part in an answer now
}

// Status reports the state of the index as it is, and what is missing of the
// documents that the sources list. It reads none of them, embeds nothing and
// writes nothing.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	if err := e.calls.begin("count the index"); err != nil {
		return Status{}, err
	}
	defer e.calls.end()
	stats, err := e.store.Stats(ctx, e.Space())
	if err != nil {
		return Status{}, fmt.Errorf("count the index: %w", err)
	}
	st := Status{StoreStats: stats, Space: e.Space()}
	if d, ok := e.store.(Degrader); ok {
		st.Degraded = d.Degradations()
	}
	st.Degraded = append(st.Degraded, e.unindexed(ctx)...)
	if st.Space == (Space{}) {
		return st, nil
	}
	serving, err := e.store.Serving(ctx)
	if err != nil {
		return Status{}, fmt.Errorf("find the model in use: %w", err)
	}
	switch {
	case serving != (Space{}) && serving != st.Space && !stats.Complete():
		st.Answering = serving
		st.Degraded = append(st.Degraded, changing(st.Space, stats, serving))
		return st, nil
	case stats.Texts > stats.Pending+stats.Failed:
		st.Answering = st.Space
	}
	if stats.Pending > 0 {
		st.Degraded = append(st.Degraded, pendingTexts(stats))
	}
	if stats.Failed > 0 {
		st.Degraded = append(st.Degraded, Degradation{"vectors",
			fmt.Sprintf("%s no vector, which the provider could not give; that is tried again after a pause", have(stats.Failed)), "memoir index --retry-failed"})
	}
	return st, nil
}

// unindexed says what of the sources is not in the index. A document that was
// indexed when it was young, whose time is not believed yet, is not counted.
func (e *Engine) unindexed(ctx context.Context) []Degradation {
	work, _, err := e.compare(ctx)
	if err != nil {
		return []Degradation{{"sync", "the files could not be compared with the index: " + err.Error(), cmp.Or(Hint(err), "memoir index")}}
	}
	lacking, changed := 0, len(work.remove)
	for _, item := range work.put {
		switch old := item.known; {
		case old == nil:
			lacking++
		case old.Size != item.meta.Size || old.Recipe != e.recipe || !old.ModTime.IsZero():
			changed++
		}
	}
	if lacking+changed == 0 {
		return nil
	}
	var reasons []string
	if lacking > 0 {
		reasons = append(reasons, notes(lacking)+" not indexed yet")
	}
	if changed > 0 {
		reasons = append(reasons, notes(changed)+" changed or removed since")
	}
	return []Degradation{{"sync", strings.Join(reasons, ", "), "memoir index"}}
}

// notes returns "1 note" or "n notes".
func notes(n int) string {
	if n == 1 {
		return "1 note"
	}
	return fmt.Sprintf("%d notes", n)
}

// changing says how far a change of model is.
func changing(to Space, stats StoreStats, from Space) Degradation {
	return Degradation{"vectors", fmt.Sprintf("the model %s is %d %% ready; %s answers until then", to.Model, stats.ready(), from.Model), "memoir index"}
}

// pendingTexts says that texts wait for a vector.
func pendingTexts(stats StoreStats) Degradation {
	return Degradation{"vectors", fmt.Sprintf("%s no vector yet", have(stats.Pending)), "memoir index"}
}

// have returns "1 text has" or "n texts have".
func have(texts int) string {
	return fmt.Sprintf("%d %s", texts, english.PluralWord(texts, "text has", "texts have"))
}
