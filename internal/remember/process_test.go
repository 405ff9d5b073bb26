package remember_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

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

// types are the files that tellers write to.
var types = []string{"contact", "project", "journal"}

// tellAll tells texts of its own and, each seventh time, one that all tell. It
// says on standard output which are kept.
func tellAll(args []string) error {
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

const commonText = "We decided to keep the old boiler because the new one is too loud."

func ownText(process string, i int) string {
	return fmt.Sprintf("The supplier %s-%d is called Mirela and delivers tiles to the harbour,\nher phone is 555 01%02d.", process, i, i)
}

// command returns a process that tells n texts.
func (b *bench) command(process string, n int) *exec.Cmd {
	b.t.Helper()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.CommandContext(b.t.Context(), self)
	cmd.Env = append(os.Environ(), teller+"="+strings.Join([]string{b.root, b.state, process, strconv.Itoa(n)}, "\n"))
	cmd.Stderr = os.Stderr
	return cmd
}

// told returns how often each text of entries stands in the notes, and fails for
// files that are none of them.
func (b *bench) told() map[string]int {
	b.t.Helper()
	counts := map[string]int{}
	for path, text := range b.notes() {
		if strings.HasPrefix(filepath.Base(path), ".") {
			b.t.Errorf("%s was left over", path)
		}
		for _, e := range entry.Parse(text) {
			counts[e.Text]++
			if e.Fields.Get(entry.ID) == "" || e.Fields.Get(entry.Origin) != "user" {
				b.t.Errorf("%s:%d is torn: %q", path, e.StartLine, e.Text)
			}
		}
	}
	return counts
}

// TestProcesses: of what many processes tell at once nothing is torn, lost or
// there twice. MEMOIR_TEST_LONG makes it 64 processes of 100 texts.
func TestProcesses(t *testing.T) {
	processes, each := 6, 10
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		processes, each = 64, 100
	}
	b := newBench(t, nil, nil)
	var running []*exec.Cmd
	for p := range processes {
		cmd := b.command(strconv.Itoa(p), each)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
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

// TestKill: a process that is killed at any moment leaves whole entries, and its
// requests can be repeated: what it was told to keep is kept once.
func TestKill(t *testing.T) {
	rounds, each := 5, 20
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		rounds, each = 60, 40
	}
	b := newBench(t, nil, nil)
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range rounds {
		name := strconv.Itoa(round)
		cmd := b.command(name, each)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kept, until := 0, rng.IntN(each)
		lines := bufio.NewScanner(out)
		for kept <= until && lines.Scan() {
			kept++
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			kept++
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait() // it was killed
		counts := b.told()
		for i := range kept {
			if text := ownText(name, i); counts[text] != 1 {
				t.Fatalf("round %d: %q was answered and stands there %d times", round, text, counts[text])
			}
		}
		if err := b.command(name, each).Run(); err != nil {
			t.Fatal(err)
		}
		counts = b.told()
		for i := range each {
			if text := ownText(name, i); counts[text] != 1 {
				t.Fatalf("round %d, repeated: %q stands there %d times", round, text, counts[text])
			}
		}
	}
}
