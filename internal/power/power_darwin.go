package power

import (
	"bytes"
	"context"
	"os/exec"
	"time"
)

// patience is how long pmset may take.
const patience = 2 * time.Second

// onBattery asks pmset, whose first line is "Now drawing from 'Battery Power'".
func onBattery() bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/usr/bin/pmset", "-g", "batt").Output()
	return err == nil && bytes.Contains(out, []byte("'Battery Power'"))
}
