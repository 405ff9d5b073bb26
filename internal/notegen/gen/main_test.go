package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/eval"
	"github.com/memoir-ai/memoir/internal/notegen"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run([]string{"-days", "2", "-bytes", "100", "-facts", dir}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(out.String()) {
		var f notegen.Fact
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil || !strings.Contains(string(text), f.Text) {
			t.Errorf("%+v is not in the file (%v)", f, err)
		}
		n++
	}
	if n != 6 {
		t.Errorf("got %d facts, want 6", n)
	}
	for _, args := range [][]string{{"-years", "-1", dir}, {"-years", "151", dir}, nil, {"a", "b"}, {"-days", "0", dir}, {"-bytes", "-1", dir}, {"-x", dir}} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("run(%q) did not fail", args)
		}
	}
}

// What -queries writes is what memoir eval reads.
func TestQueries(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "queries.jsonl")
	if err := run([]string{"-years", "1", "-bytes", "100", "-queries", file, filepath.Join(dir, "notes")}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	questions, err := eval.ReadQueries(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(questions) != 3*365 {
		t.Fatalf("got %d questions, want 3 a day", len(questions))
	}
	place, _, _ := strings.Cut(questions[3*364].Relevant[0], "#")
	if got, want := place, "memory/2025-12-31.md"; got != want {
		t.Errorf("the last day is of %s, want %s", got, want)
	}
}
