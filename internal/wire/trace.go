package wire

import (
	"time"

	"github.com/memoir-ai/memoir/internal/trace"
)

// TracedAnswer is an answer with what it took.
type TracedAnswer struct {
	Answer
	Trace []Stage `json:"trace"` // in the order in which they began; they may run side by side, and one within another
}

// Stage is a part of a request.
type Stage struct {
	Name    string  `json:"name"`            // freshen, compare, index, embed, find, words, vectors, links, read, again, rerank or show
	StartMs float64 `json:"startMs"`         // milliseconds since the request began
	TookMs  float64 `json:"tookMs"`          // milliseconds
	Count   int     `json:"count,omitempty"` // how much it saw or found
	Of      string  `json:"of,omitempty"`    // what is counted: files, passages, hits or dimensions
}

// Stages returns the JSON form of stages. It is never nil.
func Stages(all []trace.Stage) []Stage {
	ms := func(d time.Duration) float64 { return float64(d.Round(10*time.Microsecond).Microseconds()) / 1000 }
	out := make([]Stage, 0, len(all))
	for _, s := range all {
		out = append(out, Stage{Name: s.Name, StartMs: ms(s.Start), TookMs: ms(s.Took), Count: s.Count, Of: s.Of})
	}
	return out
}
