package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestLogLevels: a process that lives on logs what the settings say, any other nothing
// unless it is asked to.
func TestLogLevels(t *testing.T) {
	for _, tt := range []struct {
		name           string
		lives, verbose bool
		level          string // of the settings; "" before they are known
		want           string
	}{
		{"a command", false, false, "debug", ""},
		{"a command with --verbose", false, true, "warn", "error warn info"},
		{"and debug", false, true, "debug", "error warn info debug"},
		{"before the settings are known", true, false, "", "error warn"},
		{"by default", true, false, "warn", "error warn"},
		{"errors alone", true, false, "error", "error"},
		{"info", true, false, "info", "error warn info"},
		{"debug", true, false, "debug", "error warn info debug"},
		{"off", true, false, "off", ""},
		{"off and --verbose", true, true, "off", "error warn info"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var errs bytes.Buffer
			s := newSession(Options{Stderr: &errs})
			s.verbose = tt.verbose
			if tt.lives {
				s.livesOn()
			}
			log := s.logger()
			if tt.level != "" {
				s.log.set(tt.level, tt.verbose) // the logger that is there follows
			}
			if log != nil {
				log.Error("error")
				log.Warn("warn")
				log.Info("info")
				log.Debug("debug")
			}
			var got []string
			for line := range strings.Lines(errs.String()) {
				_, msg, _ := strings.Cut(strings.TrimSpace(line), "msg=")
				got = append(got, msg)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
