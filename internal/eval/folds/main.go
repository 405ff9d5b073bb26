// Command folds reads what `memoir eval --per-question FILE` wrote and prints each
// figure with its spread over folds, as a row of a table in Markdown:
//
//	go run ./internal/eval/folds FILE...
//	go run ./internal/eval/folds -than BEFORE FILE   # the differences, question by question
//
// Folds are the conversations of a set, where the ids of its questions begin with the
// name of one ("conv-26/q000"), and else five parts into which the questions are
// dealt in turn.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/memoir-ai/memoir/internal/wire"
)

func main() {
	than := flag.String("than", "", "per-question file of the run to compare with")
	flag.Parse()
	if err := run(os.Stdout, *than, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "folds:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, than string, files []string) error {
	var before []wire.EvalQuestion
	if than != "" {
		var err error
		if before, err = read(than); err != nil {
			return err
		}
	}
	for _, name := range files {
		questions, err := read(name)
		if err == nil && than != "" {
			err = subtract(questions, before)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(out, row(questions))
	}
	return nil
}

func read(name string) (all []wire.EvalQuestion, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var q wire.EvalQuestion
		switch err := d.Decode(&q); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		all = append(all, q)
	}
}

// subtract makes of each figure how much it is above that of before.
func subtract(questions, before []wire.EvalQuestion) error {
	if len(questions) != len(before) {
		return fmt.Errorf("%d questions, and %d before", len(questions), len(before))
	}
	for i, q := range questions {
		if q.ID != before[i].ID {
			return fmt.Errorf("question %s, and %s before", q.ID, before[i].ID)
		}
		for metric := range q.Metrics {
			q.Metrics[metric] -= before[i].Metrics[metric]
		}
	}
	return nil
}

// parts is how many folds a set without conversations has.
const parts = 5

// foldsOf deals the questions.
func foldsOf(questions []wire.EvalQuestion) (folds [][]wire.EvalQuestion) {
	talks := map[string]int{}
	for i, q := range questions {
		talk, _, ok := strings.Cut(q.ID, "/")
		if !ok {
			talk = fmt.Sprint(i % parts)
		}
		at, known := talks[talk]
		if !known {
			at, folds = len(folds), append(folds, nil)
			talks[talk] = at
		}
		folds[at] = append(folds[at], q)
	}
	return folds
}

// row is a set with each figure over all questions, and its spread over the folds.
func row(questions []wire.EvalQuestion) string {
	folds := foldsOf(questions)
	line := "|"
	if len(questions) > 0 {
		line += " " + questions[0].Set + " |"
	}
	for _, metric := range []string{"hit@1", "hit@5", "shown@5", "recall@10", "ndcg@10", "evidence@4000"} {
		all, ok := mean(questions, metric)
		if !ok {
			line += "  |"
			continue
		}
		line += fmt.Sprintf(" %s (%s) |", figure(all), figure(spread(folds, metric)))
	}
	return line
}

// mean is that of the questions that have the figure, and whether one has.
func mean(questions []wire.EvalQuestion, metric string) (float64, bool) {
	sum, n := 0.0, 0
	for _, q := range questions {
		if v, ok := q.Metrics[metric]; ok {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(max(n, 1)), n > 0
}

// spread is the standard deviation of the means of the folds; 0 for a single one.
func spread(folds [][]wire.EvalQuestion, metric string) float64 {
	var means []float64
	sum := 0.0
	for _, f := range folds {
		if m, ok := mean(f, metric); ok {
			means, sum = append(means, m), sum+m
		}
	}
	squares := 0.0
	for _, m := range means {
		d := m - sum/float64(len(means))
		squares += d * d
	}
	return math.Sqrt(squares / float64(max(len(means)-1, 1)))
}

// figure is a number of three digits without the zero before the point.
func figure(x float64) string { return strings.Replace(fmt.Sprintf("%.3f", x), "0.", ".", 1) }
