package setup

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// patience is how long a command of an agent's own may take.
const patience = time.Minute

// Exec runs a command of an agent, with the variables of the process and one
// more, which keeps hooks from answering in it.
func Exec(ctx context.Context, words []string, variable string) error {
	path, err := exec.LookPath(words[0])
	if err != nil {
		return fmt.Errorf("%s is not among the programs", words[0])
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, words[1:]...)
	cmd.Env = append(os.Environ(), variable)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		text := bytes.TrimSpace(out.Bytes())
		return fmt.Errorf("%w: %s", err, text[max(0, len(text)-500):])
	}
	return nil
}
