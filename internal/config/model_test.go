package config_test

import (
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/config"
)

// A model is a name, or a path that counts from the file that holds it.
func TestModel(t *testing.T) {
	for _, name := range []string{"inside", "all-MiniLM-L6-v2", "模型"} {
		p := newPlace(t, "", "model = \""+name+"\"")
		got, err := config.Load(p.env(p.work), nil)
		if err != nil || got.Model != name {
			t.Errorf("%q: got %q, error %v", name, got.Model, err)
		}
	}
	for _, path := range []string{"./a", "models/a.memoir", "a.memoir", "../a"} {
		p := newPlace(t, "model = \""+path+"\"", "")
		got, err := config.Load(p.env(p.work), nil)
		if want := filepath.Join(p.home, ".config", "memoir", path); err != nil || got.Model != want {
			t.Errorf("%q: got %q, error %v; want %q", path, got.Model, err, want)
		}
	}
	p := newPlace(t, "model = \"a\"", "model = \"\"")
	if got, err := config.Load(p.env(p.work), nil); err != nil || got.Model != config.ModelInside {
		t.Errorf("empty: got %q, error %v; want %q", got.Model, err, config.ModelInside)
	}
}

func TestModelsDir(t *testing.T) {
	home := t.TempDir()
	tests := []struct {
		os   string
		vars map[string]string
		want string
	}{
		{"linux", map[string]string{"HOME": home}, filepath.Join(home, ".local", "share", "memoir", "models")},
		{"linux", map[string]string{"HOME": home, "XDG_DATA_HOME": filepath.Join(home, "data")}, filepath.Join(home, "data", "memoir", "models")},
		{"linux", map[string]string{"HOME": home, "XDG_DATA_HOME": "relative"}, filepath.Join(home, ".local", "share", "memoir", "models")},
		{"darwin", map[string]string{"HOME": home, "XDG_DATA_HOME": home}, filepath.Join(home, "Library", "Application Support", "memoir", "models")},
		{"windows", map[string]string{"USERPROFILE": home, "LocalAppData": filepath.Join(home, "local")}, filepath.Join(home, "local", "memoir", "models")},
		{"linux", map[string]string{"HOME": home, "MEMOIR_MODELS_DIR": filepath.Join(home, "m")}, filepath.Join(home, "m")},
		{"linux", map[string]string{"MEMOIR_STATE_DIR": filepath.Join(home, "state"), "MEMOIR_WORKSPACE": filepath.Join(home, "notes")}, ""},
	}
	for _, tt := range tests {
		env := config.Environment{Dir: home, OS: tt.os, Lookup: func(name string) (string, bool) { v, ok := tt.vars[name]; return v, ok }}
		got, err := config.Load(env, nil)
		if err != nil || got.ModelsDir != tt.want {
			t.Errorf("%s %v: got %v, error %v; want %q", tt.os, tt.vars, got, err, tt.want)
		}
	}
}
