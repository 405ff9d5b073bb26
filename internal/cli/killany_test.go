package cli_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/internal/wire"
)

// batch is how many texts an index run embeds at once, and a server fewer.
const batch = 128

// killing is a workspace with two servers, beside which an index run begins in each
// round; one of the three is killed.
type killing struct {
	*bench
	facts   []notegen.Fact
	random  *rand.Rand
	servers [2]*served
	span    time.Duration // that an index run takes
	seen    string        // the texts that were embedded, by hash
	kills   int
	print   string // of the notes, as they were written
}

// TestKilledAmongThree: of three processes over an index one is killed in each round, at
// any moment, while notes change. The others answer, the index is completed by those that
// are left, no note changes by itself, and no vector is computed twice beyond a batch a
// kill. MEMOIR_TEST_LONG makes it 500 rounds, and MEMOIR_TEST_ROUNDS that many.
func TestKilledAmongThree(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	t.Parallel()
	rounds := 6
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		rounds = 500
	}
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_TEST_ROUNDS")); err == nil {
		rounds = n
	}
	b, facts := newBench(t, 3)
	k := &killing{bench: b, facts: facts, random: rand.New(rand.NewPCG(3, 4)), seen: filepath.Join(t.TempDir(), "seen")}
	start := time.Now()
	if out, err := k.index().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	k.span = time.Since(start)
	for i := range k.servers {
		k.servers[i] = connect(t, k.with("mcp"))
	}
	for round := range rounds {
		k.change(round)
		k.killOne()
		if round%10 == 9 || round == rounds-1 {
			k.whole(round)
		}
	}
	k.sameAsNew()
	lines, distinct := k.embedded()
	t.Logf("%d of %d rounds killed a process; %d texts were embedded, %d of them again", k.kills, rounds, distinct, lines-distinct)
}

func (k *killing) with(args ...string) *exec.Cmd {
	cmd := k.command("killed", args...)
	cmd.Env = append(cmd.Env, "TEST_SEEN="+k.seen, "TEST_PAUSE=20ms")
	return cmd
}

func (k *killing) index() *exec.Cmd { return k.with("index") }

// change writes a note of some hundred texts that were never there, in the place of one
// of ten.
func (k *killing) change(round int) {
	k.t.Helper()
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "# Crate %d of round %d\n\n%s\n\n", i, round, strings.Repeat(fmt.Sprintf("Crate %d went by ship %d. ", i, round*100+i), 4))
	}
	path := filepath.Join(k.notes, "memory", fmt.Sprintf("crates-%d.md", round%10))
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		k.t.Fatal(err)
	}
	k.print = k.fingerprint()
}

// killOne starts an index run beside the servers, kills one of the three, and puts
// another in its place.
func (k *killing) killOne() {
	k.t.Helper()
	run := k.index()
	if err := run.Start(); err != nil {
		k.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	early := false // the run came to its end before
	var failed error
	select {
	case failed = <-ended:
		early = true
	case <-time.After(time.Duration(k.random.Int64N(int64(k.span)))):
	}
	victim := k.random.IntN(3)
	if victim == 2 && !early {
		_ = run.Process.Kill() // it may end this moment
		<-ended
		k.kills++
	} else {
		s := k.servers[victim%2]
		if err := s.cmd.Process.Kill(); err != nil {
			k.t.Fatalf("a server had ended: %v", err)
		}
		_ = s.client.Close() // to a process that is gone
		k.kills++
		if !early {
			failed = <-ended
		}
		k.servers[victim%2] = connect(k.t, k.with("mcp"))
	}
	if failed != nil {
		k.t.Errorf("an index run beside others: %v", failed)
	}
	for i, s := range k.servers {
		if a := s.search(k.facts[0].Text); len(a.Results) == 0 {
			k.t.Fatalf("server %d, after %d kills: %+v", i, k.kills, a)
		}
	}
}

// whole waits until the servers have completed the index, and looks at what must hold.
func (k *killing) whole(round int) {
	k.t.Helper()
	var x wire.Status
	for deadline := time.Now().Add(5 * time.Minute); ; {
		x = wire.Status{}
		if err := json.Unmarshal(k.run("killed", "", "status", "--json"), &x); err != nil {
			k.t.Fatal(err)
		}
		if a := k.servers[0].search(fmt.Sprintf("ship %d", round*100)); x.PendingVectors == 0 && len(a.Results) > 0 && a.Results[0].Path == fmt.Sprintf("memory/crates-%d.md", round%10) {
			break
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("round %d: it is not completed: %+v", round, x)
		}
	}
	if k.fingerprint() != k.print {
		k.t.Fatalf("round %d: a note changed", round)
	}
	if lines, distinct := k.embedded(); lines-distinct > batch*k.kills {
		k.t.Fatalf("round %d: %d texts were embedded again after %d kills", round, lines-distinct, k.kills)
	}
}

// embedded returns how many texts were given to the embedder, and how many of them are
// different.
func (k *killing) embedded() (lines, distinct int) {
	k.t.Helper()
	data, err := os.ReadFile(k.seen)
	if err != nil {
		k.t.Fatal(err)
	}
	all := strings.Fields(string(data))
	slices.Sort(all)
	return len(all), len(slices.Compact(slices.Clone(all)))
}

// sameAsNew compares the answers with those of an index that was made at one go: all of
// them by words, and the first passages by meaning. What vectors of unrelated texts have in
// common is measured when an index has grown by half, so that their scores may differ.
func (k *killing) sameAsNew() {
	k.t.Helper()
	var queries strings.Builder
	for _, f := range k.facts[:min(len(k.facts), 24)] {
		queries.WriteString(f.Text + "\n")
	}
	k.run("killed", "", "index")
	k.run("new", "", "index")
	of := func(state string) (words, firsts []wire.Answer) {
		firsts = k.answers(state, queries.String(), "--mode", "vector")
		for i, a := range firsts {
			if len(a.Results) == 0 {
				k.t.Fatalf("nothing is near to %q", a.Query)
			}
			firsts[i] = wire.Answer{Query: a.Query, Results: []wire.Result{{Path: a.Results[0].Path, StartLine: a.Results[0].StartLine}}}
		}
		return k.answers(state, queries.String(), "--mode", "text"), firsts
	}
	words, firsts := of("killed")
	wantWords, wantFirsts := of("new")
	if diff := cmp.Diff([2][]wire.Answer{words, firsts}, [2][]wire.Answer{wantWords, wantFirsts}); diff != "" {
		k.t.Errorf("it answers otherwise than a new index, got - want +:\n%s", diff)
	}
}
