package notebook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/sentinel"
)

// Undo takes a change back: the notes get the bytes that they had before it. ""
// means the last change that was not taken back. If others have changed a note
// since, only the lines of the change are restored. If those lines themselves
// have been changed, the error is [ErrConflict], and nothing is done. Undo is a
// change too, and can be taken back.
func (n *Notebook) Undo(ctx context.Context, id string) (Change, error) {
	all, err := n.History()
	if err != nil {
		return Change{}, err
	}
	target, err := n.find(all, id)
	if err != nil {
		return Change{}, err
	}
	return n.do(ctx, Change{Who: "undo", Why: "took back: " + target.Why, Undoes: target.ID}, func(d *Draft) error {
		d.restores = true
		for _, e := range slices.Backward(target.Edits) {
			if err := d.revert(e); err != nil {
				return err
			}
		}
		return nil
	}, cleaning{})
}

// Last returns the change that [Notebook.Undo] takes back without an id; [ErrUnknown] says
// that there is none.
func (n *Notebook) Last() (Change, error) {
	all, err := n.History()
	if err != nil {
		return Change{}, err
	}
	return n.find(all, "")
}

// find returns the change with the id, or the last one that can be taken back.
func (n *Notebook) find(all []Change, id string) (Change, error) {
	undone := map[string]bool{}
	for _, c := range slices.Backward(all) {
		switch {
		case undone[c.ID] && c.ID == id:
			return Change{}, fmt.Errorf("change %s was taken back already: %w", id, ErrUnknown)
		case undone[c.ID], !c.done && !n.happened(c):
		case c.ID == id && c.forgotten():
			return Change{}, fmt.Errorf("change %s: %w", id, ErrForgotten)
		case c.ID == id, id == "" && c.Undoes == "" && !c.forgotten():
			return c, nil
		case c.Undoes != "":
			undone[c.Undoes] = true
		}
	}
	if id == "" {
		return Change{}, sentinel.As(errors.New("no change is left that could be taken back"), ErrUnknown)
	}
	return Change{}, fmt.Errorf("change %s: %w", id, ErrUnknown)
}

// forgotten reports whether the history no longer knows what a change did.
func (c Change) forgotten() bool { return c.Forgot || !slices.ContainsFunc(c.Edits, Edit.changes) }

// happened reports whether the notes hold what a change wrote.
func (n *Notebook) happened(c Change) bool {
	for _, e := range c.Edits {
		text, err := n.Read(e.Path)
		if e.place(text) >= 0 && (err == nil || e.Removed) {
			return true
		}
	}
	return false
}

// revert plans to restore what a note held before an edit.
func (d *Draft) revert(e Edit) error {
	if !e.changes() {
		return nil // it only masked a secret
	}
	text, exists, err := d.Read(e.Path)
	if err != nil {
		return err
	}
	bare := e.bare()
	if bare && !exists {
		return nil // the note was removed since
	}
	at := e.place(text)
	if at < 0 || exists == e.Removed {
		return fmt.Errorf("%s: %w", e.Path, ErrConflict)
	}
	if bare {
		return d.discard(e.Path)
	}
	before := text[:at] + e.Old + text[at+len(e.New):]
	if e.Created && before == "" {
		return d.Remove(e.Path)
	}
	return d.Write(e.Path, before)
}

// bare reports whether the edit made a note of which the history keeps no copy.
func (e Edit) bare() bool {
	return e.Created && e.New == "" && e.After != digest("")
}

// place returns where the new lines of an edit stand in a note, or -1 when that
// is unclear. In a note that nobody has changed since, it is where they were
// put. Otherwise it is between the same neighbouring lines, or where the lines
// stand exactly once.
func (e Edit) place(text string) int {
	if digest(text) == e.After {
		return e.At
	}
	if around := e.Left + e.New + e.Right; strings.TrimSpace(around) != "" {
		if at := only(text, around); at >= 0 {
			return at + len(e.Left)
		}
	}
	if strings.TrimSpace(e.New) == "" {
		return -1
	}
	return only(text, e.New)
}

// only returns where lines stand in a text, or -1 unless they stand there
// exactly once.
func only(text, lines string) int {
	found := -1
	for at := 0; ; {
		i := strings.Index(text[at:], lines)
		if i < 0 {
			return found
		}
		at += i
		if lineBegins(text, at) && (strings.HasSuffix(lines, "\n") || at+len(lines) == len(text) || text[at+len(lines)] == '\n') {
			if found >= 0 {
				return -1
			}
			found = at
		}
		at++
	}
}
