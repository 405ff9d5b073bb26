package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	for _, args := range [][]string{nil, {"a", "b"}, {"-days", "0", dir}, {"-bytes", "-1", dir}, {"-x", dir}} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("run(%q) did not fail", args)
		}
	}
}
