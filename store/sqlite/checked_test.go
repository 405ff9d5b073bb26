package sqlite_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// decay overwrites a page that no search of the test reads, as a failing disk
// does. The time of the file does not change.
func (w *workspace) decay(t *testing.T) {
	t.Helper()
	info, err := os.Stat(w.index)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, w.index, rand.New(rand.NewPCG(2, 21)))
	if err := os.Chtimes(w.index, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// age sets back when the index was looked through.
func (w *workspace) age(t *testing.T, by time.Duration) {
	t.Helper()
	data, err := os.ReadFile(w.index + ".checked")
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, c["at"].(string))
	if err != nil {
		t.Fatal(err)
	}
	c["at"] = at.Add(-by)
	if data, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.index+".checked", data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// checks reports whether a thorough sync finds what a disk has lost.
func (w *workspace) checks(t *testing.T) bool {
	t.Helper()
	e, s := w.engine(t, 0)
	defer shut(t, e)
	if err := s.Heal(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	return len(s.Degradations()) > 0
}

// TestChecked: an index is looked through when others have written to it, or a
// day after the last time.
func TestChecked(t *testing.T) {
	fresh := func(t *testing.T) *workspace {
		w := newWorkspace(t, 3)
		w.decay(t)
		return w
	}
	t.Run("written by memoir alone", func(t *testing.T) {
		if w := fresh(t); w.checks(t) {
			t.Error("it was looked through again")
		}
	})
	t.Run("after a day", func(t *testing.T) {
		w := fresh(t)
		w.age(t, 25*time.Hour)
		if !w.checks(t) {
			t.Error("it was not looked through")
		}
		if w.checks(t) {
			t.Error("the fresh index is damaged")
		}
	})
	t.Run("by a clock of the future", func(t *testing.T) {
		w := fresh(t)
		w.age(t, -48*time.Hour)
		if !w.checks(t) {
			t.Error("it was not looked through")
		}
	})
	t.Run("written by others", func(t *testing.T) {
		w := fresh(t)
		later := time.Now().Add(time.Second)
		if err := os.Chtimes(w.index, later, later); err != nil {
			t.Fatal(err)
		}
		if !w.checks(t) {
			t.Error("it was not looked through")
		}
	})
	t.Run("written by others while it is open", func(t *testing.T) {
		w := newWorkspace(t, 3)
		e, s := w.engine(t, 0)
		info, err := os.Stat(w.index)
		if err != nil {
			t.Fatal(err)
		}
		w.decay(t)
		later := info.ModTime().Add(time.Second)
		if err := os.Chtimes(w.index, later, later); err != nil {
			t.Fatal(err)
		}
		shut(t, e)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !w.checks(t) {
			t.Error("it was not looked through")
		}
	})
	for name, content := range map[string]string{"no note": "", "a note that is torn": `{"at":"2026-`, "a note of nonsense": "[]", "a large note": `{"at":"` + string(make([]byte, 1<<20))} {
		t.Run(name, func(t *testing.T) {
			w := fresh(t)
			if err := os.WriteFile(w.index+".checked", []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if !w.checks(t) {
				t.Error("it was not looked through")
			}
		})
	}
	t.Run("a link", func(t *testing.T) {
		w := fresh(t)
		target := w.index + ".mine"
		if err := os.Rename(w.index+".checked", target); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, w.index+".checked"); err != nil {
			t.Skip(err)
		}
		if !w.checks(t) {
			t.Error("it was not looked through: a link was followed")
		}
		if after, err := os.ReadFile(target); err != nil || string(after) != string(before) {
			t.Errorf("behind the link is %q now, it was %q (%v)", after, before, err)
		}
	})
}
