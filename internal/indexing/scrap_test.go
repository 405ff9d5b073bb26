package indexing

import (
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
)

// TestScrap: what says nothing is what everybody's notes hold; the shortest facts
// say something.
func TestScrap(t *testing.T) {
	for text, want := range map[string]bool{
		"TODO":                          true,
		"# Garden\r\n\r\n- [ ] TBD\r\n": true,
		"# Budget\n\nSee above.\n":      true,
		"# Memory\n":                    true,
		"# 2026-03-02 (Monday)\n\n## Notes\n\n---\n": true,
		"Daily log": true,
		"# 2026-03-04\n\n**A new session was started.**\n": true,
		"- N/A\n- none": true,
		"# 待办\n\n待補充\n": true,
		"同上。":           true,
		"":              true,

		"# Session: 2026-03-02\n\n- **Session ID**: 7\n": false,
		"Buy milk":                         false,
		"# Wifi\n\nhunter2\n":              false,
		"# Blood type\n\nAB":               false,
		"牛奶没了":                             false,
		"# Sell the car in spring\n":       false,
		"# 春天之前把车卖掉\n":                     false,
		"TODO: call the dentist":           false,
		"- TODO\n- Dentist on Tuesday":     false,
		"None of the doors is locked":      false,
		"#todo call Anna":                  false,
		"42":                               false,
		"\xff\xfe":                         true,
		"TODO " + strings.Repeat(".", 300): true,
		"# Garden\n" + strings.Repeat("*", 300) + " same as above\n":      true,
		"**A new session was started.**" + strings.Repeat(" ", 300) + "x": false,
		"# a\n# b\n# c\n# d\n": false,
	} {
		if got := scrap(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// TestPlaceholdersAreShort: the beginning of a long line tells that it is none.
func TestPlaceholdersAreShort(t *testing.T) {
	for p := range placeholders() {
		if len(p) > placeholderBytes {
			t.Errorf("%q has %d bytes, more than %d", p, len(p), placeholderBytes)
		}
	}
}

// TestScrapsOfLists: an entry of a list that says nothing has no vector, however many others do.
func TestScrapsOfLists(t *testing.T) {
	x, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"# Contacts\n\n- Mia is a midwife\n- TODO\n- [ ] \n- …\n- 1\n": {"- Mia is a midwife"},
		"# Contacts\n\nTBD\n\n## 家\n\n- 待补充\n- 妹妹是助产士\n\n---\n":        {"家\n- 妹妹是助产士"},
		"# Contacts\n\nAll of Bristol.\n\n- Mia\n- See above\n":        {"- Mia", "Contacts\n# Contacts\n\nAll of Bristol."},
		"# Contacts\n\n- Mia\n\n## Luck\n\n- 7\n":                      {"- Mia", "Luck\n- 7"},
		"# Whom to call in an emergency\n\n- N/A\n":                    {"Whom to call in an emergency\n# Whom to call in an emergency\n\n- N/A"},
		"# Contacts\n\n- N/A\n":                                        nil,
	} {
		var got []string
		for _, c := range x.Analyse(memoir.Document{DocumentMeta: memoir.DocumentMeta{ID: "memory/contacts.md", Kind: memoir.KindNote}, Text: text}).Chunks {
			for _, h := range c.EmbedHashes {
				if text := c.EmbedTextOf(h); memoir.HashText(text) == h {
					got = append(got, text)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q have vectors, want %q", text, got, want)
		}
	}
}

// TestEntriesOfSubjects: a list has a vector for each entry on a shelf and in the log of a day. In
// a note on one subject, dated or not, an entry says what it says of that, and keeps its title.
func TestEntriesOfSubjects(t *testing.T) {
	x, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	const text = "# Garden fence\n\n- The budget is 300 euros\n- Jonas takes care of it\n"
	for id, want := range map[memoir.DocID]int{
		"memory/contacts.md": 2, "memory/2026-03-02.md": 2, "2026/03/02.md": 2,
		"memory/2026-03-02-garden-fence.md": 1, "meetings/2026-03-02 Garden fence.md": 1, "2026/03/02-fence.md": 1, "notes/fence.md": 1,
	} {
		chunks := x.Analyse(memoir.Document{DocumentMeta: memoir.DocumentMeta{ID: id, Kind: memoir.KindNote}, Text: text}).Chunks
		if len(chunks) != 1 || len(chunks[0].EmbedHashes) != want {
			t.Errorf("%s: %d passages, want one with %d vectors", id, len(chunks), want)
		}
	}
}
