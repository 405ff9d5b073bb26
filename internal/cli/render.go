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
func (s *session) printResults(res memoir.Results) error {
	s.told(res)
	st := s.style()
	w := bufio.NewWriter(s.out)
	if u := res.Understood; u != nil {
		fmt.Fprintln(w, st.wrapped(st.dim, printable(understood(u))))
	}
	if len(res.Terms) > 0 {
		fmt.Fprintln(w, st.wrapped(st.dim, "words: "+terms(res.Terms)))
	}
	for i, hits := range wire.ByNote(res.Hits, func(h memoir.Hit) string { return h.Scope.Name(h.Doc) }) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		st.note(w, hits)
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
	n := int(math.Round(h.Relevance * dots))
	return strings.Repeat("●", n) + strings.Repeat("○", dots-n)
}

// note writes the hits of one note: for the first its place, title and day, for
// the others their lines, and their headings where those change.
func (s style) note(w *bufio.Writer, hits []memoir.Hit) {
	first := &hits[0]
	path := first.Heading
	if first.Title != "" && first.Title != first.Date {
		path = append([]string{first.Title}, path...)
	}
	title := strings.Join(path, wire.Below)
	s.hit(w, first, first.Citation(), title, wire.DayOf(first.Date, first.Citation(), title))
	for i := range hits[1:] {
		h, above := &hits[i+1], &hits[i]
		path = h.Heading
		if slices.Equal(path, above.Heading) {
			path = nil
		}
		s.hit(w, h, strings.TrimPrefix(h.Citation(), h.Scope.Name(h.Doc)), strings.Join(path, wire.Below))
	}
}

// hit writes one line with the relevance, the place and other facts of a hit,
// and the passage below it.
func (s style) hit(w *bufio.Writer, h *memoir.Hit, place string, about ...string) {
	fmt.Fprintf(w, "%s  %s", relevance(h), s.wrapped(s.bold, unbroken(place)))
	for _, part := range about {
		if part != "" {
			fmt.Fprintf(w, "  %s", s.wrapped(s.dim, unbroken(part)))
		}
	}
	fmt.Fprintln(w)
	for _, c := range h.AlsoIn {
		fmt.Fprintf(w, "%s%s\n", indent, s.wrapped(s.dim, "also in "+unbroken(c.Citation())))
	}
	if x := h.Explain; x != nil {
		fmt.Fprintf(w, "%s%s\n", indent, s.wrapped(s.dim, explained(x)))
	}
	s.passage(w, h.Snippet, show.Headings(h), h.Highlights)
}

// passage writes the lines from start on with what matched highlighted.
func (s style) passage(w *bufio.Writer, text string, start int, spans []memoir.Span) {
	for line := range strings.Lines(text[start:]) {
		end := start + len(line)
		body := strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(body) != "" {
			w.WriteString(indent)
			s.line(w, text, start, start+len(body), spans)
			w.WriteByte('\n')
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

// unbroken puts a text with line ends on one line.
func unbroken(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

func explained(x *explain.Score) string {
	if x.Fusion == "" {
		return "it passes the filters"
	}
	parts := fmt.Sprintf("%s: words %s, vectors %s", x.Fusion, part(x.Text), part(x.Vector))
	if x.Link.From != "" {
		parts += fmt.Sprintf(", link %.3f from %s", x.Link.Score, x.Link.From)
	}
	for _, p := range x.Signals {
		parts += fmt.Sprintf(", %s %+.3f (%.2f)", p.Name, p.Change, p.Value)
	}
	if x.Exact.Above > 0 {
		what := "a phrase in quotes"
		if x.Exact.Name {
			what = "its name"
		}
		parts += fmt.Sprintf(", raised above %.3f for %s", x.Exact.Above, what)
	}
	switch r := x.Rerank; {
	case r.Exact:
		parts += fmt.Sprintf(", place %d at %.3f before reranking, kept above for what it holds exactly", r.Rank, r.Score)
	case r.Rank > 0:
		parts += fmt.Sprintf(", place %d at %.3f before reranking, raw %.3f", r.Rank, r.Score, r.Raw)
	}
	return parts
}

// understood says in one line how a query was read.
func understood(u *explain.Understood) string {
	line := "understood: " + cmp.Or(unbroken(u.Text), "filters alone")
	add := func(what string, list []string) {
		if len(list) > 0 {
			line += "; " + what + " " + unbroken(strings.Join(list, ", "))
		}
	}
	add("filters", u.Filters)
	add("phrases first", u.Phrases)
	var when []string
	for _, d := range u.When {
		when = append(when, d.From+" to "+d.To)
	}
	add("time", when)
	return line
}

func part(p explain.Part) string {
	place := "not in the list"
	if p.Rank > 0 {
		place = fmt.Sprintf("rank %d", p.Rank)
	}
	return fmt.Sprintf("%.3f × %.2f (%s, raw %.3f)", p.Score, p.Weight, place, p.Raw)
}

func terms(list []memoir.Term) string {
	parts := make([]string, len(list))
	for i, t := range list {
		parts[i] = fmt.Sprintf("%s %.2f", t.Text, t.Weight)
	}
	return strings.Join(parts, ", ")
}
