package feature

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// touchingAspects are matters of a thing that a text about one may tell a change of another of:
// what was moved may be the thing, or the day on which it is.
var touchingAspects = map[string][]string{
	"time":     {"day", "date", "meeting", "length", "support"},
	"day":      {"date", "meeting", "length", "support"},
	"date":     {"length", "contract", "publisher", "meeting"},
	"moving":   {"place", "time", "day", "date", "meeting", "tool", "publisher", "bank", "web", "school", "lodging", "setting", "doctor", "oncall"},
	"place":    {"lodging", "setting", "stops", "school", "doctor", "shed", "bedplant", "compost", "key", "sitter", "sleep"},
	"cost":     {"income", "books", "pay"},
	"food":     {"drink", "supplier"},
	"supplier": {"drink", "product"},
	"driver":   {"vehicle", "lead"},
	"vehicle":  {"transport"},
	"stops":    {"transport"},
	"art":      {"engine"},
	"colour":   {"clothes", "cover", "logo", "sail", "ring"},
	"bedplant": {"shed", "water"},
	"fence":    {"tree"},
	"name":     {"lead", "law", "doctor", "books", "driver", "editor", "photo", "piano", "clean", "sitter", "friend", "owner", "contact"},
}

// otherAspect reports whether two texts tell of two matters of a thing, an organisation, an event
// or an animal: who leads the trip is not changed by what it costs. Each has words of some
// matters, and none of a matter of the other or of one that touches it.
func otherAspect(a, b *Text) bool {
	in := commonLanguages(a, b)
	if len(in) == 0 || ofOneMatter(a, b) || sameFrame(a, b) || otherStage(a, b) || denies(b, a) || !a.tellsAspects(in) || !b.tellsAspects(in) {
		return false
	}
	older, newer := aspects(a, b, in)
	if !newer["moving"] && onlyWhen(newer) && pastTense.in(passive.expr().ReplaceAllString(b.folded, "")) {
		return false // when something happened is no matter of it
	}
	return disjointBy(touchingAspects, older, newer)
}

// oneAspect reports whether two texts have words of one matter of a thing, a life or a program.
func oneAspect(a, b *Text) bool {
	older, newer := aspects(a, b, commonLanguages(a, b))
	return shared(older, newer) > 0 || older["place"] && newer["moving"] || ofOneMatter(a, b)
}

// aspects returns of which matters two texts have words. What both say at their beginning counts
// only where a text says nothing else, and then only what is behind what both are about.
func aspects(a, b *Text, languages []string) (older, newer map[string]bool) {
	head, name := commonPrefix(a.folded, b.folded), longName(a, b)
	older, newer = a.aspects(languages, head, name), b.aspects(languages, head, name)
	if len(older) == 0 || len(newer) == 0 {
		head = headEnd(a.folded[:head])
		older, newer = a.aspects(languages, head, name), b.aspects(languages, head, name)
	}
	return older, newer
}

// tellsAspects reports whether each clause of a text of several has words of some matter. Nobody
// knows what the others are about.
func (t *Text) tellsAspects(languages []string) bool {
	clauses := t.clauses()
	return len(clauses) < 2 || !slices.ContainsFunc(clauses, func(c string) bool {
		return len((&Text{folded: c}).aspects(languages, 0, "")) == 0
	})
}

// clauses returns what stands between the marks of a text.
func (t *Text) clauses() []string {
	return slices.DeleteFunc(strings.FieldsFunc(t.folded, clauseMark), func(c string) bool { return !strings.ContainsFunc(c, letter) })
}

// ofOneMatter reports whether two texts have words of one matter of a life or a program, and
// not the same ones, which may be of what they are about.
func ofOneMatter(a, b *Text) bool {
	older := a.matterWords()
	for _, x := range b.matterWords() {
		if slices.ContainsFunc(older, func(y [2]string) bool { return x[0] == y[0] && x[1] != y[1] }) {
			return true
		}
	}
	return false
}

// matterWords returns the words of matters of a life or a program in a text, each behind its
// matter.
func (t *Text) matterWords() (all [][2]string) {
	for _, h := range t.hits {
		if matter, ok := strings.CutPrefix(cues().lists[cues().cues[h.cue].list], "matter "); ok {
			all = append(all, [2]string{matter, t.folded[h.at:h.end]})
		}
	}
	return all
}

// onlyWhen reports whether matters are those of a time alone.
func onlyWhen(aspects map[string]bool) bool {
	for x := range aspects {
		if x != "time" && x != "day" && x != "date" && x != "length" && x != "moving" {
			return false
		}
	}
	return true
}

// aspects returns the matters of which a text has words behind so many bytes, in some languages.
// Words within a name do not count.
func (t *Text) aspects(languages []string, behind int, name string) map[string]bool {
	found, weak := map[string]bool{}, map[string]bool{}
	from := -1
	if name != "" {
		from = strings.Index(t.folded, name)
	}
	for _, h := range t.thingHits() {
		list, language := lastCut(thingCues().lists[thingCues().cues[h.cue].list])
		if h.end <= behind || from >= 0 && h.at >= from && h.end <= from+len(name) || list == "surname" || strings.HasPrefix(list, "person ") || !slices.Contains(languages, language) {
			continue
		}
		if of, ok := strings.CutPrefix(list, "weak "); ok {
			weak[of] = true
		} else {
			found[list] = true
		}
	}
	for _, x := range t.timesSaid() {
		if x.at >= behind {
			found[x.aspect] = true
		}
	}
	if !onlyWhen(found) {
		delete(found, "moving") // another one says what was moved
	}
	if atPlace.in(t.folded[behind:]) {
		weak["place"] = true
	}
	if len(found) == 0 {
		maps.Copy(found, weak)
	}
	return found
}

// A saidTime is a time of day, a weekday or a date in a text.
type saidTime struct {
	at     int
	aspect string // time, day or date
}

// timesSaid returns the times in a text that are not those since when something is so.
func (t *Text) timesSaid() []saidTime {
	if t.times == nil {
		times := []saidTime{}
		for at, v := range valuesIn(t.folded) {
			aspect := map[Kind]string{Clock: "time", Weekday: "day", Month: "date"}[v.Kind]
			if aspect != "" && !sinceWhen.in(t.folded[:at]) {
				times = append(times, saidTime{at, aspect})
			}
		}
		t.times = &times
	}
	return *t.times
}

// thingHits returns the cues of the lists in lists/things that the text holds. They are looked
// for apart, so that searches do not pay for them.
func (t *Text) thingHits() []hit {
	if t.things == nil {
		hits := thingCues().find(t.folded)
		t.things = &hits
	}
	return *t.things
}

// lastCut cuts a name before its last word.
func lastCut(name string) (before, last string) {
	i := strings.LastIndexByte(name, ' ')
	return name[:max(i, 0)], name[i+1:]
}

// commonLanguages returns the languages that two texts may both be in, of those whose lists
// say which matters there are.
func commonLanguages(a, b *Text) []string {
	x, y := languages(a), languages(b)
	return slices.DeleteFunc(slices.Clone(x), func(l string) bool { return !slices.Contains(y, l) })
}

// languages returns the languages that a text may be in.
func languages(t *Text) []string {
	if l := language(t.raw); l != "" {
		return []string{l}
	}
	if inRussian(t.folded) {
		return []string{"ru"}
	}
	if strings.ContainsFunc(t.folded, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) && t.cjk == 0 {
		return []string{"en", "de", "fr", "es"}
	}
	return nil
}

// headEnd returns where what a text is about ends in what it has in common with another one: in
// Chinese and Japanese, and in English with a genitive, before what belongs to it; else behind
// the first word that is no article.
func headEnd(common string) int {
	if m := ofHead().FindStringIndex(common); m != nil {
		return m[1]
	}
	if m := firstWord().FindStringIndex(common); m != nil {
		return m[1]
	}
	return 0
}

// atPlace matches a Chinese text that says where something is, and nothing else.
var atPlace = pattern{lazyregexp.New(`^在\p{Han}{2,6}[。.!]?$`), beyondASCII}

// sinceWhen matches what stands before the time since which something is so.
var sinceWhen = pattern{lazyregexp.New(`(?:\b(?:since|from|as of|starting|ab|seit|depuis|desde)|с|从) ?$`), anything}

// ofHead matches the beginning of a text up to the genitive of what it is about, firstWord a
// word with the article before it.
var (
	ofHead    = lazyregexp.New(`^.{1,40}?(?:['’]s|的|の)`)
	firstWord = lazyregexp.New(`^(?:(?:the|our|my|die|der|das|le|la|el|los|las|un|une) |l['’])?[\p{Latin}\p{Cyrillic}-]+`)
)
