package memorytool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/memorytool"
)

// TestForgotten: the model cannot write what was forgotten on purpose. What a person wrote
// again stays, and moves with its file.
func TestForgotten(t *testing.T) {
	d := newDesk(t)
	const otto, own = "- Otto owes me forty crowns.\n", "# A\n\n- The well is deep.\n"
	file := filepath.Join(d.dir, memorytool.Dir, "a.md")
	d.call(t, input{"command": "create", "path": "/memories/a.md", "file_text": own + otto})
	if _, err := d.engine.Forget(t.Context(), engine.Target{Ref: "memories/a.md#L4"}, false); err != nil {
		t.Fatal(err)
	}
	for _, in := range []input{
		{"command": "create", "path": "/memories/b.md", "file_text": otto},
		{"command": "insert", "path": "/memories/a.md", "insert_line": 3, "insert_text": "- Otto owes me **forty** crowns"},
		{"command": "str_replace", "path": "/memories/a.md", "old_str": "The well is deep.", "new_str": "Otto owes me forty crowns"},
	} {
		if got := d.call(t, in); !strings.Contains(got.Error, "was forgotten on purpose") || strings.Contains(got.Error, "Otto") {
			t.Errorf("%v: %+v", in, got)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != own {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.WriteFile(file, []byte(own+otto), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, in := range []input{
		{"command": "insert", "path": "/memories/a.md", "insert_line": 3, "insert_text": "- The pump is new."},
		{"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/c.md"},
	} {
		if got := d.call(t, in); got.Error != "" {
			t.Errorf("%v: %+v", in, got)
		}
	}
}
