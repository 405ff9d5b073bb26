package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
)

// bytesPerValue and maxOverhead bound an answer: so many for each value of a
// vector, and for all the rest.
const (
	bytesPerValue = 32
	maxOverhead   = 1 << 20
)

// MaxAnswer bounds the bytes of an answer with n vectors; dimensions of 0 are
// not known.
func MaxAnswer(n, dimensions int) int64 {
	if dimensions == 0 {
		dimensions = MaxDimensions
	}
	return int64(n*dimensions*bytesPerValue + maxOverhead)
}

// decode reads an answer and takes none of it unless there is one good vector
// for each of n texts.
func (e *Embedder) decode(body []byte, n int) ([][]float32, error) {
	vectors, err := e.cfg.Decode(body)
	if err != nil {
		return nil, err
	}
	if len(vectors) == 0 {
		if s := parseError(body); s.message != "" {
			return nil, errors.New(s.message) // some gateways answer an error with status 200
		}
	}
	if len(vectors) != n {
		return nil, fmt.Errorf("%d %s for %d %s", len(vectors), english.PluralWord(len(vectors), "vector", ""), n, english.PluralWord(n, "text", ""))
	}
	for i, v := range vectors {
		if err := e.check(v); err != nil {
			return nil, fmt.Errorf("vector %d: %w", i, err)
		}
	}
	return vectors, nil
}

// check refuses what would poison an index, and scales a vector to length 1 where the provider asks for it.
func (e *Embedder) check(v []float32) error {
	want := e.space.Dimensions
	switch {
	case want == 0 && (len(v) == 0 || len(v) > MaxDimensions):
		return fmt.Errorf("%d %s", len(v), english.PluralWord(len(v), "dimension", ""))
	case want > 0 && len(v) != want:
		return memoir.WithHint(fmt.Errorf("%d dimensions, not %d as configured", len(v), want), fmt.Sprintf("set %s.dimensions to %d", e.cfg.Provider, len(v)))
	}
	var squares float64
	for _, x := range v {
		f := float64(x)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return errors.New("it has a value that is not finite")
		}
		squares += f * f
	}
	if e.cfg.Unit && squares > 0 {
		scale := 1 / math.Sqrt(squares)
		for i := range v {
			v[i] = float32(float64(v[i]) * scale)
		}
	}
	return nil
}

// Vector reads one vector out of JSON that was decoded around it, twice
// as fast as encoding/json would. null, which that takes for 0, and numbers
// beyond float32 are errors; JSON knows neither NaN nor infinity.
func Vector(raw json.RawMessage) ([]float32, error) {
	list, opened := bytes.CutPrefix(bytes.TrimSpace(raw), []byte("["))
	list, closed := bytes.CutSuffix(list, []byte("]"))
	if !opened || !closed {
		return nil, errors.New("it is no list of numbers")
	}
	if len(bytes.TrimSpace(list)) == 0 {
		return []float32{}, nil
	}
	v := make([]float32, 0, bytes.Count(list, []byte(","))+1)
	for number := range bytes.SplitSeq(list, []byte(",")) {
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(number)), 32)
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", len(v), err)
		}
		v = append(v, float32(x))
	}
	return v, nil
}

// Vectors reads vectors that stand in order.
func Vectors(raws []json.RawMessage) ([][]float32, error) {
	out := make([][]float32, len(raws))
	for i, raw := range raws {
		v, err := Vector(raw)
		if err != nil {
			return nil, fmt.Errorf("vector %d: %w", i, err)
		}
		out[i] = v
	}
	return out, nil
}

// Unmarshal reads JSON and says so when it is none.
func Unmarshal(body []byte, value any) error {
	if err := json.Unmarshal(body, value); err != nil {
		return fmt.Errorf("not the expected JSON: %w", err)
	}
	return nil
}

// DecodeData reads the answer that OpenAI made common:
// {"data":[{"index":0,"embedding":[…]}]}, in any order, the index optional.
func DecodeData(body []byte) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     *int            `json:"index"`
			Embedding json.RawMessage `json:"embedding"`
		} `json:"data"`
	}
	if err := Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	raws := make([]json.RawMessage, len(answer.Data))
	for i, d := range answer.Data {
		if d.Index != nil { // servers that leave it out keep the order
			i = *d.Index
		}
		if i < 0 || i >= len(raws) || raws[i] != nil {
			return nil, fmt.Errorf("index %d is out of range or there twice", i)
		}
		if raws[i] = d.Embedding; d.Embedding == nil {
			raws[i] = json.RawMessage{}
		}
	}
	return Vectors(raws)
}
