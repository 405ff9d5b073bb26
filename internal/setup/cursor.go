package setup

import "path/filepath"

// cursor takes context only at the start of a session
// (https://cursor.com/docs/agent/hooks).
func cursor() Agent {
	folder := func(p Place) string { return filepath.Join(p.Home, ".cursor") }
	return Agent{
		Name: "cursor", Title: "Cursor", programs: []string{"cursor", "cursor-agent"}, folder: folder,
		wired: func(p Place) []wire {
			return []wire{{path: filepath.Join(folder(p), "mcp.json"), server: []string{"mcpServers"}}, {path: filepath.Join(folder(p), "hooks.json"), hooks: true}}
		},
		files: func(p Place, c Command) []file {
			var all []insertion
			for _, event := range [][2]string{{"sessionStart", "session-start"}, {"stop", "stop"}, {"sessionEnd", "session-end"}} {
				line := hookLine(p.OS, "cursor", c.words("hook", "cursor", event[1]))
				all = append(all, insertion{Path: []string{"hooks", event[0]}, Element: true, Value: map[string]any{"command": line, "timeout": 10}})
			}
			return []file{
				jsonFile("cursor", filepath.Join(folder(p), "mcp.json"), "{}\n", insertion{Path: []string{"mcpServers", "memoir"}, Value: server(c)}),
				jsonFile("cursor", filepath.Join(folder(p), "hooks.json"), "{\n  \"version\": 1\n}\n", all...),
			}
		},
	}
}
