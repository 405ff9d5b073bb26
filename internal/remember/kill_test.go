package remember_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/remember"
)

// killed is how many rounds a long test kills a process in: MEMOIR_TEST_LONG if that is
// above 1, else 60.
func killed() int {
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_TEST_LONG")); err == nil && n > 1 {
		return n
	}
	return 60
}

// TestKill: a process that is killed at any moment leaves whole entries, and its
// requests can be repeated: what it was told to keep is kept once. MEMOIR_TEST_LONG is 1
// for 60 rounds, or another number of them.
func TestKill(t *testing.T) {
	rounds, each := 5, 20
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		rounds = killed()
		each = max(10, 2400/rounds)
	}
	b := newBench(t, nil, nil)
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range rounds {
		if round%20 == 0 {
			b = newBench(t, nil, nil)
		}
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
		counts := b.killedTold()
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

// twice is what a person writes into a shelf again and again, and tidying takes out.
const twice = "The harbour master is called Oskar."

// mixAll tells texts, takes every third of them back and lets the notes be tidied, in
// which a person has written the same again. It says on standard output what it is
// about to take back, and what is done.
func mixAll(keeper *remember.Keeper, args []string, n int) error {
	ctx := context.Background()
	for i := range n {
		out, err := keeper.Remember(ctx, remember.Request{Text: ownText(args[2], i), Type: types[i%len(types)], Key: args[2] + "/" + strconv.Itoa(i)})
		if err != nil {
			return err
		}
		fmt.Println("kept", i)
		if i%3 == 2 && out.Change != "" {
			fmt.Println("undoing", i)
			if _, err := keeper.Undo(ctx, out.Change); err != nil {
				return err
			}
			fmt.Println("undone", i)
		}
		if i%4 == 3 {
			f, err := os.OpenFile(filepath.Join(args[0], "memory", "contacts.md"), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(f, "- %s\n", twice)
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
			if _, err := keeper.Tidy(ctx, remember.TidyOptions{Kinds: []string{remember.Duplicate}, Apply: true}); err != nil {
				return err
			}
			fmt.Println("tidied", i)
		}
	}
	return nil
}

// TestKillMixed: a process that is killed while it tells, takes back and tidies leaves
// what was answered, once, and nothing that was taken back; what comes after removes
// what it left beside the notes, and can be taken back, byte for byte.
func TestKillMixed(t *testing.T) {
	rounds, each := 4, 12
	if os.Getenv("MEMOIR_TEST_LONG") != "" {
		rounds = killed()
	}
	rng := rand.New(rand.NewPCG(5, 6))
	var b *bench
	for round := range rounds {
		if round%20 == 0 {
			b = newBench(t, nil, nil)
			b.tell(remember.Request{Text: "The pilot of the harbour is called Anneli.", Type: "contact"}, remember.Added, remember.New)
		}
		name := strconv.Itoa(round)
		last := map[string]string{} // number -> the last word about it
		cmd := b.command(name, each, "mixed")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for left := rng.IntN(2 * each); left >= 0 && lines.Scan(); left-- {
			said(last, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			said(last, lines.Text())
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait() // it was killed
		b.checkMixed(round, name, each, last)
	}
}

func said(last map[string]string, line string) {
	if word, i, ok := strings.Cut(line, " "); ok && word != "tidied" {
		last[i] = word
	}
}

// checkMixed compares the notes with what a process of a round has said.
func (b *bench) checkMixed(round int, name string, each int, last map[string]string) {
	b.t.Helper()
	counts := b.killedTold(twice)
	for i := range each {
		n := counts[ownText(name, i)]
		switch word := last[strconv.Itoa(i)]; {
		case word == "kept" && n != 1, word == "undone" && n != 0, n > 1:
			b.t.Fatalf("round %d: text %d was %q and stands there %d times", round, i, word, n)
		}
	}
	before := b.notes()
	maps.DeleteFunc(before, func(path, _ string) bool { return strings.HasPrefix(filepath.Base(path), ".") })
	out := b.tell(remember.Request{Text: "The dredger of round " + name + " is called Ragnhild.", Type: "contact"}, remember.Added, remember.New)
	if _, err := b.keeper.Undo(b.t.Context(), out.Change); err != nil {
		b.t.Fatalf("round %d: %v", round, err)
	}
	if diff := cmp.Diff(before, b.notes()); diff != "" {
		b.t.Fatalf("round %d: undo (-want +got):\n%s", round, diff)
	}
}
