package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
)

// edits measures how long after a note is saved it is found, by its words and by its
// meaning, in a server that was at rest; the vectors are those of the model inside.
func (p place) edits(ctx context.Context, l load) error {
	env := []string{"MEMOIR_PROVIDER=local"}
	if err := p.index(ctx, "state", env); err != nil {
		return err
	}
	s, err := p.serve(ctx, "state", env)
	if err != nil {
		return err
	}
	defer s.stop()
	client := &http.Client{}
	found := func(mode, question, path string, since time.Time) (float64, error) {
		for {
			var answer struct {
				Results []struct{ Path string }
			}
			if err := s.post(ctx, client, "/v1/search", map[string]any{"query": question, "mode": mode}, &answer); err != nil {
				return 0, err
			}
			if len(answer.Results) > 0 && answer.Results[0].Path == path {
				return measure.Milliseconds(time.Since(since)), nil
			}
			if time.Since(since) > time.Minute {
				return 0, fmt.Errorf("%s is not found by %s after a minute", path, mode)
			}
		}
	}
	var words, meaning []float64
	for i := range l.edits {
		name := fmt.Sprintf("memory/edit-%d.md", i%4)
		text := fmt.Sprintf("The ferry to island %d leaves from pier %d when fog has lifted.", 1000+i, 2000+i)
		if err := os.WriteFile(filepath.Join(p.notes, filepath.FromSlash(name)), []byte(text+"\n"), 0o644); err != nil {
			return err
		}
		saved := time.Now()
		w, err := found("text", text, name, saved)
		if err != nil {
			return err
		}
		m, err := found("vector", text, name, saved)
		if err != nil {
			return err
		}
		words, meaning = append(words, w), append(meaning, m)
	}
	fmt.Printf("| a note of one line is saved, and found | edits | p50 ms | p95 ms |\n|---|---:|---:|---:|\n")
	fmt.Printf("| by its words | %d | %.0f | %.0f |\n", l.edits, measure.Percentile(words, 50), measure.Percentile(words, 95))
	fmt.Printf("| by its meaning | %d | %.0f | %.0f |\n", l.edits, measure.Percentile(meaning, 50), measure.Percentile(meaning, 95))
	return ctx.Err()
}
