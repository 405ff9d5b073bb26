package session

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What is private may begin in one part of a message and end in another.
func TestOpenCodePrivateParts(t *testing.T) {
	c := &openCode{}
	for i := range 2 {
		role := c.message(i+1, "", []byte(`{"role":"user"}`))
		c.part(role, []byte(`{"type":"text","text":"a <private>b"}`))
		c.part(role, []byte(`{"type":"tool"}`))
		c.part(role, []byte(`{"type":"text","text":"c</private> d"}`))
		c.end(role)
	}
	want := []Turn{{Role: User, Text: "a d", Line: 1}, {Role: User, Text: "a d", Line: 2}}
	if got := c.turns(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// FuzzOpenCode reads any texts as the rows of messages and their parts, without the
// database in which they stand.
func FuzzOpenCode(f *testing.F) {
	f.Add(`{"role":"user","time":{"created":1772442001000}}`, `{"type":"text","text":"a <private>b</private>"}`, "m1")
	f.Add(`{"role":"user"}`, `{"type":"text","text":"a</private> <private>b"}`, "")
	f.Add(`{"role":"assistant","summary":true}`, `{"type":"text","text":"x","synthetic":false}`, "")
	f.Add(`{"role":"assistant","summary":{}}`, `{"type":"tool"}`, "m0")
	f.Fuzz(func(t *testing.T, message, part, revert string) {
		c := &openCode{revert: revert}
		for i, id := range []string{"m0", "m1"} {
			role := c.message(i+1, id, []byte(message))
			c.part(role, []byte(part))
			c.part(role, []byte(part))
			c.end(role)
		}
		for _, turn := range c.turns() {
			if !utf8.ValidString(turn.Text) || turn.Text == "" || turn.Line < 1 || turn.Line > 2 || strings.Contains(turn.Text, "<private>") || revert == "m0" {
				t.Errorf("got %+v", turn)
			}
		}
	})
}
