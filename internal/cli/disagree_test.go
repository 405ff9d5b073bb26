package cli_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestSettingsDisagree: of processes whose variables say otherwise what stands in the index,
// the first keeps it. The others take nothing in or out, answer from it, and say what to do.
func TestSettingsDisagree(t *testing.T) {
	vault, cellar := "MEMOIR_COLLECTIONS=own=DIR/vault", "MEMOIR_COLLECTIONS=own=DIR/cellar"
	for _, tt := range []struct {
		name          string
		first, second string // variables of the first process and of the others
		setting       string
	}{
		{"collections", vault, cellar, "collections"},
		{"only the first has one", vault, "", "collections"},
		{"only the second has one", "", cellar, "collections"},
		{"sizes of chunks", "", "MEMOIR_CHUNKING_TOKENS=64", "chunking.tokens"},
		{"a preset", "MEMOIR_CHUNKING_PRESET=openclaw", "", "chunking.tokens"},
		{"notes left out", "MEMOIR_EXCLUDE=drafts/", "", "exclude"},
		{"a provider", "", "MEMOIR_PROVIDER=ollama", "provider"},
		{"another file of settings", "", "MEMOIR_CONFIG=", "collections"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := kitchen(t)
			d.set("")
			d.write("../settings/other.toml", collectionOf("own", "cellar"))
			env := func(variable string) []string {
				if variable == "MEMOIR_CONFIG=" {
					variable += "DIR/settings/other.toml"
				}
				return d.configured(strings.Fields(strings.ReplaceAll(variable, "DIR", d.dir))...)
			}
			first := d.talk(env(tt.first))
			find := func(x *talk) string {
				t.Helper()
				got := x.ask(toolCall("memory_search", `{"query":"ferry","mode":"text"}`))
				if strings.Contains(got, `"isError":true`) || !strings.Contains(got, "MEMORY.md") {
					t.Errorf("want MEMORY.md, got %s", got)
				}
				return got
			}
			if got := find(first); strings.Contains(got, "other settings") {
				t.Error(got)
			}
			before := d.lists(env(tt.first))
			second := d.talk(env(tt.second))
			told := fmt.Sprintf("process %d on ", first.cmd.Process.Pid)
			for range 3 {
				if got := find(second); !strings.Contains(got, "other settings") || !strings.Contains(got, told) || !strings.Contains(got, tt.setting) || !strings.Contains(got, "MEMOIR_AGENT") {
					t.Errorf("the second says %s", got)
				}
				if got := find(first); strings.Contains(got, "other settings") {
					t.Errorf("the first says %s", got)
				}
			}
			out, err := d.command(env(tt.second), "index", "--text-only").CombinedOutput()
			if err == nil || !strings.Contains(string(out), told) || !strings.Contains(string(out), tt.setting) {
				t.Errorf("memoir index of the others: %v %s", err, out)
			}
			if out, err := d.command(env(tt.second), "search", "ferry", "--mode", "text").CombinedOutput(); err != nil || !strings.Contains(string(out), told) {
				t.Errorf("memoir search of the others: %v %s", err, out)
			}
			if got := d.lists(env(tt.first)); got != before {
				t.Errorf("the index had\n%s, and has\n%s", before, got)
			}
			for _, side := range []string{tt.first, tt.second} {
				for _, command := range []string{"status", "doctor"} {
					out, _ := d.command(env(side), command).CombinedOutput()
					if !strings.Contains(string(out), "other settings") || !strings.Contains(string(out), tt.setting) {
						t.Errorf("memoir %s with %q: %s", command, side, out)
					}
				}
			}
			// When the first has ended, another has the index.
			_ = first.in.Close()
			_ = first.cmd.Wait()
			if got := find(second); strings.Contains(got, "other settings") {
				t.Errorf("the second, alone: %s", got)
			}
			if got := d.says(strings.Fields(strings.Join(env(tt.second), " ")), "index", "--text-only"); !strings.Contains(got, "0 added, 0 changed, 0 removed") {
				t.Errorf("the second had not made the index its own: %s", got)
			}
			third := d.talk(env(tt.first))
			if got := find(third); !strings.Contains(got, fmt.Sprintf("process %d on ", second.cmd.Process.Pid)) {
				t.Errorf("the third says %s", got)
			}
		})
	}
}

// lists returns what the index has of saffron, as a process with these settings finds it.
func (d *desk) lists(env []string) string {
	d.Helper()
	out, _ := d.command(env, "search", "saffron", "--mode", "text", "--json").Output()
	return strings.Join(regexp.MustCompile(`"path": *"[^"]*"`).FindAllString(string(out), -1), " ")
}
