package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBriefHits: passages of which a brief answer shows no text stand on one line below
// their note, and not as lines of their own without anything under them.
func TestBriefHits(t *testing.T) {
	dir := t.TempDir()
	words := strings.Fields(strings.Repeat("garden tomato harvest beans compost water fence seeds spade weather notes about ", 20))
	var note strings.Builder
	for part := range 8 {
		note.WriteString("## Part\n\nThe garden plan " + strings.Join(words[part:part+150], " ") + "\n\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "garden.md"), []byte(note.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	at := []string{"--workspace", dir, "--state-dir", t.TempDir()}
	if _, _, errs := run(t.Context(), nil, testEmbedder, append([]string{"index"}, at...)...); errs != "" {
		t.Fatal(errs)
	}
	_, out, _ := run(t.Context(), nil, testEmbedder, append([]string{"search", "garden", "plan", "tomato"}, at...)...)
	if !regexp.MustCompile(`(?m)^ +also found: #L\d`).MatchString(out) {
		t.Errorf("no line names the others:\n%s", out)
	}
	if regexp.MustCompile(`(?m)^[●○]{5}  #L[^\n]*\n([●○]|\n|\z)`).MatchString(out) {
		t.Errorf("a passage stands there without text:\n%s", out)
	}
}
