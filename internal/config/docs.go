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

// Template returns a settings file for a workspace in which every setting is
// documented and commented out.
func Template() string {
	var b strings.Builder
	b.WriteString("# Settings of this workspace. Everything is optional; \"memoir config\" shows what is in effect.\n")
	for _, k := range Keys() {
		if k.yours == never {
			continue
		}
		fmt.Fprintf(&b, "\n# %s\n#%s = %s\n", k.Doc, k.Name, k.example())
	}
	return b.String()
}

// example returns the default as TOML writes it.
func (k Key) example() string {
	switch k.at(&Settings{}).(type) {
	case *int, *int64, *float64, *bool:
		if k.Default == "" {
			return fmt.Sprint(map[string]int{"chunking.tokens": defaultTokens, "chunking.overlap": defaultOverlap}[k.Name])
		}
		return k.Default
	case *[]string:
		return "[]"
	}
	return fmt.Sprintf("%q", k.Default)
}
