package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/google/go-cmp/cmp"
)

var commitTime = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// made is a release whose programs are a few bytes each, for every target.
func made(t *testing.T) *release {
	t.Helper()
	r := &release{options: options{out: t.TempDir(), targets: allTargets}, tmp: t.TempDir(), source: t.TempDir(), time: commitTime, version: "v1.2.3"}
	write := func(file string) {
		t.Helper()
		if err := writeData(file, []byte("content of "+filepath.Base(file)+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append(documents, "examples/notes/MEMORY.md", "embed/local/weights/"+modelFile) {
		write(filepath.Join(r.source, name))
	}
	for _, t := range r.targets {
		write(r.program(t, "memoir"))
		write(r.program(t, "memoir-nomodel"))
	}
	if err := r.manuals(); err != nil {
		t.Fatal(err)
	}
	return r
}

// read returns the files of a release by their name.
func read(t *testing.T, r *release) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := under(r.out, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(e.from)
		if err != nil {
			t.Fatal(err)
		}
		files[e.name] = string(data)
	}
	return files
}

// Two releases of the same commit are the same to the byte, wherever and
// whenever they are made.
func TestSameBytes(t *testing.T) {
	var releases [2]map[string]string
	for i := range releases {
		r := made(t)
		if i == 1 { // what a file system says of files is not in the release
			for _, dir := range []string{r.source, r.out, r.tmp} {
				entries, err := under(dir, "")
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					if err := os.Chtimes(e.from, commitTime, time.Unix(1, 0)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for _, make := range []func() error{r.archives, r.linuxPackages, r.npmPackages, r.bundles, r.manifests, r.checksums} {
			if err := make(); err != nil {
				t.Fatal(err)
			}
		}
		releases[i] = read(t, r)
	}
	if len(releases[0]) < 45 {
		t.Errorf("got %d files, want those of all targets", len(releases[0]))
	}
	for name, data := range releases[0] {
		if data != releases[1][name] {
			t.Errorf("%s differs", name)
		}
	}
}

// Manifests name files that the release has, with their checksums.
func TestManifests(t *testing.T) {
	r := made(t)
	for _, make := range []func() error{r.archives, r.npmPackages, r.manifests, r.checksums} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
	}
	files := read(t, r)
	sums := map[string]string{}
	for line := range strings.Lines(files["checksums.txt"]) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	for name, want := range map[string][]string{
		"homebrew/memoir.rb": {"memoir_1.2.3_darwin_amd64.tar.gz", "memoir_1.2.3_darwin_arm64.tar.gz", "memoir_1.2.3_linux_amd64.tar.gz", "memoir_1.2.3_linux_arm64.tar.gz"},
		"scoop/memoir.json":  {"memoir_1.2.3_windows_amd64.zip", "memoir_1.2.3_windows_arm64.zip"},
	} {
		for _, file := range want {
			if sums[file] == "" || !strings.Contains(files[name], homepage+"/releases/download/v1.2.3/"+file) || !strings.Contains(files[name], sums[file]) {
				t.Errorf("%s does not name %s with its checksum %q:\n%s", name, file, sums[file], files[name])
			}
		}
	}
	var server struct {
		Packages []struct{ Identifier, Version string }
	}
	if err := json.Unmarshal([]byte(files["server.json"]), &server); err != nil {
		t.Fatal(err)
	}
	if len(server.Packages) != 1 || files["npm/memoir-ai-memoir-"+server.Packages[0].Version+".tgz"] == "" {
		t.Errorf("server.json names packages %v that are not in npm", server.Packages)
	}
	if len(summary) > 100 {
		t.Errorf("the summary has %d characters, and the registry of MCP servers takes 100", len(summary))
	}
}

// The bundle names the tools that memoir has.
func TestTools(t *testing.T) {
	data, err := os.ReadFile("../docs/reference/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^## (memory_\w+)\r?$`).FindAllStringSubmatch(string(data), -1) {
		documented[m[1]] = true
	}
	named := map[string]bool{}
	for _, tool := range mcpTools {
		named[tool.Name] = true
	}
	if diff := cmp.Diff(documented, named); diff != "" {
		t.Errorf("tools of the bundle (-documented +named):\n%s", diff)
	}
}

// A key signs the checksums so that its public half verifies them; no key, no
// signature.
func TestSignature(t *testing.T) {
	r := made(t)
	if err := r.checksums(); err != nil {
		t.Fatal(err)
	}
	if files := read(t, r); files["checksums.txt.asc"] != "" {
		t.Error("signed without a key")
	}
	entity, err := openpgp.NewEntity("memoir test", "", "test@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	var key bytes.Buffer
	w, err := armor.Encode(&key, openpgp.PrivateKeyType, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := entity.SerializePrivate(w, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r = made(t)
	r.key = filepath.Join(t.TempDir(), "key.asc")
	if err := writeData(r.key, key.Bytes()); err != nil {
		t.Fatal(err)
	}
	for _, make := range []func() error{r.linuxPackages, r.checksums} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
	}
	files := read(t, r)
	if _, err := openpgp.CheckArmoredDetachedSignature(openpgp.EntityList{entity}, strings.NewReader(files["checksums.txt"]), strings.NewReader(files["checksums.txt.asc"]), nil); err != nil {
		t.Error(err)
	}
	if _, err := openpgp.CheckArmoredDetachedSignature(openpgp.EntityList{entity}, strings.NewReader("x"+files["checksums.txt"]), strings.NewReader(files["checksums.txt.asc"]), nil); err == nil {
		t.Error("the signature holds for other checksums, too")
	}
}

func TestTargets(t *testing.T) {
	got, err := parseTargets("darwin/arm64,linux/amd64")
	if want := []target{{"darwin", "arm64"}, {"linux", "amd64"}}; err != nil || !cmp.Equal(got, want, cmp.AllowUnexported(target{})) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := parseTargets("plan9/mips"); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}
