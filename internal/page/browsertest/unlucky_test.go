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

// TestPressedTwice: who presses a button twice has done it once.
func TestPressedTwice(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "alpha\n"}, wordsAlone)
	s.run(t, "remember", "--type", "preference", "Prefers tea over coffee in the morning")
	p := s.open(t, 1000, hash("a.md")+"?edit=1")
	p.until(`document.querySelector("textarea")`)
	value[any](p, `(() => { const a = document.querySelector("textarea"); a.value = "alpha\nbeta\n"; a.dispatchEvent(new Event("input")); document.querySelector(".beside .main").click(); })()`)
	p.until(`document.querySelector(".diff ins")`)
	const save = `document.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true }));`
	value[any](p, `document.querySelector(".beside .main").click(); `+save+` document.querySelector(".beside .main").click();`)
	p.until(`document.querySelector(".prose")?.textContent.includes("beta")`)
	value[any](p, `document.querySelector("button.bad").click(); document.querySelector("button.bad").click();`)
	p.until(`document.querySelector("dialog")`)
	value[any](p, `fetch("/v1/status").then(() => { window.answered = true; })`)
	p.until(`window.answered`)
	if n := value[int](p, `document.querySelectorAll("dialog").length`); n != 1 {
		t.Errorf("it is asked %d times whether the note is to be forgotten", n)
	}
	p = s.open(t, 1000, "#/entries")
	p.until(`document.querySelectorAll(".row").length > 0`)
	value[any](p, `[...document.querySelectorAll(".row")].find((x) => x.textContent.includes("tea over")).click(); document.querySelector("#correct").click()`)
	p.until(`document.querySelector("dialog textarea")`)
	value[any](p, `(() => { const a = document.querySelector("dialog textarea"); a.value = "Prefers coffee over tea in the morning"; const b = document.querySelector("dialog .main"); b.click(); b.click(); a.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true })); })()`)
	p.until(`!document.querySelector("dialog") && document.querySelector(".entry")?.textContent.includes("coffee over tea")`)
	if text := s.read(t, "memory/preferences.md"); strings.Contains(text, "count:") {
		t.Errorf("what was corrected once counts more often:\n%s", text)
	}
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

// TestLateAnswers: what was asked for last is shown, whatever comes last.
func TestLateAnswers(t *testing.T) {
	s := serve(t, map[string]string{"memory/2026-03-02.md": "# Monday\n\n- A walk.\n", "memory/2026-04-02.md": "# Thursday\n\n- A ride.\n"}, wordsAlone)
	s.run(t, "remember", "--type", "preference", "Prefers tea over coffee in the morning")
	p := s.open(t, 1000, "#/days/2026-02")
	p.until(`document.querySelectorAll(".calendar button").length === 28`)
	const late = `(() => { const fetched = window.fetch; window.fetch = async (url, o) => { const r = await fetched(url, o); const text = await r.text(); if (url.includes(%)) await new Promise((f) => { window.letGo = f; }); return { ok: r.ok, status: r.status, text: async () => text }; }; })()`
	value[any](p, strings.Replace(late, "%", `"from=2026-03"`, 1))
	value[any](p, `document.querySelectorAll(".beside button")[2].click()`)
	p.until(`window.letGo`)
	value[any](p, `document.querySelectorAll(".beside button")[2].click()`)
	p.until(`document.querySelectorAll(".calendar button").length === 30`)
	value[any](p, `window.letGo()`)
	value[any](p, `new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))`)
	if n := value[int](p, `document.querySelectorAll(".calendar button").length`); n != 30 {
		t.Errorf("April has %d days", n)
	}
	s.run(t, "remember", "--type", "preference", "Prefers coffee over tea in the morning, and no longer tea over coffee")
	p = s.open(t, 1000, "#/entries")
	p.until(`document.querySelectorAll(".row").length > 0`)
	value[any](p, strings.Replace(late, "%", `"status=superseded"`, 1))
	const choose = `(() => { const s = document.querySelectorAll(".selects select")[1]; s.value = "%"; s.dispatchEvent(new Event("change")); })()`
	value[any](p, strings.Replace(choose, "%", "superseded", 1))
	p.until(`window.letGo`)
	value[any](p, strings.Replace(choose, "%", "all", 1))
	p.until(`document.querySelectorAll(".row").length > 1`)
	all := value[int](p, `document.querySelectorAll(".row").length`)
	value[any](p, `window.letGo()`)
	value[any](p, `new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))`)
	if n := value[int](p, `document.querySelectorAll(".row").length`); n != all {
		t.Errorf("of all %d entries %d are shown", all, n)
	}
}

// TestTwoTabsOneNote: what is typed into one note in two tabs is kept of both.
func TestTwoTabsOneNote(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "alpha\n"}, wordsAlone)
	const (
		writing = `document.querySelector("textarea")`
		drafts  = `[...document.querySelectorAll(".notice.warn p")].filter((x) => x.textContent.includes("draft")).length`
		goOn    = `[...document.querySelectorAll(".notice.warn button")].filter((x) => x.textContent === "Go on with it")`
	)
	types := func(p *tab, text string) {
		p.Helper()
		value[any](p, `(() => { const a = document.querySelector("textarea"); a.value += `+quoted(text)+`; a.dispatchEvent(new Event("input")); dispatchEvent(new Event("beforeunload", { cancelable: true })); })()`)
	}
	for _, at := range []string{hash("a.md") + "?edit=1", "#/notes?new=1"} {
		one := s.open(t, 1000, at)
		one.until(writing)
		two := one.beside(at)
		two.until(writing)
		types(one, "of one\n")
		types(two, "of two\n")
		types(one, "one again\n")
		types(two, "two again\n")
		// Both are there for whoever opens the note again, here and in a third tab.
		three := one.beside(at)
		three.until(writing)
		texts := map[string]bool{value[string](three, writing+`.value`): true}
		three.until(drafts + ` === 1`)
		value[any](three, goOn+`[0].click()`)
		three.until(writing + ` && !` + quoted(anyOf(texts)) + `.includes(` + writing + `.value)`)
		texts[value[string](three, writing+`.value`)] = true
		for _, want := range []string{"of one\none again\n", "of two\ntwo again\n"} {
			if !texts[want] && !texts["alpha\n"+want] {
				t.Errorf("%s: %q is lost: %v", at, want, texts)
			}
		}
		// What one tab saves takes nothing from the other.
		if strings.Contains(at, "edit") {
			value[any](one, `document.querySelector(".beside .main").click()`)
			one.until(`document.querySelector(".diff ins")`)
			value[any](one, `document.querySelector(".beside .main").click()`)
			one.until(`document.querySelector(".prose")?.textContent.includes("one again")`)
			one.until(drafts + ` === 1`)
			value[any](two, `location.reload()`)
			two.until(writing + `?.value.includes("two again")`)
			if text := s.read(t, "a.md"); text != "alpha\nof one\none again\n" {
				t.Errorf("saved: %q", text)
			}
		}
		value[any](three, `location.hash = "#/search"; localStorage.clear()`)
	}
}

// anyOf returns the one text of a set.
func anyOf(texts map[string]bool) string {
	for text := range texts {
		return text
	}
	return ""
}
