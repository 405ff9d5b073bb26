package editor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
)

func TestCommand(t *testing.T) {
	const file = "/notes/with blank/三月.md"
	t.Setenv("PATH", t.TempDir())
	for _, x := range []struct {
		visual, editor string
		line           int
		want           string // the words with | between them
	}{
		{"", "vi", 3, "vi|+3|" + file},
		{"", "vi", 0, "vi|" + file},
		{"", "nano", 3, "nano|+3|" + file},
		{"", "emacsclient -t", 12, "emacsclient|-t|+12|" + file},
		{"/usr/bin/nvim", "nano", 3, "/usr/bin/nvim|+3|" + file},
		{"  ", "kak", 3, "kak|+3|" + file},
		{"code --wait", "vi", 3, "code|--wait|--goto|" + file + ":3"},
		{"code --wait", "vi", 0, "code|--wait|" + file},
		{"", "codium", 3, "codium|--goto|" + file + ":3"},
		{"", "cursor", 3, "cursor|--goto|" + file + ":3"},
		{"", "zed --wait", 3, "zed|--wait|" + file + ":3"},
		{"", "hx", 3, "hx|" + file + ":3"},
		{"", "/opt/Helix/HX.EXE", 3, "/opt/Helix/HX.EXE|" + file + ":3"},
		{"", "kate", 3, "kate|--line|3|" + file},
		{"", "my-editor", 3, "my-editor|" + file},
		{"", `"/opt/an editor/vim" -u 'my rc' a\ b ""`, 3, "/opt/an editor/vim|-u|my rc|a b||+3|" + file},
		{"", "vim; rm -rf $HOME `x` | y", 3, "vim;|rm|-rf|$HOME|`x`|||y|" + file}, // no shell reads it
	} {
		t.Setenv("VISUAL", x.visual)
		t.Setenv("EDITOR", x.editor)
		got, err := Command(Chosen(), file, x.line)
		if err != nil || strings.Join(got, "|") != x.want {
			t.Errorf("VISUAL=%q EDITOR=%q line %d: got %q, %v; want %s", x.visual, x.editor, x.line, got, err, x.want)
		}
	}
}

// A program whose path has blanks needs no quotation marks.
func TestCommandWithBlanks(t *testing.T) {
	program := filepath.Join(t.TempDir(), "an editor", "vim.exe")
	if err := os.MkdirAll(filepath.Dir(program), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, nil, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", program)
	got, err := Command(Chosen(), "/a.md", 2)
	if want := []string{program, "+2", "/a.md"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestNoCommand(t *testing.T) {
	for _, chosen := range []string{"", " \t", `"vim`, `''`, `'' vim`, "vim 'a", `vim \`} {
		t.Setenv("VISUAL", "")
		t.Setenv("EDITOR", chosen)
		if chosen == `vim \` && filepath.Separator == '\\' {
			continue
		}
		got, err := Command(Chosen(), "/notes/a.md", 3)
		if err == nil || memoir.Hint(err) == "" {
			t.Errorf("EDITOR=%q: got %q, %v", chosen, got, err)
		}
		if strings.TrimSpace(chosen) == "" && !strings.Contains(err.Error(), "/notes/a.md") {
			t.Errorf("%v does not name the file", err)
		}
	}
}

func TestSplitBackslashes(t *testing.T) {
	got, err := split(`"C:\Program Files\Vim\gvim.exe" -f C:\it's`, true)
	if want := []string{`C:\Program Files\Vim\gvim.exe`, "-f", `C:\it's`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// A note that came with a clone starts no program by its name.
func TestBatch(t *testing.T) {
	for _, x := range []struct {
		program, file string
		plain         bool
	}{
		{`C:\code.cmd`, `C:\notes\a b.md`, true},
		{`C:\code.CMD`, `C:\notes\a&calc.md`, false},
		{`C:\code.bat`, `C:\notes\%PATH%.md`, false},
		{`C:\code.exe`, `C:\notes\a&calc.md`, true},
	} {
		if got := plainForBatch(x.program, x.file); got != x.plain {
			t.Errorf("%s with %s: got %t", x.program, x.file, got)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(`"a b" 'c' d\ e`, false)
	f.Add(`"C:\x y\z.exe" -f`, true)
	f.Fuzz(func(t *testing.T, text string, backslashes bool) {
		words, err := split(text, backslashes)
		if err == nil && (len(words) == 0 || words[0] == "") {
			t.Errorf("%q: no program and no error", text)
		}
		if err != nil && words != nil {
			t.Errorf("%q: words %q beside %v", text, words, err)
		}
	})
}
