package browsertest

import (
	"strings"
	"testing"
)

// in loads the page anew in a language.
func (p *tab) in(lang string) {
	p.Helper()
	value[any](p, `localStorage.setItem("memoir.lang", `+quoted(lang)+`), setTimeout(() => location.reload(), 0)`)
	p.until(`document.documentElement.lang.startsWith(` + quoted(lang) + `)`)
}

// TestSaid: what the server says of the state of the memory is in the language of the page.
func TestSaid(t *testing.T) {
	s := serve(t, map[string]string{
		"memory/key.md":      "# Key\n\n- password: hunter2hunter2XQ9\n",
		"memory/gbk.md":      "# \xb1\xca\xbc\xc7\n",
		"memory/contacts.md": "# Contacts\n\n- Ann is at 5550100\n- Ben is at 5550101\n",
	}, nil)
	p := s.open(t, 1440, "#/health")
	for _, c := range []struct{ lang, because, finding, skipped, types string }{
		{"en", "because nothing else is set, and allowRemote is false", "mask it, also in the copies", "not valid UTF-8 at line 1", "Notes by type"},
		{"zh", "因为没有别的设置，而且 allowRemote 是 false", "遮住，连撤销用的副本里也遮住", "不是有效的 UTF-8", "各类型的笔记"},
	} {
		p.in(c.lang)
		for selector, text := range map[string]string{".facts": c.because, ".finding": c.finding, ".day-list": c.skipped} {
			p.until(`[...document.querySelectorAll("` + selector + `")].some((x) => x.textContent.includes(` + quoted(text) + `))`)
		}
		p.until(`[...document.querySelectorAll(".facts dt")].some((x) => x.textContent === ` + quoted(c.types) + `)`)
		if got := value[string](p, `[...document.querySelectorAll("main [lang]")].map((x) => x.textContent).join()`); got != "" {
			t.Errorf("%s: of another language is %q", c.lang, got)
		}
	}
}

// TestUnreadable: a note that is no text is refused with what to do, and nothing that would
// not help.
func TestUnreadable(t *testing.T) {
	s := serve(t, map[string]string{"memory/gbk.md": "# \xb1\xca\xbc\xc7\n"}, nil)
	p := s.open(t, 1440, "#/notes/memory/gbk.md")
	p.allowed = func(fault string) bool { return strings.Contains(fault, "409") }
	for lang, says := range map[string][2]string{"en": {"not valid UTF-8", "save the file as text in UTF-8"}, "zh": {"不是有效的 UTF-8", "把文件存成 UTF-8"}} {
		p.in(lang)
		p.until(`document.querySelector("[role=alert]")?.textContent.includes(` + quoted(says[0]) + `)`)
		if text := value[string](p, `document.querySelector("[role=alert]").textContent`); !strings.Contains(text, says[1]) {
			t.Errorf("%s: it says %q", lang, text)
		}
		if value[bool](p, `!!document.querySelector("[role=alert] button, [role=alert] [lang]")`) {
			t.Errorf("%s: it offers to ask again, or says it in English", lang)
		}
	}
}

// TestHeadingsOnce: a hit leaves out the headings that its title and path say already, and
// marks in the rest what it marked there.
func TestHeadingsOnce(t *testing.T) {
	s := serve(t, map[string]string{
		"memory/2026-03-06.md": "# 2026-03-06\n\n## Work\n\n- 🦔 the heron server moved\n",
		"memory/heading.md":    "# Only a heading about herons\n",
	}, nil)
	p := s.open(t, 1440, "#/search?q=heron")
	p.until(`document.querySelectorAll(".hit").length === 2`)
	snippet := func(path string) string {
		return `[...document.querySelectorAll(".hit")].find((x) => x.textContent.includes(` + quoted(path) + `)).querySelector(".snippet")`
	}
	if got := value[string](p, snippet("2026-03-06.md")+`.textContent.trim()`); got != "- 🦔 the heron server moved" {
		t.Errorf("the hit says %q", got)
	}
	if got := value[string](p, snippet("2026-03-06.md")+`.querySelector("mark").textContent`); got != "heron" {
		t.Errorf("it marks %q", got)
	}
	if got := value[string](p, snippet("heading.md")+`.textContent.trim()`); got != "# Only a heading about herons" {
		t.Errorf("a hit of a heading alone says %q", got)
	}
}
