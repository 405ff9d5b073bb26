package browsertest

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// wordsAlone has a server search without a model.
func wordsAlone(s *server) []string {
	s.env = append(s.env, "MEMOIR_PROVIDER=none")
	return nil
}

// beside opens an address in another tab of the same window as a tab.
func (p *tab) beside(at string) *tab {
	p.Helper()
	ctx, cancel := chromedp.NewContext(p.ctx)
	ctx, done := context.WithTimeout(ctx, time.Minute)
	p.Cleanup(func() { done(); cancel() })
	other := &tab{T: p.T, ctx: ctx, server: p.server}
	other.do(chromedp.Navigate(p.server.url + "/" + at))
	return other
}

// hide makes a page hidden, or seen again, as a tab is behind others.
func (p *tab) hide(hidden string) {
	p.Helper()
	value[any](p, `Object.defineProperty(document, "hidden", { configurable: true, get: () => `+hidden+` }); document.dispatchEvent(new Event("visibilitychange"))`)
}

// TestManyTabs: a browser has six connections to a server, for all tabs. Tabs that nobody
// looks at leave them to the others, and follow the changes once they are seen again.
func TestManyTabs(t *testing.T) {
	s := serve(t, map[string]string{"memory/tea.md": "# Tea\n\nGreen.\n"}, wordsAlone)
	first := s.open(t, 1000, hash("memory/tea.md"))
	first.until(`document.querySelector(".prose")?.textContent.includes("Green.")`)
	first.hide("true")
	for range 8 {
		p := first.beside("")
		p.until(`document.activeElement.id === "q"`)
		p.hide("true")
	}
	s.write(t, "memory/tea.md", "# Tea\n\nBlack, since today.\n")
	first.hide("false")
	first.until(`document.querySelector(".prose")?.textContent.includes("Black, since today.")`)
}

// TestDraftWithoutRoom: where the browser has no room for a draft, it is there as long as
// the page is.
func TestDraftWithoutRoom(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "alpha\n"}, wordsAlone)
	p := s.open(t, 1000, hash("a.md")+"?edit=1")
	p.until(`document.querySelector("textarea")`)
	value[any](p, `(() => { for (let room = 1 << 22; room > 0; room = Math.floor(room / 2)) for (let i = 0; ; i++) try { localStorage.setItem("full" + room + "-" + i, "x".repeat(room)); } catch { break; } })()`)
	value[any](p, `(() => { const a = document.querySelector("textarea"); a.value = "alpha\nmine\n"; a.dispatchEvent(new Event("input")); location.hash = "#/search"; })()`)
	p.until(`document.activeElement.id === "q"`)
	if !value[bool](p, `(() => { const ev = new Event("beforeunload", { cancelable: true }); window.dispatchEvent(ev); return ev.defaultPrevented; })()`) {
		t.Error("the page closes without a word")
	}
	value[any](p, `location.hash = `+quoted(hash("a.md")))
	p.until(`document.querySelector(".notice.warn button")`)
	value[any](p, `document.querySelector(".notice.warn button").click()`)
	p.until(`document.querySelector("textarea")?.value.includes("mine")`)
	value[any](p, `localStorage.clear(); (() => { const a = document.querySelector("textarea"); a.value += "more\n"; a.dispatchEvent(new Event("input")); })()`)
	if value[bool](p, `(() => { const ev = new Event("beforeunload", { cancelable: true }); window.dispatchEvent(ev); return ev.defaultPrevented; })()`) {
		t.Error("a draft that is kept holds the page up")
	}
}

// TestServerGone: a view that was not looked at before says, too, that no server answers.
func TestServerGone(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "alpha\n"}, wordsAlone)
	p := s.open(t, 1000, "")
	p.allowed = func(fault string) bool { return strings.Contains(fault, "ERR_CONNECTION_REFUSED") }
	p.until(`document.activeElement.id === "q"`)
	server, err := os.FindProcess(s.pid)
	if err == nil {
		err = server.Signal(os.Interrupt)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector("#live").textContent !== ""`)
	value[any](p, `location.hash = "#/days"`)
	p.until(`document.querySelector("main.view-days [role=alert]")?.textContent.includes("does not answer")`)
}

// TestDeepFolders: the names of notes in deep folders are within the tree.
func TestDeepFolders(t *testing.T) {
	s := serve(t, map[string]string{strings.Repeat("deep/", 60) + "x.md": "alpha\n"}, wordsAlone)
	p := s.open(t, 320, "#/notes")
	p.until(`document.querySelector(".row")`)
	value[any](p, `document.querySelector(".virtual").scrollTop = 1e6`)
	p.until(`[...document.querySelectorAll(".row")].some((x) => x.textContent.includes("x.md"))`)
	if room := value[float64](p, `(() => { const name = [...document.querySelectorAll(".row bdi")].find((x) => x.textContent === "x.md"); return document.querySelector(".virtual").getBoundingClientRect().right - name.getBoundingClientRect().right; })()`); room < 0 {
		t.Errorf("the name ends %v pixels behind the tree", -room)
	}
}

