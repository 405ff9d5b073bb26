package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/engine"
)

// A finding shows the line round its secret, and neither it nor another one.
func TestScan(t *testing.T) {
	filler := strings.Repeat("ferry and tide, ", 20)
	n := newNotes(t, engine.Config{},
		"a.md", "# Cabin\r\n\r\nWi-Fi password: Herring!Fjord8\r\nGate code 4471#, PIN 9036\r\n",
		"long.md", filler+"the password is Herring!Fjord8. "+filler+"the PIN is 9036. "+filler,
		"plain.md", "The password policy asks for 12 characters.\n",
		"多.md", "密码是shuimo2019\n",
	)
	got, stats, err := n.engine.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Finding{
		{ID: "a.md", Line: 3, Kind: "password", Preview: "Wi-Fi password: [secret: password]"},
		{ID: "a.md", Line: 4, Kind: "code", Preview: "Gate code [secret: code], PIN [secret: pin]"},
		{ID: "a.md", Line: 4, Kind: "pin", Preview: "Gate code [secret: code], PIN [secret: pin]"},
		{ID: "long.md", Line: 1, Kind: "password"},
		{ID: "long.md", Line: 1, Kind: "pin"},
		{ID: "多.md", Line: 1, Kind: "password", Preview: "密码是[secret: password]"},
	}
	for i := range got {
		if got[i].ID != "long.md" {
			continue
		}
		p := got[i].Preview
		if !strings.Contains(p, "[secret: "+got[i].Kind+"]") || strings.Contains(p, "Herring") || strings.Contains(p, "9036") || len([]rune(p)) > 122 {
			t.Errorf("long line: got preview %q", p)
		}
		got[i].Preview = ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if stats.Scanned != 4 || len(stats.Skipped) > 0 {
		t.Errorf("got stats %+v", stats)
	}
}
