package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// parseVectors reads the answer to a request of n texts, and takes none of it
// unless there is one vector of the right length for each. JSON knows neither NaN
// nor infinity, and numbers beyond float32 are errors of the decoder.
func parseVectors(body []byte, n, dimensions int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     *int            `json:"index"`
			Embedding json.RawMessage `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("not the expected JSON: %w", err)
	}
	if len(answer.Data) == 0 {
		if _, message := parseError(body); message != "" {
			return nil, errors.New(message) // some gateways answer an error with status 200
		}
	}
	if len(answer.Data) != n {
		return nil, fmt.Errorf("%d vectors for %d texts", len(answer.Data), n)
	}
	out := make([][]float32, n)
	for i, d := range answer.Data {
		if d.Index != nil { // servers that leave it out keep the order
			i = *d.Index
		}
		if i < 0 || i >= n || out[i] != nil {
			return nil, fmt.Errorf("index %d is out of range or there twice", i)
		}
		v, err := parseVector(d.Embedding, dimensions)
		if err != nil {
			return nil, fmt.Errorf("vector %d: %w", i, err)
		}
		out[i] = v
	}
	return out, nil
}

func parseVector(raw json.RawMessage, dimensions int) ([]float32, error) {
	if bytes.Contains(raw, []byte("null")) {
		return nil, errors.New("it has null for a value") // which encoding/json would take for 0
	}
	var v []float32
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	if len(v) != dimensions {
		return nil, fmt.Errorf("%d dimensions, not %d as configured", len(v), dimensions)
	}
	return v, nil
}
