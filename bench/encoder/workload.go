package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/notegen"
)

const (
	passageTokens = 195 // at least; whole lines are added until that many are reached
	queryTokens   = 16
	queryCount    = 20
	workloadDays  = 60 // of generated logs, enough for some hundred passages of each script
)

// A workload is what every engine embeds: passages together, queries one by
// one. Passages alternate between English and Chinese.
type workload struct {
	Passages []text `json:"passages"`
	Queries  []text `json:"queries"`
}

// A text is given as words, without the model's prefix, and as the tokens of
// prefix and words.
type text struct {
	Text string  `json:"text"`
	IDs  []int32 `json:"ids"`
}

// makeWorkload cuts generated notes into so many passages of about 250 tokens
// and into queries of 16.
func makeWorkload(f *modelfile.File, passages int) (*workload, error) {
	dir, err := os.MkdirTemp("", "memoir-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := notegen.Write(dir, notegen.Options{Seed: 1, Days: workloadDays}); err != nil {
		return nil, err
	}
	lines, err := prose(dir)
	if err != nil {
		return nil, err
	}
	tokenizer, err := f.Tokenizer()
	if err != nil {
		return nil, err
	}
	encode := func(prefix, s string) text {
		return text{s, tokenizer.Encode(nil, prefix+s, f.Info().MaxTokens)}
	}
	var scripts [2][]text
	var w workload
	for i, lines := range lines {
		var passage []string
		for _, line := range lines {
			if len(w.Queries) < queryCount*(i+1)/2 {
				if q, ok := cutQuery(line, func(s string) text { return encode(f.Info().QueryPrefix, s) }); ok {
					w.Queries = append(w.Queries, q)
				}
			}
			passage = append(passage, line)
			if t := encode(f.Info().DocumentPrefix, strings.Join(passage, "\n")); len(t.IDs) >= passageTokens {
				scripts[i] = append(scripts[i], t)
				passage = nil
			}
		}
	}
	if have := 2 * min(len(scripts[0]), len(scripts[1])); have < passages {
		return nil, fmt.Errorf("the generated notes hold %d passages, not %d", have, passages)
	}
	for i := range passages {
		w.Passages = append(w.Passages, scripts[i%2][i/2])
	}
	return &w, nil
}

// prose returns the lines of the notes that are English and those that are
// Chinese, without blank lines, headings, tables and code.
func prose(dir string) (lines [2][]string, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "memory", "*.md"))
	if err != nil {
		return lines, err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return lines, err
		}
		code := false
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			fence := strings.HasPrefix(line, "```")
			if fence {
				code = !code
			}
			if fence || code || line == "" || line[0] == '#' || line[0] == '|' {
				continue
			}
			script := 0
			if strings.ContainsFunc(line, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
				script = 1
			}
			lines[script] = append(lines[script], line)
		}
	}
	return lines, nil
}

// cutQuery returns the beginning of the line, with as many tokens as a query
// has.
func cutQuery(line string, encode func(string) text) (text, bool) {
	for end := range line {
		if t := encode(line[:end]); len(t.IDs) == queryTokens {
			return t, true
		}
	}
	return text{}, false
}

// tokens returns the least, the average and the highest number of tokens.
func tokens(texts []text) (least, average, most int) {
	least = len(texts[0].IDs)
	sum := 0
	for _, t := range texts {
		least, most, sum = min(least, len(t.IDs)), max(most, len(t.IDs)), sum+len(t.IDs)
	}
	return least, sum / len(texts), most
}

func (w *workload) write(name string) error {
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

func readWorkload(name string) (*workload, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var w workload
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &w, nil
}
