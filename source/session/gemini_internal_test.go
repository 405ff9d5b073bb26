package session

import (
	"maps"
	"slices"
	"testing"
)

// TestGeminiWhole: a log that is one object is read whatever the order of its members, each
// message at its own line.
func TestGeminiWhole(t *testing.T) {
	said := func(line int, text string) Turn { return Turn{Role: User, Text: text, Line: line} }
	tests := map[string]struct {
		log     string
		ok      bool
		want    []Turn
		unknown map[string]int
	}{
		"messages first":  {"{\n\"messages\": [\n{\"id\":\"1\",\"type\":\"user\",\"content\":\"a\"},\n\n{\"id\":\"2\",\"type\":\"user\",\"content\":\n\"b\"}, {\"id\":\"3\",\"type\":\"user\",\"content\":\"c\"}],\n\"sessionId\":\"s\"\n}", true, []Turn{said(3, "a"), said(5, "b"), said(6, "c")}, nil},
		"none":            {"{\"sessionId\":\"s\",\"messages\":[]}", true, nil, nil},
		"null":            {"{\"messages\":null,\"sessionId\":\"s\"}", true, nil, nil},
		"other members":   {"{\"x\":{\"messages\":[1]},\n\"sessionId\":\"s\",\"messages\":[{\"id\":\"1\",\"type\":\"user\",\"content\":\"a\"}],\"y\":[[]]}", true, []Turn{said(2, "a")}, nil},
		"of another form": {"{\"sessionId\":\"s\",\"messages\":[7,\n{\"id\":\"1\",\"type\":\"user\",\"content\":\"a\"}]}", true, []Turn{said(2, "a")}, map[string]int{"not readable": 1}},
		"no list":         {"{\"sessionId\":\"s\",\"messages\":{\"id\":\"1\"}}", false, nil, nil},
		"no session":      {"{\"messages\":[]}", false, nil, nil},
		"cut off":         {"{\"sessionId\":\"s\",\"messages\":[{\"id\":\"1\"}", false, nil, nil},
		"no object":       {"[]", false, nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g := newGemini().(*gemini)
			ok := g.whole([]byte(tt.log))
			if got := g.turns(); ok != tt.ok || !slices.Equal(got, tt.want) || !maps.Equal(g.info.Unknown, tt.unknown) {
				t.Errorf("got %v, %+v, unknown %v; want %v, %+v, %v", ok, got, g.info.Unknown, tt.ok, tt.want, tt.unknown)
			}
		})
	}
}
