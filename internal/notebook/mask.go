package notebook

import (
	"context"
	"strings"
)

// A Mask returns a text with marks in place of what must not stay, in as many
// lines. What is masked stays as it is when it is masked again.
type Mask func(text string) string

// Mask makes a change as [Notebook.Do] does, masks the notes that it changes, and
// masks the history: the copies of what stood there before, of this change and of
// all before it. All of them can be taken back as before, and bring back what stood
// in the notes but for what was masked. A change that does nothing but mask cannot
// be taken back. The history is masked first, and also where no note changes.
func (n *Notebook) Mask(ctx context.Context, who, why string, plan func(*Draft) error, mask Mask) (Change, error) {
	return n.do(ctx, Change{Who: who, Why: why}, plan, cleaning{mask: mask})
}

// mask masks the notes that are changed, and returns which they are.
func (d *Draft) mask(mask Mask) map[string]bool {
	touched := map[string]bool{}
	for _, id := range d.order {
		note := d.notes[id]
		if !note.changed() {
			continue
		}
		touched[id] = true
		if masked := mask(note.now()); masked != note.now() && !note.remove {
			note.addition, note.rewrite = "", &masked
		}
	}
	return touched
}

// mask masks the history. Edits that a mask has made equal stay, so that
// the history still tells of the change. What a note was with its secrets is not
// known by a checksum either: a short one could be guessed.
func (n *Notebook) mask(ctx context.Context, mask Mask, touched map[string]bool) error {
	return n.rewriteHistory(ctx, func(e Edit) (Edit, bool) {
		masked := e.masked(mask)
		if !e.Removed && (masked != e || touched[e.Path]) {
			masked.After = ""
		}
		return masked, true
	})
}

// masked returns the edit with its texts masked. Each is looked at together with
// the lines beside it, because a secret may be told by those.
func (e Edit) masked(mask Mask) Edit {
	_, e.Old, _ = maskedBetween(mask, e.Left, e.Old, e.Right)
	e.Left, e.New, e.Right = maskedBetween(mask, e.Left, e.New, e.Right)
	return e
}

// maskedBetween masks whole lines and those around them as one text.
func maskedBetween(mask Mask, left, lines, right string) (string, string, string) {
	whole := mask(left + lines + right)
	if whole == left+lines+right {
		return left, lines, right
	}
	parts := strings.SplitAfter(whole, "\n")
	before := strings.Count(left, "\n")
	after := before + strings.Count(lines, "\n")
	if lines != "" && !strings.HasSuffix(lines, "\n") {
		after++ // the end of the note
	}
	if strings.Count(whole, "\n") != strings.Count(left+lines+right, "\n") || after > len(parts) {
		return mask(left), mask(lines), mask(right)
	}
	return strings.Join(parts[:before], ""), strings.Join(parts[before:after], ""), strings.Join(parts[after:], "")
}
