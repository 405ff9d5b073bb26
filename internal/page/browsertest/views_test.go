package browsertest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// views are all views with something in them. at is the address, there holds once the
// view is shown, then is done next, and after holds after that.
var views = []struct{ name, at, there, then, after string }{
	{"search-empty", "", `document.querySelector(".empty, .shelf")`, "", ""},
	{"search", "#/search?q=when%20do%20we%20deploy", `document.querySelector(".hit")`, "", ""},
	{"search-why", "#/search?q=deploys%20type:decision", `document.querySelector(".hit")`, `document.querySelector(".hit .foot button").click(); document.querySelector(".whynot").open = true`, `document.querySelector(".why .facts")`},
	{"search-none", "#/search?q=type:nothing", `document.querySelector(".empty")`, "", ""},
	{"notes", "#/notes", `document.querySelectorAll(".row").length > 3`, "", ""},
	{"note", "#/notes/memory/2026-03-02.md?line=5", `document.querySelector(".prose") && document.querySelector(".row")`, `document.querySelector(".beside [aria-pressed]").click()`, `document.querySelectorAll("[data-cut]").length === 2`},
	{"hostile", "#/notes/memory/hostile.md", `document.querySelector(".prose")`, "", ""},
	{"edit", "#/notes/memory/2026-03-02.md?edit=1", `document.querySelector("textarea")`, "", ""},
	{"review", "#/notes/memory/2026-03-02.md?edit=1", `document.querySelector("textarea")`, `(() => { const a = document.querySelector("textarea"); a.value = a.value.replace("\n", "\nA new line.\n"); a.dispatchEvent(new Event("input")); document.querySelector(".beside .main").click(); })()`, `document.querySelector(".diff ins")`},
	{"new", "#/notes?new=1", `document.activeElement.id === "path" && document.querySelector(".row")`, `(() => { const p = document.querySelector("#path"); p.value = "memory/ideas"; p.dispatchEvent(new Event("input")); const a = document.querySelector("textarea"); a.value = "# Ideas\n\nA shed for the bicycles.\n"; a.dispatchEvent(new Event("input")); })()`, "true"},
	{"collection", "#/notes/collections/handbook/leave.md", `document.querySelector(".prose") && document.querySelector(".row .icon")`, "", ""},
	{"entries", "#/entries", `document.querySelectorAll(".row").length > 2`, `document.querySelectorAll(".row")[3].click()`, `document.querySelector(".entry")`},
	{"tell", "#/entries", `document.querySelectorAll(".row").length > 2`, `document.querySelector(".pane-head button").click()`, `document.querySelector("dialog select")`},
	{"correct", "#/entries", `document.querySelectorAll(".row").length > 2`, `document.querySelectorAll(".row")[3].click(); document.querySelector("#correct").click()`, `document.querySelector("dialog")`},
	{"days", "#/days/2026-03-02", `document.querySelector(".day-list")`, "", ""},
	{"health", "#/health", `document.querySelector(".cards") && document.querySelector(".finding") && document.querySelector(".day-list")`, "", ""},
	{"agents", "#/agents", `document.querySelectorAll("main details").length > 2 && document.querySelector(".day-list")`, `document.querySelectorAll("main details").forEach((d, i) => { d.open = i !== 1; })`, "true"},
	{"picture", "#/picture", `document.querySelectorAll(".map a").length > 5`, "", ""},
	{"help", "#/search", `document.querySelector("#q")`, `document.querySelector("#help").click()`, `document.querySelector("dialog")`},
}

// rich is a server with everything there can be: notes, entries, sessions, a collection
// and a second workspace.
func rich(t *testing.T) *server {
	t.Helper()
	s := serve(t, examples(t), func(s *server) []string {
		s.write(t, "../handbook/leave.md", "# Leave\n\nHolidays are entered in the calendar of the team, two weeks ahead.\n")
		s.write(t, "../garden/MEMORY.md", "# Garden\n\n- The leeks are sown in March.\n")
		s.env = append(s.env, "MEMOIR_COLLECTIONS=handbook="+filepath.Join(s.workspace, "..", "handbook")+"|how the team works")
		return []string{"--workspace", filepath.Join(s.workspace, "..", "garden")}
	})
	s.remember(t)
	return s
}

// examples returns the notes of the checkout's examples, and some hostile ones.
func examples(t *testing.T) map[string]string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..", "..", "examples", "notes")
	notes := map[string]string{"memory/hostile.md": hostileNote, "memory/accounts.md": "# Accounts\n\nThe mail password is hunter2-Fjord!88\n\nSee [the plan](gone.md).\n", "memory/big.bin.md": "a\x00b", "memory/عربي.md": "# ملاحظات\n\nالاجتماع يوم الثلاثاء في الساعة العاشرة، و memoir يبحث عنه.\n"}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		notes[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

// remember tells memoir something, so that there are entries with all their fields.
func (s *server) remember(t *testing.T) {
	t.Helper()
	s.run(t, "remember", "--type", "decision", "Deploys happen on Tuesdays only, because support is staffed then")
	s.run(t, "remember", "--type", "preference", "Prefers tea over coffee in the morning")
	s.run(t, "remember", "--type", "preference", "Prefers green tea over black tea in the morning", "--replaces", "memory/preferences.md#L3")
	for i, at := range []string{"2026-01-10", "2026-02-11", "2026-02-20", "2026-03-02", "2026-03-02"} {
		s.run(t, "remember", "--type", []string{"contact", "project", "learning", "preference", "decision"}[i], "--at", at, []string{"Ingrid Berg leads accounting in Bergen", "The importer of orders moves to Go in spring", "Restores take twelve minutes since the disk was changed", "Likes answers with one example", "We choose Postgres over MySQL for orders"}[i])
	}
	s.hook(t, `{"session_id":"8f3c2f4e","source":"startup"}`, "session-start")
	s.hook(t, `{"session_id":"8f3c2f4e","prompt":"when do we deploy the lantern backend?"}`, "prompt")
	s.run(t, "remember", "--type", "learning", "The staging database needs a restart after each schema change", "--origin", "agent")
}

// hook calls a hook as an agent does.
func (s *server) hook(t *testing.T, in, event string) {
	t.Helper()
	cmd := exec.Command(s.bin, "hook", "claude-code", event, "--workspace", s.workspace)
	cmd.Env, cmd.Stdin = s.env, strings.NewReader(in)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("memoir hook: %v\n%s", err, out)
	}
}

const hostileNote = "# Hostile <img src=x onerror=\"window.hacked=1\">\n\n<img src=x onerror=\"window.hacked=1\">\n\n<script>window.hacked=1</script>\n\n</script><svg onload=\"window.hacked=1\"></svg> and <iframe src=\"javascript:parent.hacked=1\"></iframe>\n\n" +
	"[run](javascript:window.hacked=1) [data](data:text/html,<script>window.hacked=1</script>) ![beacon](https://evil.example/beacon.png) ![svg](data:image/svg+xml,<svg/onload=hacked=1>)\n\n" +
	"Pay \u202egnp.exe\u202c now.\n\n| <img onerror=1 src=x> | b |\n|---|---|\n| <a href=\"javascript:hacked=1\">x</a> | y |\n\n<style>body{display:none}</style>\n\n<form action=https://evil.example><input name=q></form>\n"
