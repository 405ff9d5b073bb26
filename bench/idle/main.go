// Idle measures the processor time and the memory of a memoir mcp that is idle:
// it watches notes that nobody changes, and nobody asks it anything.
//
//	go run ./bench/idle                            # 10,000 notes, two minutes
//	go run ./bench/idle -notes 1000 -minutes 10
//	go run ./bench/idle -notes 100000 -each 20     # in 5,000 folders
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
)

func main() { measure.Main("idle", run) }

func run(ctx context.Context) error {
	notes := flag.Int("notes", 10_000, "that are watched")
	each := flag.Int("each", 100, "of them in each folder")
	minutes := flag.Float64("minutes", 2, "that nothing happens")
	program := flag.String("program", "", "memoir to measure; when not given it is built")
	provider := flag.String("provider", "none", "as the setting; local would compute vectors first")
	flag.Parse()
	dir, err := os.MkdirTemp("", "memoir-idle")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *program == "" {
		*program = filepath.Join(dir, "memoir")
		if err := measure.Build(ctx, *program); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(dir, "notes"), *notes, max(1, *each)); err != nil {
		return err
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, *program, append([]string{"--workspace", filepath.Join(dir, "notes")}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "MEMOIR_STATE_DIR="+filepath.Join(dir, "state"), "MEMOIR_PROVIDER="+*provider)
		cmd.Stderr = os.Stderr
		return cmd
	}
	if err := command("index").Run(); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	server := command("mcp")
	in, err := server.StdinPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	err = watch(ctx, server.Process.Pid, *notes, time.Duration(*minutes*float64(time.Minute)))
	in.Close() // at which it ends
	if failed := server.Wait(); err == nil {
		err = failed
	}
	return err
}

// write writes notes of about 800 bytes, so many (each) into a folder.
func write(dir string, notes, each int) error {
	for i := range notes {
		path := filepath.Join(dir, "memory", fmt.Sprintf("%03d", i/each), fmt.Sprintf("note-%05d.md", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		text := fmt.Sprintf("# Note %d\n\n", i) + strings.Repeat(fmt.Sprintf("The pilot of ship %d wrote down when the tide turned. ", i%97), 15) + "\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// watch waits until the server has looked at the notes, and then for as long as asked.
func watch(ctx context.Context, pid, notes int, idle time.Duration) error {
	// The server is at rest when ten seconds have cost it next to nothing.
	for last := -1.0; ; {
		used, err := processor(pid)
		if err != nil {
			return err
		}
		if last >= 0 && used-last < .05 {
			break
		}
		last = used
		if err := pause(ctx, 10*time.Second); err != nil {
			return err
		}
	}
	before, err := processor(pid)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := pause(ctx, idle); err != nil {
		return err
	}
	after, err := processor(pid)
	if err != nil {
		return err
	}
	whole, anon, most := resident(pid)
	took := time.Since(start)
	fmt.Printf("%s, %d processors, %s/%s, %s; %s.\n\n", measure.Processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, measure.Load(), runtime.Version())
	fmt.Printf("| notes | for | processor time | of a core | resident | of it not of files | at most |\n|---:|---:|---:|---:|---:|---:|---:|\n")
	fmt.Printf("| %d | %v | %.2f s | %.4f %% | %.0f MB | %.0f MB | %.0f MB |\n", notes, took.Round(time.Second), after-before, 100*(after-before)/took.Seconds(), whole, anon, most)
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// processor returns the processor time of a process and its threads, in seconds.
func processor(pid int) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:])) // behind the name
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	user, err := strconv.ParseFloat(fields[11], 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100, err // in hundredths on Linux
}

// resident returns the memory of a process in MB: all of it, the part that is
// not of files (anon), and the most that it ever had.
func resident(pid int) (whole, anon, most float64) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	field := func(name string) float64 {
		_, rest, _ := strings.Cut(string(data), name+":")
		n, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
		return n / 1024
	}
	return field("VmRSS"), field("RssAnon"), field("VmHWM")
}
