package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"text/template"
)

// download returns the address of an artifact, once it is released.
func (r *release) download(file string) string {
	return homepage + "/releases/download/" + r.version + "/" + filepath.Base(file)
}

// manifests writes what package managers and the registry of MCP servers read:
// a formula for Homebrew, a manifest for Scoop, and server.json.
func (r *release) manifests() error {
	formula, err := r.formula()
	if err != nil {
		return err
	}
	scoop, err := r.scoop()
	if err != nil {
		return err
	}
	server, err := pretty(r.serverJSON())
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"homebrew/memoir.rb": formula, "scoop/memoir.json": scoop, "server.json": server} {
		if err := writeData(filepath.Join(r.out, name), data); err != nil {
			return err
		}
	}
	return nil
}

//go:embed memoir.rb.tmpl
var formulaText string

var formulaTemplate = template.Must(template.New("memoir.rb").Parse(formulaText))

// formula returns the formula for Homebrew, on macOS and Linux.
func (r *release) formula() ([]byte, error) {
	type download struct{ CPU, URL, Sum string }
	systems := map[string][]download{}
	for _, t := range r.targets {
		if t.os == "windows" {
			continue
		}
		file := r.file("memoir", t, ".tar.gz")
		sum, err := sumFile(file)
		if err != nil {
			return nil, err
		}
		cpu := map[string]string{"amd64": "intel", "arm64": "arm"}[t.arch]
		systems[t.os] = append(systems[t.os], download{cpu, r.download(file), sum})
	}
	var b bytes.Buffer
	err := formulaTemplate.Execute(&b, map[string]any{
		"Summary": summary, "Homepage": homepage, "Version": r.number(), "Licence": licence,
		"MacOS": systems["darwin"], "Linux": systems["linux"],
	})
	return b.Bytes(), err
}

// scoop returns the manifest for Scoop, on Windows.
func (r *release) scoop() ([]byte, error) {
	architecture := object{}
	for _, t := range r.targets {
		if t.os != "windows" {
			continue
		}
		file := r.file("memoir", t, ".zip")
		sum, err := sumFile(file)
		if err != nil {
			return nil, err
		}
		cpu := map[string]string{"amd64": "64bit", "arm64": "arm64"}[t.arch]
		architecture[cpu] = object{"url": r.download(file), "hash": sum, "extract_dir": archiveFolder(file)}
	}
	return pretty(object{
		"version": r.number(), "description": summary, "homepage": homepage, "license": licence,
		"architecture": architecture, "bin": "memoir.exe",
	})
}

// serverJSON returns the entry for the registry of MCP servers. It names the
// npm package, which finds the platform by itself.
func (r *release) serverJSON() any {
	return object{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":        mcpName,
		"title":       "memoir",
		"description": summary,
		"version":     r.number(),
		"repository":  object{"url": homepage, "source": "github"},
		"packages": []object{{
			"registryType": "npm", "identifier": npmName, "version": r.number(),
			"transport":        object{"type": "stdio"},
			"packageArguments": []object{{"type": "positional", "value": "mcp"}},
			"environmentVariables": []object{{
				"name": "MEMOIR_WORKSPACE", "description": "Folder of notes; ~/.memoir/workspace when it is not set", "format": "filepath",
			}},
		}},
	}
}

// sumFile returns the SHA-256 of a file.
func sumFile(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
