package feature

import (
	"math"
	"strings"
)

// Junk returns what the gate weighs: the shape of a text and how many cues of
// each list it holds.
func Junk(t *Text) Row {
	var r Row
	l := t.shape()
	for _, b := range []struct {
		name  string
		value bool
	}{
		{"empty", l.empty}, {"single", l.single}, {"tiny", l.size <= 3}, {"short", l.size <= 5}, {"repeat", l.repeat}, {"path", l.path}, {"url", l.url}, {"json", l.json},
		{"symbols", l.symbols}, {"code", l.code}, {"trace", l.trace}, {"log", l.log}, {"progress", l.progress}, {"tool", l.tool},
		{"question", l.question}, {"asks", l.asks}, {"colon", l.colon}, {"shout", l.shout}, {"placeholder", l.placeholder}, {"comment", l.comment},
		{"long", l.size > 35}, {"has digit", l.hasDigit}, {"me", l.me}, {"you", l.you}, {"name", l.name}, {"polite", l.polite}, {"list", l.list},
	} {
		r.is(b.name, b.value)
	}
	r.is("cjk", t.cjk > t.latin)
	r.put("size", min(l.size, 40)/10)
	r.put("lines", math.Min(float64(l.lines), 6))
	r.put("values", float64(min(len(t.values), 3)))
	r.put("roles", float64(min(len(t.roles()), 2)))
	for _, list := range []string{"thanks", "agent", "request", "speculation", "injection", "command", "web", "world", "personal", "event", "change"} {
		n := t.count(list)
		if _, more := fewCues().index[list]; more {
			n += len(t.cues(list))
		}
		r.put(list, float64(min(n, 3)))
	}
	return r
}

// Topic returns what the type weighs.
func Topic(t *Text) Row {
	var r Row
	for _, list := range []string{"preference", "instruction", "second person", "contact", "project", "decision", "learning", "journal",
		"i first", "we", "third person", "negation", "event", "change", "thanks"} {
		r.put(list, float64(min(t.count(list), 3)))
	}
	r.is("has number", strings.ContainsAny(t.folded, "0123456789") || len(t.values) > 0)
	r.put("roles", float64(len(t.roles())))
	r.put("values", float64(len(t.values)))
	kinds := map[Kind]bool{}
	for _, v := range t.values {
		kinds[v.Kind] = true
	}
	r.is("clock", kinds[Clock])
	r.is("weekday", kinds[Weekday])
	r.is("month", kinds[Month])
	r.is("literal", kinds[Literal])
	r.is("quote", t.shape().quote)
	r.is("ends 了", strings.HasSuffix(strings.TrimRight(t.raw, "。.!"), "了"))
	r.is("begins with a word and a comma", beginsWord(t.raw))
	r.is("name", t.shape().name)
	r.is("past first", t.past)
	r.is("shout", t.shape().shout)
	r.put("size", t.shape().size/18)
	return r
}
