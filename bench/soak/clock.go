package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// shiftVariable is the variable that says by how many seconds the clock is
// turned. The programs that this one builds read it.
const shiftVariable = "SOAK_CLOCK_SHIFT"

// clockOverlay makes an overlay for go build in which Go's own clock reads the
// variable. Nothing in memoir knows of it. There is no other way to give a
// process a wrong time, because Go asks the kernel for the time in a way that
// no tracer sees.
func clockOverlay(ctx context.Context, dir string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	const call = "\tsec, nsec, mono := runtimeNow()\n\tif mono == 0 {"
	if bytes.Count(source, []byte(call)) != 1 {
		return "", errors.New("time.Now of this Go is another one")
	}
	source = bytes.Replace(source, []byte(call), []byte("\tsec, nsec, mono := runtimeNow()\n\tsec += soakShift\n\tif mono == 0 {"), 1)
	source = bytes.Replace(source, []byte("import (\n"), []byte("import (\n\t\"syscall\"\n"), 1)
	source = fmt.Appendf(source, `
var soakShift = func() (seconds int64) {
	text, _ := syscall.Getenv(%q)
	negative := len(text) > 0 && text[0] == '-'
	for i := range len(text) {
		if c := text[i]; '0' <= c && c <= '9' {
			seconds = seconds*10 + int64(c-'0')
		}
	}
	if negative {
		return -seconds
	}
	return seconds
}()
`, shiftVariable)
	changed, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, source, 0o600); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, data, 0o600)
}

// turnClock turns the clock, for every program that is started from now on.
func (l *life) turnClock(context.Context) error {
	day := 24 * time.Hour
	shifts := []time.Duration{0, 0, time.Second, -time.Minute, time.Hour, -time.Hour, 40 * day, -40 * day, 3000 * day, -3000 * day}
	l.shift = shifts[l.rng.IntN(len(shifts))]
	return nil
}
