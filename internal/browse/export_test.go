package browse

import "github.com/memoir-ai/memoir/internal/wording"

// What tests ask of the parts.
var (
	Fit  = fit
	Wrap = wrap
)

// Keys returns the names of the keys, and the characters that were typed.
func Keys(sent []byte) (names []string, rest []byte) {
	all, rest := keys(sent)
	for _, k := range all {
		if k.name == "text" {
			k.name = string(k.text)
		}
		names = append(names, k.name)
	}
	return names, rest
}

// Draw returns what a view of a size draws of a note.
func Draw(width, height int, query, title, text string, printable func(string) string) string {
	v := view{width: width, height: height, query: []rune(query), printable: printable}
	v.list([]row{{name: "memory/" + title + ".md", title: title, date: "2026-03-02", from: 1, to: 1}})
	v.lines, v.shown = []string{text}, v.rows[0]
	return v.draw()
}

// Without returns a text without some lines.
func Without(text string, shown []string, from, to int) (string, bool) {
	return without(text, shown, row{from: from, to: to})
}

// DrawHelp returns what a view without notes draws in a language, or its help.
func DrawHelp(language wording.Language, help bool, printable func(string) string) string {
	v := view{width: 80, height: 24, help: help, language: language, printable: printable}
	return v.draw()
}
