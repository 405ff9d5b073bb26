package power

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDischarging reads folders as Linux has them of machines of several kinds.
func TestDischarging(t *testing.T) {
	type supply map[string]string
	battery := func(status string) supply { return supply{"type": "Battery", "status": status} }
	charger := func(kind, online string) supply { return supply{"type": kind, "online": online} }
	for name, tt := range map[string]struct {
		supplies map[string]supply
		want     bool
	}{
		"a desktop":                     {nil, false},
		"a desktop with a mouse":        {map[string]supply{"hid-1": {"type": "Battery", "scope": "Device", "status": "Discharging"}}, false},
		"a laptop on its battery":       {map[string]supply{"AC": charger("Mains", "0"), "BAT0": battery("Discharging")}, true},
		"one of two batteries":          {map[string]supply{"AC": charger("Mains", "0"), "BAT0": battery("Unknown"), "BAT1": battery("Discharging")}, true},
		"plugged in":                    {map[string]supply{"AC": charger("Mains", "1"), "BAT0": battery("Charging")}, false},
		"plugged in, above a threshold": {map[string]supply{"AC": charger("Mains", "1"), "BAT0": battery("Discharging")}, false},
		"charged over USB":              {map[string]supply{"BAT0": battery("Discharging"), "ucsi-1": charger("USB", "1")}, false},
		"USB without a charger":         {map[string]supply{"BAT0": battery("Discharging"), "ucsi-1": charger("USB", "0")}, true},
		"scope System":                  {map[string]supply{"BAT0": {"type": "Battery", "scope": "System", "status": "Discharging"}}, true},
		"full":                          {map[string]supply{"BAT0": battery("Full")}, false},
		"files that cannot be read":     {map[string]supply{"BAT0": {}}, false},
		"a UPS that is on":              {map[string]supply{"BAT0": battery("Discharging"), "ups": charger("UPS", "1")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for folder, files := range tt.supplies {
				if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
					t.Fatal(err)
				}
				for file, text := range files {
					if err := os.WriteFile(filepath.Join(dir, folder, file), []byte(text+"\n"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := discharging(dir); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	if discharging(filepath.Join(t.TempDir(), "nowhere")) {
		t.Error("a system without such a folder runs on a battery")
	}
}
