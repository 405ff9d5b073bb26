package chunk_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/chunk"
)

func TestIsSessionHeader(t *testing.T) {
	const header = "# Session: 2026-03-02 09:14:05 UTC\n\n- **Session Key**: agent:main:main\n- **Session ID**: 8b1d\n- **Source**: telegram"
	for text, want := range map[string]bool{
		header: true, "# Session: a\r\n\r\n- **Session ID**: b\r\n": true,
		header + "\n- **Owner**: Mia": false, header + "\n\nShip on Friday.": false, "# Session: planning": false, "- **Source**: Mia": false, "": false,
		"# Session: a\n# Session: b\n- **Source**: c": false,
	} {
		if got := chunk.IsSessionHeader(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
