package wire

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/citation"
	"github.com/memoir-ai/memoir/internal/show"
)

// Found is the answer to a search for a model: the parts of an [Answer] that it
// needs, under the same names.
type Found struct {
	Results   []Passage  `json:"results"`             // by score, the highest first; without those that would show nothing
	Reason    string     `json:"reason,omitempty"`    // why there are no results
	Nothing   string     `json:"nothing,omitempty"`   // says that no result is clearly relevant
	Degraded  []Degraded `json:"degraded,omitempty"`  // what could not take part; absent when all did, or when what is missing can hardly change the answer
	Truncated bool       `json:"truncated,omitempty"` // passages were left out, or the last snippet cut, to stay within the budget
	Left      int        `json:"left,omitempty"`      // further passages that do not fit in any answer
}

// Passage is one passage of an answer for a model.
type Passage struct {
	Citation  string  `json:"citation"`         // path and lines, to quote as the source; user: or project: before it where two memories answer as one
	Path      string  `json:"path"`             // file below the workspace
	Scope     string  `json:"scope,omitempty"`  // project: the passage is among a project's notes; absent for the user's own
	Title     string  `json:"title,omitempty"`  // of the note and the headings above the passage; the note's own only at its first passage, and headings only where the passage of the note before has others
	Date      string  `json:"date,omitempty"`   // day the note is about, YYYY-MM-DD; absent when citation or title says it
	Score     float64 `json:"score"`            // what orders the results, between 0 and 1
	Relevance float64 `json:"relevance"`        // the chance that the passage answers the query, between 0 and 1
	Status    string  `json:"status,omitempty"` // superseded, since when and by what, which is its citation or, where no note has it, its id; absent while it holds
	Later     string  `json:"later,omitempty"`  // citation of a newer passage that may update it
	Snippet   string  `json:"snippet"`          // the lines round the best match, without headings that the title says; … where it begins or ends inside a sentence
}

// Name returns the name of a passage's note: its citation without the lines.
func (p *Passage) Name() string {
	name, _, _, _ := citation.Parse(p.Citation) // it always has lines
	return name
}

// Below stands between a title or heading and the one below it.
const Below = " > "

// cutMark stands where a snippet begins or ends inside a sentence.
const cutMark = "…"

// MaxTitle is how many characters of [Passage.Title] a model is shown at most.
const MaxTitle = 200

// DayOf returns the day that a line about a hit names beside its place and its title:
// that of the hit, or "" when one of them says it.
func DayOf(day string, others ...string) string {
	if slices.ContainsFunc(others, func(o string) bool { return strings.Contains(o, day) }) {
		return ""
	}
	return day
}

// NewFound returns results in the form for a model. Results is never nil.
func NewFound(res memoir.Results) Found {
	f := Found{Results: make([]Passage, 0, len(res.Hits)), Reason: res.Reason, Nothing: res.Nothing, Truncated: res.Truncated}
	for _, d := range res.Degraded {
		if !d.Slight { // agents show their models this form
			f.Degraded = append(f.Degraded, Degraded(d))
		}
	}
	above := map[string]string{} // for each note, headings of its last passage; the note's title stands above those of its first
	for _, h := range res.Hits {
		if h.Snippet == "" {
			continue
		}
		p := Passage{
			Citation: h.Citation(), Path: string(h.Doc), Relevance: math.Round(h.Relevance*100) / 100,
			Score: math.Round(h.Score*100) / 100, Later: h.Later, Snippet: strings.Trim(h.Snippet, "\r\n"),
		}
		if OfProject(&h) {
			p.Scope = string(h.Scope)
		}
		path, title := h.Heading, h.Title
		if title == h.Date { // which Date says
			title = ""
		}
		p.Date = DayOf(h.Date, p.Citation, title)
		note, headings := h.Scope.Name(h.Doc), strings.Join(h.Heading, Below)
		last, known := above[note]
		if above[note] = headings; title != "" && !known {
			path = append([]string{title}, path...)
		}
		if p.Title = strings.Join(path, Below); utf8.RuneCountInString(p.Title) <= MaxTitle {
			p.Snippet = strings.Trim(h.Snippet[show.Headings(&h):], "\r\n")
		}
		if known && last == headings {
			p.Title = ""
		}
		begins, ends := show.Cut(&h)
		if begins {
			p.Snippet = cutMark + strings.TrimSpace(p.Snippet)
		}
		if ends {
			p.Snippet += cutMark
		}
		if h.Labels.Has(memoir.LabelSuperseded) {
			p.Status = string(memoir.LabelSuperseded)
			if day := h.Labels.Value(memoir.KeyUntil); day != "" {
				p.Status += " on " + day
			}
			if by := cmp.Or(h.Successor, h.Labels.Value(memoir.KeyBy)); by != "" {
				p.Status += " by " + by
			}
		}
		f.Results = append(f.Results, p)
	}
	return f
}

// OfProject reports whether a passage is among a project's notes. Sessions and collections
// are the user's, whichever index has them.
func OfProject(h *memoir.Hit) bool { return h.Scope == memoir.ScopeProject && !h.Kind.ReadOnly() }

// ByNote groups the passages of an answer by note: the notes in the order of
// their best passages, and the passages of each in the order of the answer.
func ByNote[T any](passages []T, note func(T) string) [][]T {
	var groups [][]T
	place := map[string]int{}
	for _, p := range passages {
		i, ok := place[note(p)]
		if !ok {
			i = len(groups)
			place[note(p)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}
