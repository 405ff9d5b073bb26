package wire

import "github.com/memoir-ai/memoir"

// Why says why a passage is or is not in an answer.
type Why struct {
	Query   string `json:"query"`
	Mode    string `json:"mode"`
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"` // that was asked about
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	// Rank is the place among all that were found, from 1; 0 when it has none.
	Rank     int        `json:"rank"`
	Found    int        `json:"found"`
	Limit    int        `json:"limit"`
	Passage  *Result    `json:"passage,omitempty"`
	Last     *Result    `json:"last,omitempty"` // of the answer
	Missing  []Missing  `json:"missing"`
	Vector   string     `json:"vector,omitempty"` // ready, pending, none or failed; absent when vectors were not searched
	Try      []Remedy   `json:"try"`
	Degraded []Degraded `json:"degraded"`
}

// Missing is a word of the query that the passage does not hold.
type Missing struct {
	Word string   `json:"word"`
	Near []string `json:"near"` // words of the passage that are spelled much like it
}

// Remedy is something that would bring the passage into the answer.
type Remedy struct {
	Action string `json:"action"`
	Rank   int    `json:"rank,omitempty"` // that it then has, as tried
}

// NewWhy returns the JSON form. Slices are never nil.
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
