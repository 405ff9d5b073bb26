// Command occasions writes a generated year of day logs in which people do the same things
// again and again, and questions for the last or the first time of each, as memoir eval
// reads them. Half of the questions are to tune on, the other half is kept aside.
//
//	go run ./internal/eval/occasions FOLDER         # which is new: notes/, tune.jsonl, aside.jsonl
//	go run ./internal/eval/occasions FOLDER nouns   # questions that name the occasion: my last haircut
//	memoir eval --workspace FOLDER/notes --queries FOLDER/tune.jsonl
//
// testdata has the questions and the wordings, in a table of that name.
package main

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/notegen"
)

//go:embed testdata/*.tsv
var testdata embed.FS

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "occasions:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 && len(args) != 2 {
		return errors.New("usage: occasions FOLDER [TABLE]")
	}
	all, err := read(append(args, tables[0])[1])
	if err != nil {
		return err
	}
	return write(args[0], all)
}

// An occasion is what happens again and again.
type occasion struct {
	kind     string // language and which time: "en last"
	first    bool   // it is asked for the first time, not for the last
	question string
	wordings []string // how the logs say that it happened
	others   []string // what else they say of its subject
}

// tables are the tables of questions. The first is read when none is named.
var tables = []string{"occasions", "nouns"}

// read reads a table, a line an occasion.
func read(name string) ([]occasion, error) {
	table, err := testdata.ReadFile("testdata/" + name + ".tsv")
	if err != nil {
		return nil, err
	}
	var all []occasion
	for line := range strings.Lines(string(table)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 5 || f[1] != "last" && f[1] != "first" {
			return nil, fmt.Errorf("%q has not the five fields of an occasion", line)
		}
		all = append(all, occasion{f[0] + " " + f[1], f[1] == "first", f[2], strings.Split(f[3], " | "), strings.Split(f[4], " | ")})
	}
	return all, nil
}

// The year of the logs ends before the month in which this was written.
var year = notegen.Options{Days: 365, BytesPerDay: 1500, First: time.Date(2025, time.November, 1, 0, 0, 0, 0, time.UTC)}

// write writes the logs and both files of questions. The folder must be new.
func write(dir string, all []occasion) error {
	said, answers := plan(all)
	day := 0
	for log := range notegen.Logs(year) {
		log.Text += "\n## 21:30 Home\n\n"
		lines := strings.Count(log.Text, "\n")
		for i, s := range said[day] {
			log.Text += "- " + s.text + "\n"
			if s.answers >= 0 {
				answers[s.answers].Expect = []string{fmt.Sprintf("%s#L%d", log.Path, lines+i+1)}
			}
		}
		if len(said[day]) == 0 {
			log.Text += "- Quiet evening.\n"
		}
		if err := log.Write(filepath.Join(dir, "notes")); err != nil {
			return err
		}
		day++
	}
	aside := halves(all)
	var tune, kept bytes.Buffer
	for i, q := range answers {
		half := &tune
		if aside[i] {
			half = &kept
		}
		if err := json.NewEncoder(half).Encode(q); err != nil {
			return err
		}
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "tune.jsonl"), tune.Bytes(), 0o666), os.WriteFile(filepath.Join(dir, "aside.jsonl"), kept.Bytes(), 0o666))
}

// A saying is a line of a log.
type saying struct {
	text    string
	answers int // the question that it is the answer to; -1: none
}

// A query is a question as memoir eval reads it.
type query struct {
	Query  string   `json:"query"`
	Expect []string `json:"expect"`
	Kind   string   `json:"kind"`
}

// plan returns what is said on each day, and the questions, still without answers. What
// is asked for happened on four to eighteen days; the rest is said on any.
func plan(all []occasion) ([][]saying, []query) {
	said := make([][]saying, year.Days)
	questions := make([]query, len(all))
	for i, o := range all {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		questions[i] = query{Query: o.question, Kind: o.kind}
		days := r.Perm(year.Days)[:4+r.IntN(15)]
		slices.Sort(days)
		asked := len(days) - 1
		if o.first {
			asked = 0
		}
		for n, day := range days {
			answers := -1
			if n == asked {
				answers = i
			}
			said[day] = append(said[day], saying{o.wordings[r.IntN(len(o.wordings))], answers})
		}
		for _, text := range o.others {
			day := r.IntN(year.Days)
			said[day] = append(said[day], saying{text, -1})
		}
	}
	return said, questions
}

// halves says which occasions are kept aside: of each language and time the later half
// in the order of hashes of the questions.
func halves(all []occasion) []bool {
	hash := func(i int) uint64 {
		h := fnv.New64a()
		h.Write([]byte("occasions " + all[i].question)) // which never fails
		return h.Sum64()
	}
	kinds := map[string][]int{}
	for i, o := range all {
		kinds[o.kind] = append(kinds[o.kind], i)
	}
	aside := make([]bool, len(all))
	for _, of := range kinds {
		slices.SortFunc(of, func(a, b int) int { return cmp.Compare(hash(a), hash(b)) })
		for _, i := range of[len(of)/2:] {
			aside[i] = true
		}
	}
	return aside
}
