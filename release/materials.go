package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// materials writes, for each target, which modules are in the program. The
// format is CycloneDX 1.6.
func (r *release) materials() error {
	for _, t := range r.targets {
		info, err := buildinfo.ReadFile(r.program(t, "memoir"))
		if err != nil {
			return err
		}
		model, err := sumFile(filepath.Join(r.source, "embed", "local", "weights", modelFile))
		if err != nil {
			return err
		}
		program, err := sumFile(r.program(t, "memoir"))
		if err != nil {
			return err
		}
		data, err := pretty(r.bill(info, program, model))
		if err != nil {
			return err
		}
		if err := writeData(r.file("memoir", t, ".cdx.json"), data); err != nil {
			return err
		}
	}
	return nil
}

const modelFile = "multilingual-e5-small.memoir"

// bill returns the list of a program's materials. Components are named by
// package URLs. The checksum of a module is the one in go.sum.
func (r *release) bill(info *debug.BuildInfo, program, model string) any {
	hashes := func(sum string) []object { return []object{{"alg": "SHA-256", "content": sum}} }
	main := fmt.Sprintf("pkg:golang/%s@%s", info.Main.Path, r.version)
	components := []object{
		{"type": "library", "bom-ref": goPackage("stdlib", strings.TrimPrefix(info.GoVersion, "go")), "name": "stdlib", "version": info.GoVersion,
			"purl": goPackage("stdlib", strings.TrimPrefix(info.GoVersion, "go")), "licenses": []object{{"license": object{"id": "BSD-3-Clause"}}}},
		{"type": "machine-learning-model", "bom-ref": modelFile, "name": modelFile, "hashes": hashes(model), "licenses": []object{{"license": object{"id": "MIT"}}}},
	}
	refs := []string{components[0]["bom-ref"].(string), modelFile}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		ref := goPackage(m.Path, m.Version)
		c := object{"type": "library", "bom-ref": ref, "name": m.Path, "version": m.Version, "purl": ref}
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
			c["properties"] = []object{{"name": "go:h1", "value": hex.EncodeToString(sum)}}
		}
		components, refs = append(components, c), append(refs, ref)
	}
	return object{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": object{
			"timestamp": r.time.Format("2006-01-02T15:04:05Z"),
			"component": object{"type": "application", "bom-ref": main, "name": "memoir", "version": r.version, "purl": main,
				"hashes": hashes(program), "licenses": []object{{"license": object{"id": licence}}}},
		},
		"components":   components,
		"dependencies": []object{{"ref": main, "dependsOn": refs}},
	}
}

func goPackage(path, version string) string { return "pkg:golang/" + path + "@" + version }
