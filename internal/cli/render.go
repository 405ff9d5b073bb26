package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/show"
	"github.com/memoir-ai/memoir/internal/wire"
)

// indent stands before every line of a passage.
const indent = "       "

// printResults writes an answer for people.
func (s *session) printResults(res memoir.Results, st style) error {
	s.told(res)
	w := bufio.NewWriter(s.out)
	if u := res.Understood; u != nil {
		fmt.Fprintln(w, st.wrapped(st.dim, s.understood(u)))
	}
	if len(res.Terms) > 0 {
		fmt.Fprintln(w, st.wrapped(st.dim, s.said("words: %s", s.terms(res.Terms))))
	}
	for i, hits := range wire.ByNote(res.Hits, func(h memoir.Hit) string { return h.Scope.Name(h.Doc) }) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		s.note(w, st, hits)
	}
	if res.Truncated {
		defer s.say(s.err, "%s shown; more was found than the budget leaves room for\n", count(res.Tokens, "token"))
	}
	return w.Flush()
}

// dots is the number of dots for the highest relevance.
const dots = 5

// relevance shows how likely a passage answers: ●●●○○.
func relevance(h *memoir.Hit) string {
	n := dotsOf(h)
	return strings.Repeat("●", n) + strings.Repeat("○", dots-n)
}

// dotsOf returns how many dots a hit has.
func dotsOf(h *memoir.Hit) int { return int(math.Round(h.Relevance * dots)) }

// note writes the hits of one note: for the first its place, title and day, for
// the others their lines, and their headings where those change.
func (s *session) note(w *bufio.Writer, st style, hits []memoir.Hit) {
	first := &hits[0]
	path := first.Heading
	if first.Title != "" && first.Title != first.Date {
		path = append([]string{first.Title}, path...)
	}
	title := strings.Join(path, wire.Below)
	whose := ""
	if wire.OfProject(first) {
		whose = s.said("the project's notes")
	}
	s.hit(w, st, first, first.Citation(), whose, title, wire.DayOf(first.Date, first.Citation(), title))
	var bare []string
	for i := range hits[1:] {
		h, above := &hits[i+1], &hits[i]
		path = h.Heading
		if slices.Equal(path, above.Heading) {
			path = nil
		}
		if lines := strings.TrimPrefix(h.Citation(), h.Scope.Name(h.Doc)); h.Snippet == "" && h.Explain == nil && len(h.AlsoIn) == 0 {
			bare = append(bare, st.place(h.Scope, h.Doc, h.StartLine, named(lines)))
			continue
		}
		day := ""
		if h.Date != above.Date {
			day = wire.DayOf(h.Date, h.Citation())
		}
		s.hit(w, st, h, strings.TrimPrefix(h.Citation(), h.Scope.Name(h.Doc)), strings.Join(path, wire.Below), day)
	}
	if len(bare) > 0 { // of which a brief answer shows no text: a line for each would say nothing
		fmt.Fprintf(w, "%s%s\n", indent, st.wrapped(st.dim, s.said("also found: %s", s.language.Join(bare))))
	}
}

// hit writes one line with the relevance, the place and other facts of a hit,
// and the passage below it.
func (s *session) hit(w *bufio.Writer, st style, h *memoir.Hit, place string, about ...string) {
	fmt.Fprintf(w, "%s  %s", relevance(h), st.place(h.Scope, h.Doc, h.StartLine, st.wrapped(st.bold, named(place))))
	for _, part := range about {
		if part != "" {
			fmt.Fprintf(w, "  %s", st.wrapped(st.dim, part))
		}
	}
	fmt.Fprintln(w)
	if h.Labels.Has(memoir.LabelSuperseded) {
		fmt.Fprintf(w, "%s%s\n", indent, st.wrapped(st.dim, s.superseded(h)))
	}
	if h.Later != "" {
		fmt.Fprintf(w, "%s%s\n", indent, st.wrapped(st.dim, s.said("possibly updated by %s", named(h.Later))))
	}
	for _, c := range h.AlsoIn {
		fmt.Fprintf(w, "%s%s\n", indent, st.place(c.Scope, c.Doc, c.StartLine, st.wrapped(st.dim, s.said("also in %s", named(c.Citation())))))
	}
	if x := h.Explain; x != nil {
		fmt.Fprintf(w, "%s%s\n", indent, st.wrapped(st.dim, s.explained(x)))
	}
	st.passage(w, h.Snippet, show.Headings(h), h.Highlights)
}

// superseded says since when a hit no longer holds, and what holds in its place.
func (s *session) superseded(h *memoir.Hit) string {
	day, by := h.Labels.Value(memoir.KeyUntil), named(h.Successor)
	switch {
	case day != "" && by != "":
		return s.said("superseded on %s by %s", day, by)
	case day != "":
		return s.said("superseded on %s", day)
	case by != "":
		return s.said("superseded by %s", by)
	}
	return s.said("superseded")
}

// passage writes the lines from start on with what matched highlighted.
func (s style) passage(w *bufio.Writer, text string, start int, spans []memoir.Span) {
	for line := range strings.Lines(text[start:]) {
		end := start + len(line)
		body := strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(body) != "" {
			for from, to := range s.wrap(body, len(indent)) {
				w.WriteString(indent)
				s.line(w, text, start+from, start+to, spans)
				w.WriteByte('\n')
			}
		}
		start = end
	}
}

// line writes the bytes from start to end.
func (s style) line(w *bufio.Writer, text string, start, end int, spans []memoir.Span) {
	at := start
	for _, span := range spans {
		from, to := max(span.Start, at), min(span.End, end)
		if from >= to {
			continue
		}
		w.WriteString(s.text(text[at:from]))
		w.WriteString(s.wrapped(s.match, text[from:to]))
		at = to
	}
	w.WriteString(s.text(text[at:end]))
}

func (s *session) explained(x *explain.Score) string {
	if x.Fusion == "" {
		return s.language.Say("it passes the filters")
	}
	parts := s.said("%s: words %s, vectors %s", x.Fusion, s.part(x.Text), s.part(x.Vector))
	if x.Link.From != "" {
		parts += s.said(", link %.3f from %s", x.Link.Score, x.Link.From)
	}
	for _, p := range x.Signals {
		parts += s.said(", %s %+.3f (%.2f)", p.Name, p.Change, p.Value)
	}
	if x.Exact.Above > 0 {
		format := ", raised above %.3f for a phrase in quotes"
		if x.Exact.Name {
			format = ", raised above %.3f for its name"
		}
		parts += s.said(format, x.Exact.Above)
	}
	switch r := x.Rerank; {
	case r.Exact:
		parts += s.said(", place %d at %.3f before reranking, kept above for what it holds exactly", r.Rank, r.Score)
	case r.Rank > 0:
		parts += s.said(", place %d at %.3f before reranking, raw %.3f", r.Rank, r.Score, r.Raw)
	}
	return parts
}

// understood says in one line how a query was read.
func (s *session) understood(u *explain.Understood) string {
	line := s.said("understood: %s", cmp.Or(unbroken(u.Text), s.language.Say("filters alone")))
	add := func(format string, list []string) {
		if len(list) > 0 {
			line += s.said(format, unbroken(strings.Join(list, ", ")))
		}
	}
	add("; filters %s", u.Filters)
	add("; phrases first %s", u.Phrases)
	var when []string
	for _, d := range u.When {
		when = append(when, s.said("%s to %s", d.From, d.To))
	}
	add("; time %s", when)
	return line
}

func (s *session) part(p explain.Part) string {
	place := s.language.Say("not in the list")
	if p.Rank > 0 {
		place = s.said("rank %d", p.Rank)
	}
	return s.said("%.3f × %.2f (%s, raw %.3f)", p.Score, p.Weight, place, p.Raw)
}

func (s *session) terms(list []memoir.Term) string {
	parts := make([]string, len(list))
	for i, t := range list {
		parts[i] = fmt.Sprintf("%s %.2f", t.Text, t.Weight)
	}
	return s.language.Join(parts)
}
