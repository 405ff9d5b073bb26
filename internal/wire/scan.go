package wire

import "github.com/memoir-ai/memoir"

// Findings are the secrets in the notes of a workspace.
type Findings struct {
	Findings []Finding `json:"findings"`
}

// Finding is a secret in a note.
type Finding struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Kind    string `json:"kind"`
	Preview string `json:"preview"` // the line with its secrets masked
}

// NewFindings returns the JSON form of findings; the list is never nil.
func NewFindings(findings []memoir.Finding) Findings {
	out := Findings{make([]Finding, len(findings))}
	for i, f := range findings {
		out.Findings[i] = Finding{string(f.ID), f.Line, f.Kind, f.Preview}
	}
	return out
}
