package setup

import "path/filepath"

// codex keeps its servers in a TOML file and its hooks in a JSON file
// (https://developers.openai.com/codex/config-reference). It runs a new or
// changed hook only after the user has accepted it.
func codex() Agent {
	folder := func(p Place) string { return p.dir(p.get("CODEX_HOME"), ".codex") }
	return Agent{
		Name: "codex", Title: "Codex", programs: []string{"codex"}, folder: folder,
		Note: "start codex and accept the hooks of memoir when it asks, or type /hooks: it runs none that nobody accepted",
		wired: func(p Place) []wire {
			all := []wire{{path: filepath.Join(folder(p), "config.toml"), server: []string{"mcp_servers"}}, {path: filepath.Join(folder(p), "hooks.json"), hooks: true}}
			found, _ := filepath.Glob(filepath.Join(folder(p), "plugins", "cache", "*", "memoir", "*")) // a bad pattern finds none
			for _, dir := range found {
				all = append(all, pluginWires(dir, "codex.json")...)
			}
			return all
		},
		files: func(p Place, c Command) []file {
			return []file{
				tomlFile(filepath.Join(folder(p), "config.toml"), c.serving(), c.more),
				jsonFile("codex", filepath.Join(folder(p), "hooks.json"), "{}\n", append(
					hooks(p, c, "codex", 10, nil, "SessionStart", "session-start", "UserPromptSubmit", "prompt", "Stop", "stop"),
					hooks(p, c, "codex", 3, nil, "SessionEnd", "session-end")...)...), // of which it allows no more
			}
		},
	}
}
