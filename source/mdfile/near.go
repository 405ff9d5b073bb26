package mdfile

import (
	"context"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/typo"
)

// mostNear is how many notes Near compares at most.
const mostNear = 50_000

// Near returns the note whose path a person may have meant by a path that no
// note has: a note of the same name in another folder, or else the note with
// the most similar spelling. It returns "" when none is similar. Case and a
// missing .md do not count. It lists the notes and reads none.
func (s *Source) Near(ctx context.Context, wanted string) memoir.DocID {
	wanted = spelled(path.Clean(strings.ReplaceAll(wanted, `\`, "/")))
	best, bestDistance, seen := memoir.DocID(""), 1+utf8.RuneCountInString(wanted)/4, 0
	for entry, err := range s.Scan(ctx) {
		if seen++; err != nil || seen > mostNear {
			break
		}
		if entry.Skip != "" {
			continue
		}
		id := spelled(string(entry.ID))
		if len(id) > 4*len(wanted)+64 || len(wanted) > 4*len(id)+64 {
			continue // their lengths alone differ too much
		}
		distance := typo.Distance(wanted, id)
		if path.Base(id) == path.Base(wanted) {
			distance = 0
		}
		if distance < bestDistance {
			best, bestDistance = entry.ID, distance
		}
	}
	return best
}

// spelled returns a path in the form that Near compares.
func spelled(p string) string { return strings.TrimSuffix(strings.ToLower(p), ".md") }
