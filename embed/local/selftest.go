package local

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/bert"
)

// references holds sentences and the vectors that an independent encoder
// computes for them with the published weights. By the model's name it lists
// texts, whether each is a query, and its vector in 8 bits, in base64.
//
//go:embed references.json
var references []byte

// ErrSelfTest is what a failed [Embedder.SelfTest] wraps.
var ErrSelfTest = errors.New("the model fails its self-test")

// How close vectors must be. A model converted to few bits differs from the
// published one, most in short texts. A model that is computed wrongly is
// nowhere near.
const (
	leastReference = 0.95
	leastPlain     = 0.97 // the same weights by two sets of kernels, one of them in 8 bits
)

// SelfTest is what [Embedder.SelfTest] found.
type SelfTest struct {
	Kernels string // that computed
	// Plain is the lowest cosine with the vectors that plain Go computes from
	// the same weights. Those are stored in the file when it is converted, or
	// are computed now.
	Plain float64
	// References is how many sentences with known vectors were compared, and
	// Reference the lowest cosine with them. References is 0 when none are known
	// for the model.
	References int
	Reference  float64
}

// Test does what [Embedder.SelfTest] does for any model file. For a model that
// reranks it compares the states of the first token.
func Test(ctx context.Context, file []byte) (SelfTest, error) {
	e, err := open(file, Options{})
	if err != nil {
		return SelfTest{}, err
	}
	return e.SelfTest(ctx)
}

// SelfTest checks the whole file against its checksum. Then it computes vectors
// of known sentences and compares them with what plain Go computes and, for a
// known model, with stored vectors. It takes some hundred milliseconds. An
// error wraps [ErrSelfTest] and says what differs; the result holds what was
// found.
func (e *Embedder) SelfTest(ctx context.Context) (SelfTest, error) {
	var found SelfTest
	if err := e.file.Verify(); err != nil {
		return found, fmt.Errorf("%w: %w", ErrSelfTest, err)
	}
	encoder, err := e.encoder()
	if err != nil {
		return found, fmt.Errorf("%w: %w", ErrSelfTest, err)
	}
	found.Kernels = encoder.Kernels().String()
	if found.Plain, err = e.comparePlain(ctx, encoder); err != nil {
		return found, err
	}
	if !(found.Plain >= leastPlain) {
		return found, fmt.Errorf("%w: with the kernels %s the cosine with plain Go is %.4f, and %g is the least", ErrSelfTest, found.Kernels, found.Plain, leastPlain)
	}
	if err := e.compareReferences(ctx, &found); err != nil {
		return found, err
	}
	if found.References > 0 && !(found.Reference >= leastReference) {
		return found, fmt.Errorf("%w: the cosine with a published vector is %.4f, and %g is the least", ErrSelfTest, found.Reference, leastReference)
	}
	return found, nil
}

// comparePlain returns the lowest cosine with what plain Go computes: for the
// file's own samples if it has any, or else for two texts computed now.
func (e *Embedder) comparePlain(ctx context.Context, encoder *bert.Encoder) (float64, error) {
	samples, err := e.file.Samples()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrSelfTest, err)
	}
	texts := []string{"Alice owns the auth service.", "2026-03-02: v1.2.3"}
	if len(samples) > 0 {
		texts = nil
		for _, s := range samples {
			texts = append(texts, e.prefix[memoir.TaskDocument]+s.Text)
		}
	}
	var ids [][]int32
	for _, text := range texts {
		ids = append(ids, e.tokenizer.Encode(nil, text, e.maxTokens))
	}
	got, err := encoder.Embed(ctx, ids)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrSelfTest, err)
	}
	var want [][]float32
	for _, s := range samples {
		want = append(want, s.Vector)
	}
	if len(samples) == 0 {
		plain, err := plainEncoder(e.file)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", ErrSelfTest, err)
		}
		if want, err = plain.Embed(ctx, ids); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrSelfTest, err)
		}
	}
	least := 1.0
	for i := range got {
		least = smaller(least, cosine(got[i], want[i]))
	}
	return least, nil
}

func (e *Embedder) compareReferences(ctx context.Context, found *SelfTest) error {
	var all map[string][]struct {
		Text   string
		Query  bool
		Vector string
	}
	if err := json.Unmarshal(references, &all); err != nil {
		return fmt.Errorf("read the reference vectors: %w", err)
	}
	found.Reference = 1
	for _, r := range all[e.space.Model] {
		packed, err := base64.StdEncoding.DecodeString(r.Vector)
		if err != nil {
			return fmt.Errorf("read a reference vector: %w", err)
		}
		want := make([]float32, len(packed))
		for i, b := range packed {
			want[i] = float32(int8(b))
		}
		task := memoir.TaskDocument
		if r.Query {
			task = memoir.TaskQuery
		}
		got, err := e.Embed(ctx, task, []string{r.Text})
		if err != nil {
			return fmt.Errorf("%w: %w", ErrSelfTest, err)
		}
		found.References++
		found.Reference = smaller(found.Reference, cosine(got[0], want))
	}
	if found.References == 0 {
		found.Reference = 0
	}
	return nil
}

// smaller returns the minimum. NaN counts as the smallest of all.
func smaller(a, b float64) float64 {
	if math.IsNaN(b) {
		return -1
	}
	return min(a, b)
}

// cosine returns the cosine of two vectors. It is NaN if their lengths differ
// or one has norm 0.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return dot / math.Sqrt(aa*bb)
}
