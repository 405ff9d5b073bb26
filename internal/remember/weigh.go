package remember

import (
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/access"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
)

// Weigh returns for each text the highest values of its entries: importance and
// how often they were told again, from their comments, and by how many
// questions they were found. Texts are given as people read them. Entries are
// recognised by their words.
func (k *Keeper) Weigh(texts []string) ([]memoir.Salience, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	counts, err := access.Read(k.opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("weigh entries: %w", err)
	}
	stock, err := k.stock()
	if err != nil {
		return nil, fmt.Errorf("weigh entries: %w", err)
	}
	said := map[string]*known{}
	for _, e := range stock {
		if e.active() {
			said[e.normal()] = e
		}
	}
	all := make([]memoir.Salience, len(texts))
	for i, text := range texts {
		for _, e := range entry.Parse(text) {
			normal, most := judge.Normal(e.Text), &all[i]
			most.Accessed = max(most.Accessed, counts.Of(k.marks.digest(normal)).Found)
			if e := said[normal]; e != nil {
				if n := e.number(entry.Importance); n <= memoir.MaxImportance { // out of range counts as not given, as in front matter
					most.Importance = max(most.Importance, float64(n))
				}
				most.Reinforced = max(most.Reinforced, e.number(entry.Count))
			}
		}
	}
	return all, nil
}
