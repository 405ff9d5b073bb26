package remember

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/secret"
)

// TestMaskChanged looks that lines that change are masked as in a note that is looked at
// as a whole, and that the others are as they were.
func TestMaskChanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	line := func() string {
		switch n := rng.IntN(1e6); rng.IntN(8) {
		case 0:
			return fmt.Sprintf("- The password of the router is hunter%dX!q\n", n)
		case 1:
			return fmt.Sprintf("- 密码：Tr0ub4dor&%d\n", n)
		case 2:
			return "- API key:\n"
		case 3:
			return fmt.Sprintf("  sk-proj-9fQ2mZ7xK4vB8nL1cR6tY3wE5%06d\n", n)
		case 4:
			return "\n"
		case 5:
			return "| user | password |\n|---|---|\n" + fmt.Sprintf("| ann | q7!Lm%dzP |\n", n)
		default:
			return fmt.Sprintf("- The supplier of street %d delivers on Mondays.\n", n)
		}
	}
	secrets := 0
	for range 300 {
		var lines []string
		for range 20 + rng.IntN(120) {
			lines = append(lines, line())
		}
		before := strings.Join(lines, "")
		at := rng.IntN(len(lines))
		switch rng.IntN(4) {
		case 0:
			lines = slices.Delete(lines, at, min(len(lines), at+1+rng.IntN(3)))
		case 1:
			lines[at] = line()
		case 2:
			lines = slices.Insert(lines, at, line(), line())
		default:
			lines = append(lines[:at], strings.TrimRight(line(), "\n"))
		}
		after := strings.Join(lines, "")
		masked, _ := secret.Mask(before)
		whole, found := secret.Mask(after)
		secrets += len(found)
		start, tail := sameEnds(strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n"))
		m, w := strings.SplitAfter(masked, "\n"), strings.SplitAfter(whole, "\n")
		want := strings.Join(slices.Concat(m[:start], w[start:len(w)-tail], m[len(m)-tail:]), "")
		x := &tidier{masked: map[string]string{}, clean: map[string]bool{}}
		if got := x.maskChanged(before, masked, after); got != want {
			t.Fatalf("before\n%s\nafter\n%s\nis\n%s", before, after, diff("note", want, got))
		}
	}
	if secrets < 1000 {
		t.Errorf("only %d secrets were masked", secrets)
	}
	// What cannot be taken line by line is looked at as a whole.
	block := "-----BEGIN OPENSSH PRIVATE KEY-----\n" + strings.Repeat("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n", 8) + "-----END OPENSSH PRIVATE KEY-----\n"
	x := &tidier{masked: map[string]string{}, clean: map[string]bool{}}
	before := "- one\n" + block + "- two\n"
	masked, _ := secret.Mask(before)
	want, _ := secret.Mask(block + "- two\n")
	if got := x.maskChanged(before, masked, block+"- two\n"); got != want || strings.Contains(got, "b3Blbn") {
		t.Errorf("a key of several lines is\n%s", got)
	}
}
