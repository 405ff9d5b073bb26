// Package judge holds the small models of memoir's write side: whether a text
// is worth a note, which type of note it is, and how a newer text relates to an
// older one. It knows only texts and vectors.
//
// The models are linear, some 50 kB, and were fitted to the vectors of one
// embedding model, [Model]; `go run ./internal/judge/train` makes their file
// anew. Without that model's vectors a text is judged by its shape and its
// cues, and of two texts only equal ones are called the same. Nothing is read
// or computed before the first call. The same input gives the same answer on
// every machine, except where processors compute different last digits of a
// vector. docs/design/judging.md has the figures.
package judge

import (
	_ "embed"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/memoir-ai/memoir/internal/judge/feature"
	"github.com/memoir-ai/memoir/internal/judge/linear"
)

// Model is the embedding model whose vectors a [Judge] understands.
const Model = "multilingual-e5-small"

// Dimensions is how many numbers a vector of Model has.
const Dimensions = 384

// A Code says why a text was kept or refused, or how it relates to an older
// one.
type Code string

// The codes that a judge gives.
const (
	New         Code = "new"          // as far as is known, no other text says it
	Same        Code = "same"         // an older text says it
	Changed     Code = "changed"      // an older text says something else about it
	Journal     Code = "journal"      // worth a line in the day log, not a note
	TooShort    Code = "too-short"    // a word, a sign
	Filler      Code = "filler"       // thanks, greetings, assent
	NoStatement Code = "no-statement" // a question, a request, code, output, what everybody knows
	Speculation Code = "speculation"  // uncertain: it may or may not be so
	Injection   Code = "injection"    // orders to the assistant from outside
	ToForget    Code = "to-forget"    // asks to have something forgotten
)

// An Origin is who a text comes from.
type Origin string

// The origins. The zero Origin counts as User.
const (
	User  Origin = "user"
	Agent Origin = "agent"
	Tool  Origin = "tool"
	Web   Origin = "web"
)

// outside reports whether a text is nobody's word, so that nobody wants what it
// orders.
func (o Origin) outside() bool { return o == Tool || o == Web }

// A Judge judges texts. It is safe for concurrent use.
type Judge struct {
	vectors bool
	last    atomic.Pointer[reading]
}

// A reading is what was read of a text.
type reading struct {
	text string
	what *feature.Text
}

// For returns the judge for vectors of an embedding model. If it is not [Model],
// vectors are ignored.
func For(model string) *Judge { return &Judge{vectors: model == Model} }

// read reads a text, unless it is the one that was read last: who asks whether a
// text is worth a note asks for its type next.
func (j *Judge) read(text string) *feature.Text {
	if last := j.last.Load(); last != nil && last.text == text {
		return last.what
	}
	t := feature.Read(text)
	t.Look()
	j.last.Store(&reading{text, t})
	return t
}

// use returns v as numbers if the judge can use it, else nil.
func (j *Judge) use(v []float32) []float64 {
	if !j.vectors || len(v) != Dimensions {
		return nil
	}
	numbers := make([]float64, len(v))
	for i, x := range v {
		if numbers[i] = float64(x); math.IsNaN(numbers[i]) || math.Abs(numbers[i]) > 2 {
			return nil // no vector of length 1
		}
	}
	return numbers
}

//go:embed data/weights.bin
var weightsFile []byte

// A single is a pair of models of one text: one that uses a vector, and one for
// when there is none.
type single struct{ vector, words *linear.Model }

// of returns the class probabilities for features and, unless it is nil, a
// vector.
func (s *single) of(row feature.Row, vector []float64) []float64 {
	if vector == nil {
		return s.words.Probabilities(row.Values)
	}
	return s.vector.Probabilities(append(row.Values, vector...))
}

// models is everything that training has learned.
type models struct {
	gate, reason, topic single
	work                *linear.Model
	related, relation   *linear.Model
	matter              *linear.Model
	difference, lacking *linear.Projection
	mean                []float64
	thresholds          thresholds
}

// thresholds were chosen in folds for the precision that docs/design/judging.md
// states.
type thresholds struct {
	refuse, refuseWords   float64
	journal, journalWords float64
	same, changed         float64
}

var learned = sync.OnceValue(func() *models {
	m, err := readModels(weightsFile)
	if err != nil {
		panic(fmt.Sprintf("judge: the weights are built in: %v", err))
	}
	return m
})

// readModels reads the file that the training writes.
func readModels(file []byte) (*models, error) {
	f, err := linear.Parse(file)
	if err != nil {
		return nil, err
	}
	m, text := &models{}, feature.Read("")
	junk, topic := len(feature.Junk(text).Values), len(feature.Topic(text).Values)
	side := feature.NewSide(text, nil, nil, nil)
	pair := len(feature.Meet(side, side).Row().Values)
	for _, s := range []struct {
		to      **linear.Model
		name    string
		columns int
	}{
		{&m.gate.vector, "gate", junk + Dimensions}, {&m.gate.words, "gate.words", junk},
		{&m.work, "work", junk + Dimensions},
		{&m.reason.vector, "reason", junk + Dimensions}, {&m.reason.words, "reason.words", junk},
		{&m.topic.vector, "type", topic + Dimensions}, {&m.topic.words, "type.words", topic},
		{&m.related, "related", pair}, {&m.relation, "relation", pair + differences + lacks}, {&m.matter, "matter", pair + 1},
	} {
		if *s.to, err = f.Model(s.name, s.columns); err != nil {
			return nil, err
		}
	}
	if m.difference, err = f.Projection("difference", 2*Dimensions); err != nil {
		return nil, err
	}
	if m.lacking, err = f.Projection("lacking", 2*Dimensions); err != nil {
		return nil, err
	}
	mean, t := f["mean"], f["thresholds"]
	if len(mean) != 1 || len(mean[0]) != Dimensions || len(t) != 1 || len(t[0]) != 6 {
		return nil, fmt.Errorf("no mean of tokens or no thresholds")
	}
	m.mean = mean[0]
	m.thresholds = thresholds{t[0][0], t[0][1], t[0][2], t[0][3], t[0][4], t[0][5]}
	return m, nil
}

// round rounds a probability, so that it does not depend on the last digits of
// a vector.
func round(p float64) float64 { return math.Round(p*1e4) / 1e4 }
