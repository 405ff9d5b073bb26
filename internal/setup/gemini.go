package setup

import "path/filepath"

// gemini gives the timeouts of hooks in milliseconds
// (https://geminicli.com/docs/hooks). Its PreCompress is not used, because it
// comes with every call of the model.
func gemini() Agent {
	folder := func(p Place) string { return filepath.Join(p.Home, ".gemini") }
	return Agent{
		Name: "gemini", Title: "Gemini CLI", programs: []string{"gemini"}, folder: folder,
		wired: func(p Place) []wire {
			return []wire{{path: filepath.Join(folder(p), "settings.json"), server: []string{"mcpServers"}, hooks: true}}
		},
		files: func(p Place, c Command) []file {
			all := append([]insertion{{Path: []string{"mcpServers", "memoir"}, Value: server(c)}},
				hooks(p, c, "gemini", 10_000, map[string]any{"name": "memoir"},
					"SessionStart", "session-start", "BeforeAgent", "prompt", "AfterAgent", "stop", "SessionEnd", "session-end")...)
			return []file{jsonFile("gemini", filepath.Join(folder(p), "settings.json"), "{}\n", all...)}
		},
	}
}
