package notebook

import (
	"context"
	"strings"
)

// A Mask returns a text with marks in place of what must not stay. The number
// of lines stays the same. Masking a masked text changes nothing.
type Mask func(text string) string

// Mask makes a change as [Notebook.Do] does, masks the notes that it changes,
// and masks the history: the copies of earlier text in this change and in all
// before it. All of them can be taken back as before, and bring back earlier
// text with what was masked still masked. A change that only masks cannot be
// taken back. The history is masked first, even if no note changes.
func (n *Notebook) Mask(ctx context.Context, who, why string, plan func(*Draft) error, mask Mask) (Change, error) {
	return n.do(ctx, Change{Who: who, Why: why}, plan, cleaning{mask: mask})
}

// mask masks the notes that the draft changes, and returns which ones these
// are.
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

// mask masks the history. Edits that change nothing once masked stay, so that the
// history still shows the change. The checksum of a note with its secrets is
// dropped, because a short secret could be guessed from it.
func (n *Notebook) mask(ctx context.Context, mask Mask, touched map[string]bool) error {
	return n.rewriteHistory(ctx, func(e Edit) (Edit, bool) {
		masked := e.masked(mask)
		if !e.Removed && (masked != e || touched[e.Path]) {
			masked.After = ""
		}
		return masked, true
	})
}

// masked returns the edit with its texts masked. Each text is masked together
// with the lines beside it, because those may show that something is a secret.
func (e Edit) masked(mask Mask) Edit {
	_, e.Old, _ = maskedBetween(mask, e.Left, e.Old, e.Right)
	e.Left, e.New, e.Right = maskedBetween(mask, e.Left, e.New, e.Right)
	return e
}

// maskedBetween masks lines together with the lines around them, as one text.
func maskedBetween(mask Mask, left, lines, right string) (string, string, string) {
	whole := mask(left + lines + right)
	if whole == left+lines+right {
		return left, lines, right
	}
	parts := strings.SplitAfter(whole, "\n")
	before := strings.Count(left, "\n")
	after := before + strings.Count(lines, "\n")
	if lines != "" && !strings.HasSuffix(lines, "\n") {
		after++ // at the end of the note
	}
	if strings.Count(whole, "\n") != strings.Count(left+lines+right, "\n") || after > len(parts) {
		return mask(left), mask(lines), mask(right)
	}
	return strings.Join(parts[:before], ""), strings.Join(parts[before:after], ""), strings.Join(parts[after:], "")
}
