package setup

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/regular"
)

// claudeCode keeps its servers beside its folder and its hooks within it
// (https://code.claude.com/docs/en/settings). Without alwaysLoad its model
// would have to search for the tools.
func claudeCode() Agent {
	folder := func(p Place) string { return p.dir(p.get("CLAUDE_CONFIG_DIR"), ".claude") }
	servers := func(p Place) string {
		if dir := p.get("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
			return filepath.Join(dir, ".claude.json")
		}
		return filepath.Join(p.Home, ".claude.json")
	}
	return Agent{
		Name: "claude-code", Title: "Claude Code", programs: []string{"claude"}, folder: folder,
		wired: func(p Place) []wire {
			return append([]wire{{path: servers(p), server: []string{"mcpServers"}}, {path: filepath.Join(folder(p), "settings.json"), hooks: true}}, claudePlugins(folder(p))...)
		},
		files: func(p Place, c Command) []file {
			entry := with(with(server(c), "alwaysLoad", true), "type", "stdio")
			return []file{
				jsonFile("claude-code", servers(p), "{}\n", insertion{Path: []string{"mcpServers", "memoir"}, Value: entry}),
				jsonFile("claude-code", filepath.Join(folder(p), "settings.json"), "{}\n", hooks(p, c, "claude-code", 10, nil,
					"SessionStart", "session-start", "UserPromptSubmit", "prompt", "PreCompact", "pre-compact", "PostCompact", "post-compact",
					"Stop", "stop", "SessionEnd", "session-end")...),
			}
		},
	}
}

// claudePlugins returns the files in which memoir's plugin says what is
// started, if the plugin is installed.
func claudePlugins(folder string) []wire {
	var root any
	data, err := regular.ReadFile(filepath.Join(folder, "plugins", "installed_plugins.json"))
	if err != nil || json.Unmarshal(data, &root) != nil {
		return nil // it is Claude Code's own, and holds no plugin then
	}
	var all []wire
	installed, _ := inside(root, "plugins").(map[string]any) // none is empty
	for _, name := range slices.Sorted(maps.Keys(installed)) {
		places, _ := installed[name].([]any)
		for _, p := range places {
			if dir, ok := inside(p, "installPath").(string); ok && strings.HasPrefix(name, "memoir@") && filepath.IsAbs(dir) {
				all = append(all, pluginWires(dir, "hooks.json")...)
			}
		}
	}
	return all
}
