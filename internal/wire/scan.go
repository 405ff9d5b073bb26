package wire

import (
	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// Findings are the secrets in the notes of a workspace and in what is kept of them.
type Findings struct {
	Findings []Finding `json:"findings"` // those of notes ordered by path and line; empty when there are none
}

// Finding is a secret in a note, in the history, in the query log, in a summary that waits to
// be kept or in a left-over file.
type Finding struct {
	Path    string `json:"path"`             // of the note or left-over file, below the workspace; empty in the query log; the name of the file of a summary that waits
	Line    int    `json:"line"`             // in which it begins, counted from 1; 0 in the history
	Kind    string `json:"kind"`             // one of [secret.Kind]
	Preview string `json:"preview"`          // the line with its secrets masked, or what stands round the secret in a long one
	In      string `json:"in,omitempty"`     // history, queries, hooks or leftover; a note when left out
	Change  string `json:"change,omitempty"` // id of the change of the history
}

// Fixed is what became of secrets that were to be masked.
type Fixed struct {
	Findings
	Masked  []string  `json:"masked"`           // paths of the notes that were masked
	Skipped []Skipped `json:"skipped"`          // notes that were not, with the reason
	Change  string    `json:"change,omitempty"` // id of the change, in memoir history; left out when no note was changed
}

// NewFixed returns the JSON form of masked notes. Its lists are never nil.
func NewFixed(findings []engine.Finding, notes []string, skipped []memoir.Skipped, change string) Fixed {
	x := Fixed{Findings: NewFindings(findings), Masked: append([]string{}, notes...), Skipped: []Skipped{}, Change: change}
	for _, s := range skipped {
		x.Skipped = append(x.Skipped, Skipped{string(s.ID), s.Reason})
	}
	return x
}

// NewFindings returns the JSON form of findings. The list is never nil.
func NewFindings(findings []engine.Finding) Findings {
	out := Findings{make([]Finding, len(findings))}
	for i, f := range findings {
		out.Findings[i] = Finding{string(f.ID), f.Line, f.Kind, f.Preview, string(f.In), f.Change}
	}
	return out
}

// SecretsAnswer is the JSON of scan --stdin for one text.
type SecretsAnswer struct {
	Secret bool         `json:"secret"` // the text holds one
	Spans  []SecretSpan `json:"spans"`  // where secrets stand, in order
}

// SecretSpan is where a secret stands, in characters, Unicode code points from 0.
type SecretSpan struct {
	Start int    `json:"start"` // the first character
	End   int    `json:"end"`   // the one behind the last
	Kind  string `json:"kind"`  // one of [secret.Kind]
}
