package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Case is one text of a set with its label, or a pair of them.
type Case struct {
	Lang     string
	Text     string
	Label    string
	Also     []string // labels that are right, too
	Old, New string   // of a pair
	Own      bool     // from the repository, not from a shared set
	Note     bool     // a note of another file, worth keeping
}

// group is how figures are split: Chinese and Japanese, or else.
func (c *Case) group() string {
	if l, _, _ := strings.Cut(c.Lang, "-"); l == "zh" || l == "ja" {
		return "zh"
	}
	return "en"
}

// An Event is one line of a life.
type Event struct {
	Life   string
	N      int
	Text   string
	Origin string
	Expect string
	Fact   string
}

// readShared reads a set of the shared folder.
func readShared[T any](folder, name string) ([]T, error) {
	f, err := os.Open(filepath.Join(folder, name+".jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var all []T
	for lines := json.NewDecoder(unzipped); ; {
		var one T
		if err := lines.Decode(&one); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		all = append(all, one)
	}
}

// sharedCases reads one of the sets gate, route and pairs.
func sharedCases(folder, name string) ([]*Case, error) {
	lines, err := readShared[struct {
		Lang, Text, Type, Old, New, Relation string
		Why                                  string
		Also                                 []string
		Keep                                 bool
	}](folder, name)
	if err != nil {
		return nil, err
	}
	var all []*Case
	for _, l := range lines {
		c := &Case{Lang: l.Lang, Text: l.Text, Also: l.Also, Old: l.Old, New: l.New}
		switch {
		case name == "pairs":
			c.Label = l.Relation
		case name == "route":
			c.Label = l.Type
		case l.Keep:
			c.Label = "keep"
		default:
			c.Label, c.Also = "refuse", []string{reasonOf(l.Why)}
		}
		all = append(all, c)
	}
	return all, nil
}

// ownCases reads a file of the repository: language, label (with others that
// are right behind commas) and one text or two, by tabs; \n stands for a line
// break.
func ownCases(file string) ([]*Case, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []*Case
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(strings.ReplaceAll(line, `\n`, "\n"), "\t")
		if len(fields) != 3 && len(fields) != 4 {
			return nil, fmt.Errorf("%s, line %d: %d fields", file, n, len(fields))
		}
		labels := strings.Split(fields[1], ",")
		c := &Case{Lang: fields[0], Label: labels[0], Also: labels[1:], Own: true}
		if len(fields) == 4 {
			c.Old, c.New = fields[2], fields[3]
		} else {
			c.Text = fields[2]
		}
		all = append(all, c)
	}
	return all, lines.Err()
}

// A fact is what is known of something in one matter, and what is told of a change in it.
type fact struct{ of, matter, known, changed string }

// readFacts reads such facts: language, what they are of, matter, known and changed, by tabs.
func readFacts(file string) (all []fact, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '#' || len(fields) != 5 {
			continue
		}
		all = append(all, fact{fields[1], fields[2], fields[3], fields[4]})
	}
	return all, nil
}

// texts returns the case's texts.
func (c *Case) texts() []string {
	if c.Old != "" {
		return []string{c.Old, c.New}
	}
	return []string{c.Text}
}

// key tells the case from others.
func (c *Case) key() string { return strings.Join(c.texts(), "\t") }

// right reports whether a label is the case's own or one of those that are right,
// too.
func (c *Case) right(label string) bool { return label == c.Label || slices.Contains(c.Also, label) }

// reasonOf returns the reason that stands for a kind of junk in the shared set.
func reasonOf(why string) string {
	switch why {
	case "single-word", "emoji", "punct":
		return "too-short"
	case "filler", "thanks", "greeting":
		return "filler"
	case "speculation", "injection":
		return why
	}
	return "no-statement"
}

// script returns which kind of script the older or the newer text of a pair is in.
func (c *Case) script(older bool) string {
	oldLang, newLang, mixed := strings.Cut(c.Lang, "-")
	if !mixed || newLang == "Hant" {
		newLang = oldLang
	}
	lang := newLang
	if older {
		lang = oldLang
	}
	if lang == "en" {
		return "Latin"
	}
	return "Han"
}
