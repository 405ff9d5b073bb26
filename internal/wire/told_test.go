package wire

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/notebook"
)

func TestTimeOf(t *testing.T) {
	tokyo := time.FixedZone("Tokyo", 9*60*60)
	now := time.Date(2026, 3, 20, 8, 30, 0, 0, tokyo) // a Friday
	for text, want := range map[string]time.Time{
		"2026-03-02T10:32:00Z": time.Date(2026, 3, 2, 10, 32, 0, 0, time.UTC),
		"2026-03-02":           time.Date(2026, 3, 2, 0, 0, 0, 0, tokyo),
		"0012-03-02":           time.Date(12, 3, 2, 0, 0, 0, 0, tokyo), // the engine says why it is refused
		"yesterday":            time.Date(2026, 3, 19, 0, 0, 0, 0, tokyo),
		"3 days ago":           time.Date(2026, 3, 17, 0, 0, 0, 0, tokyo),
		"前天":                   time.Date(2026, 3, 18, 0, 0, 0, 0, tokyo),
		"上周三":                  time.Date(2026, 3, 11, 0, 0, 0, 0, tokyo),
		"去年十月三日":               time.Date(2025, 10, 3, 0, 0, 0, 0, tokyo),
		"昨日":                   time.Date(2026, 3, 19, 0, 0, 0, 0, tokyo),
		"gestern":              time.Date(2026, 3, 19, 0, 0, 0, 0, tokyo),
		"2026-03-21":           time.Date(2026, 3, 21, 0, 0, 0, 0, tokyo), // it is that day already further east
	} {
		if got, err := timeOf(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"soon", "last week", "2026-03", "2026-02-30", "去年", " ", "2026-03-22", "2027-03-05", "2026-03-21T09:00:00+09:00", "下周三"} {
		if got, err := timeOf(text, now); !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}

// TestLongChange: a list of changes does not hold whole notes.
func TestLongChange(t *testing.T) {
	long := strings.Repeat("松风 ", 1<<20)
	for _, tt := range []struct{ text, want string }{
		{"Ann lives in Bergen.", "Ann lives in Bergen."},
		{long, strings.Repeat("松风 ", 333) + "松…"},
	} {
		c := NewChange(engine.Change{Edits: []notebook.Edit{{Path: "note.md", New: "# Note\n\n" + tt.text + "\n", Created: true}}})
		if c.Text != tt.want {
			t.Errorf("%d bytes became %d, %.60q", len(tt.text), len(c.Text), c.Text)
		}
	}
}
