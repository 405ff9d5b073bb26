package setup

import "path/filepath"

// claudeCode keeps its servers beside its folder and its hooks in it
// (https://code.claude.com/docs/en/settings). Without alwaysLoad its model would have
// to search for the tools.
func claudeCode() Agent {
	folder := func(p Place) string { return p.dir(p.get("CLAUDE_CONFIG_DIR"), ".claude") }
	return Agent{
		Name: "claude-code", Title: "Claude Code", programs: []string{"claude"}, folder: folder,
		files: func(p Place, c Command) []file {
			servers := filepath.Join(p.Home, ".claude.json")
			if dir := p.get("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
				servers = filepath.Join(dir, ".claude.json")
			}
			entry := with(with(server(c), "alwaysLoad", true), "type", "stdio")
			return []file{
				jsonFile("claude-code", servers, "{}\n", insertion{Path: []string{"mcpServers", "memoir"}, Value: entry}),
				jsonFile("claude-code", filepath.Join(folder(p), "settings.json"), "{}\n", hooks(p, c, "claude-code", 10, nil,
					"SessionStart", "session-start", "UserPromptSubmit", "prompt", "PreCompact", "pre-compact", "PostCompact", "post-compact",
					"Stop", "stop", "SessionEnd", "session-end")...),
			}
		},
	}
}
