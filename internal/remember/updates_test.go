package remember_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/remember"
)

// What two of the tests tell, and ask.
const (
	boiler = "The boiler is serviced by Hansen, phone 555 0101"
	olsen  = "The boiler is now serviced by Olsen"
	who    = "who services the boiler"
)

// TestLater: a newer entry stands before the line of the user's note, or the entry of a log or a
// shelf, that it may update, and both stay. Forgetting the older one removes the link.
func TestLater(t *testing.T) {
	for _, test := range []struct{ path, old, now, question, answer, was string }{
		{"notes/house.md", "# House\n\n- " + boiler + "\n- The roof was mended in 2019\n", olsen, who, "Olsen", "Hansen"},
		{"notes/家.md", "# 家\n\n- 锅炉由李师傅保养，电话 555 0101\n- 屋顶2019年修过\n", "锅炉现在由王师傅保养", "谁保养锅炉",
			"王师傅", "李师傅"},
		{"notes/house.md", "# House\r\n\r\n- [ ] " + boiler + "\r\n- The roof was mended in 2019\r\n", olsen, who, "Olsen", "Hansen"},
		{"memory/2026-01-18.md", "# 2026-01-18\n\n- 豆豆的乒乓球课在周三。\n", "豆豆乒乓球换到周六早上。", "豆豆星期几打乒乓球？", "周六", "周三"},
	} {
		m := newMemory(t, true)
		file := filepath.Join(m.root, filepath.FromSlash(test.path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(test.old), 0o644); err != nil {
			t.Fatal(err)
		}
		index(t, m.engine)
		told := remember.Request{Text: test.now, Type: "contact", At: time.Date(2026, 4, 2, 12, 0, 0, 0, time.UTC)}
		if _, err := m.keeper.Remember(t.Context(), told); err != nil {
			t.Fatal(err)
		}
		index(t, m.engine)
		kept, err := os.ReadFile(file)
		if err != nil || string(kept) != test.old {
			t.Errorf("%s became %q: %v", test.path, kept, err)
		}
		found, err := m.engine.Search(t.Context(), memoir.Query{Text: test.question})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Hits) < 2 || !strings.Contains(found.Hits[0].Text, test.answer) ||
			!strings.Contains(found.Hits[1].Text, test.was) ||
			found.Hits[0].Date != "2026-04-02" || found.Hits[1].Later != found.Hits[0].Citation() {
			t.Errorf("%s: %+v", test.question, found.Hits)
		}
		hidden := []memoir.Filter{{Prefix: "memory/contacts.md"}}
		found, err = m.engine.Search(t.Context(), memoir.Query{Text: test.question, Hidden: hidden})
		if err != nil || len(found.Hits) != 1 || found.Hits[0].Later != "" {
			t.Errorf("%s, with the newer hidden: %+v, %v", test.question, found.Hits, err)
		}
		if !m.has(`updates: [0-9a-f]{8} `) && !m.has(`updates: [0-9a-f]{8} ?-->`) {
			t.Errorf("nothing says what %q may change", test.now)
		}
		line := strings.Split(strings.ReplaceAll(test.old, "\r", ""), "\n")[2]
		if _, err := m.keeper.Forget(t.Context(), remember.Target{Query: strings.TrimLeft(line, "- ")}, false); err != nil {
			t.Fatal(err)
		}
		if m.has(`updates:`) || !m.holds(test.now) || m.holds(test.was) {
			t.Errorf("%q: something is left of what was forgotten, or too little", test.now)
		}
	}
}

// TestLaterUnrelated: a text names nothing that it may update when it is about something else, by
// itself or as the caller says, is for the log of a day, is older, or comes from the web.
func TestLaterUnrelated(t *testing.T) {
	for _, test := range []struct {
		at, text, typ, replaces, origin string
		names                           bool
	}{
		{"2026-04-02", olsen, "", "", "", true},
		{"2026-04-02", "The roof was mended by Olsen", "contact", "", "", false},
		{"2026-04-02", olsen, "journal", "", "", false},
		{"2026-04-02", olsen, "", remember.Nothing, "", false},
		{"2026-01-02", olsen, "", "", "", false},
		{"2026-04-02", olsen, "", "", remember.Web, false},
	} {
		m := newMemory(t, true)
		m.tell(event{At: "2026-03-02T12:00:00", Text: boiler}, "")
		index(t, m.engine)
		at, err := time.Parse(time.DateOnly, test.at)
		if err != nil {
			t.Fatal(err)
		}
		told := remember.Request{Text: test.text, Type: test.typ, Replaces: test.replaces, Origin: test.origin, At: at}
		if _, err := m.keeper.Remember(t.Context(), told); err != nil {
			t.Fatal(err)
		}
		if m.has(`updates: [0-9a-f]{8}`) != test.names {
			t.Errorf("%+v: names what it may change: %t", test, !test.names)
		}
	}
}

// has reports whether a note has a match of a pattern.
func (m *memory) has(pattern string) bool {
	found := false
	notes, err := walk(m.root)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, n := range notes {
		b, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(n.Path)))
		if err != nil {
			m.t.Fatal(err)
		}
		found = found || regexp.MustCompile(pattern).Match(b)
	}
	return found
}

// TestLaterPrivate: nothing is named of a private note, for the check of a line is a help to
// guess at it.
func TestLaterPrivate(t *testing.T) {
	for head, names := range map[string]bool{"# House\n\n": true, "---\nprivate: true\n---\n\n# House\n\n": false} {
		m := newMemory(t, true)
		file := filepath.Join(m.root, "notes", "house.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(head+"- "+boiler+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		index(t, m.engine)
		told := remember.Request{Text: olsen, Type: "contact", At: time.Date(2026, 4, 2, 9, 0, 0, 0, time.UTC)}
		if _, err := m.keeper.Remember(t.Context(), told); err != nil {
			t.Fatal(err)
		}
		if m.has(`updates: [0-9a-f]{8}`) != names {
			t.Errorf("below %q: a line is named: %t", head, !names)
		}
	}
}
