package setup

import (
	"encoding/json"
	"path/filepath"
)

// openclaw has settings in JSON5 (https://docs.openclaw.ai/cli/mcp). Those that are
// JSON with comments are changed in place, others by its own command, which takes
// comments out of them. It has no hooks that are commands.
func openclaw() Agent {
	folder := func(p Place) string { return p.dir(p.get("OPENCLAW_STATE_DIR"), ".openclaw") }
	settings := func(p Place) string {
		if named := p.get("OPENCLAW_CONFIG_PATH"); filepath.IsAbs(named) {
			return named
		}
		return filepath.Join(folder(p), "openclaw.json")
	}
	return Agent{
		Name: "openclaw", Title: "OpenClaw", programs: []string{"openclaw"}, folder: folder,
		wired: func(p Place) []wire {
			return append([]wire{{path: settings(p), server: []string{"mcp", "servers"}}}, pluginWires(filepath.Join(folder(p), "extensions", "memoir"), "")...)
		},
		files: func(p Place, c Command) []file {
			f := jsonFile("openclaw", settings(p), "{}\n", insertion{Path: []string{"mcp", "servers", "memoir"}, Value: server(c)})
			entry, err := json.Marshal(server(c))
			if err == nil { // strings always are
				f.add = []string{"openclaw", "mcp", "set", "memoir", string(entry)}
				f.drop = []string{"openclaw", "mcp", "unset", "memoir"}
			}
			return []file{f}
		},
	}
}
