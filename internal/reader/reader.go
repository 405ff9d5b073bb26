// Package reader reads texts with a small model that has learned what people
// tell a memory. It answers three questions: how a newer text relates to an
// older one, what a text is worth, and whether an entry answers a question.
//
// The model is the encoder inside the binary with adapters of low rank over its
// upper layers and a small head for each question (package bert). It was trained
// on texts of many authors; lab/reader has the data, the training and the
// figures. It holds no rules and no word lists.
package reader

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/memoir-ai/memoir/internal/bert"
	"github.com/memoir-ai/memoir/internal/modelfile"
)

// MaxTokens is how many tokens of a text are read. Of a longer one the first half
// and the last half of so many are read.
const MaxTokens = 96

// MaxBytes is how much of a text is looked at to find its tokens.
const MaxBytes = 16 << 10

// A Pair is how a newer text relates to an older one: three odds that add up to 1.
type Pair struct {
	Same     float64 // the newer text says nothing that the older does not say
	Changed  float64 // both cannot hold: the newer takes the older's place as a whole
	Distinct float64 // both hold
}

// An Answer is how an entry relates to a question: three odds that add up to 1.
type Answer struct {
	Answers float64 // it answers
	About   float64 // it is about the same and does not answer
	Foreign float64 // it has nothing to do with the question
}

// A Text is what a text is worth. The odds of each kind of answer add up to 1.
type Text struct {
	// Keep has the odds of [Reasons], in that order.
	Keep []float64
	// Type has the odds of [Types], for a text that is worth a note.
	Type []float64
	// Lasting, Day and Ahead are the odds that a text tells of what lasts, of what
	// happened on a day, and of what is still to come.
	Lasting, Day, Ahead float64
}

// Reasons are why a text is kept ("yes") or not: talk, a question that tells
// nothing, a job for the moment, an agent's plan or report, what everybody can
// know, output of programs, orders from outside, and too little to be of use.
var Reasons = []string{"yes", "chat", "question", "request", "agent", "world", "noise", "inject", "vague"}

// Types are the types of notes.
var Types = []string{"preference", "instruction", "contact", "project", "decision", "learning", "event", "journal"}

// Junk returns the odds that a text is worth no note.
func (t Text) Junk() float64 { return 1 - t.Keep[0] }

// A Reader reads with one encoder. It is safe for concurrent use.
type Reader struct {
	encoder   *bert.Encoder
	tokenizer modelfile.Tokenizer
	pair      question
	answer    question
	text      question
}

// A question is the head of one question: odds of out·gelu(dense·x + bias) + outBias,
// where x is made of the last states; see [question.input].
type question struct {
	kinds   [2][]float32 // added to the states of the first and second text
	dense   [][]float32
	bias    []float32
	out     [][]float32
	outBias []float32
	heat    float32 // the logits are divided by it
	hidden  int
}

// base is the section that names the encoder which adapters belong to, and
// first the one with the number of the first adapted layer.
const (
	base  = "base"
	first = "first"
)

// Belongs reports whether adapters are those of an encoder's model file.
func Belongs(model *modelfile.File, adapters []byte) bool {
	f, err := modelfile.Parse(adapters)
	if err != nil {
		return false
	}
	name, err := f.Bytes(base)
	return err == nil && string(name) == model.Checksum()
}

// New returns the reader that adapters make of an encoder's model file. It fails
// if they belong to another encoder.
func New(model *modelfile.File, encoder *bert.Encoder, adapters []byte) (*Reader, error) {
	f, err := modelfile.Parse(adapters)
	if err != nil {
		return nil, fmt.Errorf("reader: %w", err)
	}
	if !Belongs(model, adapters) {
		return nil, fmt.Errorf("reader: the adapters belong to another encoder than %s", model.Info().Name)
	}
	from, err := f.Float32s(first)
	if err != nil || len(from) != 1 {
		return nil, fmt.Errorf("reader: the first adapted layer is not named: %w", err)
	}
	r := &Reader{}
	if r.encoder, err = encoder.Adapted(f, int(from[0])); err != nil {
		return nil, fmt.Errorf("reader: %w", err)
	}
	if r.tokenizer, err = model.Tokenizer(); err != nil {
		return nil, fmt.Errorf("reader: %w", err)
	}
	h := encoder.Dimensions()
	for _, q := range []struct {
		to      *question
		name    string
		inputs  int
		outputs int
	}{
		{&r.pair, "pair", 4 * h, 3}, {&r.answer, "answer", 4 * h, 3},
		{&r.text, "text", 2 * h, len(Reasons) + len(Types) + 3},
	} {
		if *q.to, err = readQuestion(f, q.name, h, q.inputs, q.outputs); err != nil {
			return nil, fmt.Errorf("reader: %w", err)
		}
	}
	return r, nil
}

func readQuestion(f *modelfile.File, name string, hidden, inputs, outputs int) (q question, err error) {
	rows := func(part string, cols int) (all [][]float32) {
		if err != nil {
			return nil
		}
		var table modelfile.Embedding
		if table, err = f.Embedding(name + "." + part); err != nil {
			return nil
		}
		if table.Dim != cols {
			err = fmt.Errorf("%s.%s has %d columns, want %d", name, part, table.Dim, cols)
			return nil
		}
		for i := range table.Rows {
			row := make([]float32, cols)
			table.Row(i, row)
			all = append(all, row)
		}
		return all
	}
	vector := func(part string, n int) []float32 {
		if err != nil {
			return nil
		}
		var v []float32
		if v, err = f.Float32s(name + "." + part); err == nil && len(v) != n {
			err = fmt.Errorf("%s.%s has %d numbers, want %d", name, part, len(v), n)
		}
		return v
	}
	q.hidden = hidden
	kinds := rows("kinds", hidden)
	q.dense = rows("dense", inputs)
	q.out = rows("out", len(q.dense))
	q.bias, q.outBias = vector("bias", len(q.dense)), vector("outBias", outputs)
	heat := vector("heat", 1)
	if err == nil && (len(kinds) != 2 || len(q.out) != outputs || heat[0] <= 0) {
		err = fmt.Errorf("%s has %d kinds, %d outputs and a heat of %v", name, len(kinds), len(q.out), heat)
	}
	if err != nil {
		return q, err
	}
	q.kinds, q.heat = [2][]float32{kinds[0], kinds[1]}, heat[0]
	return q, nil
}

// Pairs reads how newer relates to each older text, in order.
func (r *Reader) Pairs(ctx context.Context, older []string, newer string) ([]Pair, error) {
	all := make([]Pair, len(older))
	asked := make([]bert.Question, len(older))
	second := r.ids(newer)
	for i, text := range older {
		asked[i] = r.pair.of(r.ids(text), second)
	}
	err := r.encoder.Ask(ctx, asked, func(i int, states []float32) error {
		p, err := r.pair.odds(states, asked[i].Second, 3)
		if err == nil {
			all[i] = Pair{p[0], p[1], p[2]}
		}
		return err
	})
	return all, err
}

// Answers reads how each entry relates to a question, in order.
func (r *Reader) Answers(ctx context.Context, q string, entries []string) ([]Answer, error) {
	all := make([]Answer, len(entries))
	asked := make([]bert.Question, len(entries))
	first := r.ids(q)
	for i, text := range entries {
		asked[i] = r.answer.of(first, r.ids(text))
	}
	err := r.encoder.Ask(ctx, asked, func(i int, states []float32) error {
		p, err := r.answer.odds(states, asked[i].Second, 3)
		if err == nil {
			all[i] = Answer{p[0], p[1], p[2]}
		}
		return err
	})
	return all, err
}

// Texts reads what each text is worth, in order.
func (r *Reader) Texts(ctx context.Context, texts []string) ([]Text, error) {
	all := make([]Text, len(texts))
	asked := make([]bert.Question, len(texts))
	for i, text := range texts {
		asked[i] = r.text.of(r.ids(text), nil)
	}
	err := r.encoder.Ask(ctx, asked, func(i int, states []float32) error {
		p, err := r.text.odds(states, asked[i].Second, len(Reasons), len(Types), 3)
		if err == nil {
			t := len(Reasons) + len(Types)
			all[i] = Text{p[:len(Reasons)], p[len(Reasons):t], p[t], p[t+1], p[t+2]}
		}
		return err
	})
	return all, err
}

// ids returns a text as token ids between its markers.
func (r *Reader) ids(text string) []int32 {
	if len(text) > MaxBytes {
		text = text[:MaxBytes/2] + " " + text[len(text)-MaxBytes/2:]
	}
	ids := r.tokenizer.Encode(nil, text, MaxBytes)
	if n := len(ids) - 2; n > MaxTokens {
		ids = slices.Concat(ids[:1+MaxTokens/2], ids[len(ids)-1-MaxTokens/2:])
	}
	return ids
}

// of joins one text, or two, to a sequence: <s> A </s> or <s> A </s></s> B </s>.
func (q *question) of(a, b []int32) bert.Question {
	pair := bert.Pair{IDs: a, Second: len(a)}
	if b != nil {
		pair.IDs = slices.Concat(a, a[len(a)-1:], b[1:])
	}
	return bert.Question{Pair: pair, Kinds: q.kinds}
}

// odds returns what the head says of a sequence's last states: probabilities in
// groups of the given sizes, each of which adds up to 1.
func (q *question) odds(states []float32, second int, groups ...int) ([]float64, error) {
	x := q.input(states, second)
	inside := make([]float32, len(q.dense))
	for i, row := range q.dense {
		inside[i] = gelu(dot(row, x) + q.bias[i])
	}
	odds := make([]float64, len(q.out))
	for i, row := range q.out {
		odds[i] = float64((dot(row, inside) + q.outBias[i]) / q.heat)
	}
	at := 0
	for _, n := range groups {
		if !softmax(odds[at : at+n]) {
			return nil, fmt.Errorf("reader: the odds are %v: the model file is damaged", odds)
		}
		at += n
	}
	return odds, nil
}

// input returns what a head sees: the first token's state, and of one text the
// mean of all states, of two texts the difference of their means, its absolute
// value and their product.
func (q *question) input(states []float32, second int) []float32 {
	h := q.hidden
	x := slices.Clone(states[:h])
	if n := len(states) / h; second == n {
		return append(x, mean(states, h)...)
	}
	a, b := mean(states[:second*h], h), mean(states[second*h:], h)
	difference, absolute, product := make([]float32, h), make([]float32, h), make([]float32, h)
	for i := range h {
		difference[i] = a[i] - b[i]
		absolute[i] = max(difference[i], -difference[i])
		product[i] = a[i] * b[i]
	}
	return slices.Concat(x, difference, absolute, product)
}

func mean(states []float32, h int) []float32 {
	m := make([]float32, h)
	for at := 0; at < len(states); at += h {
		for i, v := range states[at : at+h] {
			m[i] += v
		}
	}
	for i := range m {
		m[i] /= float32(len(states) / h)
	}
	return m
}

func dot(a, b []float32) float32 {
	var sum float32
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// gelu is x·Φ(x) (Hendrycks and Gimpel, arXiv 1606.08415).
func gelu(x float32) float32 {
	return float32(float64(x) * .5 * (1 + math.Erf(float64(x)/math.Sqrt2)))
}

// softmax makes odds of logits. It reports whether they are finite.
func softmax(logits []float64) bool {
	top, sum := slices.Max(logits), 0.0
	for i, v := range logits {
		logits[i] = math.Exp(v - top)
		sum += logits[i]
	}
	for i := range logits {
		logits[i] /= sum
	}
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}
