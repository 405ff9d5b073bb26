package wire

import "github.com/memoir-ai/memoir"

// Findings are the secrets in the notes of a workspace.
type Findings struct {
	Findings []Finding `json:"findings"` // ordered by path and line; empty when there are none
}

// Finding is a secret in a note.
type Finding struct {
	Path    string `json:"path"`    // below the workspace
	Line    int    `json:"line"`    // in which it begins, counted from 1
	Kind    string `json:"kind"`    // one of [secret.Kind]
	Preview string `json:"preview"` // the line with its secrets masked, or what stands round the secret in a long one
}

// NewFindings returns the JSON form of findings; the list is never nil.
func NewFindings(findings []memoir.Finding) Findings {
	out := Findings{make([]Finding, len(findings))}
	for i, f := range findings {
		out.Findings[i] = Finding{string(f.ID), f.Line, f.Kind, f.Preview}
	}
	return out
}
