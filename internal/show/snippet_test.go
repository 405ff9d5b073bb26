package show

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
)

// TestMatcher: words beyond ASCII are found in all their ways of writing.
func TestMatcher(t *testing.T) {
	m := newMatcher(analyze.Query("数据 naïve"))
	for _, word := range []string{"数据", "naïve", "naive", "(naïve"} {
		if !m.holds(word) {
			t.Errorf("%q is not found", word)
		}
	}
}

// TestBegins: a snippet begins with a sentence where it can.
func TestBegins(t *testing.T) {
	wrapped := "The harbour was closed for nine days because of the storm that came in\nfrom the north. Boats waited outside. The pilot said that the quay was broken at\nits western end, and that nobody may land there before the spring comes round.\n"
	code := strings.Repeat("call_the_function_with_many_arguments(first_argument, second_argument)\nreturn_it_to_whoever_called_for_it_in_the_first_place(the_result)\n", 6)
	tests := []struct {
		name, text, query string
		ordinal           int
		label             memoir.Label
		chars             int
		want              string
	}{
		{"the end of a sentence", "and so it was left. The quay is broken.", "quay", 3, "", 0, "The quay is broken."},
		{"of a paragraph", "and so it was left.\n\n- The quay is broken.", "quay", 3, "", 0, "- The quay is broken."},
		{"one that matches", "and so the quay was left. The boats are gone.", "quay", 3, "", 0, "and so the quay was left. The boats are gone."},
		{"at the start of a note", "and so it was left. The quay is broken.", "quay", 0, "", 0, "and so it was left. The quay is broken."},
		{"no capitals", "it was left. the quay is broken.", "quay", 3, "", 0, "it was left. the quay is broken."},
		{"a word without an end", "harbour\n\nThe quay is broken.", "quay", 3, "", 0, "harbour\n\nThe quay is broken."},
		{"code", "run the quay.\nThe(quay)", "broken", 3, memoir.LabelCode, 0, "run the quay.\nThe(quay)"},
		{"Chinese", "他走了。码头坏了。", "码头", 3, "", 0, "他走了。码头坏了。"},
		{"a line broken in a sentence", wrapped, "western", 0, "", 160, "Boats waited outside. The pilot said that the quay was broken at\nits western end, and that nobody may land there before the spring comes round."},
		{"lines of code stay lines", "```\n" + code + "```\n", "return_it_to_whoever_called_for_it_in_the_first_place", 0, "", 100, "return_it_to_whoever_called_for_it_in_the_first_place(the_result)"},
		{"not UTF-8", "\xffa. The quay", "quay", 3, "", 0, "\xffa. The quay"},
	}
	for _, tt := range tests {
		c := memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: "a.md", Ordinal: tt.ordinal}}, Text: tt.text, StartLine: 1, EndLine: 1 + strings.Count(tt.text, "\n")}
		if tt.label != "" {
			c.Labels = memoir.Labels{tt.label}
		}
		res := memoir.Results{Hits: []memoir.Hit{{Chunk: c}}}
		Snippets(&res, Options{Terms: analyze.Query(tt.query), MaxChars: tt.chars, ChunkTokens: 10, Read: func([]memoir.ChunkID) []memoir.Chunk { return nil }})
		h := res.Hits[0]
		if h.Snippet != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, h.Snippet, tt.want)
		}
		if want := 1 + strings.Count(tt.text[:strings.Index(tt.text, tt.want)], "\n"); h.SnippetStart != want {
			t.Errorf("%s: begins at line %d, want %d", tt.name, h.SnippetStart, want)
		}
	}
}

// In a line or two of a brief answer the text is shown, and not the heading above it,
// which the line with its place says.
func TestBriefShowsText(t *testing.T) {
	long := strings.Repeat("The quay of the harbour is broken. ", 45)
	text := "# Harbour\n\n## Quay\n\nNobody may land at the harbour before the spring comes round because of the storm that broke it, which went on for nine days and nights and left no stone of it where it had been before.\n"
	chunk := func(doc memoir.DocID, text string) memoir.Chunk {
		return memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: doc}}, Title: "Harbour", Heading: []string{"Quay"}, Text: text, StartLine: 1, EndLine: 1 + strings.Count(text, "\n")}
	}
	res := memoir.Results{Hits: []memoir.Hit{{Chunk: chunk("a.md", long)}, {Chunk: chunk("b.md", long)}, {Chunk: chunk("c.md", long)}, {Chunk: chunk("d.md", text)}, {Chunk: chunk("e.md", "## Quay\n")}}}
	Snippets(&res, Options{Terms: analyze.Query("harbour quay"), Brief: true, ChunkTokens: 180})
	if h := res.Hits[3]; !strings.HasPrefix(h.Snippet, "Nobody may land") || h.SnippetStart != 5 {
		t.Errorf("line %d: %q", h.SnippetStart, h.Snippet)
	}
	if h := res.Hits[4]; h.Snippet != "## Quay" {
		t.Errorf("a passage of a heading alone shows %q", h.Snippet)
	}
}

// What is cut to fit a budget shows text and not the heading, which the line above it says.
func TestBudgetShowsText(t *testing.T) {
	long := "# Harbour\n\nBoats and more boats lie at the long quay until the tide is in and the wind has turned to the west, and then they go.\n"
	res := memoir.Results{Hits: []memoir.Hit{{Chunk: memoir.Chunk{StartLine: 1, EndLine: 3, Title: "Harbour", Text: long}}}}
	Snippets(&res, Options{Terms: analyze.Query("harbour"), MaxTokens: 12, ChunkTokens: 1, Read: func([]memoir.ChunkID) []memoir.Chunk { return nil }})
	if h := res.Hits[0]; !strings.HasPrefix(h.Snippet, "Boats and more") || h.SnippetStart != 3 {
		t.Errorf("a cut passage shows its heading, which stands above it: %d: %q", h.SnippetStart, h.Snippet)
	}
}

// A snippet neither begins nor ends inside a link.
func TestLinksAreWhole(t *testing.T) {
	for _, tt := range []struct{ text, query string }{
		{strings.Repeat("and then the rain fell on the hills ", 8) + "where [the old Anderson farm](people/mia-anderson-5) has stood with its sheep for years and " + strings.Repeat("the wind blew over the moors ", 8), "sheep"},
		{"The sheep of " + strings.Repeat("the wind and the moors ", 5) + "belong to [the people of the old Anderson farm](people/mia-anderson-5) and " + strings.Repeat("rain fell on the hills ", 8), "sheep"},
	} {
		for chars := 100; chars < 230; chars += 5 {
			res := memoir.Results{Hits: []memoir.Hit{{Chunk: memoir.Chunk{Text: tt.text, StartLine: 1, EndLine: 1}}}}
			Snippets(&res, Options{Terms: analyze.Query(tt.query), MaxChars: chars, ChunkTokens: 10, Read: func([]memoir.ChunkID) []memoir.Chunk { return nil }})
			got := res.Hits[0].Snippet
			if open, whole := strings.Count(got, "["), strings.Count(got, "](people/mia-anderson-5)"); open != whole || strings.Count(got, ")") != whole || !strings.Contains(got, "sheep") || len(got) > chars {
				t.Errorf("%d characters: %q", chars, got)
			}
		}
	}
}

// TestMatchesBroken: a text that is not UTF-8 is looked through like any other.
func TestMatchesBroken(t *testing.T) {
	m := newMatcher(analyze.Query("数据库 ÿ"))
	for _, text := range []string{"数\xff", "\xff", "\xff\xfe数据\xe6", "数据\xe6\x95", "é\xff", "\xe6\x95数据库"} {
		for _, s := range m.matches(text) {
			if s.Start < 0 || s.End > len(text) || s.Start >= s.End {
				t.Errorf("%q: %+v", text, s)
			}
		}
	}
}
