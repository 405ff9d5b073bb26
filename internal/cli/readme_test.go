package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// root is the folder of the repository.
const root = "../.."

// readme writes the shell commands of a section of README.md to one file and
// what the README says they print to another: readme HEADING COMMANDS OUTPUT.
// README.zh-CN.md has the same, as .ci/run checks.
func readme(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: readme HEADING COMMANDS OUTPUT")
	}
	data, err := os.ReadFile(filepath.Join(ts.Getenv("ROOT"), "README.md"))
	ts.Check(err)
	heading := regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(args[0]) + `$`)
	at := heading.FindIndex(data)
	if at == nil {
		ts.Fatalf("README.md has no heading %q", args[0])
	}
	section, _, _ := strings.Cut(string(data[at[1]:]), "\n#")
	blocks := map[string]string{}
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(section, -1) {
		blocks[m[1]] += m[2]
	}
	if blocks["sh"] == "" {
		ts.Fatalf("the section %q of README.md shows no command", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(blocks["sh"]), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(blocks[""]), 0o666))
}

// Everywhere it is said how many languages the model inside reads, it is the
// number of those that it names itself.
func TestLanguages(t *testing.T) {
	models(t)
	var list listed
	if err := json.Unmarshal([]byte(good(t, "model", "list", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Models) == 0 || list.Models[0].Name != "inside" {
		t.Skip("this binary has no model inside")
	}
	n := len(list.Models[0].Languages)
	found := 0
	for _, m := range list.Available {
		if strings.HasPrefix(m.Name, "multilingual-e5-") {
			found++
			if want := fmt.Sprintf("%d languages", n); m.Languages != want {
				t.Errorf("%s: got %q, want %q", m.Name, m.Languages, want)
			}
		}
	}
	if found == 0 {
		t.Error("no model of the catalogue reads what the one inside reads")
	}
	for name, said := range map[string]string{"README.md": `(\d+) languages`, "README.zh-CN.md": `(\d+) 种语言`} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		all := regexp.MustCompile(said).FindAllStringSubmatch(string(data), -1)
		if len(all) == 0 {
			t.Errorf("%s does not say how many languages", name)
		}
		for _, m := range all {
			if m[1] != fmt.Sprint(n) {
				t.Errorf("%s says %q, the model names %d", name, m[0], n)
			}
		}
	}
}

// listed is what the test reads of model list.
type listed struct {
	Models []struct {
		Name      string
		Languages []string
	}
	Available []struct{ Name, Languages string }
}
