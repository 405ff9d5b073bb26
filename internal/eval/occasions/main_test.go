package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Each question is answered by a line that says so, and half of them are kept aside.
func TestWrite(t *testing.T) {
	for _, table := range tables {
		t.Run(table, func(t *testing.T) { writes(t, table) })
	}
}

func writes(t *testing.T, table string) {
	all, err := read(table)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]occasion{}
	for _, o := range all {
		of[o.question] = o
	}
	dir := t.TempDir()
	if err := write(dir, all); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, name := range []string{"tune.jsonl", "aside.jsonl"} {
		questions := questionsOf(t, filepath.Join(dir, name))
		if asked += len(questions); len(questions) != len(all)/2 {
			t.Errorf("%s has %d questions of %d", name, len(questions), len(all))
		}
		for _, q := range questions {
			note, line, _ := strings.Cut(q.Expect[0], "#L")
			text, err := os.ReadFile(filepath.Join(dir, "notes", note))
			if err != nil {
				t.Fatal(err)
			}
			at, _ := strconv.Atoi(line)
			said := strings.TrimPrefix(strings.Split(string(text), "\n")[at-1], "- ")
			if !strings.Contains("\n"+strings.Join(of[q.Query].wordings, "\n")+"\n", "\n"+said+"\n") {
				t.Errorf("%q expects %q", q.Query, said)
			}
		}
	}
	if asked < 40 {
		t.Errorf("%d questions are few", asked)
	}
}

func questionsOf(t *testing.T, name string) (all []query) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var q query
		if err := json.Unmarshal(s.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}
