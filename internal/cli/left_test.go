package cli_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/cli"
)

// exitLeft is what a memoir-left exits with when something of memoir goes on after its end.
const exitLeft = 99

// left is memoir, and says then which of its goroutines go on.
func left() {
	code := cli.Run(context.Background(), os.Args[1:], cli.Options{Embedder: testEmbedder})
	if running := stillRunning(); running != "" {
		fmt.Fprintf(os.Stderr, "after the end of memoir %s these go on:\n%s\n", strings.Join(os.Args[1:], " "), running)
		code = exitLeft
	}
	os.Exit(code)
}

// stillRunning returns the stacks of goroutines of memoir beside the one that asks. One that
// has said that it is done may need a moment to end.
func stillRunning() string {
	deadline := time.Now().Add(10 * time.Second)
	for {
		buffer := make([]byte, 1<<20)
		var of []string
		for i, stack := range strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
			if i > 0 && strings.Contains(stack, "github.com/memoir-ai/memoir") {
				of = append(of, stack)
			}
		}
		if len(of) == 0 || time.Now().After(deadline) {
			return strings.Join(of, "\n\n")
		}
		runtime.Gosched()
	}
}

// TestNothingGoesOn: when a command that lives on has ended, no goroutine of it is left,
// whether it was asked, had to follow notes, or was ended in the midst of it. With the race
// detector it is also told whether those that ran looked at each other's memory.
func TestNothingGoesOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process is ended there without being asked")
	}
	notes := map[string]string{"MEMORY.md": "# Memory\n\n- The boiler hums\n", "memory/2026-03-02.md": "# Day\n\nThe mill was painted.\n"}
	for name, live := range map[string]func(d *desk) (exit int){
		"serve": func(d *desk) int {
			s := d.serveHTTP("--memory-tool")
			ctx, cancel := context.WithCancel(d.Context())
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/events", nil)
			if err != nil {
				d.Fatal(err)
			}
			events, err := s.client.Do(req) // stays open
			if err != nil {
				d.Fatal(err)
			}
			defer events.Body.Close()
			d.write("memory/2026-03-03.md", "# Day\n\nThe lighthouse got a lamp.\n")
			// On a busy machine a search may answer before it has read the note.
			for asked, found := time.Now(), false; !found; {
				status, body := s.ask("POST", "/v1/search", `{"query":"lighthouse"}`)
				if found = strings.Contains(body, "lamp"); status != http.StatusOK || !found && time.Since(asked) > time.Minute {
					d.Fatalf("search: %d %s", status, body)
				}
			}
			if status, body := s.ask("POST", "/v1/remember", `{"text":"Ann prefers tabs over spaces"}`); status != http.StatusOK {
				d.Errorf("remember: %d %s", status, body)
			}
			s.stop()
			return s.cmd.ProcessState.ExitCode()
		},
		"mcp": func(d *desk) int {
			s := d.serve()
			d.write("memory/2026-03-03.md", "# Day\n\nThe lighthouse got a lamp.\n")
			for asked, found := time.Now(), false; !found; {
				answer := s.search("lighthouse")
				if found = len(answer.Results) > 0; !found && time.Since(asked) > time.Minute {
					d.Fatalf("nothing found: %+v", answer)
				}
			}
			s.client.Close()
			return s.cmd.ProcessState.ExitCode()
		},
		"hook": func(d *desk) int {
			cmd := d.command(nil, "hook", "claude-code", "session-start")
			cmd.Stderr = os.Stderr
			cmd.Stdin = strings.NewReader(`{"session_id":"1","cwd":"` + d.dir + `"}`)
			_ = cmd.Run() // what matters is how it ends
			return cmd.ProcessState.ExitCode()
		},
		"index": func(d *desk) int {
			cmd := d.command(nil, "index")
			cmd.Stderr = os.Stderr
			_ = cmd.Run() // what matters is how it ends
			return cmd.ProcessState.ExitCode()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, notes)
			d.name = "memoir-left"
			switch code := live(d); code {
			case 0, 143: // 143: it was asked to end by a signal
			default:
				t.Errorf("it exits with %d", code)
			}
		})
	}
}
