package archtest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rootFiles is how many files of Go the root has at most, with its tests.
const rootFiles = 10

func TestRootIsSmall(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the files of the root: %v", err)
	}
	if len(files) > rootFiles {
		t.Errorf("the root has %d files, not %d at most: it holds words and ports, and what works with them stands above it", len(files), rootFiles)
	}
}

// TestPackageComments: each package says what it is for.
func TestPackageComments(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", "{{if not .Doc}}{{.ImportPath}}{{end}}", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, name := range strings.Fields(string(out)) {
		t.Errorf("%s has no package comment", name)
	}
}

// rootLines is how many lines `go doc` has for the root, which is two screens.
const rootLines = 100

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
		t.Errorf("go doc of the root has %d lines, not %d: what sets a part goes to tune, what explains an answer to explain, what only some parts can do to ability, and what nobody outside needs inside", lines, rootLines)
	}
}
