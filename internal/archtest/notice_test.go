package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the modules in NOTICE")

// begin and end stand around what NOTICE says of the modules.
const (
	begin = "Go modules in the programs\n\n"
	end   = "\nBSD 3-Clause licence\n"
)

// NOTICE names every module that is linked into memoir on some system, with the
// licences that its files say and the copyright lines that they want to be kept.
// After a change of the modules, run
//
//	go test ./internal/archtest -run Notice -update
func TestNotice(t *testing.T) {
	var want strings.Builder
	folders, packages := linked(t)
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		names, lines := licences(t, folders[name], func(file string) bool {
			pkg, elsewhere := ofPackage[name+" "+file]
			return elsewhere && !packages[pkg]
		})
		if len(names) == 0 {
			t.Errorf("%s: no licence that this test knows; look at its files in %s", name, folders[name])
		}
		fmt.Fprintf(&want, "%s: %s\n", name, strings.Join(names, ", "))
		for _, line := range lines {
			fmt.Fprintf(&want, "  %s\n", line)
		}
	}
	file := filepath.Join("..", "..", "NOTICE")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	before, rest, ok := strings.Cut(text, begin)
	got, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("NOTICE has no part between %q and %q", begin, end)
	}
	for _, m := range dataFile.FindAllString(before, -1) {
		if !slices.ContainsFunc(parents(m), func(dir string) bool { return packages[module+"/"+dir] }) {
			t.Errorf("NOTICE names %s, which is in no package of memoir", m)
		}
	}
	if vec := "modernc.org/sqlite/vec"; strings.Contains(before, "sqlite-vec") != packages[vec] {
		t.Errorf("NOTICE names sqlite-vec: %v; %s is linked: %v", !packages[vec], vec, packages[vec])
	}
	if got == want.String() || t.Failed() {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+want.String()+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("NOTICE does not say what is linked; go test ./internal/archtest -run Notice -update renews it. It says\n%s\nwant\n%s", got, want.String())
}

// ofPackage names the package that a licence file of a module is about, where it is
// not about all of them: it counts when that package is linked.
var ofPackage = map[string]string{
	"modernc.org/sqlite LICENSE-SQLITE_VEC": "modernc.org/sqlite/vec",
	// A list of all that its repository has, with its tests and tools. What of it is
	// linked are the modules here, SQLite, and what has a line above.
	"modernc.org/sqlite LICENSE-3RD-PARTY.md": "",
}

// dataFile is a file of memoir, as NOTICE names it.
var dataFile = regexp.MustCompile(`\b(?:embed|internal)/[\w/-]+\.\w+`)

// parents returns the folders that a file lies in, the nearest first.
func parents(file string) (dirs []string) {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

// linked returns the folder of each module that is linked into memoir, and the
// packages that are.
func linked(t *testing.T) (folders map[string]string, packages map[string]bool) {
	t.Helper()
	folders, packages = map[string]string{}, map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Module", "./cmd/memoir")
		cmd.Dir = filepath.Join("..", "..")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "GOFLAGS=-mod=readonly")
		out, err := cmd.Output()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Fatalf("go list for %s: %s", system, failed.Stderr)
		}
		if err != nil {
			t.Fatal(err)
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				ImportPath string
				Module     *struct{ Path, Dir string }
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			packages[p.ImportPath] = true
			if p.Module == nil || p.Module.Path == module {
				continue
			}
			if p.Module.Dir == "" { // of another system, and not downloaded here
				t.Skipf("the files of %s are not at hand: go mod download", p.Module.Path)
			}
			folders[p.Module.Path] = p.Module.Dir
		}
	}
	if len(folders) < 10 {
		t.Fatalf("go list names only %d modules", len(folders))
	}
	return folders, packages
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([-.].*)?$`)
	copyright   = regexp.MustCompile(`(?im)^[\s*#/]*(copyright (\(c\)|©|[0-9]{4}).*)$`)
)

// licences returns what the files of a module say of its licences, and their
// copyright lines. It leaves out the files that skip says.
func licences(t *testing.T, folder string, skip func(file string) bool) (names, lines []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !licenceFile.MatchString(e.Name()) || !e.Type().IsRegular() || skip(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(string(data)), " ")
		has := func(words string) bool { return strings.Contains(text, words) }
		for name, said := range map[string]bool{
			"Apache-2.0":    has("Apache License") && has("Version 2.0"),
			"MIT":           has("Permission is hereby granted, free of charge"),
			"BSD-3-Clause":  has("Redistribution and use in source and binary forms") && (has("Neither the name") || has("names of its contributors")),
			"BSD-2-Clause":  has("Redistribution and use in source and binary forms") && !has("Neither the name") && !has("names of its contributors"),
			"public domain": has("public domain"),
			"CC-BY-4.0":     has("CC-BY-4.0"),
		} {
			if said {
				names = append(names, name)
			}
		}
		for _, m := range copyright.FindAllSubmatch(data, -1) {
			lines = append(lines, strings.Join(strings.Fields(string(m[1])), " "))
		}
	}
	slices.Sort(names)
	slices.Sort(lines)
	return slices.Compact(names), slices.Compact(lines)
}
