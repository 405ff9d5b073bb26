package setup

import (
	"encoding/json"
	"path/filepath"
)

// openclaw has settings in JSON5 (https://docs.openclaw.ai/cli/mcp). A file
// that is JSON with comments is changed in place. Others are changed by
// OpenClaw's own command, which drops their comments. OpenClaw has no hooks
// that are commands.
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
