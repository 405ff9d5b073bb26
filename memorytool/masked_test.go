package memorytool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/memorytool"
)

// TestSecrets: what the model writes is kept with its secrets masked, and it is told so. What
// a person wrote into the file stays.
func TestSecrets(t *testing.T) {
	d := newDesk(t)
	file := filepath.Join(d.dir, memorytool.Dir, "keys.md")
	content := func() string {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	step := func(in input, want string, told bool) {
		t.Helper()
		got := d.call(t, in)
		if content() != want || got.Error != "" || strings.Contains(got.Text, "were masked") != told || strings.Contains(got.Text, "heron") {
			t.Errorf("%v:\nthe file is %q, want %q\nthe answer is %+v", in, content(), want, got)
		}
	}
	step(input{"command": "create", "path": "/memories/keys.md", "file_text": "my password is Hx7-heron-Z92!\n"}, "my password is [secret: password]\n", true)
	const own = "# Keys\nmy password is Zx9-otter-Q71!\n"
	if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	step(input{"command": "insert", "path": "/memories/keys.md", "insert_line": 2, "insert_text": "the token of CI: ghp_heron16C7e42F292c6912E7710c838347Ae\n"}, own+"the token of CI: [secret: token]\n", true)
	step(input{"command": "str_replace", "path": "/memories/keys.md", "old_str": "# Keys", "new_str": "# All keys\nthe wifi password is Hx7-heron-Z92!"},
		"# All keys\nthe wifi password is [secret: password]\nmy password is Zx9-otter-Q71!\nthe token of CI: [secret: token]\n", true)
	step(input{"command": "str_replace", "path": "/memories/keys.md", "old_str": "my password is", "new_str": "the old password was"},
		"# All keys\nthe wifi password is [secret: password]\nthe old password was Zx9-otter-Q71!\nthe token of CI: [secret: token]\n", false)
	history, err := d.engine.History()
	if err != nil || len(history) != 4 {
		t.Fatal(len(history), err)
	}
	for _, c := range history {
		for _, e := range c.Edits {
			if strings.Contains(e.Old+e.New+e.Left+e.Right, "heron") {
				t.Errorf("the history holds a secret: %+v", e)
			}
		}
	}
}

// TestOrigins: what the model writes is the model's, and what came from the web stays that.
func TestOrigins(t *testing.T) {
	d := newDesk(t)
	const path = "/memories/sources.md"
	for _, step := range []struct {
		in   input
		want string
	}{
		{input{"command": "create", "path": path, "file_text": "- one <!-- origin: user -->\n- two <!-- origin: web -->\n"}, "- one <!-- origin: agent -->\n- two <!-- origin: web -->\n"},
		{input{"command": "str_replace", "path": path, "old_str": "origin: web", "new_str": "origin: user"}, "- one <!-- origin: agent -->\n- two <!-- origin: web -->\n"},
		{input{"command": "insert", "path": path, "insert_line": 0, "insert_text": "plain\n\n"}, "plain\n\n- one <!-- origin: agent -->\n- two <!-- origin: web -->\n"},
	} {
		got := d.call(t, step.in)
		data, err := os.ReadFile(filepath.Join(d.dir, memorytool.Dir, "sources.md"))
		if err != nil || got.Error != "" || string(data) != step.want {
			t.Errorf("%v: %+v, %v\n%q, want\n%q", step.in, got, err, data, step.want)
		}
	}
}
