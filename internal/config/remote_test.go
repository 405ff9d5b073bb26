package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/config"
)

func TestKeysFromVariables(t *testing.T) {
	tests := []struct {
		name, user, workspace string
		vars                  map[string]string
		want                  map[string]string // keys by provider
	}{
		{"nobody asked", "", "", map[string]string{"OPENAI_API_KEY": "sk-1", "GEMINI_API_KEY": "g"}, map[string]string{}},
		{"chosen", `provider = "openai"`, "", map[string]string{"OPENAI_API_KEY": "sk-1", "GEMINI_API_KEY": "g"}, map[string]string{"openai": "sk-1"}},
		{"another one is chosen", `provider = "mistral"`, "", map[string]string{"OPENAI_API_KEY": "sk-1"}, map[string]string{}},
		{"remote is allowed", `allowRemote = true`, "", map[string]string{"VOYAGE_API_KEY": "v", "GOOGLE_API_KEY": "g"}, map[string]string{"voyage": "v", "gemini": "g"}},
		{"the first variable wins", `provider = "gemini"`, "", map[string]string{"GEMINI_API_KEY": "a", "GOOGLE_API_KEY": "b"}, map[string]string{"gemini": "a"}},
		{"a setting wins", "provider = \"openai\"\nopenai.apiKey = \"mine\"", "", map[string]string{"OPENAI_API_KEY": "sk-1"}, map[string]string{"openai": "mine"}},
		{"a reference to nothing stays nothing", "provider = \"openai\"\nopenai.apiKey = \"${NONE}\"", "", map[string]string{"OPENAI_API_KEY": "sk-1"}, map[string]string{}},
		{"for an address of one's own", "provider = \"openai\"\nopenai.baseURL = \"https://example.com/v1\"", "", map[string]string{"OPENAI_API_KEY": "sk-1"}, map[string]string{"openai": "sk-1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, tt.user, tt.workspace)
			for name, value := range tt.vars {
				p.vars[name] = value
			}
			l, err := config.Load(p.env(p.work), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, name := range []string{"openai", "gemini", "voyage", "mistral", "ollama", "llamacpp"} {
				if key := l.Remote(name).APIKey; key != "" {
					got[name] = key
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			for _, e := range l.Entries() {
				for _, value := range tt.vars {
					if strings.HasSuffix(e.Name, ".apiKey") && strings.Contains(e.Value, value) && len(value) > 1 {
						t.Errorf("%s is shown as %q", e.Name, e.Value)
					}
				}
			}
		})
	}
}

func TestLeavesMachine(t *testing.T) {
	p := newPlace(t, "openai.baseURL = \"http://[::1]:8000/v1\"\nllamacpp.baseURL = \"http://10.0.0.2:8080/v1\"", "")
	l, err := config.Load(p.env(p.work), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, name := range []string{"local", "none", "openai", "gemini", "ollama", "llamacpp"} {
		got[name] = l.LeavesMachine(name)
	}
	want := map[string]bool{"local": false, "none": false, "openai": false, "gemini": true, "ollama": false, "llamacpp": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
