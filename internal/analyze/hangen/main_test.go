package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGeneratedFileIsCurrent fails when somebody changed the table or the generator and
// did not run go generate.
func TestGeneratedFileIsCurrent(t *testing.T) {
	// A checkout may have converted line ends to CRLF.
	got := bytes.ReplaceAll(read(t, target), []byte("\r\n"), []byte("\n"))
	if want := generate(string(read(t, source))); !bytes.Equal(got, want) {
		t.Errorf("%s is not what hangen writes: run go generate in internal/analyze", target)
	}
}

// TestOneStep: a simplified form is not simplified again, so folding twice is the same as
// folding once.
func TestOneStep(t *testing.T) {
	simple := pairs(string(read(t, source)))
	if len(simple) < 2500 {
		t.Fatalf("got %d characters of the table, which cannot be all", len(simple))
	}
	for from, to := range simple {
		if again, ok := simple[to]; ok {
			t.Errorf("%c becomes %c, which becomes %c", from, to, again)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
