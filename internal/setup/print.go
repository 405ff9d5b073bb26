package setup

import (
	"bytes"
	"encoding/json"
)

// A Snippet is what a person must add to the settings of an MCP client.
type Snippet struct {
	Name string `json:"name"` // of the client
	File string `json:"file"` // where it belongs, for people
	Text string `json:"text"` // what belongs there
}

// client is a program whose settings memoir does not change.
type client struct{ name, file, shape string }

// clients are the programs that memoir setup --print knows, including the
// agents.
var clients = []client{
	{"claude-code", "~/.claude.json; memoir setup claude-code writes it, and the hooks", "mcpServers+"},
	{"codex", "~/.codex/config.toml; memoir setup codex writes it, and the hooks", "toml"},
	{"gemini", "~/.gemini/settings.json; memoir setup gemini writes it, and the hooks", "mcpServers"},
	{"opencode", "~/.config/opencode/opencode.json; memoir setup opencode writes it, and the plugin", "opencode"},
	{"cursor", "~/.cursor/mcp.json; memoir setup cursor writes it, and the hooks", "mcpServers"},
	{"openclaw", "~/.openclaw/openclaw.json; memoir setup openclaw writes it", "openclaw"},
	{"vscode", ".vscode/mcp.json of a project, or MCP: Open User Configuration", "servers"},
	{"windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers"},
	{"zed", "settings.json of Zed (zed: open settings)", "zed"},
	{"claude-desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)", "mcpServers"},
	{"other", "the settings of the client; most have an object mcpServers", "mcpServers"},
}

// Clients returns the names that [Print] knows.
func Clients() []string {
	var names []string
	for _, c := range clients {
		names = append(names, c.name)
	}
	return names
}

// Print returns what to add to the settings of a client.
func Print(name string, c Command) (Snippet, bool) {
	for _, x := range clients {
		if x.name == name {
			return Snippet{x.name, x.file, x.text(c)}, true
		}
	}
	return Snippet{}, false
}

func (x client) text(c Command) string {
	entry := server(c)
	var whole any
	switch x.shape {
	case "toml":
		text, err := addTable(nil, c.serving(), nil)
		if err != nil {
			return ""
		}
		return string(text[bytes.IndexByte(text, '\n')+1:])
	case "mcpServers+":
		whole = named("mcpServers", with(entry, "alwaysLoad", true))
	case "servers":
		whole = named("servers", with(entry, "type", "stdio"))
	case "zed":
		whole = named("context_servers", with(entry, "source", "custom"))
	case "opencode":
		whole = named("mcp", map[string]any{"type": "local", "command": c.words("mcp"), "enabled": true})
	case "openclaw":
		whole = map[string]any{"mcp": named("servers", entry)}
	default:
		whole = named("mcpServers", entry)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(whole); err != nil {
		return ""
	}
	return b.String()
}

func named(list string, entry map[string]any) map[string]any {
	return map[string]any{list: map[string]any{"memoir": entry}}
}
