package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestNewNote: a note is written and taken back with the keyboard alone. An existing note
// is not overwritten. A name that no note can have is refused, and the text stays.
func TestNewNote(t *testing.T) {
	s := serve(t, map[string]string{"memory/tea.md": "# Tea\n\nGreen.\n"}, nil)
	p := s.open(t, 360, "#/health")
	p.allowed = func(fault string) bool { return strings.Contains(fault, "412") || strings.Contains(fault, "400") }
	p.until(`document.querySelector(".cards")`)
	p.press("n")
	p.until(`document.activeElement.id === "path"`)
	save := func(path string) {
		t.Helper()
		value[any](p, `(() => { const i = document.querySelector("#path"); i.value = `+quoted(path)+`; i.dispatchEvent(new Event("input")); i.focus(); })()`)
		p.keys(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl))
	}
	p.keys(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl)) // without a path
	p.until(`document.querySelector(".toast") && document.activeElement.id === "path"`)
	p.keys("memory/ideas" + kb.Tab + kb.Tab + kb.Tab)
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.keys("# Ideas <b>")
	p.do(chromedp.Reload()) // a draft is kept together with its path
	p.until(`document.querySelector("#path")?.value === "memory/ideas" && document.querySelector("textarea").value === "# Ideas <b>"`)
	for path, says := range map[string]string{"memory/tea.md": "is there already", "memory/con": "", "memory/.hidden": ""} {
		save(path)
		p.until(`document.querySelector(".diff ins")?.textContent.includes("# Ideas <b>")`)
		p.keys(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl))
		p.until(`document.querySelector(".trouble [role=alert]")?.textContent.includes(` + quoted(says) + `)`)
		p.keys(kb.Escape)
		p.until(`document.querySelector("textarea")?.value === "# Ideas <b>"`)
	}
	save("../out") // the browser would ask for another address
	p.until(`document.querySelector(".toast")?.textContent.includes("in the notes") && document.activeElement.id === "path"`)
	if got := s.read(t, "memory/tea.md"); got != "# Tea\n\nGreen.\n" {
		t.Errorf("the other note is %q", got)
	}
	save("memory/ideas")
	p.until(`document.querySelector(".diff ins")`)
	p.keys(kb.Enter)
	p.until(`location.hash === "#/notes/memory/ideas.md" && document.querySelector("h1")?.textContent === "Ideas <b>"`)
	if got := s.read(t, "memory/ideas.md"); got != "# Ideas <b>" {
		t.Errorf("the note is %q", got)
	}
	p.keys("u")
	p.until(`document.querySelector(".notice.bad")`)
	p.allowed = func(fault string) bool { return strings.Contains(fault, "40") || strings.Contains(fault, "412") }
	if _, err := os.Stat(filepath.Join(s.workspace, "memory", "ideas.md")); err == nil {
		t.Error("it was not taken back")
	}
	p.press("n")
	p.until(`document.activeElement.id === "path" && document.querySelector("#path").value === "" && document.querySelector("textarea").value === ""`)
}

// TestCorrectNothing: an entry that is saved as it was is not counted as told again.
func TestCorrectNothing(t *testing.T) {
	s := serve(t, map[string]string{"memory/preferences.md": "# Preferences\n\n- Tea without milk <!-- id: aaaaaaa1 | observed: 2026-03-01 -->\n"}, nil)
	before := s.read(t, "memory/preferences.md")
	p := s.open(t, 1440, "#/entries?id=aaaaaaa1")
	p.until(`document.querySelector("#correct")`)
	p.press("e")
	p.until(`document.querySelector("dialog textarea")`)
	p.keys(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl))
	p.until(`!document.querySelector("dialog")`)
	if got := s.read(t, "memory/preferences.md"); got != before || value[bool](p, `!!document.querySelector(".toast")`) {
		t.Errorf("the note is %q, want %q", got, before)
	}
}

// TestCollectionIsFixed: a note of a collection is marked as such, and the page offers no
// way to change it.
func TestCollectionIsFixed(t *testing.T) {
	s := rich(t)
	p := s.open(t, 1440, "#/notes/collections/handbook/leave.md?edit=1")
	p.until(`document.querySelector(".prose")?.textContent.includes("Holidays") && document.querySelector(".row .icon")`)
	check := func(at string) {
		t.Helper()
		if got := value[string](p, `document.querySelector(".reading .beside").textContent`); !strings.Contains(got, "read-only") || value[bool](p, `!!document.querySelector("#edit, textarea, .beside .bad")`) {
			t.Errorf("%s: it offers %s", at, got)
		}
	}
	check("asked to edit")
	p.press("e")
	value[any](p, `new Promise((f) => setTimeout(f, 0))`)
	check("with e")
	if n := value[int](p, `[...document.querySelectorAll(".row")].filter((x) => x.querySelector(".sr")).length`); n != 1 {
		t.Errorf("%d rows say that they are read-only", n)
	}
	if got := s.read(t, "../handbook/leave.md"); !strings.HasPrefix(got, "# Leave\n") {
		t.Errorf("it holds %q", got)
	}
}

// TestWorkspaces: a person can choose between several workspaces. The browser keeps the
// data of each apart.
func TestWorkspaces(t *testing.T) {
	s := rich(t)
	p := s.open(t, 1440, "#/notes")
	p.until(`document.querySelectorAll("#space option").length === 2 && document.querySelector(".row")`)
	value[any](p, `localStorage.setItem("memoir.draft:", '{"path":"a","text":"b"}')`)
	value[any](p, `(() => { const s = document.querySelector("#space"); s.value = "/w/garden/"; s.dispatchEvent(new Event("change")); })()`)
	p.until(`location.pathname === "/w/garden/" && document.querySelector(".row")`)
	if got := value[string](p, `document.querySelector("#space").value + " " + document.querySelector(".row").textContent`); got != "/w/garden/ MEMORY.md" {
		t.Errorf("there is %q", got)
	}
	value[any](p, `location.hash = "#/notes/MEMORY.md"`)
	p.until(`document.querySelector(".prose")?.textContent.includes("leeks")`)
	s.write(t, "../garden/MEMORY.md", "# Garden\n\n- The leeks are sown in April.\n") // its events arrive, too
	p.until(`document.querySelector(".prose")?.textContent.includes("April")`)
	p.press("n")
	p.until(`document.activeElement.id === "path" && document.querySelector("#path").value === ""`)
	p.keys("beans" + kb.Tab + kb.Tab + kb.Tab)
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.keys("Beans in May.")
	p.keys(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl))
	p.until(`document.querySelector(".diff ins")`)
	p.keys(kb.Enter)
	p.until(`document.querySelector(".prose")?.textContent.includes("Beans in May.")`)
	if got := s.read(t, "../garden/beans.md"); got != "Beans in May." {
		t.Errorf("the note is %q", got)
	}
	if _, err := os.Stat(filepath.Join(s.workspace, "beans.md")); err == nil {
		t.Error("it was written to the other workspace")
	}
}

// TestTwoMemories: where the user's memory and a project's answer as one, both are
// checked for what could be better. Each improvement is made in the memory that it
// belongs to.
func TestTwoMemories(t *testing.T) {
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	project := filepath.Join(dir, "code")
	s := &server{workspace: filepath.Join(dir, "notes"), bin: bin, env: append(os.Environ(), "LC_ALL=C", "HOME="+dir, "XDG_CONFIG_HOME="+dir, "MEMOIR_STATE_DIR="+filepath.Join(dir, "state"), "MEMOIR_WORKSPACE=")}
	twice := "# Facts\n\n- The %s is called heron and stands in the cellar of the office.\n\n- The %[1]s is called heron and stands in the cellar of the office.\n"
	s.write(t, "memory/projects.md", fmt.Sprintf(twice, "printer"))
	s.write(t, "../code/.memoir/memory/projects.md", fmt.Sprintf(twice, "server"))
	if err := os.MkdirAll(filepath.Join(dir, "memoir"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "memoir", "config.toml"), []byte("workspace = "+quoted(s.workspace)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", project).CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	trust := exec.Command(bin, "trust")
	trust.Dir, trust.Env = project, s.env
	if out, err := trust.CombinedOutput(); err != nil {
		t.Fatalf("trust: %v\n%s", err, out)
	}
	s.start(t, []string{"serve", "--addr", "127.0.0.1:0"}, project)
	p := s.open(t, 1440, "#/health")
	p.until(`[...document.querySelectorAll(".finding")].some((x) => x.textContent.includes("user:memory/projects.md")) && [...document.querySelectorAll(".finding")].some((x) => x.textContent.includes("server") && !x.textContent.includes("user:"))`)
	accept := func(what string) {
		t.Helper()
		p.until(`[...document.querySelectorAll(".finding")].some((x) => x.textContent.includes(` + quoted(what) + `) && x.querySelector("button.main"))`)
		value[any](p, `[...document.querySelectorAll(".finding")].find((x) => x.textContent.includes(`+quoted(what)+`)).querySelector("button.main").click()`)
		p.until(`document.querySelector(".toast.good") && ![...document.querySelectorAll(".finding")].some((x) => x.textContent.includes(` + quoted(what) + `))`)
	}
	accept("printer")
	if got := strings.Count(s.read(t, "memory/projects.md"), "heron"); got != 1 {
		t.Errorf("the user's note has it %d times", got)
	}
	if got := strings.Count(s.read(t, "../code/.memoir/memory/projects.md"), "heron"); got != 2 {
		t.Errorf("the project's note has it %d times", got)
	}
	p.keys("u")
	p.until(`[...document.querySelectorAll(".finding")].some((x) => x.textContent.includes("printer"))`)
	if got := strings.Count(s.read(t, "memory/projects.md"), "heron"); got != 2 {
		t.Errorf("after undo the user's note has it %d times", got)
	}
	accept("server")
	if got := strings.Count(s.read(t, "../code/.memoir/memory/projects.md"), "heron"); got != 1 {
		t.Errorf("the project's note has it %d times", got)
	}
}
