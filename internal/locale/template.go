package locale

import (
	"cmp"
	"slices"
	"strings"
)

// A piece of a format is text, or a verb with the place of its value.
type piece struct {
	text string
	verb byte // 0: text
	arg  int  // from 0
}

// pieces takes a format apart. A format has no widths that another needs, and
// its verbs are in order or have an explicit place, as %[2]s.
func pieces(format string) []piece {
	var out []piece
	var text strings.Builder
	next := 0
	for {
		before, rest, found := strings.Cut(format, "%")
		text.WriteString(before)
		if !found {
			break
		}
		i := strings.IndexFunc(rest, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '%' })
		if i < 0 {
			text.WriteString("%" + rest)
			break
		}
		format = rest[i+1:]
		if rest[i] == '%' {
			text.WriteByte('%')
			continue
		}
		if text.Len() > 0 {
			out = append(out, piece{text: text.String()})
			text.Reset()
		}
		if place, _, ok := strings.Cut(rest[:i], "]"); ok {
			if digit := place[len(place)-1]; digit >= '1' && digit <= '9' {
				next = int(digit - '1')
			}
		}
		out = append(out, piece{verb: rest[i], arg: next})
		next++
	}
	if text.Len() > 0 {
		out = append(out, piece{text: text.String()})
	}
	return out
}

// A template is a message of the catalogue taken apart, to know it again when it
// has its values.
type template struct {
	from, to []piece
	weight   int // bytes of text in from
}

// templateSet are the templates, those that say most first.
type templateSet []template

func newTemplates(catalogue map[string]string) templateSet {
	s := make(templateSet, 0, len(catalogue))
	for from, to := range catalogue {
		t := template{from: pieces(from), to: pieces(to)}
		for _, p := range t.from {
			t.weight += len(p.text)
		}
		s = append(s, t)
	}
	slices.SortFunc(s, func(a, b template) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(len(a.from), len(b.from)), slices.CompareFunc(a.from, b.from, func(p, q piece) int { return cmp.Compare(p.text, q.text) }))
	})
	return s
}

// err translates an error. What it wraps is translated for itself.
func (s templateSet) err(err error) string {
	var causes []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		causes = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		causes = e.Unwrap()
	}
	texts := make([]string, 0, len(causes))
	for i, c := range causes {
		texts = append(texts, "")
		if c != nil {
			texts[i] = c.Error()
		}
	}
	order := make([]int, len(causes))
	for i := range order {
		order[i] = i
	}
	// A longer one may hold a shorter one.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(texts[b]), len(texts[a])) })
	own := err.Error()
	var swaps []string
	for _, i := range order {
		// An error may add no words, or not show what it wraps; and where the words
		// stand twice, nobody can tell which are its.
		if texts[i] != "" && strings.Count(own, texts[i]) == 1 {
			mark := string(rune(0xF0000 + i)) // of private use
			own = strings.Replace(own, texts[i], mark, 1)
			swaps = append(swaps, mark, s.err(causes[i]))
		}
	}
	return strings.NewReplacer(swaps...).Replace(s.text(own))
}

// text translates a message, or what stands behind a colon in it if only that
// is known.
func (s templateSet) text(message string) string {
	before, rest := "", message
	for {
		if out, ok := s.message(rest); ok {
			return before + out
		}
		i := strings.Index(rest, ": ")
		if i < 0 {
			return message
		}
		before, rest = message[:len(before)+i+2], rest[i+2:]
	}
}

// message translates what is one message of the catalogue.
func (s templateSet) message(message string) (string, bool) {
	for _, t := range s {
		values, ok := t.match(message)
		if !ok {
			continue
		}
		var out strings.Builder
		for _, p := range t.to {
			out.WriteString(p.text)
			if p.verb != 0 && p.arg < len(values) {
				out.WriteString(s.value(values[p.arg]))
			}
		}
		return out.String(), true
	}
	return "", false
}

// A value is what stands in a message where its format has a verb.
type value struct {
	text string
	verb byte
}

// value translates what is an error or a message in a message. Names and texts
// of people, which %s and %q show, stay as they are: so %s is translated only
// where it is several words of the catalogue, and %q never.
func (s templateSet) value(v value) string {
	switch {
	case v.verb == 'w' || v.verb == 'v':
		return s.text(v.text)
	case v.verb == 's' && strings.Contains(v.text, " "):
		for _, t := range s {
			if len(t.from) == 1 && t.from[0].text == v.text {
				return t.to[0].text
			}
		}
	}
	return v.text
}

// match returns the values of a message, if it may have been made of the
// template. Where there are several ways, each value is as short as it can be.
func (t template) match(message string) ([]value, bool) {
	if t.weight == 0 {
		return nil, false
	}
	var values []value
	rest := message
	for i, p := range t.from {
		if p.verb == 0 {
			if !strings.HasPrefix(rest, p.text) {
				return nil, false
			}
			rest = rest[len(p.text):]
			continue
		}
		end := len(rest)
		if i+1 < len(t.from) {
			next := t.from[i+1].text
			if i+2 == len(t.from) {
				end = strings.LastIndex(rest, next)
				if end >= 0 && end+len(next) != len(rest) {
					end = -1
				}
			} else {
				end = strings.Index(rest, next)
			}
			if end < 0 || next == "" {
				return nil, false
			}
		}
		values = append(values, value{rest[:end], p.verb})
		rest = rest[end:]
	}
	return values, rest == ""
}
