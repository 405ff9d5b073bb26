package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/bench/search/plot"
)

// TestSessionsLeaveNothing opens sessions of memoir mcp beside a server that stays, and
// ends a third of them by killing the parent, a third by closing the pipe and a third by
// killing the process itself. No process is left, and the memory of the server and of
// each new session stays as it was. MEMOIR_TEST_LONG makes it 102 sessions, and
// MEMOIR_TEST_DRAW is the file for a drawing of the curves.
func TestSessionsLeaveNothing(t *testing.T) {
	t.Parallel()
	rounds := 3
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		rounds = 34
	}
	d := newDesk(t, map[string]string{"MEMORY.md": "- We use SQLite.\n", "memory/2026-03-02.md": "# Monday\n\nTook a cab home.\n"})
	stays := d.serve()
	d.until("a first start", filled(2))
	var server, sessions, left []plot.Point
	for round := range rounds {
		largest := d.threeSessions()
		stays.search("cab")
		x := float64(3 * (round + 1))
		server = append(server, plot.Point{X: x, Y: resident(t, stays.cmd.Process.Pid)})
		sessions = append(sessions, plot.Point{X: x, Y: largest})
		mine := slices.DeleteFunc(d.processes(), func(pid int) bool { return pid == stays.cmd.Process.Pid })
		if len(mine) > 0 {
			t.Fatalf("after %d sessions the processes %v are left", 3*(round+1), mine)
		}
		left = append(left, plot.Point{X: x, Y: float64(len(mine))})
	}
	for name, curve := range map[string][]plot.Point{"the server that stays": server, "a session": sessions} {
		if grown := highest(curve[2*rounds/3:]) / highest(curve[:rounds/3]); grown > 1.5 {
			t.Errorf("%s has %.2f times the memory in the end: %v", name, grown, curve)
		}
	}
	t.Logf("MB of the server that stays: %v", values(server))
	t.Logf("MB of the largest session of each three: %v", values(sessions))
	t.Logf("processes left: %v", values(left))
	if file := os.Getenv("MEMOIR_TEST_DRAW"); file != "" {
		var drawn bytes.Buffer
		c := plot.Chart{Title: "Sessions of memoir mcp, killed one after another", X: "sessions that have ended, none of which is left", Y: "MB resident",
			Series: []plot.Series{{Name: "the server that stays", Points: server}, {Name: "a new session", Points: sessions}}}
		if err := c.WriteSVG(&drawn); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, drawn.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// threeSessions opens three sessions at once, ends each in its way, and waits until they
// are gone. It returns the memory of the largest in MB.
func (d *desk) threeSessions() (largest float64) {
	d.Helper()
	before := d.processes()
	orphan, closed, killed := d.orphan(), d.serve(), d.serve()
	for _, s := range []*served{closed, killed} {
		if a := s.search("SQLite"); len(a.Results) == 0 {
			d.Errorf("a session answers %+v", a)
		}
	}
	for _, pid := range d.processes() {
		if !slices.Contains(before, pid) && pid != orphan.parent.Process.Pid {
			largest = max(largest, resident(d, pid))
		}
	}
	if err := orphan.parent.Process.Kill(); err != nil {
		d.Fatal(err)
	}
	_ = orphan.parent.Wait() // killed
	if err := killed.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		d.Fatal(err)
	}
	_ = killed.client.Close() // to a process that is gone
	if err := closed.client.Close(); err != nil {
		d.Error(err)
	}
	orphan.ends(d.T)
	// The end of what a process writes comes a moment before that of the process.
	for deadline := time.Now().Add(time.Minute); len(d.processes()) > len(before) && time.Now().Before(deadline); {
		<-time.After(10 * time.Millisecond)
	}
	return largest
}

// processes returns the processes of this desk, which know its folder.
func (d *desk) processes() (pids []int) {
	d.Helper()
	own := []byte("MEMOIR_STATE_DIR=" + filepath.Join(d.dir, "state") + "\x00")
	entries, err := os.ReadDir("/proc")
	if err != nil {
		d.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ")); err == nil && bytes.Contains(env, own) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// resident returns the memory of a process in MB.
func resident(t testing.TB, pid int) float64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kB, err := strconv.ParseFloat(strings.Fields(rest + " -")[0], 64)
	if err != nil {
		t.Fatalf("process %d has no memory: %v", pid, err)
	}
	return kB / 1024
}

func highest(curve []plot.Point) float64 { return slices.Max(values(curve)) }

// values returns what a curve goes through, to a tenth.
func values(curve []plot.Point) (ys []float64) {
	for _, p := range curve {
		ys = append(ys, float64(int(10*p.Y+.5))/10)
	}
	return ys
}
