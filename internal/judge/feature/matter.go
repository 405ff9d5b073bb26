package feature

import (
	"maps"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

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
	"age":      {"birthday", "kid", "health"},
	"origin":   {"home", "moving", "birthday"},
	"contact":  {"phone", "work", "moving"},
	"birthday": {"kid"},
	"liking":   {"diet", "sport", "pet", "car", "phone", "language", "looks", "love", "commute", "home"},

	"of deploy":  {"of host", "of ci", "of branch", "of flag"},
	"of track":   {"of docs", "of branch"},
	"of mail":    {"of chat"},
	"of version": {"of codelang", "of db", "of host", "of ui", "of package", "of ci", "of test", "of queue", "of cache", "of api", "of auth", "of log"},
}

// otherMatter reports whether two texts are about two matters of a person's life, or of a program:
// a new job takes back neither where one lives nor that one has a dog, and another place for
// logs not the database. Each has words of some matters, and none of a matter of the other
// or of one that touches it.
func otherMatter(a, b *Text) bool {
	return a.ofPerson() && b.ofPerson() && disjoint(a.mattersOf(false), b.mattersOf(false)) || disjoint(a.mattersOf(true), b.mattersOf(true))
}

// holdsMore reports whether the older text tells of two matters in two clauses, and the newer
// of one of them: "I live in Oslo and work at Statoil", "I moved to Bergen". What the other
// clause says still holds.
func holdsMore(a, b *Text) bool {
	for _, program := range []bool{false, true} {
		if !program && (!a.ofPerson() || !b.ofPerson()) {
			continue
		}
		told, changed := a.clauseMatters(program), map[string]bool{}
		for _, c := range b.clauseMatters(program) {
			maps.Copy(changed, c)
		}
		if len(told) < 2 || len(changed) == 0 {
			continue
		}
		if changed["moving"] && slices.ContainsFunc(told, func(c map[string]bool) bool { return c["home"] }) {
			delete(changed, "moving")
			changed["home"] = true
		}
		apart := func(c map[string]bool) bool { return disjoint(c, changed) }
		if slices.ContainsFunc(told, apart) && !slices.ContainsFunc(told, func(c map[string]bool) bool { return len(c) == 0 }) && slices.ContainsFunc(told, func(c map[string]bool) bool { return !apart(c) }) {
			return true
		}
	}
	return false
}

// clauseMatters returns the matters of each clause of a text.
func (t *Text) clauseMatters(program bool) (all []map[string]bool) {
	for _, c := range betweenClauses().Split(t.folded, -1) {
		all = append(all, (&Text{folded: c, hits: cues().find(c)}).mattersOf(program))
	}
	return all
}

// betweenClauses matches what stands between two clauses.
var betweenClauses = lazyregexp.New(`,? (?:and|und|et|e|y) |[,，;；。、]`)

// disjoint reports whether two texts are about matters of a life or a program none of which is
// one of the other, or touches it.
func disjoint(older, newer map[string]bool) bool { return disjointBy(touching, older, newer) }

// disjointBy does so for matters that touch as told.
func disjointBy(touching map[string][]string, older, newer map[string]bool) bool {
	for x := range older {
		for y := range newer {
			if x == y || slices.Contains(touching[x], y) || slices.Contains(touching[y], x) {
				return false
			}
		}
	}
	return len(older) > 0 && len(newer) > 0
}

// mattersOf returns the matters of a program or of a life that a text has words of. Where it says
// to what somebody moved, that is no other one. Who the text is about, such as a boss, is no
// matter of it.
func (t *Text) mattersOf(program bool) map[string]bool {
	all := map[string]bool{}
	_, from, to := t.headRole()
	several := len(t.clauses()) > 1
	for _, h := range t.hits {
		matter, ok := strings.CutPrefix(cues().lists[cues().cues[h.cue].list], "matter ")
		if ok && strings.HasPrefix(matter, "of ") == program && (h.at < from || h.end > to) && !(several && asideOf(matter)) {
			all[matter] = true
		}
	}
	if !program && aged.in(t.folded) {
		all["age"] = true
	}
	if all["home"] || all["work"] || all["school"] {
		delete(all, "moving")
	}
	return all
}

// asideOf are matters that are often told by the way: 对接人是温经理，喜欢半夜发消息. They count where
// a text has one clause.
var asideOf = oneOfWords("age origin contact birthday liking")

// aged matches how old somebody is, told by the number alone.
var aged = pattern{lazyregexp.New(`(?:今年|快|都|刚满|刚过)[一二三四五六七八九十\d]{2,4}[了啦]?[。.!]*$|^(?:my|our|he|she|\p{L}+)(?: \p{L}+){0,2} (?:is|turned|am|will be) (?:now |nearly |almost |about |just )?(?:[2-9]\d|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\p{L}+)?)[.!]*$`), anything}

// articles begin what is no person, in languages that write no other capital letter there.
var articles = oneOfWords("the this that our der die das ein eine unser unsere le la les un une notre nos el los las una nuestro nuestra il lo gli i nostro nostra o a os as um uma nosso nossa")

// ofPerson reports whether a text may be about a person: about oneself, about who is called by a
// role or a name, or in a language that leaves out of whom one speaks.
func (t *Text) ofPerson() bool {
	if t.cjk > t.latin || t.begins("self") || len(t.roles()) > 0 {
		return true
	}
	first, _, _ := strings.Cut(t.raw, " ")
	first = fold(first)
	return first == "he" || first == "she" || begun.in(t.raw) && !stopWord(first) && !articles(first)
}
