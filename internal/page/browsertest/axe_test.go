package browsertest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeVersion is the version of the checker (https://github.com/dequelabs/axe-core,
// MPL-2.0).
const axeVersion = "4.14.1"

// axe returns the source of the checker.
func axe(t *testing.T) string {
	t.Helper()
	file := os.Getenv("MEMOIR_TEST_AXE")
	if file == "" {
		if _, err := exec.LookPath("npm"); err != nil {
			if os.Getenv("MEMOIR_TEST_DISALLOW_SKIP") != "" {
				t.Fatal("there is no npm to get axe-core with")
			}
			t.Skip("there is no npm to get axe-core with")
		}
		dir := t.TempDir()
		get := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, "axe-core@"+axeVersion)
		if out, err := get.CombinedOutput(); err != nil {
			t.Fatalf("npm: %v\n%s", err, out)
		}
		file = filepath.Join(dir, "node_modules", "axe-core", "axe.min.js")
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// TestAccessible: no view has a serious fault for people who cannot use sight or a mouse.
// It looks at both themes and both languages.
func TestAccessible(t *testing.T) {
	source := axe(t)
	s := rich(t)
	for i, v := range views {
		t.Run(v.name, func(t *testing.T) {
			p := s.open(t, []int64{1440, 360}[i%2], v.at)
			for _, lang := range []string{"en", "zh"} {
				if lang != "en" { // the browser asks for English
					value[any](p, `localStorage.clear(); localStorage.setItem("memoir.lang", `+quoted(lang)+`)`)
					p.do(chromedp.Reload())
				}
				p.until(v.there)
				if v.then != "" {
					value[any](p, v.then)
					p.until(v.after)
				}
				if got := value[string](p, "document.documentElement.lang"); !strings.HasPrefix(got, lang) {
					t.Errorf("the page is in %s, want %s", got, lang)
				}
				value[any](p, source+"; 0")
				p.theme("light")
				p.check(lang+", light", "{}")
				p.theme("dark") // only the colours differ
				p.check(lang+", dark", `{ runOnly: ["color-contrast"] }`)
			}
		})
	}
}

// fault is a fault that axe found.
type fault struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

func (p *tab) check(where, options string) {
	p.Helper()
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`axe.run(document, `+options+`).then((r) => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("axe: %v", err)
	}
	var faults []fault
	if err := json.Unmarshal([]byte(text), &faults); err != nil {
		p.Fatal(err)
	}
	for _, f := range faults {
		for _, n := range f.Nodes[:min(len(f.Nodes), 3)] {
			if f.Impact == "serious" || f.Impact == "critical" {
				p.Errorf("%s: %s (%s): %s\n%.300s\n%s", where, f.ID, f.Impact, f.Help, n.HTML, n.FailureSummary)
			} else {
				p.Logf("%s: %s (%s): %s\n%.300s", where, f.ID, f.Impact, f.Help, n.HTML)
			}
		}
	}
}
