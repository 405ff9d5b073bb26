package remember_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

// TestReplacesInList: an item of any list that is named is marked, and what replaces it
// stands after it in the same list.
func TestReplacesInList(t *testing.T) {
	for name, c := range map[string]struct{ list, line string }{
		"indented":         {"   - Ann likes tea\n   - Bob likes rum\n   - Cid likes gin\n", "   - Bob likes"},
		"a little":         {" * Ann likes tea\n * Bob likes rum\n * Cid likes gin\n", " - Bob likes"},
		"numbered":         {"  1. Ann likes tea\n  2. Bob likes rum\n  3. Cid likes gin\n", "  - Bob likes"},
		"with more lines":  {"  - Ann likes tea\n    and cake\n  - Bob likes rum\n    and ice\n  - Cid likes gin\n", "  - Bob likes"},
		"with lists below": {"  - Ann likes tea\n    - green\n  - Bob likes rum\n    - dark\n  - Cid likes gin\n", "  - Bob likes"},
		"with tabs":        {"-\tAnn likes tea\n-\tBob likes rum\n-\tCid likes gin\n", "- Bob likes"},
		"with line ends":   {"  - Ann likes tea\r\n  - Bob likes rum\r\n  - Cid likes gin\r\n", "  - Bob likes"},
	} {
		b := newBench(t, map[string]string{"memory/preferences.md": "# Preferences\n\n" + c.list}, nil)
		ref := ""
		listed, err := b.keeper.Entries(t.Context(), remember.Filter{})
		if err != nil || len(listed) != 3 {
			t.Fatalf("%s: got %+v, %v", name, listed, err)
		}
		ref = "memory/preferences.md#L" + string(rune('0'+listed[1].StartLine))
		out := b.tell(remember.Request{Text: "Bob likes whisky now,\nand nothing else.", Replaces: ref}, remember.Superseded, "changed")
		if out.Path != "memory/preferences.md" || out.Replaces == nil || out.Replaces.ID == "" || out.StartLine != out.Replaces.EndLine+1 {
			t.Errorf("%s: got %+v", name, out)
		}
		if text := b.notes()[out.Path]; !strings.Contains(text, c.line+" whisky now,") {
			t.Errorf("%s: got\n%s", name, text)
		}
		// Lines that move change nothing of that.
		b.forget(remember.Target{Ref: listed[0].Path + "#L" + string(rune('0'+listed[0].StartLine))}, 1)
		active, err := b.keeper.Entries(t.Context(), remember.Filter{})
		if err != nil || len(active) != 2 || active[0].Text != "Bob likes whisky now,\nand nothing else." || active[1].Text != "Cid likes gin" {
			t.Errorf("%s: active are %+v, %v", name, active, err)
		}
	}
}
