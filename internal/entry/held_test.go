package entry_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/entry"
)

// TestMarked: what History marks is known by its text, and prose is not.
func TestMarked(t *testing.T) {
	for src, want := range map[string]bool{
		"- Lives in Bergen. <!-- id: a | status: superseded | by: b | until: 2026-03-02 -->\n- Moved to Oslo. <!-- id: b | replaces: a -->\n": true,
		"- Lives in Bergen. <!-- id: a | status: superseded | by: b -->\r\n- Moved to Oslo. <!-- id: b | replaces: a -->\r\n":                 true,
		"- 住在北京，\n  两年了。 <!-- id: a | status: superseded | by: b | until: 2026-03-02 -->\n- 搬到上海。 <!-- id: b | replaces: a -->\n":             true,
		"- Moved to Oslo. <!-- id: b | replaces: a -->\n":                     false,
		"- A flat (until 2026-03-02) in Oslo. <!-- id: b | replaces: a -->\n": false,
		"- A flat until 2026-03-02 <!-- id: b | replaces: a -->\n":            false,
	} {
		plain, _, _ := entry.History(src)
		if got := entry.Marked(plain); got != want {
			t.Errorf("%q is marked: %v, want %v", plain, got, want)
		}
	}
}
