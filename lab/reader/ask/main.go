// Ask lets the reader inside the program read rows, as the program does.
//
//	go run ./lab/reader/ask [-adapters FILE] < rows > odds
//
// A row is a line of JSON: question (pair, answer or text), author, text, other
// text or null, labels. Each is written again with its odds behind it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/memoir-ai/memoir/internal/bert"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/reader"
	adapters "github.com/memoir-ai/memoir/internal/reader/weights"

	"github.com/memoir-ai/memoir/embed/local/weights"
)

func main() {
	file := flag.String("adapters", "", "a file of adapters instead of those inside")
	flag.Parse()
	if err := ask(*file, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

func ask(file string, in io.Reader, out io.Writer) error {
	learned := adapters.File()
	if file != "" {
		var err error
		if learned, err = os.ReadFile(file); err != nil {
			return err
		}
	}
	model, err := modelfile.Parse(weights.File())
	if err != nil {
		return err
	}
	encoder, err := bert.New(model, bert.Options{})
	if err != nil {
		return err
	}
	r, err := reader.New(model, encoder, learned)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	defer w.Flush()
	for lines := json.NewDecoder(bufio.NewReader(in)); ; {
		var row []any
		if err := lines.Decode(&row); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		odds, err := oddsOf(r, row)
		if err != nil {
			return err
		}
		line, err := json.Marshal(append(row, odds))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n", line)
	}
}

func oddsOf(r *reader.Reader, row []any) ([]float64, error) {
	a, _ := row[2].(string)
	b, _ := row[3].(string)
	ctx := context.Background()
	switch row[0] {
	case "pair":
		p, err := r.Pairs(ctx, []string{a}, b)
		return []float64{p[0].Same, p[0].Changed, p[0].Distinct}, err
	case "answer":
		p, err := r.Answers(ctx, a, []string{b})
		return []float64{p[0].Answers, p[0].About, p[0].Foreign}, err
	case "text":
		p, err := r.Texts(ctx, []string{a})
		return append(append(append([]float64{}, p[0].Keep...), p[0].Type...), p[0].Lasting, p[0].Day, p[0].Ahead), err
	}
	return nil, fmt.Errorf("there is no question %v", row[0])
}
