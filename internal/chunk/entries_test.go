package chunk_test

import (
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/chunk"
)

func TestEntries(t *testing.T) {
	for _, c := range []struct {
		name, text, heading string
		entries             []string
		rest                string
	}{
		{name: "a shelf", text: "# Contacts\n\n- Mia is a midwife.\n- The plumber is Ignacio.\n", entries: []string{"- Mia is a midwife.", "- The plumber is Ignacio."}},
		{name: "an entry of several lines", text: "- Mia\n  is a midwife\n\n  in Bristol.\n\n- Jonas", entries: []string{"- Mia\n  is a midwife\n\n  in Bristol.", "- Jonas"}},
		{name: "a line that is not indented", text: "- Mia\nis a midwife.\n\nA paragraph.", entries: []string{"- Mia\nis a midwife."}, rest: "A paragraph."},
		{name: "the heading above", text: "- a thing\n\n## Work\n\n- b thing", heading: "Home", entries: []string{"Home\n- a thing", "Work\n- b thing"}},
		{name: "the title is none", text: "## Work ##\r\n- a thing\r\n# Title\r\n- b thing\r\n", entries: []string{"Work\n- a thing", "- b thing"}},
		{name: "numbers and other marks", text: "1. one\n2) two\n* three\n+ four\n", entries: []string{"1. one", "2) two", "* three", "+ four"}},
		{name: "prose", text: "Rain.\n\n- a thing\n\nMore rain.\n", entries: []string{"- a thing"}, rest: "Rain.\n\nMore rain."},
		{name: "a list within", text: "- a\n  - b\n  - c\n", entries: []string{"- a\n  - b\n  - c"}},
		{name: "code", text: "```\n- no entry\n```\n- a thing\n", entries: []string{"- a thing"}, rest: "```\n- no entry\n```"},
		{name: "an open fence", text: "~~~\n- no entry\n", rest: "~~~\n- no entry"},
		{name: "code that shows a fence", text: "````\n```\n- no entry\n```\n````\n- a thing\n", entries: []string{"- a thing"}, rest: "````\n```\n- no entry\n```\n````"},
		{name: "an indented fence", text: " ```\n- no entry\n ```\n- a thing\n", entries: []string{"- a thing"}, rest: " ```\n- no entry\n ```"},
		{name: "a fence that nothing follows", text: "- a thing\n```\n", entries: []string{"- a thing"}, rest: "```"},
		{name: "rules and empty items", text: "- - -\n***\n- \n-\n1.\n12345678901. x\n2026 was wet", rest: "- - -\n***\n- \n-\n1.\n12345678901. x\n2026 was wet"},
		{name: "headings alone", text: "# Contacts\n\n## Work\n"},
		{name: "Chinese", text: "## 家\n- 猫只吃罐头。\n- 妹妹是助产士。", entries: []string{"家\n- 猫只吃罐头。", "家\n- 妹妹是助产士。"}},
		{name: "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, rest := chunk.Entries(c.text, c.heading)
			var entries []string
			for _, e := range all {
				entries = append(entries, e.String())
			}
			if !slices.Equal(entries, c.entries) || rest != c.rest {
				t.Errorf("got %q and %q, want %q and %q", entries, rest, c.entries, c.rest)
			}
		})
	}
}
