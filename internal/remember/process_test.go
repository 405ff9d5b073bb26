package remember_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/remember"
)

// teller is what makes of the test's binary a process that tells texts: the root,
// the state folder, its number and how many texts.
const teller = "MEMOIR_TEST_TELLER"

func TestMain(m *testing.M) {
	if args := os.Getenv(teller); args != "" {
		if err := tellAll(strings.Split(args, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// profiles is the folder to which tellers that are timed write what they spend their
// processor time on.
const profiles = "MEMOIR_TEST_PROFILE"

// types are the files that tellers write to.
var types = []string{"contact", "project", "journal"}

// tellAll tells texts of its own and, each seventh time, one that all tell. It
// says on standard output which are kept.
func tellAll(args []string) (err error) {
	notes, err := notebook.Open(args[0], args[1], notebook.Options{})
	if err != nil {
		return err
	}
	keeper, err := remember.Open(remember.Options{Notebook: notes, Dir: args[1], Now: func() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }})
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	if dir := os.Getenv(profiles); dir != "" && args[len(args)-1] == "remember" {
		f, err := os.Create(filepath.Join(dir, "teller-"+args[2]+".pprof"))
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			return err
		}
		defer func() { pprof.StopCPUProfile(); err = errors.Join(err, f.Close()) }()
	}
	if len(args) > 4 && args[4] == "mixed" {
		return mixAll(keeper, args, n)
	} else if len(args) > 4 && args[4] == "several" {
		return severalAll(keeper, args, n)
	} else if len(args) > 4 {
		return timeAll(keeper, args, n)
	}
	for i := range n {
		req := remember.Request{Text: ownText(args[2], i), Type: types[i%len(types)], Key: args[2] + "/" + strconv.Itoa(i)}
		if _, err := keeper.Remember(context.Background(), req); err != nil {
			return err
		}
		if i%7 == 0 {
			if _, err := keeper.Remember(context.Background(), remember.Request{Text: commonText, Type: "decision"}); err != nil {
				return err
			}
		}
		fmt.Println(i)
	}
	return nil
}

// timeAll tells n texts, or with "bare" adds as many lines to a file and flushes it, with
// "locked" under a lock that they wait for. It says how many microseconds each took.
func timeAll(keeper *remember.Keeper, args []string, n int) error {
	for i := range n {
		start := time.Now()
		if args[4] != "remember" {
			if err := addBare(args[0], ownText(args[2], i), args[4] == "locked"); err != nil {
				return err
			}
		} else if _, err := keeper.Remember(context.Background(), remember.Request{Text: ownText(args[2], i), Type: types[i%len(types)]}); err != nil {
			return err
		}
		fmt.Println(time.Since(start).Microseconds())
	}
	return nil
}

// addBare adds a line to a file and flushes it.
func addBare(dir, text string, locked bool) (err error) {
	if locked {
		l := flock.New(filepath.Join(dir, "bare.lock"))
		if err := l.Lock(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, l.Close()) }()
	}
	f, err := os.OpenFile(filepath.Join(dir, "bare.md"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "- %s\n", text)
	return errors.Join(err, f.Sync(), f.Close())
}

const commonText = "We decided to keep the old boiler because the new one is too loud."

func ownText(process string, i int) string {
	return fmt.Sprintf("The supplier %s-%d is called Mirela and delivers tiles to the harbour,\nher phone is 555 01%02d.", process, i, i)
}

// command returns a process that tells n texts; with how, as timeAll does.
func (b *bench) command(process string, n int, how ...string) *exec.Cmd {
	b.t.Helper()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.CommandContext(b.t.Context(), self)
	cmd.Env = append(os.Environ(), teller+"="+strings.Join(append([]string{b.root, b.state, process, strconv.Itoa(n)}, how...), "\n"))
	cmd.Stderr = os.Stderr
	return cmd
}

// told returns how often each text of entries stands in the notes, and fails for
// files that are none of them, and for entries that are not whole, but for those that
// people have written.
func (b *bench) told(people ...string) map[string]int {
	b.t.Helper()
	for path := range b.notes() {
		if strings.HasPrefix(filepath.Base(path), ".") {
			b.t.Errorf("%s was left over", path)
		}
	}
	return b.killedTold(people...)
}

// killedTold is told after a process was killed: it may have left a file beside a note
// until the next change.
func (b *bench) killedTold(people ...string) map[string]int {
	b.t.Helper()
	counts := map[string]int{}
	for path, text := range b.notes() {
		if strings.HasPrefix(filepath.Base(path), ".") {
			continue
		}
		for _, e := range entry.Parse(text) {
			counts[e.Text]++
			if (e.Fields.Get(entry.ID) == "" || e.Fields.Get(entry.Origin) != "user") && !slices.Contains(people, e.Text) {
				b.t.Errorf("%s:%d is torn: %q", path, e.StartLine, e.Text)
			}
		}
	}
	return counts
}

// TestProcesses: of what many processes tell at once nothing is torn, lost or
// there twice. MEMOIR_TEST_LONG makes it 64 processes of 100 texts.
func TestProcesses(t *testing.T) {
	b := newBench(t, nil, nil)
	processes, each, wait := b.tellers()
	wait()
	counts := b.told()
	for p := range processes {
		for i := range each {
			if text := ownText(strconv.Itoa(p), i); counts[text] != 1 {
				t.Errorf("%q stands there %d times", text, counts[text])
			}
		}
	}
	if len(counts) != processes*each+1 || counts[commonText] != 1 {
		t.Errorf("got %d texts, the common one %d times", len(counts), counts[commonText])
	}
	times := processes * ((each + 6) / 7)
	if got := b.notes()["memory/decisions.md"]; !strings.Contains(got, fmt.Sprintf("count: %d |", times-1)) {
		t.Errorf("it was told %d times:\n%s", times, got)
	}
}

// tellers starts processes that tell texts, and says how many of how many. wait waits for
// them.
func (b *bench) tellers() (processes, each int, wait func()) {
	processes, each = 6, 10
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		processes, each = 64, 100
	}
	var running []*exec.Cmd
	for p := range processes {
		cmd := b.command(strconv.Itoa(p), each)
		if err := cmd.Start(); err != nil {
			b.t.Fatal(err)
		}
		running = append(running, cmd)
	}
	return processes, each, func() {
		for _, cmd := range running {
			if err := cmd.Wait(); err != nil {
				b.t.Error(err)
			}
		}
	}
}

// TestProcessesBesideEditor: what an editor saves over, because it saves a note as it was
// some texts ago, is named as lost, and is there after one restore. Nothing else is lost,
// torn or there twice.
func TestProcessesBesideEditor(t *testing.T) {
	b := newBench(t, nil, nil)
	processes, each, wait := b.tellers()
	ended := make(chan struct{})
	go func() {
		wait()
		close(ended)
	}()
	saves, old := 0, map[string]string{} // what the editor has open
	for going := true; going; {
		select {
		case <-ended:
			going = false
		case <-time.After(20 * time.Millisecond):
			path := filepath.Join(b.root, "memory", []string{"contacts.md", "projects.md", "2026-03-02.md"}[saves%3])
			if text, open := old[path]; open {
				saves++
				if err := errors.Join(os.WriteFile(path+".save", []byte(text), 0o600), os.Rename(path+".save", path)); err != nil {
					t.Error(err)
				}
			}
			if text, err := os.ReadFile(path); err == nil {
				old[path] = string(text)
			} else if !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		}
	}
	lost, err := b.keeper.Lost(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	counts, named := b.told(), map[string]int{}
	for _, l := range lost {
		named[l.Text]++
	}
	for p := range processes {
		for i := range each {
			if text := ownText(strconv.Itoa(p), i); counts[text]+named[text] != 1 {
				t.Errorf("%q stands there %d times, and is named as lost %d times", text, counts[text], named[text])
			}
		}
	}
	if _, err := b.keeper.Restore(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	counts = b.told()
	for p := range processes {
		for i := range each {
			if text := ownText(strconv.Itoa(p), i); counts[text] != 1 {
				t.Errorf("%q stands there %d times after all", text, counts[text])
			}
		}
	}
	t.Logf("the editor saved %d times over %d texts", saves, len(lost))
}

// TestAccept says how long it takes until a text is kept, of 1, 4, 16 and 64 processes that
// tell 100 each at once, beside as many bare additions with a flush, with and without a
// lock. The first of each process, which reads all that later ones know, is said apart,
// too. Nothing is asked of the times; a machine that is busy has others. Profiles of the
// tellers go to the folder that MEMOIR_TEST_PROFILE names.
func TestAccept(t *testing.T) {
	if os.Getenv("MEMOIR_TEST_LONG") == "" {
		t.Skip("MEMOIR_TEST_LONG is not set")
	}
	const each = 100
	for _, processes := range []int{1, 4, 16, 64} {
		t.Run(strconv.Itoa(processes), func(t *testing.T) { accept(t, processes, each) })
	}
}

// accept is one row of TestAccept.
func accept(t *testing.T, processes, each int) {
	for _, how := range []string{"bare", "locked", "remember", "bare", "locked", "remember"} {
		b := newBench(t, nil, nil)
		outs, running := make([]bytes.Buffer, processes), make([]*exec.Cmd, processes)
		for p := range processes {
			running[p] = b.command(strconv.Itoa(p), each, how)
			running[p].Stdout = &outs[p]
			if err := running[p].Start(); err != nil {
				t.Fatal(err)
			}
		}
		var first, later []int
		var cpu time.Duration
		for p := range processes {
			if err := running[p].Wait(); err != nil {
				t.Fatal(err)
			}
			for i, word := range strings.Fields(outs[p].String()) {
				us, err := strconv.Atoi(word)
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					first = append(first, us)
				} else {
					later = append(later, us)
				}
			}
			cpu += running[p].ProcessState.UserTime() + running[p].ProcessState.SystemTime()
		}
		all := slices.Concat(first, later)
		if len(all) != processes*each {
			t.Fatalf("%d of %d", len(all), processes*each)
		}
		ms := func(took []int, share int) float64 {
			slices.Sort(took)
			return float64(took[len(took)*share/100]) / 1000
		}
		t.Logf("%2d %-8s p50 %6.1f ms, p99 %6.1f ms; first p50 %6.1f, later p99 %6.1f; processor %.2f ms each", processes, how,
			ms(all, 50), ms(all, 99), ms(first, 50), ms(later, 99), float64(cpu.Microseconds())/1000/float64(len(all)))
	}
}
