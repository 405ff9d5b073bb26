package endpoint

import (
	"math"
	"testing"

	"github.com/memoir-ai/memoir/embed/remote"
)

// Whatever a server says, there is one finite score for each passage, or none.
func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"results":[{"index":1,"relevance_score":1},{"index":0,"relevance_score":-2.5}]}`))
	f.Add([]byte(` [{"index":1,"score":1},{"index":0,"score":0}]`))
	f.Add([]byte(`{"data":[{"index":1e9,"relevance_score":null}],"results":[{}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var list results
		if remote.Unmarshal(body, &list) != nil {
			return
		}
		scores, err := list.scores(2)
		if (err == nil) != (len(scores) == 2) {
			t.Fatalf("got %v, %v", scores, err)
		}
		for _, s := range scores {
			if math.IsNaN(s) || math.IsInf(s, 0) {
				t.Errorf("got the score %v", s)
			}
		}
	})
}
