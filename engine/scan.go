package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/secret"
)

// Scan looks for secrets in all documents as the sources have them now, in the
// order of the sources. It reads no index and writes nothing.
func (e *Engine) Scan(ctx context.Context) ([]memoir.Finding, memoir.ScanStats, error) {
	var findings []memoir.Finding
	var stats memoir.ScanStats
	for _, src := range e.sources {
		for entry, err := range src.Scan(ctx) {
			if err != nil {
				return nil, stats, fmt.Errorf("scan the workspace: %w", err)
			}
			if entry.Skip != "" {
				stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: entry.ID, Reason: entry.Skip})
				continue
			}
			doc, err := src.Read(ctx, entry.ID)
			var skip *memoir.SkipError
			switch {
			case errors.Is(err, memoir.ErrNotFound):
				continue // it vanished
			case errors.As(err, &skip):
				stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: entry.ID, Reason: skip.Reason})
				continue
			case err != nil:
				return nil, stats, fmt.Errorf("read %s: %w", entry.ID, err)
			}
			stats.Scanned++
			findings = append(findings, findingsIn(doc)...)
		}
	}
	return findings, stats, nil
}

// findingsIn returns the secrets of a document in the order of its text.
func findingsIn(doc memoir.Document) []memoir.Finding {
	masked, spans := secret.Mask(doc.Text)
	if len(spans) == 0 {
		return nil
	}
	lines := strings.Split(masked, "\n")
	findings := make([]memoir.Finding, len(spans))
	line, at := 0, 0
	inLine := 0 // how many secrets stand before in the same line
	for i, s := range spans {
		n := strings.Count(doc.Text[at:s.Start], "\n")
		if n > 0 {
			inLine = 0
		}
		line += n
		at = s.Start
		findings[i] = memoir.Finding{ID: doc.ID, Line: line + 1, Kind: string(s.Kind), Preview: preview(lines[line], string(s.Kind), inLine)}
		inLine++
	}
	return findings
}

// previewLength is how many characters of a line are shown round a secret.
const previewLength = 120

// preview returns what stands in a masked line round the mark of a kind, when
// it is too long to be shown whole. nth is how many marks stand before it.
func preview(line, kind string, nth int) string {
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= previewLength {
		return line
	}
	mark := secret.Mark(secret.Kind(kind))
	at := 0
	for range nth {
		if i := strings.Index(line[at:], "[secret: "); i >= 0 {
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
