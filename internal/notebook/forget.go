package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/memoir-ai/memoir/internal/atomicfile"
)

// A Scrub returns lines of a note without what is to be forgotten.
type Scrub func(note, lines string) string

// Forget makes a change as [Notebook.Do] does, and the history forgets what it
// takes away: scrub goes over the lines of every change before it, as if what it
// leaves out had never been there. Those changes can be taken back as before; the
// change itself cannot, and has no lines. The history forgets first: when
// Forget fails, the notes are as they were, and some changes may not be known any
// more.
func (n *Notebook) Forget(ctx context.Context, who, why string, plan func(*Draft) error, scrub Scrub) (Change, error) {
	return n.do(ctx, Change{Who: who, Why: why}, plan, cleaning{scrub: scrub})
}

// traces are edits without the lines.
func traces(edits []Edit) []Edit {
	var out []Edit
	for _, e := range edits {
		out = append(out, Edit{Path: e.Path, After: e.After, Removed: e.Removed})
	}
	return out
}

// scrub goes over the history before edits are made that forget something.
func (n *Notebook) scrub(ctx context.Context, edits []Edit, scrub Scrub) error {
	touched, gone := map[string]bool{}, map[string]bool{}
	for _, e := range edits {
		touched[e.Path], gone[e.Path] = true, e.Removed
	}
	return n.rewriteHistory(ctx, func(e Edit) (Edit, bool) {
		if gone[e.Path] {
			return e, false // with its whole note
		}
		e = e.scrubbed(scrub, touched[e.Path])
		return e, e.changes()
	})
}

// rewriteHistory gives each edit of the history another form, or drops it. A
// change that has no edit any more is dropped, too, unless something else is known
// by it.
func (n *Notebook) rewriteHistory(ctx context.Context, clean func(Edit) (_ Edit, keep bool)) error {
	if n.opts.Remote != nil {
		return n.rewriteRemote(ctx, clean)
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

// cleaned returns lines of the history with their edits in another form.
func cleaned(all []byte, clean func(Edit) (_ Edit, keep bool)) ([]byte, error) {
	var out bytes.Buffer
	for line := range bytes.Lines(all) {
		var c Change
		if json.Unmarshal(line, &c) != nil || c.ID == "" {
			if json.Valid(line) { // that a change was carried out
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

// scrubbed returns the edit without what scrub leaves out. The lines beside it
// go where they may be a part of that.
func (e Edit) scrubbed(scrub Scrub, touched bool) Edit {
	was := e
	e.Old, e.New = scrub(e.Path, e.Old), scrub(e.Path, e.New)
	if touched || e.Old != was.Old || e.New != was.New || scrub(e.Path, e.Left) != e.Left || scrub(e.Path, e.Right) != e.Right {
		e.Left, e.Right = "", ""
	}
	return e
}
