package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGeneratedFileIsCurrent fails when the generator was changed and go
// generate was not run.
func TestGeneratedFileIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	// A checkout may have turned line ends into CRLF.
	got = bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n"))
	if want := generate(); !bytes.Equal(got, want) {
		t.Error("kernels_amd64.s is not what asmgen writes: run go generate in internal/vecmath")
	}
}
