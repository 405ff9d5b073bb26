package remember

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// A Masking says what was masked.
type Masking struct {
	Notes   []string // paths of the notes that were masked
	Change  string   // the id of the change, "" when no note was masked
	Skipped []memoir.Skipped
}

// A Kept is a secret in the history of changes, or in a file that a killed process left
// beside a note.
type Kept struct {
	Path    string      // of the note that was changed, or of that file
	Change  string      // the id of the change, "" in such a file
	Line    int         // in such a file, counted from 1
	Kind    secret.Kind // of the secret
	Preview string      // what stands round it, masked, as in [secret.Finding]
}

// Secrets returns the secrets in the history, those of the oldest change first, and then
// those in left-over files. A change has each of them once.
func (k *Keeper) Secrets() ([]Kept, error) {
	changes, err := k.opts.Notebook.History()
	if err != nil {
		return nil, err
	}
	var all []Kept
	for _, c := range changes {
		for _, e := range c.Edits {
			for _, text := range []string{e.Left + e.Old + e.Right, e.Left + e.New + e.Right} {
				for _, f := range secret.Findings(text) {
					found := Kept{e.Path, c.ID, 0, f.Kind, f.Preview}
					if !slices.Contains(all, found) {
						all = append(all, found)
					}
				}
			}
		}
	}
	left, err := k.opts.Notebook.Strays()
	if err != nil {
		return nil, err
	}
	for _, l := range left {
		for _, f := range secret.Findings(l.Text) {
			all = append(all, Kept{l.Path, "", f.Line, f.Kind, f.Preview})
		}
	}
	return all, nil
}

// Mask masks the secrets of notes, of the history and of left-over files for good: nothing
// brings them back. A note that cannot be masked, or has no secret any more, is left out
// and named. With any error, Notes are those that may have changed all the same.
func (k *Keeper) Mask(ctx context.Context, paths []string) (Masking, error) {
	var out Masking
	m := &masker{}
	change, err := k.opts.Notebook.Mask(ctx, "scan", "masked secrets", func(d *notebook.Draft) error {
		out, *m = Masking{}, masker{}
		for _, path := range paths {
			if reason := m.plan(d, path); reason != "" {
				out.Skipped = append(out.Skipped, memoir.Skipped{ID: memoir.DocID(path), Reason: reason})
			}
		}
		return nil
	}, m.mask)
	if errors.Is(err, notebook.ErrUnsure) { // it was done, and the disk has said nothing
		return Masking{Notes: paths}, fmt.Errorf("mask secrets: %w", err)
	}
	if err != nil {
		return Masking{}, fmt.Errorf("mask secrets: %w", err)
	}
	for _, e := range change.Edits {
		out.Notes = append(out.Notes, e.Path)
	}
	out.Change = change.ID
	if err := errors.Join(k.maskLeftovers(ctx, m, &out), k.dropVectors(m.words), k.forgetLooks()); err != nil {
		return out, fmt.Errorf("mask secrets: %w", err)
	}
	return out, nil
}

// maskLeftovers masks what killed processes left beside the notes, and names what of it
// cannot be read.
func (k *Keeper) maskLeftovers(ctx context.Context, m *masker, out *Masking) error {
	left, err := k.opts.Notebook.Leftovers(ctx)
	for _, l := range left {
		switch masked := m.mask(l.Text); {
		case l.Err != nil:
			out.Skipped = append(out.Skipped, memoir.Skipped{ID: memoir.DocID(l.Path), Reason: unwritable(l.Err)})
		case masked != l.Text:
			err = errors.Join(err, k.opts.Notebook.Amend(ctx, l, masked))
		}
	}
	return err
}

// dropVectors removes the vectors of texts. The texts are given as they are
// compared.
func (k *Keeper) dropVectors(normals []string) error {
	digests := map[string]bool{}
	for _, normal := range normals {
		digests[k.marks.digest(normal)] = true
	}
	if len(digests) == 0 {
		return nil
	}
	return k.vectors.drop(digests)
}

// masker masks notes and remembers the secrets, so that the same value is
// masked wherever it stands.
type masker struct {
	values []value
	words  []string // entries that held a secret, as texts are compared
}

type value struct{ text, mark string }

// plan plans to mask a note. It returns the reason when it does not.
func (m *masker) plan(d *notebook.Draft, file string) (reason string) {
	if ext := strings.ToLower(path.Ext(file)); ext != ".md" && ext != ".markdown" {
		return "it is no Markdown note"
	}
	text, exists, err := d.Read(file)
	switch {
	case err != nil:
		return unwritable(err)
	case !exists:
		return "it is not there any more"
	}
	masked, spans := secret.Mask(text)
	if len(spans) == 0 {
		return "it was changed meanwhile, and holds no secret any more"
	}
	if err := d.Writable(file); err != nil {
		return unwritable(err)
	}
	if err := d.Write(file, masked); err != nil {
		return unwritable(err)
	}
	for _, s := range spans {
		if v := text[s.Start:s.End]; distinctive(v) {
			m.values = append(m.values, value{v, secret.Mark(s.Kind)})
		}
	}
	for _, e := range entry.Parse(text) {
		if inside := func(s secret.Span) bool { return s.Start < e.End && s.End > e.Start }; slices.ContainsFunc(spans, inside) {
			m.words = append(m.words, judge.Normal(e.Text))
		}
	}
	return ""
}

// unwritable says for people why a note cannot be written to.
func unwritable(err error) string {
	switch {
	case errors.Is(err, regular.ErrKind), errors.Is(err, regular.ErrFolder):
		return "it is no ordinary file, or in no ordinary folder"
	case errors.Is(err, notebook.ErrPath):
		return "it is no note that may be changed"
	}
	return "it cannot be written to: " + syserr.Reason(err).Error()
}

// distinctive reports whether a secret cannot be confused with an ordinary
// word, wherever it stands.
func distinctive(v string) bool {
	return len(v) >= 8 && !strings.ContainsAny(v, "\r\n") && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz") != ""
}

// mask masks the secrets of a text, and those found in notes before.
func (m *masker) mask(text string) string {
	text, _ = secret.Mask(text)
	values := slices.Clone(m.values)
	order.By(values, func(a, b value) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, v := range values {
		text = strings.ReplaceAll(text, v.text, v.mark)
	}
	return text
}
