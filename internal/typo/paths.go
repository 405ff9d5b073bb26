package typo

import (
	"cmp"
	"iter"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/order"
)

// mostPaths is how many paths Near compares at most.
const mostPaths = 50_000

// Near returns the names of at most n paths that a person may have meant by a path that
// nothing has, the nearest first: those of the same name in another folder, then those with
// a similar spelling. Case and a missing .md do not count. all yields each path with its
// name.
func Near(wanted string, n int, all iter.Seq2[string, string]) []string {
	type near struct {
		name     string
		distance int
	}
	var found []near
	wanted, seen := spelled(path.Clean(strings.ReplaceAll(wanted, `\`, "/"))), 0
	most := utf8.RuneCountInString(wanted) / 4
	for other, name := range all {
		if seen++; seen > mostPaths {
			break
		}
		other = spelled(other)
		if len(other) > 4*len(wanted)+64 || len(wanted) > 4*len(other)+64 {
			continue // their lengths alone differ too much
		}
		distance := Distance(wanted, other)
		if path.Base(other) == path.Base(wanted) {
			distance = 0
		}
		if distance <= most {
			found = append(found, near{name, distance})
		}
	}
	order.Stable(found, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, f := range found[:min(n, len(found))] {
		names = append(names, f.name)
	}
	return names
}

// spelled returns a path in the form that Near compares.
func spelled(p string) string { return strings.TrimSuffix(strings.ToLower(p), ".md") }
