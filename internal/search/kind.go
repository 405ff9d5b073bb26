package search

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/name"
	"github.com/memoir-ai/memoir/internal/querylang"
	"github.com/memoir-ai/memoir/internal/search/roles"
)

// kindOfAnswer returns what kind of answer the query asks for, by how it asks or by what it
// names of whom.
func (u *understood) kindOfAnswer() querylang.Kind {
	if u.kind != "" {
		return u.kind
	}
	if kind := u.thing().of.Kind(); kind != "" {
		return kind
	}
	p, _ := u.owner()
	return p.kind
}

// headings returns the file name, the title and the headings of a chunk, a line each.
func headings(c *memoir.Chunk) string {
	return name.File(string(c.Doc)) + "\n" + titles(c)
}

// titles returns the title and the headings of a chunk, a line each.
func titles(c *memoir.Chunk) string {
	return strings.Join(append([]string{c.Title}, c.Heading...), "\n")
}

// mayTell reports whether a candidate may hold what the query asks for. It is false where
// a time, an amount or a telephone number is asked for, and the passage has none. Of a list
// only what stands with a word of the query counts.
func (s *search) mayTell(f *candidate) bool {
	kind := s.asked.kindOfAnswer()
	if !s.mayTellThing(f) {
		return false
	}
	days := kind == querylang.Time && !s.otherThanBirthday(f, f.chunk.Text)
	if kind == "" || f.chunk.EndLine == 0 || days && f.Date != "" || s.asked.whenTold && len(tellings(&f.ChunkMeta)) > 0 {
		return true
	}
	about, text := append([]string{f.chunk.Title}, f.chunk.Heading...), f.chunk.Text
	if days {
		about = append(about, years(string(f.chunk.Doc))...)
	} else {
		about = slices.DeleteFunc(about, chunk.IsDate)
		text = undated(text)
	}
	return s.tells(f, strings.Join(about, "\n")) || s.tells(f, s.entriesAsked(about, text))
}

// tells reports whether a text of a candidate may hold what is asked for: a birthday that is
// not called so is a day of a year, and a number plate has digits.
func (s *search) tells(f *candidate, text string) bool {
	if s.otherThanBirthday(f, text) && !expressions().aDate().MatchString(expressions().mark().ReplaceAllString(text, "")) {
		return false
	}
	if p, _ := s.asked.owner(); p.kind != "" && p.attributes["plate"] && !strings.ContainsAny(text, "0123456789") {
		return false
	}
	return s.asked.kindOfAnswer().MayTell(s.asked.text, text)
}

// otherThanBirthday reports whether the query asks for somebody's birthday, and neither a text
// of a candidate nor its headings speak of one.
func (s *search) otherThanBirthday(f *candidate, text string) bool {
	p, _ := s.asked.owner()
	return s.asked.kindOfAnswer() == querylang.Time && p.attributes["birthday"] && !roles.Attributes(text)["birthday"] && !roles.Attributes(headings(&f.chunk))["birthday"]
}

// undated returns a text without its headings that are dates.
func undated(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); len(title) == len(line) || !chunk.IsDate(strings.TrimSpace(title)) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// years returns the years, months and days that a path names in digits.
func years(path string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' }), func(number string) bool {
		century := number[:min(2, len(number))]
		return !slices.Contains([]int{4, 6, 8}, len(number)) || century != "19" && century != "20"
	})
}

// entriesAsked returns the entries of a list that hold a word of the query, with those below
// and above them; the whole text when it is no list, or when its entries hold no word of the
// query but those of the headings.
func (s *search) entriesAsked(headings []string, text string) string {
	items, known := listed(text), analyze.Document(nil, strings.Join(headings, "\n"))
	p, _ := s.asked.owner() // whose grammar tells the words that say nothing
	counts, tells := make([]bool, len(items)), false
	for i, e := range items {
		terms := analyze.Document(nil, e.text)
		for _, t := range s.terms {
			if t.Weight >= 1 && slices.Contains(terms, t.Text) && (p.grammar == nil || slices.Contains(p.owners, t.Text) || slices.Contains(p.things, t.Text)) {
				counts[i] = true
				tells = tells || !slices.Contains(known, t.Text)
			}
		}
		counts[i] = counts[i] || e.parent >= 0 && counts[e.parent]
	}
	if !tells {
		return text
	}
	asked := make([]string, len(items)) // empty for those that do not count
	for i := len(items) - 1; i >= 0; i-- {
		if !counts[i] {
			continue
		}
		asked[i] = items[i].text
		if parent := items[i].parent; parent >= 0 {
			counts[parent] = true
		}
	}
	return strings.Join(asked, "\n")
}

// An item is an entry of a list: its lines without those of the entries below it.
type item struct {
	text           string
	indent, parent int // parent is the place of the entry that it stands below, -1 for none
}

// listed returns the entries of a list; nil for a text that is more than a list.
func listed(text string) (items []item) {
	blank := false
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		if rest == "" || rest[0] == '#' {
			blank = true
			continue
		}
		line = strings.ReplaceAll(line, "\t", "    ")
		indent, last := len(line)-len(strings.TrimLeft(line, " ")), len(items)-1
		mark, after, spaced := strings.Cut(strings.TrimLeft(rest, "0123456789"), " ")
		switch {
		case spaced && slices.Contains([]string{"-", "*", "+", ".", ")"}, mark):
			parent := last
			for parent >= 0 && indent < items[parent].indent+2 {
				parent = items[parent].parent
			}
			items = append(items, item{after, indent, parent})
		case last >= 0 && (!blank || indent >= 2):
			items[last].text += "\n" + rest
		default:
			return nil
		}
		blank = false
	}
	return items
}
