package secret

import (
	"strings"
	"unicode/utf8"
)

// A Finding is a secret of a text in a form that may be shown.
type Finding struct {
	Line    int // where it begins, counted from 1
	Kind    Kind
	Preview string // the line with its secrets masked; of a long line, the part round the secret
}

// Findings returns the secrets of a text in their order.
func Findings(text string) []Finding {
	masked, spans := Mask(text)
	if len(spans) == 0 {
		return nil
	}
	lines := strings.Split(masked, "\n")
	findings := make([]Finding, len(spans))
	line, at := 0, 0
	inLine := 0 // how many secrets stand before this one in the same line
	for i, s := range spans {
		n := strings.Count(text[at:s.Start], "\n")
		if n > 0 {
			inLine = 0
		}
		line += n
		at = s.Start
		findings[i] = Finding{Line: line + 1, Kind: s.Kind, Preview: preview(lines[line], s.Kind, inLine)}
		inLine++
	}
	return findings
}

// previewLength is how many characters of a line are shown round a secret.
const previewLength = 120

// preview returns a masked line, or the part round the mark of a kind when the line is
// too long to show whole. nth is how many marks stand before that mark.
func preview(line string, kind Kind, nth int) string {
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= previewLength {
		return line
	}
	mark := Mark(kind)
	at := 0
	for range nth {
		if i := strings.Index(line[at:], markStart); i >= 0 {
			at += i + 1
		}
	}
	if i := strings.Index(line[at:], mark); i >= 0 {
		at += i
	}
	before, after := []rune(line[:at]), []rune(line[at:])
	const lead = previewLength / 3
	text := string(before)
	if len(before) > lead {
		text = "…" + string(before[len(before)-lead:])
	}
	if len(after) > previewLength-lead {
		return text + string(after[:previewLength-lead]) + "…"
	}
	return text + string(after)
}
