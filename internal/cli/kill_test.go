package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/internal/wire"
)

// bench is a workspace with a state folder and the memoir that works on it.
type bench struct {
	t     *testing.T
	self  string // the test binary, which is memoir when it is called so
	home  string
	notes string
}

func newBench(t *testing.T, days int) (*bench, []notegen.Fact) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := &bench{t: t, self: self, home: filepath.Join(dir, "home"), notes: filepath.Join(dir, "笔记")}
	facts, err := notegen.Write(b.notes, notegen.Options{Seed: 7, Days: days})
	if err != nil {
		t.Fatal(err)
	}
	return b, facts
}

// command returns memoir with arguments, on the state folder of that name.
func (b *bench) command(state string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.t.Context(), b.self, args...)
	cmd.Args[0] = "memoir"
	cmd.Env = append(os.Environ(), "HOME="+b.home, "USERPROFILE="+b.home,
		"MEMOIR_WORKSPACE="+b.notes, "MEMOIR_STATE_DIR="+filepath.Join(b.home, state),
		"MEMOIR_QUERY_EMBED_TIMEOUT="+patience,
		"MEMOIR_QUERY_SYNC_BUDGET=0s") // a search must not finish the work
	return cmd
}

// run runs memoir to its end and returns what it answered.
func (b *bench) run(state string, stdin string, args ...string) []byte {
	b.t.Helper()
	cmd := b.command(state, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
		b.t.Fatalf("memoir %s: %v\n%s%s", strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
	}
	return out.Bytes()
}

// kill starts an index run and kills it after the given time; false when it ended before.
func (b *bench) kill(state string, after time.Duration) bool {
	b.t.Helper()
	cmd := b.command(state, "index")
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			b.t.Fatalf("memoir index: %v", err)
		}
		return false
	case <-time.After(after):
		if err := cmd.Process.Kill(); err != nil {
			b.t.Log(err) // it ended this moment
		}
		<-ended
		return true
	}
}

// answers asks every query in one run and returns the answers without the time they took.
func (b *bench) answers(state, queries string, args ...string) []wire.Answer {
	b.t.Helper()
	var answers []wire.Answer
	dec := json.NewDecoder(bytes.NewReader(b.run(state, queries, append([]string{"search", "--stdin", "-n", "20"}, args...)...)))
	for dec.More() {
		var a wire.Answer
		if err := dec.Decode(&a); err != nil {
			b.t.Fatal(err)
		}
		a.TookMs = 0
		answers = append(answers, a)
	}
	return answers
}

// fingerprint is the hash of every file of the workspace, names included.
func (b *bench) fingerprint() string {
	b.t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(b.notes, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		info, statErr := d.Info()
		if err == nil && statErr == nil {
			fmt.Fprintf(h, "%s %x %s\n", path, sha256.Sum256(data), info.ModTime())
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// An index run that is killed at any moment leaves an index that opens and
// answers; the next run completes it, to the answers of an index that was made
// at one go; and no note changes. MEMOIR_TEST_NIGHTLY makes it many moments.
func TestKilledIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	t.Parallel()
	kills := 8
	if os.Getenv("MEMOIR_TEST_NIGHTLY") != "" && !raceEnabled {
		kills = 50
	}
	b, facts := newBench(t, 12)
	before := b.fingerprint()
	var queries strings.Builder
	for _, f := range facts[:min(len(facts), 24)] {
		queries.WriteString(f.Text + "\n")
	}
	start := time.Now()
	b.run("whole", "", "index")
	whole := time.Since(start)
	want := b.answers("whole", queries.String())

	random := rand.New(rand.NewPCG(1, 2))
	state, completed := 0, 0
	for killed := 0; killed < kills; {
		name := fmt.Sprint("killed", state)
		after := time.Duration(random.Int64N(int64(whole)))
		hit := b.kill(name, after)
		if hit {
			killed++
			for _, a := range b.answers(name, "sqlite\n") {
				if a.Query != "sqlite" {
					t.Fatalf("after a kill at %s: got %+v, want an answer", after, a)
				}
			}
		}
		// Some kills in a row fall on one index, until a run comes to its end.
		if hit && killed%5 != 0 {
			continue
		}
		b.run(name, "", "index")
		if diff := cmp.Diff(b.answers(name, queries.String()), want); diff != "" {
			t.Fatalf("the completed index answers otherwise, got - want +:\n%s", diff)
		}
		completed++
		if err := os.RemoveAll(filepath.Join(b.home, name)); err != nil {
			t.Fatal(err)
		}
		state++
	}
	if after := b.fingerprint(); after != before {
		t.Error("a note changed")
	}
	t.Logf("killed %d times within %s, completed %d indexes", kills, whole, completed)
}
