package wire

import (
	"github.com/memoir-ai/memoir"
)

// Why says why a passage is or is not in an answer.
type Why struct {
	Query   string `json:"query"`          // as it was searched
	Mode    string `json:"mode"`           // what was searched, one of [memoir.Mode]
	Path    string `json:"path"`           // of the note, below the workspace
	Line    int    `json:"line,omitempty"` // that was asked about, counted from 1; without it, the note's best passage was meant
	Verdict string `json:"verdict"`        // what became of the passage, one of [explain.Verdict]
	Reason  string `json:"reason"`         // the verdict in a sentence
	// Place of the passage among all that were found, from 1; 0 when it has
	// none.
	Rank  int `json:"rank"`
	Found int `json:"found"` // how many passages were found, as far as was searched
	Limit int `json:"limit"` // notes that were asked for
	// The passage with its scores explained; absent when the note has none
	// there.
	Passage *Result `json:"passage,omitempty"`
	Last    *Result `json:"last,omitempty"` // last result of the answer; absent when there is none
	// Words of the query that the passage, its title, headings and date do not
	// hold.
	Missing  []Missing  `json:"missing"`
	Vector   string     `json:"vector,omitempty"` // one of [explain.VectorState]; absent when vectors were not searched
	Try      []Remedy   `json:"try"`              // what would find the passage, the simplest first; empty for a hit
	Degraded []Degraded `json:"degraded"`         // what could not take part; empty when all did
}

// Missing is a word of the query that the passage does not hold.
type Missing struct {
	Word string   `json:"word"` // as it was asked
	Near []string `json:"near"` // words of the passage that are spelled much like it, nearest first
}

// Remedy is something that would bring the passage into the answer.
type Remedy struct {
	Action string `json:"action"`         // a command, a flag or a step
	Rank   int    `json:"rank,omitempty"` // place that the passage would then have; absent when that was not tried
}

// NewWhy returns the JSON form of an explanation. Its slices are never nil.
func NewWhy(w memoir.Why) Why {
	out := Why{
		Query: w.Query, Mode: string(w.Mode), Path: string(w.Doc), Line: w.Line, Verdict: string(w.Verdict), Reason: w.Reason,
		Rank: w.Rank, Found: w.Found, Limit: w.Limit, Missing: []Missing{}, Vector: string(w.Vector), Try: []Remedy{}, Degraded: []Degraded{},
	}
	if w.Passage != nil {
		r := newResult(*w.Passage)
		out.Passage = &r
	}
	if w.Last != nil {
		r := newResult(*w.Last)
		out.Last = &r
	}
	for _, m := range w.Missing {
		out.Missing = append(out.Missing, Missing{m.Word, append([]string{}, m.Near...)})
	}
	for _, t := range w.Try {
		out.Try = append(out.Try, Remedy(t))
	}
	for _, d := range w.Degraded {
		out.Degraded = append(out.Degraded, Degraded(d))
	}
	return out
}
