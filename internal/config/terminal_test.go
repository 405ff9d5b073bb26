package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/config"
)

// The form of a link is an address with a path, and nothing in it steers a terminal.
func TestTerminalLinks(t *testing.T) {
	for value, right := range map[string]bool{
		"file": true, "none": true, "vscode://file{path}:{line}": true, "file://{host}{path}#{line}": true,
		"txmt://open?url=file://{path}&line={line}": true, "x-editor+1.0:{path}": true, "kitty:%20{path}": true,
		"": false, "off": false, "vscode": false, "vscode://file": false, "{path}": false, "vscode://{file}": false,
		"vscode://file{path}{column}": false, "vscode://file{path": false, "vscode://a b{path}": false, "1x:{path}": false,
		"vscode://\x1b\\{path}": false, "vscode://\x07{path}": false, "vscode://{path}\n": false, "vscode://{path}\u009c": false, "vscode://文件{path}": false, `vscode:\\{path}`: false,
	} {
		p := newPlace(t, "", "")
		p.vars["MEMOIR_TERMINAL_LINKS"] = value
		got, err := config.Load(p.env(p.work), nil)
		var mistake *config.Error
		switch {
		case value == "": // as if it were not set
			if err != nil || got.Terminal.Links != config.LinksFile {
				t.Errorf("without one: got %v, %v", got, err)
			}
		case right:
			if err != nil || got.Terminal.Links != value {
				t.Errorf("%q: got %v", value, err)
			}
		case !errors.As(err, &mistake) || !strings.Contains(mistake.Message, "terminal.links") || !strings.Contains(mistake.Message, "{path}") || mistake.Hint == "":
			t.Errorf("%q: got %v, want it refused with a hint", value, err)
		case strings.ContainsAny(mistake.Message, "\x1b\x07\n\u009c"):
			t.Errorf("%q: the message has it: %q", value, mistake.Message)
		}
	}
}
