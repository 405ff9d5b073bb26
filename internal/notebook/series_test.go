package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// appends returns steps that add a line each to one of some notes.
func appends(n int, names ...string) (steps []Step) {
	for i := range n {
		steps = append(steps, Step{Who: "test", Why: fmt.Sprint(i), Plan: func(d *Draft) error {
			text, _, err := d.Read(names[i%len(names)])
			if err != nil {
				return err
			}
			return d.Append(names[i%len(names)], fmt.Sprintf("- %d after %d\n", i, strings.Count(text, "\n")))
		}})
	}
	return steps
}

// Changes that are made at once are those that are made one after the other, byte for byte,
// and each can be taken back by itself.
func TestDoAll(t *testing.T) {
	files := map[string]string{"a.md": "# A\n", "b.md": "no line end"}
	one, all := openNotes(t, files), openNotes(t, files)
	steps := appends(30, "a.md", "b.md", "new.md")
	steps[13].Plan = func(d *Draft) error { return d.Write("a.md", "# A\n- anew\n") }
	steps[20].Plan = func(d *Draft) error { return d.Remove("new.md") }
	steps[22].Plan = func(*Draft) error { return nil }
	var want []Change
	for _, s := range steps {
		c, err := one.Do(t.Context(), s.Who, s.Why, s.Plan)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, c)
	}
	made, err := all.DoAll(t.Context(), steps)
	if err != nil || len(made) != len(steps) {
		t.Fatalf("%d were made, %v", len(made), err)
	}
	if diff := cmp.Diff(notes(t, one), notes(t, all)); diff != "" {
		t.Errorf("notes (-one +all):\n%s", diff)
	}
	for i := range made {
		if diff := cmp.Diff(want[i].Edits, made[i].Edits); diff != "" || want[i].Why != made[i].Why {
			t.Errorf("change %d (-one +all):\n%s", i, diff)
		}
	}
	history, err := all.History()
	if err != nil || len(history) != len(steps)-1 {
		t.Errorf("the history has %d, %v", len(history), err)
	}
	undo(t, all, made[29].ID)
	undo(t, all, made[1].ID)
	if text := notes(t, all)["b.md"]; strings.Contains(text, "- 1 ") || !strings.Contains(text, "- 4 ") || strings.Contains(text, "- 29 ") {
		t.Errorf("after two were taken back: %q", text)
	}
}

// What an editor does in the middle stays, what was made before a failure is made, and nothing
// comes of what fails and of what is after it.
func TestDoAllDisturbed(t *testing.T) {
	for name, disturb := range map[string]func(t *testing.T, n *Notebook, d *Draft) error{
		"saved in place":    func(t *testing.T, n *Notebook, _ *Draft) error { put(t, n, "a.md", "edited\n"); return nil },
		"added":             func(t *testing.T, n *Notebook, _ *Draft) error { return addTo(n, "a.md", "added\n") },
		"saved as new file": func(t *testing.T, n *Notebook, _ *Draft) error { return saveOver(n, "a.md", "edited\n") },
		"removed":           func(t *testing.T, n *Notebook, _ *Draft) error { return os.Remove(filepath.Join(n.root, "a.md")) },
		"read and saved": func(t *testing.T, n *Notebook, d *Draft) error {
			_, _, err := d.Read("a.md")
			return errors.Join(err, saveOver(n, "a.md", "edited\n"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := openNotes(t, map[string]string{"a.md": "# A\n"})
			steps, failure := appends(12, "a.md"), errors.New("no")
			plan, once := steps[5].Plan, false
			steps[5].Plan = func(d *Draft) error {
				if !once {
					once = true
					if err := disturb(t, n, d); err != nil {
						return err
					}
				}
				return plan(d)
			}
			steps[9].Plan = func(d *Draft) error { return errors.Join(d.Append("a.md", "never\n"), failure) }
			made, err := n.DoAll(t.Context(), steps)
			if !errors.Is(err, failure) || len(made) != 9 {
				t.Fatalf("%d were made, %v", len(made), err)
			}
			text := notes(t, n)["a.md"]
			for i := 5; i < 9; i++ {
				if strings.Count(text, fmt.Sprintf("- %d after ", i)) != 1 {
					t.Errorf("%d is lost or twice: %q", i, text)
				}
			}
			if strings.Contains(text, "never") || strings.Contains(text, "- 10 ") {
				t.Errorf("got %q", text)
			}
			if strings.Contains(name, "saved") && !strings.HasPrefix(text, "edited\n") || name == "added" && !strings.Contains(text, "added\n") {
				t.Errorf("the editor's words are gone: %q", text)
			}
			for i := 8; i >= 5; i-- {
				undo(t, n, made[i].ID)
			}
		})
	}
	n := openNotes(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	steps := appends(4, "a.md")
	plan := steps[1].Plan
	steps[1].Plan = func(d *Draft) error { cancel(); return plan(d) }
	if made, err := n.DoAll(ctx, steps); !errors.Is(err, context.Canceled) || len(made) != 2 || notes(t, n)["a.md"] != "- 0 after 0\n- 1 after 1\n" {
		t.Errorf("ended in the middle: %d, %v, %v", len(made), err, notes(t, n))
	}
	if made, err := n.DoAll(t.Context(), nil); len(made) != 0 || err != nil {
		t.Errorf("nothing to do: %v, %v", made, err)
	}
}

func addTo(n *Notebook, name, text string) error {
	f, err := os.OpenFile(filepath.Join(n.root, name), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func saveOver(n *Notebook, name, text string) error {
	full := filepath.Join(n.root, name)
	return errors.Join(os.WriteFile(full+".save", []byte(text), 0o600), os.Rename(full+".save", full))
}

// When the disk does not confirm, all that was written at once is unsure.
func TestDoAllUnsure(t *testing.T) {
	n := openNotes(t, nil)
	failure := errors.New("no")
	n.sync = func(f *os.File) error {
		if strings.HasSuffix(f.Name(), ".md") {
			return failure
		}
		return nil
	}
	if _, err := n.DoAll(t.Context(), appends(3, "a.md")); !errors.Is(err, ErrUnsure) || !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

// A notebook that lives on finds a key as one that reads the whole history: whatever others
// add, take back, forget, mask, shorten, cut off or leave half written.
func TestKeyedAsFresh(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "# A\n"})
	n.opts.HistoryBytes = 20 << 10
	other, err := Open(n.root, n.dir, n.opts)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, 12))
	var made []Change
	sign := func(n *Notebook, i int) {
		made = append(made, do(t, n, func(d *Draft) error {
			d.Sign(fmt.Sprintf("k%d", rng.IntN(40)), json.RawMessage(`{"path":"a.md"}`))
			return d.Append("a.md", fmt.Sprintf("- line %d %s\n", i, strings.Repeat(`"key":"k1" `, rng.IntN(30))))
		}))
	}
	for i := range 400 {
		switch by := []*Notebook{n, other}[rng.IntN(2)]; rng.IntN(12) {
		case 0:
			if len(made) > 0 {
				_, _ = by.Undo(t.Context(), made[max(0, len(made)-1-rng.IntN(6))].ID) // which may be gone
			}
		case 1:
			_, _ = by.Undo(t.Context(), "") // there may be none
		case 2:
			gone := fmt.Sprintf("line %d ", rng.IntN(i+1))
			_, err = by.Forget(t.Context(), "forget", "", func(d *Draft) error { return d.Append("a.md", "- it went\n") }, func(_, lines string) string {
				if strings.Contains(lines, gone) {
					return ""
				}
				return lines
			})
		case 3:
			_, err = by.Mask(t.Context(), "scan", "", func(d *Draft) error { return d.Append("a.md", "- it was masked\n") }, func(text string) string { return strings.ReplaceAll(text, "line 7", "line 8") })
		case 4: // a process was killed before it wrote the note, perhaps in the middle of a line
			h, openErr := by.openHistory()
			if openErr != nil {
				t.Fatal(openErr)
			}
			c := Change{ID: newID(), Key: fmt.Sprintf("k%d", rng.IntN(40)), Edits: []Edit{{Path: "a.md", New: fmt.Sprintf("never %d\n", i)}}}
			err = errors.Join(h.add(t.Context(), c), h.Close())
			if info, statErr := os.Stat(n.historyPath()); rng.IntN(2) == 0 && statErr == nil {
				err = errors.Join(err, os.Truncate(n.historyPath(), info.Size()-1-rng.Int64N(60)))
			}
		case 5: // one that could not write the note took it out of the history again, after somebody had seen it
			h, openErr := by.openHistory()
			if openErr != nil {
				t.Fatal(openErr)
			}
			c := Change{ID: newID(), Key: fmt.Sprintf("k%d", rng.IntN(40)), Edits: []Edit{{Path: "a.md", New: fmt.Sprintf("never %d\n", i)}}}
			err = h.add(t.Context(), c)
			if _, _, _, seen := n.Keyed(c.Key); seen != nil {
				t.Fatal(seen)
			}
			err = errors.Join(err, h.takeBack(t.Context()), h.Close())
		default:
			sign(by, i)
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%3 > 0 {
			continue
		}
		fresh, err := Open(n.root, n.dir, n.opts)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 40 {
			key := fmt.Sprintf("k%d", k)
			c, ok, back, err := n.Keyed(key)
			wantC, want, wantBack, wantErr := fresh.Keyed(key)
			if c.ID != wantC.ID || ok != want || back != wantBack || err != nil || wantErr != nil {
				t.Fatalf("%d, %s: got %q, %t, %t, %v, want %q, %t, %t, %v", i, key, c.ID, ok, back, err, wantC.ID, want, wantBack, wantErr)
			}
			scanned, found, taken := scanKeyed(t, n, key)
			if c.ID != scanned || ok != found || back != taken {
				t.Fatalf("%d, %s: got %q, %t, %t, the lines have %q, %t, %t", i, key, c.ID, ok, back, scanned, found, taken)
			}
		}
	}
}

// scanKeyed finds a key by all changes of the history, one after the other.
func scanKeyed(t *testing.T, n *Notebook, key string) (id string, ok, back bool) {
	t.Helper()
	text, err := n.historyText()
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Change
		Done string `json:"done"`
	}
	var all []entry
	for line := range strings.Lines(string(text)) {
		var e entry
		if strings.HasSuffix(line, "\n") && json.Unmarshal([]byte(line), &e) == nil {
			all = append(all, e)
		}
	}
	for i, e := range all {
		if e.Key != key || e.ID == "" {
			continue
		}
		undone, done := map[string]bool{}, false
		for j := len(all) - 1; j > i; j-- {
			if u := all[j]; u.Undoes != "" && !undone[u.ID] {
				undone[u.Undoes] = true
			}
			done = done || all[j].Done == e.ID
		}
		switch {
		case undone[e.ID]:
			back = true
		case done || n.happened(e.Change):
			return e.ID, true, back
		}
	}
	return "", false, back
}
