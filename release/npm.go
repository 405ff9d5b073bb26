package main

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"
)

//go:embed npm/memoir.js
var npmShim []byte

//go:embed npm/README.md
var npmReadme []byte

// npmName is the package that people install. The package of their platform is
// an optional dependency of it. So no script has to run when it is installed.
const npmName = "@memoir-ai/memoir"

// mcpName is memoir's name in the registry of MCP servers. The npm package
// states it, as the registry demands as proof.
const mcpName = "io.github.memoir-ai/memoir"

// node returns the system as Node.js names it.
func (t target) node() (os, cpu string) {
	os, cpu = t.os, t.arch
	if os == "windows" {
		os = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	return os, cpu
}

// npmPackage has the parts of package.json that npm reads.
type npmPackage struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	MCPName              string            `json:"mcpName,omitempty"`
	Homepage             string            `json:"homepage"`
	Repository           npmRepository     `json:"repository"`
	License              string            `json:"license"`
	Author               string            `json:"author"`
	Engines              map[string]string `json:"engines,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"` // programs cannot run inside a zip
}

type npmRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

func (r *release) npmPackage(name string) npmPackage {
	return npmPackage{
		Name: name, Version: r.number(), Description: summary, Homepage: homepage,
		Repository: npmRepository{Type: "git", URL: "git+" + homepage + ".git"}, License: licence, Author: vendor,
	}
}

// npmPackages writes a package for each platform, and the package that chooses
// among them.
func (r *release) npmPackages() error {
	choice := r.npmPackage(npmName)
	choice.MCPName, choice.Bin = mcpName, map[string]string{"memoir": "bin/memoir.js"}
	choice.Engines, choice.OptionalDependencies = map[string]string{"node": ">=18"}, map[string]string{}
	for _, t := range r.targets {
		os, cpu := t.node()
		p := r.npmPackage(npmName + "-" + os + "-" + cpu)
		p.OS, p.CPU, p.PreferUnplugged = []string{os}, []string{cpu}, true
		choice.OptionalDependencies[p.Name] = p.Version
		program := entry{name: "bin/" + t.program("memoir"), from: r.program(t, "memoir"), mode: 0o755}
		if err := r.writeNPM(p, program, entry{name: "README.md", data: npmReadme, mode: 0o644}); err != nil {
			return err
		}
	}
	return r.writeNPM(choice, entry{name: "bin/memoir.js", data: npmShim, mode: 0o755}, entry{name: "README.md", data: npmReadme, mode: 0o644})
}

// writeNPM writes a package as npm publishes it.
func (r *release) writeNPM(p npmPackage, entries ...entry) error {
	data, err := pretty(p)
	if err != nil {
		return err
	}
	entries = append(entries, entry{name: "package.json", data: data, mode: 0o644})
	for _, doc := range []string{"LICENSE", "NOTICE"} {
		entries = append(entries, entry{name: doc, from: filepath.Join(r.source, doc), mode: 0o644})
	}
	for i := range entries {
		entries[i].name = "package/" + entries[i].name
	}
	file := strings.NewReplacer("@", "", "/", "-").Replace(p.Name) + "-" + p.Version + ".tgz"
	return writeTar(filepath.Join(r.out, "npm", file), r.time, entries)
}

// pretty returns v as indented JSON.
func pretty(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}
