// Command train fits the models of package judge and measures them.
//
//	go run ./internal/judge/train            # figures in folds
//	go run ./internal/judge/train -write     # fit on everything, write internal/judge/data/weights.bin
//	go run ./internal/judge/train -only lives  # what the models inside make of the lives
//
// It reads the cases of this folder and, where they are, the shared sets; figures
// are of the shared sets alone, and cases of the repository are in training only.
// A cue counts on a text only where another case holds it ("LOO"), unless a line
// says "all cues". The same cases on the same processor give the same file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/memoir-ai/memoir/internal/judge/feature"
	"github.com/memoir-ai/memoir/internal/judge/linear"
)

// config says where things are and how much is measured.
type config struct {
	shared, own, model, cache, out string
	only                           string
	write, errors                  bool
	repeats                        int
}

func main() {
	var c config
	flag.StringVar(&c.shared, "shared", "../shared/evals/writing", "folder of the shared sets; cases of the repository alone train without it")
	flag.StringVar(&c.own, "cases", "internal/judge/train/cases", "folder of the repository's cases")
	flag.StringVar(&c.model, "model", "embed/local/weights/multilingual-e5-small.memoir", "model file")
	flag.StringVar(&c.cache, "cache", "", "file that keeps vectors between runs")
	flag.StringVar(&c.out, "out", "internal/judge/data/weights.bin", "file to write")
	flag.StringVar(&c.only, "only", "gate,work,type,pair,lives", "what to do")
	flag.BoolVar(&c.write, "write", false, "fit on all cases and write the file")
	flag.BoolVar(&c.errors, "errors", false, "print what is wrong, too")
	flag.IntVar(&c.repeats, "repeats", 3, "how often the folds are dealt")
	flag.Parse()
	if err := run(context.Background(), c); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config) error {
	lib, err := openLibrary(c.model, c.cache)
	if err != nil {
		return err
	}
	file, err := written(c)
	if err != nil {
		return err
	}
	for _, task := range strings.Split(c.only, ",") {
		if task == "lives" {
			if c.write {
				continue
			}
			if err := measureLives(ctx, c, lib); err != nil {
				return err
			}
			continue
		}
		s, err := loadSet(ctx, c, lib, task)
		if err != nil {
			return err
		}
		switch task {
		case "pair":
			trainPairs(s, c, file)
		case "matter":
			file.PutModel("matter", newPairs(s, true).matter)
		case "gate":
			trainGate(s, c, file)
			trainReason(s, c, file)
		case "work":
			trainWork(s, c, file)
		case "type":
			trainType(s, c, file)
		default:
			return fmt.Errorf("-only %s: know gate, work, type, pair, matter and lives", task)
		}
	}
	if !c.write {
		return nil
	}
	thresholds := file["thresholds"][0]
	if gate := file["gate thresholds"]; gate != nil {
		copy(thresholds, gate[0])
	}
	if pair := file["pair thresholds"]; pair != nil {
		copy(thresholds[4:], pair[0])
	}
	delete(file, "gate thresholds")
	delete(file, "pair thresholds")
	bytes := file.Bytes()
	fmt.Printf("%s: %d bytes\n", c.out, len(bytes))
	return os.WriteFile(c.out, bytes, 0o644)
}

// written returns the file that is written anew, with what the tasks at hand leave as it is.
func written(c config) (linear.File, error) {
	file := linear.File{}
	old, err := os.ReadFile(c.out)
	if err == nil {
		file, err = linear.Parse(old)
	} else if os.IsNotExist(err) {
		err = nil
	}
	if file["thresholds"] == nil {
		file["thresholds"] = linear.Matrix{make([]float64, 6)}
	}
	return file, err
}

// A set is the cases of one task, with what is known of their texts. The first
// shared ones are measured.
type set struct {
	lib    *library
	cases  []*Case
	facts  []fact // of pairs
	shared int
	texts  map[string]*feature.Text
	census census
}

func loadSet(ctx context.Context, c config, lib *library, task string) (*set, error) {
	s := &set{lib: lib, texts: map[string]*feature.Text{}}
	name := map[string]string{"gate": "gate", "work": "gate", "type": "route", "pair": "pairs", "matter": "pairs"}[task]
	var err error
	if s.cases, err = sharedCases(c.shared, name); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	s.shared = len(s.cases)
	own, err := ownCases(c.own + "/" + strings.Replace(task, "matter", "pair", 1) + ".tsv")
	if err != nil {
		return nil, err
	}
	s.cases = append(s.cases, own...)
	if task == "work" {
		gate, err := ownCases(c.own + "/gate.tsv")
		if err != nil {
			return nil, err
		}
		s.cases = append(s.cases, gate...)
	}
	if task == "gate" || task == "work" {
		for _, other := range []string{"type", "pair"} {
			notes, err := ownCases(c.own + "/" + other + ".tsv")
			if err != nil {
				return nil, err
			}
			for _, n := range notes {
				for _, text := range n.texts() {
					s.cases = append(s.cases, &Case{Lang: n.Lang, Text: text, Label: "keep", Own: true, Note: true})
				}
			}
		}
	}
	var all []string
	for _, c := range s.cases {
		all = append(all, c.texts()...)
	}
	if name == "pairs" {
		if s.facts, err = readFacts(c.own + "/subjects.tsv"); err != nil {
			return nil, err
		}
	}
	for _, f := range s.facts {
		all = append(all, f.known, f.changed)
	}
	if err := lib.read(ctx, all); err != nil {
		return nil, err
	}
	for _, text := range all {
		s.texts[text] = feature.Read(text)
	}
	s.census = takeCensus(s.cases, s.texts)
	return s, lib.keep()
}

// A census says which cases hold a cue.
type census map[int]map[string]bool

func takeCensus(cases []*Case, texts map[string]*feature.Text) census {
	all := census{}
	for _, c := range cases {
		for _, s := range c.texts() {
			for _, cue := range texts[s].Cues() {
				if all[cue] == nil {
					all[cue] = map[string]bool{}
				}
				all[cue][c.key()] = true
			}
		}
	}
	return all
}

// others returns whether a case other than the given ones holds a cue.
func (c census) others(keys ...string) func(cue int) bool {
	return func(cue int) bool {
		n := len(c[cue])
		for i, k := range keys {
			if c[cue][k] && (i == 0 || k != keys[0]) {
				n--
			}
		}
		return n > 0
	}
}
