package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/notegen"
)

// markStart begins every mark, and no word of the generated notes. No id begins
// with it either, because ids have no 0.
const markStart = "zq0"

// patience is how long a command may take before it counts as hanging. It is long,
// because other programs may have the machine.
const patience = 15 * time.Minute

// mostWork is how much time of a processor a command may take.
const mostWork = time.Minute

type options struct {
	length  time.Duration
	seed    uint64
	days    int
	vectors bool
	program string
}

// A life is one run.
type life struct {
	options
	oracle
	dir, disk, notes, state string
	rng                     *rand.Rand
	mounted                 bool
	server                  *server // nil: none runs
	begin                   time.Time
	steps, checks, kills    int
	did                     map[string]int
	strace                  string         // the program that makes faults; "" where there is none
	faults                  map[string]int // that were made
	shift                   time.Duration  // of the clock of programs
	curve                   []sample
}

// act is something that can happen. Its weight says how often.
type act struct {
	name   string
	weight int
	do     func(context.Context) error
}

func newLife(dir string, o options) (*life, error) {
	l := &life{options: o, dir: dir, disk: filepath.Join(dir, "disk"), rng: rand.New(rand.NewPCG(o.seed, 0)), did: map[string]int{}, faults: map[string]int{}, strace: tracer()}
	if l.strace == "" {
		fmt.Printf("The disk never fails: there is no strace, or it may not trace.\n\n")
	}
	l.oracle = oracle{entries: map[string]*told{}, own: map[string][]byte{}}
	l.notes, l.state = filepath.Join(l.disk, "notes"), filepath.Join(l.disk, "state")
	if err := os.Mkdir(l.disk, 0o700); err != nil {
		return nil, err
	}
	if err := mount(l.disk); err != nil {
		fmt.Printf("The disk is never full: a small one cannot be mounted (%v).\n\n", err)
	} else {
		l.mounted = true
	}
	if _, err := notegen.Write(l.notes, notegen.Options{Seed: o.seed, Days: o.days, BytesPerDay: 6000}); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(l.notes, "memory", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if err := l.keep(path); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// keep records what the person's note holds now.
func (l *life) keep(path string) error {
	rel, err := filepath.Rel(l.notes, path)
	if err != nil {
		return err
	}
	l.own[rel], err = os.ReadFile(path)
	return err
}

// end stops what still runs. When all went well it frees the disk.
func (l *life) end(well bool) error {
	err := l.stopServer(os.Interrupt)
	if left := l.processes(); len(left) > 0 {
		err = errors.Join(err, fmt.Errorf("processes were left: %v", left))
	}
	if l.mounted && well && err == nil {
		err = unmount(l.disk)
	}
	return err
}

func (l *life) acts() []act {
	return append(l.faultyActs(), []act{
		{"remember", 30, l.remember},
		{"remember over HTTP", 20, l.rememberHTTP},
		{"remember by four at once", 4, l.together},
		{"remember, killed and repeated", 12, l.rememberKilled},
		{"replace", 8, l.replace},
		{"forget", 8, l.forget},
		{"undo", 8, l.undo},
		{"undo, killed", 3, l.undoKilled},
		{"write by hand", 8, l.byHand},
		{"save an older copy, restore", 3, l.staleSave},
		{"edit an own note", 8, l.edit},
		{"move an own note and back", 2, l.move},
		{"turn the time of a file", 4, l.turnTime},
		{"search", 15, l.search},
		{"search over HTTP", 15, l.searchHTTP},
		{"index", 4, l.index},
		{"index, killed", 8, l.indexKilled},
		{"rebuild", 1, l.rebuild},
		{"tidy and undo", 2, l.tidy},
		{"damage the index", 4, l.damage},
		{"remove the index", 1, l.removeIndex},
		{"fill the disk", 3, l.fillDisk},
		{"stop the server", 2, func(context.Context) error { return l.stopServer(os.Interrupt) }},
		{"kill the server", 3, func(context.Context) error { return l.stopServer(os.Kill) }},
		{"turn the clock", 3, l.turnClock},
	}...)
}

func (l *life) live(ctx context.Context) error {
	l.begin = time.Now()
	acts := l.acts()
	sum := 0
	for _, a := range acts {
		sum += a.weight
	}
	if err := l.index(ctx); err != nil {
		return err
	}
	next := l.begin
	for time.Since(l.begin) < l.length && ctx.Err() == nil {
		l.steps++
		n := l.rng.IntN(sum)
		i := 0
		for ; n >= acts[i].weight; i++ {
			n -= acts[i].weight
		}
		if err := acts[i].do(ctx); err != nil {
			return fmt.Errorf("%s: %w", acts[i].name, err)
		}
		l.did[acts[i].name]++
		if l.steps%25 == 0 {
			if err := l.compare(ctx); err != nil {
				return err
			}
		}
		if time.Now().After(next) {
			l.sample()
			next = time.Now().Add(l.length / 12)
		}
	}
	return errors.Join(l.compare(ctx), ctx.Err())
}

// compare asks the oracle, and searches for entries that must be found.
func (l *life) compare(ctx context.Context) error {
	l.checks++
	if err := l.check(l.notes); err != nil {
		return err
	}
	// This look removes what killed processes left beside the notes.
	if err := l.run(ctx, nil, "history", "--lost", "--json"); err != nil {
		return err
	}
	if err := leftovers(l.notes); err != nil {
		return err
	}
	if err := l.index(ctx); err != nil {
		return err
	}
	for range 5 {
		if err := l.search(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *life) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.program, append([]string{"--workspace", l.notes}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "HOME="+l.dir, "MEMOIR_STATE_DIR="+l.state, "MEMOIR_SYNC_ON_SEARCH=true", fmt.Sprintf("%s=%d", shiftVariable, int64(l.shift.Seconds())))
	if !l.vectors {
		cmd.Env = append(cmd.Env, "MEMOIR_PROVIDER=none")
	}
	return cmd
}

// run runs memoir to its end. It decodes the answer into v unless v is nil.
func (l *life) run(ctx context.Context, v any, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := l.command(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("memoir %s: %w\n%s%s", strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
	}
	if work := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); work > mostWork {
		return fmt.Errorf("memoir %s: it took %v of a processor", strings.Join(args, " "), work)
	}
	if v == nil {
		return nil
	}
	if err := json.Unmarshal(out.Bytes(), v); err != nil {
		return fmt.Errorf("memoir %s: %w\n%s", strings.Join(args, " "), err, out.Bytes())
	}
	return nil
}

// kill starts memoir and kills it at some moment within most. It returns false
// when memoir ended before.
func (l *life) kill(ctx context.Context, most time.Duration, args ...string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := l.command(ctx, args...)
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return false, err
	case <-time.After(time.Duration(l.rng.Int64N(int64(most)))):
		_ = cmd.Process.Kill() // it may have ended this moment
		<-ended
		l.kills++
		return true, nil
	}
}

var (
	people = []string{"Mirela", "Jonas", "Aiko", "Wanjiru", "Lucía", "陈晓", "Søren", "Fatima", "Bogdan", "Priya"}
	does   = []string{"keeps", "orders", "repairs", "paints", "delivers", "counts", "stores", "lends"}
	things = []string{"tiles", "boilers", "ladders", "carpets", "lanterns", "bicycles", "violins", "kettles", "maps", "ropes"}
	places = []string{"the harbour", "the old mill", "the archive", "the north hall", "the greenhouse", "the station", "the chapel", "the workshop"}
	kinds  = []string{"contact", "project", "decision", "learning", "journal", "preference"}
)

// ownNote returns a note of the person's.
func (l *life) ownNote() string {
	paths := slices.Sorted(maps.Keys(l.own))
	return filepath.Join(l.notes, paths[l.rng.IntN(len(paths))])
}

func (l *life) edit(context.Context) error {
	path := l.ownNote()
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if lines := bytes.SplitAfter(data, []byte("\n")); l.rng.IntN(2) == 0 && len(lines) > 40 {
		at := l.rng.IntN(len(lines))
		data = bytes.Join(slices.Delete(lines, at, at+1), nil)
	} else {
		data = fmt.Appendf(data, "\n- %s was here at %d\n", people[l.rng.IntN(len(people))], l.steps)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	return l.keep(path)
}

func (l *life) move(ctx context.Context) error {
	path := l.ownNote()
	away := path + ".away"
	if err := os.Rename(path, away); err != nil {
		return err
	}
	err := l.index(ctx)
	return errors.Join(err, os.Rename(away, path))
}

func (l *life) turnTime(context.Context) error {
	at := time.Now().Add(time.Duration(l.rng.IntN(20_000)-10_000) * time.Hour)
	return os.Chtimes(l.ownNote(), at, at)
}

// answer has the parts of a search's answer that are looked at.
type answer struct {
	Results []struct{ Path, Snippet string }
}

func (a answer) holds(mark string) bool {
	return slices.ContainsFunc(a.Results, func(h struct{ Path, Snippet string }) bool { return strings.Contains(h.Snippet, mark) })
}

// wanted returns the mark of a live entry, "" where there is none.
func (l *life) wanted() string {
	for range 50 {
		if len(l.marks) == 0 {
			break
		}
		if mark := l.marks[l.rng.IntN(len(l.marks))]; l.entries[mark].state == live {
			return mark
		}
	}
	return ""
}

// search finds an entry in a process of its own. A search waits a moment for
// the index to follow the notes. When the index has not, the answer says so,
// and the search is repeated after an index run.
func (l *life) search(ctx context.Context) error {
	mark := l.wanted()
	if mark == "" {
		return nil
	}
	for try := range 2 {
		var got answer
		if err := l.run(ctx, &got, "search", "--json", mark); err != nil {
			return err
		}
		if got.holds(mark) {
			return nil
		}
		if try == 1 {
			return fmt.Errorf("%q is not found: %+v", l.entries[mark].text, got)
		}
		if err := l.index(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *life) index(ctx context.Context) error { return l.run(ctx, nil, "index", "--text-only") }

func (l *life) indexKilled(ctx context.Context) error {
	args := []string{"index"}
	if l.rng.IntN(3) == 0 {
		args = []string{"rebuild", "--text-only"}
	}
	_, err := l.kill(ctx, 400*time.Millisecond, args...)
	return err
}

func (l *life) rebuild(ctx context.Context) error { return l.run(ctx, nil, "rebuild", "--text-only") }

// tidy makes the changes that are certain, and takes them back to the byte.
func (l *life) tidy(ctx context.Context) error {
	before, err := l.bytes()
	if err != nil {
		return err
	}
	if err := l.run(ctx, nil, "tidy", "--apply", "--json"); err != nil {
		return err
	}
	after, err := l.bytes()
	if err != nil {
		return err
	}
	if maps.EqualFunc(before, after, bytes.Equal) {
		return nil
	}
	if err := l.run(ctx, nil, "undo", "--json"); err != nil {
		return err
	}
	if after, err = l.bytes(); err != nil {
		return err
	}
	if !maps.EqualFunc(before, after, bytes.Equal) {
		return errors.New("undo of a tidy does not give back the bytes")
	}
	return nil
}

// bytes reads all notes.
func (l *life) bytes() (map[string][]byte, error) {
	notes := map[string][]byte{}
	paths, err := filepath.Glob(filepath.Join(l.notes, "memory", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, path := range append(paths, filepath.Join(l.notes, "MEMORY.md"), filepath.Join(l.notes, "USER.md")) {
		data, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		notes[path] = data
	}
	return notes, nil
}
