package cli

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/memoir-ai/memoir"
)

// onlyOneForm refuses two forms of an answer at once.
func (s *session) onlyOneForm(flags searchFlags) error {
	var forms []string
	for _, f := range []struct {
		name  string
		given bool
	}{{"--json", s.json && !flags.stdin}, {"--stdin", flags.stdin}, {"--files", flags.files}, {"--md", flags.md}, {"--explain", flags.explain && (flags.files || flags.md)}} {
		if f.given {
			forms = append(forms, f.name)
		}
	}
	if len(forms) > 1 && (flags.files || flags.md) {
		return usage("memoir help search", "%s do not go together", strings.Join(forms, " and "))
	}
	return nil
}

// told writes to standard error what an answer says besides its passages.
func (s *session) told(res memoir.Results) {
	for _, d := range res.Degraded {
		if !d.Slight {
			s.warn(d.Part+": "+d.Reason, d.Action)
		}
	}
	if len(res.Hits) == 0 {
		s.say(s.err, "nothing found: %s\n", unbroken(s.language.Say(res.Reason)))
	}
	if res.Nothing != "" {
		fmt.Fprintf(s.err, "%s\n", s.language.Say(res.Nothing))
	}
}

// printFiles writes the paths of the notes that were found, each once, the best first.
func (s *session) printFiles(res memoir.Results) error {
	s.told(res)
	w := bufio.NewWriter(s.out)
	seen := map[memoir.DocID]bool{}
	for _, h := range res.Hits {
		if !seen[h.Doc] {
			seen[h.Doc] = true
			fmt.Fprintln(w, named(string(h.Doc)))
		}
	}
	return w.Flush()
}

// printMarkdown writes the passages as Markdown for pasting: a citation with
// the text below it as a quotation, so that a line of a note is not mistaken
// for one of the page.
func (s *session) printMarkdown(res memoir.Results) error {
	s.told(res)
	w := bufio.NewWriter(s.out)
	for i, h := range res.Hits {
		if i > 0 {
			fmt.Fprintln(w)
		}
		citation := named(h.Citation())
		fence := "`"
		for strings.Contains(citation, fence) {
			fence += "`"
		}
		if len(fence) > 1 {
			citation = " " + citation + " "
		}
		fmt.Fprintf(w, "**%s%s%s**", fence, citation, fence)
		if h.Labels.Has(memoir.LabelSuperseded) {
			fmt.Fprintf(w, " (%s)", s.superseded(&h))
		}
		fmt.Fprint(w, "\n\n")
		for line := range strings.Lines(strings.TrimRight(h.Snippet, "\r\n")) {
			fmt.Fprintln(w, strings.TrimRight("> "+printable(strings.TrimRight(line, "\r\n")), " "))
		}
	}
	return w.Flush()
}
