package feature

import "strings"

// touching are matters that a text about one may tell a change of another of: who changes jobs
// may travel otherwise, and who moves may go to another school.
var touching = map[string][]string{
	"work":     {"commute", "school"},
	"commute":  {"car", "home"},
	"love":     {"home", "kid"},
	"moving":   {"home", "work", "school", "commute"},
	"school":   {"language", "kid"},
	"diet":     {"health"},
	"sport":    {"health"},
	"health":   {"looks"},
	"hospital": {"home", "health"},
}

// otherMatter reports whether two texts about the life of a person are about two matters of it:
// a new job takes back neither where he lives nor that he has a dog. Each has words of some
// matters, and none of a matter of the other or of one that touches it.
func otherMatter(a, b *Text) bool {
	if !a.ofPerson() || !b.ofPerson() {
		return false
	}
	older, newer := a.matters(), b.matters()
	if len(older) == 0 || len(newer) == 0 {
		return false
	}
	for x := range older {
		for y := range newer {
			if x == y || touch(x, y) || touch(y, x) {
				return false
			}
		}
	}
	return true
}

// matters returns the matters that a text has words of. Where it says to what somebody moved, that
// is no other one.
func (t *Text) matters() map[string]bool {
	all := t.kinds("matter ")
	if all["home"] || all["work"] || all["school"] {
		delete(all, "moving")
	}
	return all
}

func touch(x, y string) bool {
	for _, other := range touching[x] {
		if other == y {
			return true
		}
	}
	return false
}

// ofPerson reports whether a text may be about a person: about oneself, about who is called by a
// role or a name, or in a language that leaves out of whom one speaks.
func (t *Text) ofPerson() bool {
	if t.cjk > t.latin || t.begins("self") || len(t.roles()) > 0 {
		return true
	}
	first, _, _ := strings.Cut(t.raw, " ")
	return begun.in(first) && !stopWord(fold(first)) || first == "He" || first == "She"
}
