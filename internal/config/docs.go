package config

import (
	"fmt"
	"strings"
)

// Reference returns the documentation of every setting in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Settings\n\n" +
		"Layers, each over the one before: defaults, the user's file, the workspace's `.memoir.toml`, variables of the environment, flags.\n")
	for _, k := range Keys() {
		fmt.Fprintf(&b, "\n## `%s`\n\n%s\n\n", k.Name, k.Doc)
		fmt.Fprintf(&b, "- takes %s\n", k.expected())
		if k.Default != "" {
			fmt.Fprintf(&b, "- default `%s`\n", k.Default)
		}
		fmt.Fprintf(&b, "- variable `%s`\n", k.Env())
	}
	return b.String()
}

// Template returns a settings file for a workspace with the settings that a
// beginner may want, commented out with their defaults.
func Template() string {
	return `# Settings of this workspace; none is needed. Take the # away to set one.
# "memoir config" shows what is in effect, "memoir config --docs" explains every setting.

# Files and folders to leave out, as in .gitignore: ["drafts/", "*.tmp.md"]
#exclude = []
# What is a note; empty is *.md and *.markdown. Source code can be: ["*.md", "*.go"]
#include = []
# hybrid searches by word and by meaning, text by word alone, vector by meaning alone.
#query.mode = "hybrid"
# true lets old notes fall behind newer ones.
#query.temporalDecay.enabled = false
`
}
