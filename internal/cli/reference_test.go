package cli_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
)

var update = flag.Bool("update", false, "rewrite docs/reference")

// What the outside relies on stands in docs/reference. It is made of the code:
// of the commands and flags, the table of settings, the fields of JSON with
// their comments, the tools as a server lists them, and of what the examples
// print. After a change that is meant, run
//
//	go test ./internal/cli -run Reference -update
//
// and look at the difference.
func TestReference(t *testing.T) {
	if app.About().Model == "" {
		t.Skip("needs the model inside, which the list of models shows")
	}
	folder, err := filepath.Abs(filepath.Join(root, "docs", "reference"))
	if err != nil {
		t.Fatal(err)
	}
	c := readComments(t)
	environment := environmentPage(t, c)
	examples := runExamples(t) // in another folder from here on
	pages := map[string]string{
		"README.md":      referenceIntro,
		"commands.md":    commandsPage(t, c, examples),
		"json.md":        jsonPage(t, c, examples),
		"mcp.md":         mcpPage(t, examples),
		"http.md":        httpapi.Reference(),
		"settings.md":    config.Reference(),
		"environment.md": environment,
	}
	if t.Failed() {
		return
	}
	if *update {
		writePages(t, folder, pages)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if _, ok := pages[entry.Name()]; !ok {
			t.Errorf("docs/reference/%s is nothing that the reference consists of", entry.Name())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
		}
		old := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
		if diff := cmp.Diff(old, strings.Split(pages[name], "\n")); diff != "" {
			t.Errorf("docs/reference/%s is not what the code says; go test ./internal/cli -run Reference -update renews it (-file +code):\n%s", name, diff)
		}
	}
}

func writePages(t *testing.T, folder string, pages map[string]string) {
	t.Helper()
	for name, text := range pages {
		writeFile(t, filepath.Join(folder, name), text)
	}
}

const referenceIntro = `# Reference

What programs can rely on. These pages are made of the code, and a test compares them with it.

- [Commands](commands.md): every command with its flags, exit codes, what it prints
- [JSON](json.md): every shape, with examples
- [MCP](mcp.md): the tools that agents see
- [HTTP](http.md): what programs can ask of memoir serve
- [Settings](settings.md): every setting with its default
- [Variables](environment.md): what is read of the environment

What a query can say is in [query-language.md](../query-language.md). In Go, the packages have their documentation.
`

// standard are variables that packages of Go read, which no code of memoir names.
var standard = []string{"PATH", "TMPDIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"}

// environmentPage writes the reference of the environment, and checks that it
// names what the code reads, and nothing else.
func environmentPage(t *testing.T, c *comments) string {
	t.Helper()
	known := map[string]bool{}
	for _, v := range config.Variables() {
		known[v.Name] = true
	}
	settings := map[string]bool{}
	for _, k := range config.Keys() {
		settings[k.Env()] = true
	}
	for name := range c.variables {
		for _, x := range append(slices.Clone(c.constants["vecmath"]), c.constants["config"]...) {
			if strings.HasSuffix(name, "."+x.name) {
				name = x.value
			}
		}
		if strings.Contains(name, ".") { // a variable of Go, which the table of settings fills
			continue
		}
		if !known[name] && !settings[name] {
			t.Errorf("the code reads the variable %s, which config.Variables does not name", name)
		}
		c.variables[name] = true
	}
	keys := func(name string) bool { return strings.HasSuffix(name, "_API_KEY") }
	for _, v := range config.Variables() {
		if !c.variables[v.Name] && !keys(v.Name) && !slices.Contains(standard, v.Name) {
			t.Errorf("config.Variables names %s, which the code does not read", v.Name)
		}
	}
	var b strings.Builder
	b.WriteString(config.VariablesReference() + "\n## Settings\n\n| variable | setting |\n|---|---|\n")
	for _, k := range config.Keys() {
		fmt.Fprintf(&b, "| `%s` | [%s](settings.md#%s) |\n", k.Env(), k.Name, strings.ToLower(strings.ReplaceAll(k.Name, ".", "")))
	}
	return b.String()
}
