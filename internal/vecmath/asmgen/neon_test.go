package main

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEncodings compares the instructions that are written as numbers with what
// a disassembler makes of them.
func TestEncodings(t *testing.T) {
	objdump, err := exec.LookPath("aarch64-linux-gnu-objdump")
	if err != nil {
		t.Skip(err)
	}
	var want []string
	var code []byte
	for _, m := range regexp.MustCompile(`WORD \$(0x[0-9a-f]{8}) // (.*)`).FindAllStringSubmatch(string(generate(writeNEON)), -1) {
		word, err := strconv.ParseUint(m[1], 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		code = binary.LittleEndian.AppendUint32(code, uint32(word))
		want = append(want, m[2])
	}
	path := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(path, code, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "--disassemble-all", "--target=binary", "--architecture=aarch64", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^ *[0-9a-f]+:\t[0-9a-f]{8} \t(.*)$`).FindAllStringSubmatch(string(out), -1) {
		got = append(got, strings.ReplaceAll(m[1], "\t", " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
