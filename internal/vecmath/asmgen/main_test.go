package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGeneratedFilesAreCurrent fails when the generator was changed and go
// generate was not run.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join("..", f.name))
		if err != nil {
			t.Fatal(err)
		}
		// A checkout may have turned line ends into CRLF.
		got = bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n"))
		if want := generate(f.write); !bytes.Equal(got, want) {
			t.Errorf("%s is not what asmgen writes: run go generate in internal/vecmath", f.name)
		}
	}
}
