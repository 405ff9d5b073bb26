package search

import (
	"embed"
	"iter"
	"strings"
)

//go:embed data/*.txt
var data embed.FS

// dataLines yields the lines of a data file with the name of the list that each is in, without
// comments and empty lines.
func dataLines(file string) iter.Seq2[string, string] {
	text, err := data.ReadFile("data/" + file)
	if err != nil {
		panic(err) // it is embedded
	}
	return func(yield func(list, line string) bool) {
		list := ""
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			switch name, ok := strings.CutPrefix(line, "["); {
			case line == "" || line[0] == '#':
			case ok:
				list = strings.TrimSuffix(name, "]")
			case !yield(list, line):
				return
			}
		}
	}
}
