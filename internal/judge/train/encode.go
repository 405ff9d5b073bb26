package main

import (
	"context"
	"encoding/gob"
	"fmt"
	"os"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/embed/local"
)

// A library keeps what the encoder makes of texts.
type library struct {
	embedder *local.Embedder
	readings map[string]ability.Reading
	file     string // where readings are kept between runs; "" is nowhere
	fresh    bool   // there are readings that the file lacks
}

func openLibrary(model, file string) (*library, error) {
	weights, err := os.ReadFile(model)
	if err != nil {
		return nil, err
	}
	embedder, err := local.New(weights, local.Options{})
	if err != nil {
		return nil, err
	}
	l := &library{embedder, map[string]ability.Reading{}, file, false}
	if f, err := os.Open(file); err == nil {
		defer f.Close()
		if err := gob.NewDecoder(f).Decode(&l.readings); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
	}
	return l, nil
}

// read makes sure that the texts have readings.
func (l *library) read(ctx context.Context, texts []string) error {
	var missing []string
	asked := map[string]bool{}
	for _, t := range texts {
		if _, ok := l.readings[t]; !ok && !asked[t] {
			asked[t] = true
			missing = append(missing, t)
		}
	}
	for len(missing) > 0 {
		n := min(64, len(missing))
		readings, err := l.embedder.Read(ctx, memoir.TaskQuery, missing[:n])
		if err != nil {
			return err
		}
		for i, r := range readings {
			l.readings[missing[i]] = r
		}
		missing, l.fresh = missing[n:], true
	}
	return nil
}

func (l *library) keep() error {
	if l.file == "" || !l.fresh {
		return nil
	}
	f, err := os.Create(l.file)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(l.readings); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
