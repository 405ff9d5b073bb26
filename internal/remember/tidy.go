package remember

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/access"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/secret"
)

// The kinds of findings of [Keeper.Tidy].
const (
	Duplicate     = "duplicate"      // says what an older entry says, in the same words
	NearDuplicate = "near-duplicate" // says it in other words
	Contradiction = "contradiction"  // both cannot hold
	Stale         = "stale"          // its time is over
	Orphan        = "orphan"         // links to a note that is not there
	Oversized     = "oversized"      // MEMORY.md has more than a session is given
	ConflictCopy  = "conflict-copy"  // a note with a conflict that a synced folder could not merge
	SecretKept    = "secret"         // holds something that gives access
	LowValue      = "low-value"      // never found, never told again, and old
	Promote       = "promote"        // stands in a day log and is found often
)

// Kinds are the kinds of findings, in the order in which they are listed.
func Kinds() []string {
	return []string{SecretKept, ConflictCopy, Duplicate, NearDuplicate, Contradiction, Stale, Orphan, LowValue, Promote, Oversized}
}

// TidyOptions say what to look for, and what to apply.
type TidyOptions struct {
	Kinds []string // of findings; none: all
	Apply bool     // apply findings that are certain
	// IDs, with Apply, are the findings to apply instead, certain or not,
	// because a person has looked at them.
	IDs []string
	// Mask says that a person knows that masking a secret cannot be taken back.
	// Without it secrets are left alone.
	Mask bool
}

// A TidyFinding is something about the notes that could be better.
type TidyFinding struct {
	ID       string  `json:"id"`               // the same as long as the entries are
	Kind     string  `json:"kind"`             // duplicate, near-duplicate, contradiction, stale, orphan, oversized, secret, conflict-copy, low-value or promote
	Certain  bool    `json:"certain"`          // it may be applied unseen; otherwise a person has to decide
	Entries  []Entry `json:"entries"`          // the entries that it is about; the first one stays
	Proposal string  `json:"proposal"`         // for people
	Diff     string  `json:"diff"`             // what would change; empty when only a person can decide
	Score    float64 `json:"score,omitempty"`  // how sure it is, of near-duplicate, contradiction and promote, 0 to 1
	Tokens   int     `json:"tokens,omitempty"` // what MEMORY.md costs, of oversized

	// plan plans the proposal with the notes as they are then; nil when nothing
	// can be planned. After an error the draft is unchanged.
	plan func(*notebook.Draft) error
	// paths are the notes that plan changes.
	paths []string
}

// A Tidying says what was found, and what was applied.
type Tidying struct {
	Findings []TidyFinding `json:"findings"` // by kind, path and line
	Applied  []string      `json:"applied"`  // ids of the findings that were applied
	Skipped  []TidySkip    `json:"skipped"`  // findings that should have been applied and were not
	Change   string        `json:"change"`   // id by which all of it is taken back; empty when nothing was applied
	// Written are the notes that changed, for the index. Masked says that
	// secrets were masked.
	Written []string `json:"-"`
	Masked  bool     `json:"-"`
}

// A TidySkip is a finding that was not applied.
type TidySkip struct {
	ID     string `json:"id"`     // of the finding
	Reason string `json:"reason"` // for people
}

// errGone says that a note has changed since a finding was made.
var errGone = errors.New("it was changed meanwhile")

// Tidy looks for what could be better in the notes, and when asked applies the
// findings that are certain. It does so in one change, which one undo takes
// back except for masked secrets. It reads the notes again before it changes
// them. What it has checked before and has not changed since is not checked
// again.
func (k *Keeper) Tidy(ctx context.Context, opts TidyOptions) (Tidying, error) {
	for _, kind := range opts.Kinds {
		if !slices.Contains(Kinds(), kind) {
			return Tidying{}, memoir.WithHint(fmt.Errorf("there is no kind %q: %w", kind, memoir.ErrInvalid), "give one of "+strings.Join(Kinds(), ", "))
		}
	}
	counts, err := access.Read(k.opts.Dir)
	if err != nil {
		return Tidying{}, fmt.Errorf("tidy: %w", err)
	}
	t := &tidier{keeper: k, counts: counts, today: k.opts.Now(), kinds: opts.Kinds, apply: opts.Apply, masked: map[string]string{}, clean: map[string]bool{}}
	if err := t.look(ctx); err != nil {
		return Tidying{}, fmt.Errorf("tidy: %w", err)
	}
	out := Tidying{Findings: append([]TidyFinding{}, t.findings...), Applied: []string{}, Skipped: []TidySkip{}}
	for i := range out.Findings {
		t.finish(&out.Findings[i])
		out.Findings[i].conceal()
	}
	order.Stable(out.Findings, func(a, b TidyFinding) int {
		if c := slices.Index(Kinds(), a.Kind) - slices.Index(Kinds(), b.Kind); c != 0 {
			return c
		}
		return cmp.Or(strings.Compare(a.Entries[0].Path, b.Entries[0].Path), a.Entries[0].StartLine-b.Entries[0].StartLine, strings.Compare(a.ID, b.ID))
	})
	if !opts.Apply {
		return out, nil
	}
	if _, err := k.opts.Notebook.Leftovers(ctx); err != nil {
		return out, fmt.Errorf("tidy: %w", err)
	}
	err = k.do(ctx, &out, opts)
	return out, err
}

// conceal masks the secrets in the texts of the entries, whatever the finding
// is about.
func (f *TidyFinding) conceal() {
	f.Entries = slices.Clone(f.Entries)
	for i := range f.Entries {
		f.Entries[i].Text, _ = secret.Mask(f.Entries[i].Text)
	}
}

// tidier checks the notes once.
type tidier struct {
	keeper   *Keeper
	counts   *access.Counts
	today    time.Time
	kinds    []string
	stock    stock
	findings []TidyFinding
	apply    bool              // findings will be applied
	masked   map[string]string // texts of notes, with their secrets masked
	clean    map[string]bool   // texts of notes without secrets
	names    map[string]bool   // names of notes, as links use them; nil: not looked up yet
}

// wants reports whether findings of a kind are asked for.
func (t *tidier) wants(kind string) bool {
	return len(t.kinds) == 0 || slices.Contains(t.kinds, kind)
}

// found adds a finding, unless nobody asks for its kind.
func (t *tidier) found(f TidyFinding) {
	if t.wants(f.Kind) {
		t.findings = append(t.findings, f)
	}
}

// finish gives a finding its id and its diff.
func (t *tidier) finish(f *TidyFinding) {
	if f.ID != "" {
		return // an earlier run has made it
	}
	words := f.Kind
	for _, e := range f.Entries {
		words += "\x00" + e.Path + "\x00" + e.Text
	}
	digest := t.keeper.marks.digest(words)
	f.ID = digest[:min(len(digest), 8)]
	if f.plan == nil {
		return
	}
	err := t.keeper.opts.Notebook.Preview(func(d *notebook.Draft) error {
		before, after := make([]string, len(f.paths)), make([]string, len(f.paths))
		var err error
		for i, path := range f.paths {
			if before[i], _, err = d.Read(path); err != nil {
				return err
			}
		}
		if err := f.plan(d); err != nil {
			return err
		}
		for i, path := range f.paths {
			if after[i], _, err = d.Read(path); err != nil {
				return err
			}
			masked := t.mask(before[i])
			old := masked
			if f.Kind == SecretKept {
				old = hidden(before[i], masked)
			}
			f.Diff += diff(path, old, t.maskChanged(before[i], masked, after[i]))
		}
		return nil
	})
	if err != nil {
		f.Proposal += " (not now: " + reasonOf(err) + ")"
	}
}

// chosen returns the findings to apply, and those that cannot be applied.
func (out *Tidying) chosen(opts TidyOptions) (chosen []TidyFinding, skipped []TidySkip, err error) {
	for _, id := range opts.IDs {
		if !slices.ContainsFunc(out.Findings, func(f TidyFinding) bool { return f.ID == id }) {
			return nil, nil, memoir.WithHint(fmt.Errorf("there is no finding %q: %w", id, memoir.ErrNotFound), "memoir tidy lists them")
		}
	}
	for _, f := range out.Findings {
		switch {
		case len(opts.IDs) > 0 && !slices.Contains(opts.IDs, f.ID), len(opts.IDs) == 0 && !f.Certain:
		case f.plan == nil:
			skipped = append(skipped, TidySkip{f.ID, "only a person can say what to do"})
		case f.Kind == SecretKept && !opts.Mask:
			skipped = append(skipped, TidySkip{f.ID, "a masked secret does not come back, which a person has to agree to"})
		default:
			chosen = append(chosen, f)
			out.Masked = out.Masked || f.Kind == SecretKept
		}
	}
	return chosen, skipped, nil
}

// do applies findings in one change.
func (k *Keeper) do(ctx context.Context, out *Tidying, opts TidyOptions) error {
	chosen, skipped, err := out.chosen(opts)
	if err != nil || len(chosen) == 0 {
		out.Skipped = append(out.Skipped, skipped...)
		return err
	}
	masks := &masker{}
	plan := func(d *notebook.Draft) error {
		*masks = masker{}
		out.Applied, out.Skipped = []string{}, append([]TidySkip{}, skipped...)
		for _, f := range chosen {
			reason := ""
			if f.Kind == SecretKept {
				reason = masks.plan(d, f.Entries[0].Path)
			} else {
				reason = reasonOf(planned(d, f))
			}
			if reason != "" {
				out.Skipped = append(out.Skipped, TidySkip{f.ID, reason})
			} else {
				out.Applied = append(out.Applied, f.ID)
			}
		}
		return ctx.Err()
	}
	var change notebook.Change
	why := fmt.Sprintf("tidied %d of the findings", len(chosen))
	if out.Masked {
		change, err = k.opts.Notebook.Mask(ctx, "tidy", why, plan, masks.mask)
	} else {
		change, err = k.opts.Notebook.Do(ctx, "tidy", why, plan)
	}
	if err != nil {
		out.Applied = []string{}
		return fmt.Errorf("tidy: %w", err)
	}
	for _, e := range change.Edits {
		out.Written = append(out.Written, e.Path)
	}
	out.Change = change.ID
	if !out.Masked {
		return nil
	}
	if err := errors.Join(k.dropVectors(masks.words), k.forgetLooks()); err != nil {
		return fmt.Errorf("tidy: %w", err)
	}
	return nil
}

// planned plans a finding, if all of its notes can be written to.
func planned(d *notebook.Draft, f TidyFinding) error {
	for _, path := range f.paths {
		if _, exists, err := d.Read(path); err != nil {
			return err
		} else if !exists {
			continue // it will be created
		}
		if err := d.Writable(path); err != nil {
			return err
		}
	}
	return f.plan(d)
}

// reasonOf says for people why a finding was not applied; "" for nil.
func reasonOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errGone):
		return errGone.Error()
	}
	return unwritable(err)
}
