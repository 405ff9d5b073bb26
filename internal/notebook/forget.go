package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/memoir-ai/memoir/internal/atomicfile"
)

// A Scrub returns lines of a note without what must be forgotten.
type Scrub func(note, lines string) string

// Forget makes a change as [Notebook.Do] does, and removes from the history
// what the change removes from the notes. scrub is applied to the lines of
// every earlier change, as if what it leaves out had never been there. Those
// changes can be taken back as before. The change itself has no lines and
// cannot be taken back. Where it changes no note, only the history is rewritten, and
// the change is not in it. The history is rewritten first: when Forget fails, the
// notes are as they were, and the history may have lost some changes.
func (n *Notebook) Forget(ctx context.Context, who, why string, plan func(*Draft) error, scrub Scrub) (Change, error) {
	return n.do(ctx, Change{Who: who, Why: why}, plan, cleaning{scrub: scrub})
}

// traces returns edits without their lines.
func traces(edits []Edit) []Edit {
	var out []Edit
	for _, e := range edits {
		out = append(out, Edit{Path: e.Path, After: e.After, Removed: e.Removed})
	}
	return out
}

// scrub rewrites the history before edits that forget something are made.
func (n *Notebook) scrub(ctx context.Context, edits []Edit, scrub Scrub) error {
	touched, gone := map[string]bool{}, map[string]bool{}
	for _, e := range edits {
		touched[e.Path], gone[e.Path] = true, e.Removed
	}
	return n.rewriteHistory(ctx, func(e Edit) (Edit, bool) {
		if gone[e.Path] {
			return e, false // its whole note is forgotten
		}
		e = e.scrubbed(scrub, touched[e.Path])
		return e, e.changes()
	})
}

// rewriteHistory replaces or drops each edit of the history. A change that has
// no edit left is dropped too, unless it has something else that must be known.
func (n *Notebook) rewriteHistory(ctx context.Context, clean func(Edit) (_ Edit, keep bool)) error {
	if n.opts.Remote != nil {
		return n.rewriteRemote(ctx, clean)
	}
	if err := atomicfile.Sweep(n.historyPath()); err != nil {
		return fmt.Errorf("remove what is left of the history: %w", err)
	}
	all, err := n.historyText()
	if err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	out, err := cleaned(all, clean)
	if err != nil || bytes.Equal(out, all) {
		return err
	}
	err = atomicfile.Write(n.historyPath(), 0o600, func(w io.Writer) error {
		_, err := w.Write(out)
		return err
	})
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	return nil
}

// cleaned returns lines of the history with their edits replaced or dropped.
func cleaned(all []byte, clean func(Edit) (_ Edit, keep bool)) ([]byte, error) {
	var out bytes.Buffer
	for line := range bytes.Lines(all) {
		var c Change
		if json.Unmarshal(line, &c) != nil || c.ID == "" {
			if json.Valid(line) { // a note that a change was carried out
				out.Write(line)
			}
			continue
		}
		var rest []Edit
		for _, e := range c.Edits {
			if e, keep := clean(e); keep {
				rest = append(rest, e)
			}
		}
		if c.Edits = rest; len(rest) == 0 && c.Key == "" && !c.Forgot {
			continue
		}
		if err := json.NewEncoder(&out).Encode(c); err != nil {
			return nil, fmt.Errorf("write the history: %w", err)
		}
	}
	return out.Bytes(), nil
}

// scrubbed returns the edit without what scrub leaves out. It drops the lines
// beside the edit when they may belong to that.
func (e Edit) scrubbed(scrub Scrub, touched bool) Edit {
	was := e
	e.Old, e.New = scrub(e.Path, e.Old), scrub(e.Path, e.New)
	if touched || e.Old != was.Old || e.New != was.New || scrub(e.Path, e.Left) != e.Left || scrub(e.Path, e.Right) != e.Right {
		e.Left, e.Right = "", ""
	}
	return e
}
