package setup

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

// TestInsertAndRemove: what is added is read back, leaves all else where it was,
// and goes without a trace.
func TestInsertAndRemove(t *testing.T) {
	server := insertion{Path: []string{"mcpServers", "memoir"}, Value: map[string]any{"command": "m", "args": []string{"mcp"}}}
	hook := insertion{Path: []string{"hooks", "Stop"}, Element: true, Value: map[string]any{"command": "memoir hook x stop"}}
	for _, tt := range []struct{ name, in, want string }{
		{"two spaces", "{\n  \"a\": 1\n}\n",
			"{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"memoir\": {\n      \"args\": [\n        \"mcp\"\n      ],\n      \"command\": \"m\"\n    }\n  },\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"command\": \"memoir hook x stop\"\n      }\n    ]\n  }\n}\n"},
		{"one line", `{"a":1}`, `{"a":1, "mcpServers": {"memoir":{"args":["mcp"],"command":"m"}}, "hooks": {"Stop":[{"command":"memoir hook x stop"}]}}`},
		{"tabs and a server", "{\n\t\"mcpServers\": {\n\t\t\"other\": {} // mine\n\t}\n}",
			"{\n\t\"mcpServers\": {\n\t\t\"other\": {}, // mine\n\t\t\"memoir\": {\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t],\n\t\t\t\"command\": \"m\"\n\t\t}\n\t},\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"command\": \"memoir hook x stop\"\n\t\t\t}\n\t\t]\n\t}\n}"},
		{"comma at the end", "{\n  \"a\": 1, // one\n}\n",
			"{\n  \"a\": 1, // one\n  \"mcpServers\": {\n    \"memoir\": {\n      \"args\": [\n        \"mcp\"\n      ],\n      \"command\": \"m\"\n    }\n  },\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"command\": \"memoir hook x stop\"\n      }\n    ]\n  },\n}\n"},
		{"CRLF", "{\r\n  \"a\": 1\r\n}\r\n", ""},
		{"comment at the end", "// mine\n{\n  \"a\": 1\n  // b comes later\n}\n// end\n", ""},
		{"block comment", "{ /* x */ \"a\": 1 /* y */ }", ""},
		{"comma before a comment", "{\n  \"a\": 1 /* y */ ,\n}", ""},
		{"hooks of others", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"command\": \"say done\"}\n    ]\n  }\n}\n", ""},
		{"hooks on a line", "{\n  \"hooks\": {\"Stop\": [{\"command\": \"say done\"}]}\n}\n", ""},
		{"Chinese, emoji", "{\"名\": \"林梅 🫖\"}\n", ""},
		{"a name twice", "{\n  \"mcpServers\": {\"a\": {}},\n  \"mcpServers\": {\"b\": {}}\n}\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := insert([]byte(tt.in), server)
			if err == nil {
				got, err = insert(got, hook)
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); tt.want != "" && diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(tt.in, "\r\n") && strings.Count(string(got), "\n") != strings.Count(string(got), "\r\n") {
				t.Errorf("line ends are mixed: %q", got)
			}
			plain, err := hujson.Standardize(bytes.Clone(got))
			var all struct {
				MCPServers map[string]any `json:"mcpServers"`
				Hooks      map[string][]any
			}
			if err != nil || json.Unmarshal(plain, &all) != nil || all.MCPServers["memoir"] == nil || len(all.Hooks["Stop"]) == 0 {
				t.Errorf("%v: read back as %+v from %s", err, all, got)
			}
			got, err = remove(got, server.Path, nil, placesIn(nil))
			if err == nil {
				got, err = remove(got, hook.Path, func(v hujson.Value) bool { return strings.Contains(v.String(), "memoir hook x") }, placesIn(nil))
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.in, string(got)); diff != "" {
				t.Errorf("after it was taken out (-before +after):\n%s", diff)
			}
		})
	}
}

// TestRemoveAmongOthers: what others put around it stays.
func TestRemoveAmongOthers(t *testing.T) {
	for in, want := range map[string]string{
		"{\n  \"memoir\": 1, // ours\n  \"b\": 2\n}":      "{ // ours\n  \"b\": 2\n}",
		"{\n  \"a\": 1,\n  \"memoir\": 1,\n  \"b\": 2\n}": "{\n  \"a\": 1,\n  \"b\": 2\n}",
		"{\n  \"memoir\": 1\n}":                           "{}",
		"{\"a\":1,\"memoir\":1}":                          "{\"a\":1}",
		"{\n  // mine\n  \"memoir\": 1\n}":                "{\n  // mine\n}",
		"{\"b\": 2}":                                      "{\"b\": 2}",
	} {
		got, err := remove([]byte(in), []string{"memoir"}, nil, placesIn(nil))
		if err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
		if _, err := parseJSON(got); err != nil {
			t.Errorf("%q cannot be read: %v", got, err)
		}
	}
}

func TestInsertMistakes(t *testing.T) {
	for _, in := range []string{"", "[]", "null", "{", "{a: 1}", `{"mcpServers": []}`, `{"mcpServers": null}`, `{"mcpServers": {"memoir": 1}}`, strings.Repeat("[", maxBrackets+1)} {
		if got, err := insert([]byte(in), insertion{Path: []string{"mcpServers", "memoir"}, Value: 1}); err == nil {
			t.Errorf("%.50q gave %q", in, got)
		}
	}
	if _, err := insert([]byte(`{"hooks": {"Stop": {}}}`), insertion{Path: []string{"hooks", "Stop"}, Element: true, Value: 1}); err == nil {
		t.Error("an object took an element")
	}
}

func FuzzInsert(f *testing.F) {
	for _, s := range []string{"{}", "{\n \"a\": [1,],\n}", "{/**/}", "{//\n}", "{\"a\":{}//\n}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := insert([]byte(in), insertion{Path: []string{"x", "memoir"}, Value: []int{1}})
		if err != nil {
			return
		}
		root, err := parseJSON(got)
		if err != nil || lookup(&root, "x", "memoir") == nil {
			t.Fatalf("%q gave %q: %v", in, got, err)
		}
		back, err := remove(got, []string{"x", "memoir"}, nil, placesIn(nil))
		if err != nil {
			t.Fatal(err)
		}
		if root, err = parseJSON(back); err != nil || lookup(&root, "x", "memoir") != nil {
			t.Fatalf("%q gave back %q: %v", in, back, err)
		}
	})
}
