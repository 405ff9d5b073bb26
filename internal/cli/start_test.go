package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStartTakesLittle: before a command runs, the packages of memoir take little
// memory, and so little time. What only some commands need they make when they need it.
func TestStartTakesLittle(t *testing.T) {
	const most = 128 << 10 // bytes, of all packages together
	cmd := exec.CommandContext(t.Context(), "memoir-real", "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var told strings.Builder
	cmd.Stderr = &told
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, told.String())
	}
	sum, packages := 0, 0
	for line := range strings.Lines(told.String()) {
		var name string
		var at, clock float64
		var bytes, allocations int
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &clock, &bytes, &allocations); err != nil {
			continue
		}
		if strings.HasPrefix(name, "github.com/memoir-ai/memoir/") && !strings.HasSuffix(name, "_test") {
			sum, packages = sum+bytes, packages+1
		}
	}
	if packages < 10 {
		t.Fatalf("%d packages are told of, which cannot be all:\n%s", packages, told.String())
	}
	if sum > most {
		t.Errorf("the packages take %d bytes at the start, at most %d:\n%s", sum, most, told.String())
	}
}
