package remember_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/remember"
)

// archived is what a text of a session is told as.
func archived(key, text, session string, at time.Time) remember.Request {
	return remember.Request{Text: text, Type: "journal", Origin: remember.Import, At: at, Session: session, Key: key, Aside: true}
}

// some are texts of two sessions on three days: some twice, some known, refused or secret, and
// between them what goes to a shelf.
func some(now time.Time) (reqs []remember.Request) {
	says := func(i int, session string, day int, text string) {
		reqs = append(reqs, archived(session+" "+text, text, fmt.Sprintf("sessions/codex/%s.jsonl#L%d", session, i), now.AddDate(0, 0, -day)))
	}
	for i := range 90 {
		says(i, "a", i%3, fmt.Sprintf("We moved ferry %d from Bergen to quay %d because the old one was closed.", i%40, i%40))
		says(i, "b", i%3, fmt.Sprintf("小王把第%d号服务器迁移到了新机房，因为原来的太慢。", i%35))
		switch i % 18 {
		case 3:
			says(i, "a", 0, "thanks")
		case 5:
			says(i, "a", 0, "The harbour master is called Oskar.")
		case 7:
			says(i, "b", 0, "My password is hunter2x9k and the pilot of the second harbour is called Anneli.")
		case 9:
			reqs = append(reqs, remember.Request{Text: fmt.Sprintf("The supplier %d of tiles is called Mirela.", i), Type: "contact"})
		case 11:
			says(i, "b", 1, fmt.Sprintf("The dredger is called Ragnhild\nand works %d days a week.", i))
		}
	}
	return reqs
}

// Several texts that are told at once become what they become when they are told one after the
// other: the same notes, outcomes and history.
func TestSeveralAsOne(t *testing.T) {
	for name, change := range map[string]func(*testing.T) func(*remember.Options){
		"words": func(*testing.T) func(*remember.Options) { return nil },
		"model": withModel,
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"memory/contacts.md":   "# Contacts\n\n- The harbour master is called Oskar. <!-- id: aaaaaaaa -->\n",
				"memory/2026-03-01.md": "Today was windy.\n\n```\ncode\n",
			}
			one, several := newBench(t, files, change(t)), newBench(t, files, change(t))
			all := some(one.now)
			if name == "model" {
				all = all[:60]
			}
			var got, want []remember.Outcome
			for round := range 2 {
				reqs := all[:len(all)/(2-round)]
				for _, req := range reqs {
					out, err := one.keeper.Remember(t.Context(), req)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, out)
				}
				for len(reqs) > 0 {
					outs, err := several.keeper.RememberSome(t.Context(), reqs)
					if err != nil || len(outs) == 0 {
						t.Fatal(len(outs), err)
					}
					got, reqs = append(got, outs...), reqs[len(outs):]
				}
			}
			a, b := newNames(), newNames()
			if diff := cmp.Diff(a.notes(one.notes()), b.notes(several.notes())); diff != "" {
				t.Errorf("notes (-one +several):\n%s", diff)
			}
			for i := range want {
				if x, y := a.outcome(t, want[i]), b.outcome(t, got[i]); x != y {
					t.Fatalf("text %d:\n one     %s\n several %s", i, x, y)
				}
			}
			if diff := cmp.Diff(a.history(one), b.history(several)); diff != "" {
				t.Errorf("history (-one +several):\n%s", diff)
			}
		})
	}
}

// names puts numbers in the place of what is made by chance.
type names map[string]string

func newNames() names { return names{} }

var chance = regexp.MustCompile(`(\bid: |key: |"id":"|"told":"|"key":")([a-z0-9]{8}\b|[0-9a-f]{32}\b)`)

func (n names) text(text string) string {
	return chance.ReplaceAllStringFunc(text, func(found string) string {
		parts := chance.FindStringSubmatch(found)
		if n[parts[2]] == "" {
			n[parts[2]] = strconv.Itoa(len(n))
		}
		return parts[1] + n[parts[2]]
	})
}

func (n names) outcome(t *testing.T, o remember.Outcome) string {
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return n.text(fmt.Sprintf("%s %q %t %t", data, o.Written, o.Change != "", o.Repeated))
}

func (n names) notes(notes map[string]string) (all []string) {
	for _, path := range slices.Sorted(maps.Keys(notes)) {
		all = append(all, path+"\n"+n.text(notes[path]))
	}
	return all
}

func (n names) history(b *bench) (all []string) {
	changes, err := b.keeper.History()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range changes {
		line := c.Who + ": " + c.Why + " " + string(c.Answer) + " key: " + c.Key
		for _, e := range c.Edits {
			line += fmt.Sprintf("\n%s at %d, created %t, in place of %q: %q beside %q and %q", e.Path, e.At, e.Created, e.Old, e.New, e.Left, e.Right)
		}
		all = append(all, n.text(line))
	}
	return all
}

// severalAll tells n texts at once, and says which are kept.
func severalAll(keeper *remember.Keeper, args []string, n int) error {
	var reqs []remember.Request
	for i := range n {
		reqs = append(reqs, archived(args[2]+"/"+strconv.Itoa(i), ownText(args[2], i), "sessions/codex/"+args[2]+".jsonl#L1", time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)))
		if i%7 == 0 {
			reqs = append(reqs, archived("common "+args[2], commonText, "sessions/codex/"+args[2]+".jsonl#L1", time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)))
		}
	}
	for told := 0; told < len(reqs); {
		outs, err := keeper.RememberSome(context.Background(), reqs[told:])
		for range outs {
			fmt.Println(told)
			told++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// log returns what stands in the log of the day, in order, and fails for entries that are not
// whole.
func (b *bench) log() (texts []string) {
	b.t.Helper()
	for _, e := range entry.Parse(b.notes()["memory/2026-03-02.md"]) {
		texts = append(texts, e.Text)
		if e.Fields.Get(entry.ID) == "" || e.Fields.Get(entry.Origin) != remember.Import {
			b.t.Errorf("line %d is torn: %q", e.StartLine, e.Text)
		}
	}
	return texts
}

// checkLog fails unless each text of some processes stands in the log once, in order.
func (b *bench) checkLog(processes []string, each int) {
	b.t.Helper()
	texts := b.log()
	if n := len(texts); n != len(processes)*each+1 {
		b.t.Errorf("%d entries stand there", n)
	}
	for _, p := range processes {
		last := -1
		for i := range each {
			at := slices.Index(texts, ownText(p, i))
			if at <= last {
				b.t.Errorf("text %d of %s is entry %d, and the one before it %d", i, p, at, last)
			}
			last = at
		}
	}
}

// TestSeveralProcesses: of what several processes archive at once, nothing is torn, lost, twice
// or out of order.
func TestSeveralProcesses(t *testing.T) {
	b := newBench(t, nil, nil)
	processes, each := []string{"0", "1", "2", "3"}, 60
	var wait []func() error
	for _, p := range slices.Concat(processes, processes[:2]) { // two sessions twice
		cmd := b.command(p, each, "several")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait = append(wait, cmd.Wait)
	}
	for _, w := range wait {
		if err := w(); err != nil {
			t.Error(err)
		}
	}
	counts := map[string]int{}
	for _, text := range b.log() {
		counts[text]++
	}
	for text, n := range counts {
		if n != 1 {
			t.Errorf("%q stands there %d times", text, n)
		}
	}
	b.checkLog(processes, each)
}

// TestKillSeveral: a process that is killed while it archives leaves whole entries. When it
// archives again, everything stands there once, in order.
func TestKillSeveral(t *testing.T) {
	rounds, each := 6, 80
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		rounds = killed()
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range rounds {
		b := newBench(t, nil, nil)
		history := filepath.Join(b.state, "history.jsonl")
		for _, kill := range []bool{true, true, false} {
			cmd := b.command("0", each, "several")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			answered := make(chan int)
			go func() {
				n := 0
				for lines := bufio.NewScanner(out); lines.Scan(); n++ {
				}
				_, _ = io.Copy(io.Discard, out)
				answered <- n
			}()
			kept := -1
			for until := rng.Int64N(int64(each) * 600); kill && kept < 0; {
				if info, err := os.Stat(history); err == nil && info.Size() >= until {
					if err := cmd.Process.Kill(); err != nil {
						t.Fatal(err)
					}
					kill = false
				}
				select {
				case kept = <-answered:
				default:
				}
			}
			if kept < 0 {
				kept = <-answered
			}
			_ = cmd.Wait() // it may have been killed
			if texts := b.log(); len(texts) == 0 && kept > 0 {
				t.Errorf("round %d: %d were answered, and nothing stands there", round, kept)
			}
		}
		b.checkLog([]string{"0"}, each)
		if t.Failed() {
			t.Fatalf("round %d\n%s", round, strings.Join(b.log(), "\n"))
		}
	}
}
