package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestBytesAreTheInstructions disassembles what is written as bytes and
// compares it with the comment beside them. Without a disassembler that knows
// the instructions (GNU objdump 2.36 and newer) there is nothing to compare.
func TestBytesAreTheInstructions(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("there is no objdump")
	}
	var code []byte
	var want []string
	for line := range strings.Lines(string(generate(writeAMD64))) {
		bytes, comment, found := strings.Cut(line, " // ")
		if !found || !strings.HasPrefix(bytes, "\tBYTE ") {
			continue
		}
		for _, b := range regexp.MustCompile(`0x[0-9a-f]+`).FindAllString(bytes, -1) {
			v, err := strconv.ParseUint(b, 0, 8)
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, byte(v))
		}
		want = append(want, strings.TrimSpace(comment))
	}
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", file).CombinedOutput()
	if err != nil {
		t.Skipf("objdump: %v", err)
	}
	var got []string
	for _, line := range regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t(.*)$`).FindAllStringSubmatch(string(out), -1) {
		got = append(got, goSyntax(line[1]))
	}
	if len(got) != len(want) {
		t.Fatalf("got %d instructions of %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("the bytes of %q are %q", want[i], got[i])
		}
	}
}

// goSyntax rewrites an instruction of GNU's assembler as Go's: the operands
// have the same order.
func goSyntax(gnu string) string {
	s := strings.ToUpper(strings.TrimSpace(strings.TrimPrefix(gnu, "{vex}")))
	s = regexp.MustCompile(` +`).ReplaceAllString(s, " ")
	s = strings.NewReplacer("%YMM", "Y", "%TMM", "TMM", "%R", "R").Replace(s)
	s = regexp.MustCompile(`R([A-D]X|[SD]I)`).ReplaceAllString(s, "$1")
	s = regexp.MustCompile(`\(([A-Z0-9]+),([A-Z0-9]+),1\)`).ReplaceAllString(s, "($1)($2*1)")
	return strings.ReplaceAll(s, ",", ", ")
}
