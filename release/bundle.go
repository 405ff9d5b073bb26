package main

import "path/filepath"

// mcpTools are the tools that docs/reference/mcp.md lists. A test compares the
// two.
var mcpTools = []mcpTool{
	{"memory_search", "Search the notes by words and by meaning"},
	{"memory_get", "Read lines of a note"},
	{"memory_remember", "Remember a fact, a preference or a decision"},
	{"memory_forget", "Forget something, when the user asks for it"},
	{"memory_prime", "What a session should start with"},
}

type mcpTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// bundles writes an .mcpb for each platform, which desktop hosts install with a
// click. The manifest of a bundle can tell systems apart, but not processors.
// So one bundle cannot serve all platforms.
func (r *release) bundles() error {
	for _, t := range r.targets {
		manifest, err := pretty(r.manifest(t))
		if err != nil {
			return err
		}
		entries := []entry{
			{name: "manifest.json", data: manifest, mode: 0o644},
			{name: "server/" + t.program("memoir"), from: r.program(t, "memoir"), mode: 0o755},
		}
		for _, doc := range []string{"LICENSE", "NOTICE"} {
			entries = append(entries, entry{name: doc, from: filepath.Join(r.source, doc), mode: 0o644})
		}
		if err := writeZip(r.file("memoir", t, ".mcpb"), r.time, entries); err != nil {
			return err
		}
	}
	return nil
}

// manifest is the manifest.json of a bundle.
func (r *release) manifest(t target) any {
	platform, _ := t.node()
	program := "server/" + t.program("memoir")
	return object{
		"manifest_version": "0.3",
		"name":             "memoir",
		"display_name":     "memoir",
		"version":          r.number(),
		"description":      summary,
		"author":           object{"name": vendor, "url": homepage},
		"repository":       npmRepository{Type: "git", URL: homepage + ".git"},
		"homepage":         homepage,
		"license":          licence,
		"keywords":         []string{"memory", "notes", "markdown", "search"},
		"server": object{
			"type":        "binary",
			"entry_point": program,
			"mcp_config": object{
				"command": "${__dirname}/" + program,
				"args":    []string{"mcp", "--workspace", "${user_config.workspace}"},
				"env":     object{},
			},
		},
		"tools": mcpTools,
		"user_config": object{
			"workspace": object{
				"type": "directory", "title": "Folder of notes", "required": true, "default": "${HOME}/.memoir/workspace",
				"description": "Markdown files that memoir searches and writes to; made if need be",
			},
		},
		"compatibility": object{"platforms": []string{platform}},
	}
}

// object is a JSON object. When it is written, its members are sorted by name.
type object = map[string]any
