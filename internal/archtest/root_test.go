package archtest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rootLines is how many lines `go doc` has for the root, which is two screens.
const rootLines = 118

// TestRootFitsTwoScreens: whoever meets memoir as a library reads its root first.
func TestRootFitsTwoScreens(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "doc", module)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go doc: %v: %s", err, out)
	}
	lines := strings.Count(string(out), "\n")
	if lines < 60 {
		t.Fatalf("go doc has %d lines, which cannot be all:\n%s", lines, out)
	}
	if lines > rootLines {
		t.Errorf("go doc of the root has %d lines, not %d: what sets a part goes to tune, what explains an answer to explain, and what nobody outside needs inside", lines, rootLines)
	}
}
