package mdfile

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/typo"
)

// Near returns the note whose path a person may have meant by a path that no
// note has: a note of the same name in another folder, or else the note with
// the most similar spelling. It returns "" when none is similar. Case and a
// missing .md do not count. It lists the notes and reads none.
func (s *Source) Near(ctx context.Context, wanted string) memoir.DocID {
	near := typo.Near(wanted, 1, func(yield func(path, name string) bool) {
		for entry, err := range s.Scan(ctx) {
			if err != nil || entry.Skip == "" && !yield(string(entry.ID), string(entry.ID)) {
				return
			}
		}
	})
	if len(near) == 0 {
		return ""
	}
	return memoir.DocID(near[0])
}
