package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/remember"
	"github.com/memoir-ai/memoir/internal/sentinel"
)

// Edit changes notes of one memory as [Engine.Edit] does: of the memory that
// the first name in the draft belongs to. A change of notes of both memories
// returns [memoir.ErrInvalid].
func (j *Joined) Edit(ctx context.Context, who, why string, plan func(*Draft) error) (Change, error) {
	change, other, err := j.edit(ctx, memoir.ScopeProject, who, why, plan)
	if other {
		change, _, err = j.edit(ctx, memoir.ScopeUser, who, why, plan)
	}
	return change, err
}

// edit changes notes of the memory in. other says that the plan began with a
// note of the other memory; then nothing was changed.
func (j *Joined) edit(ctx context.Context, in memoir.Scope, who, why string, plan func(*Draft) error) (change Change, other bool, err error) {
	change, err = j.of(in).Edit(ctx, who, why, func(d *Draft) error {
		begun := false
		other = false
		d.at = func(name string) (string, error) {
			scope, path := owner(name)
			if scope == in && !other {
				begun = true
				return path, nil
			}
			other = !begun
			return "", fmt.Errorf("%s is of another memory than the notes before it: %w", name, memoir.ErrInvalid)
		}
		if err := plan(d); err != nil || !other {
			return err
		}
		return fmt.Errorf("the notes are of another memory: %w", memoir.ErrInvalid)
	})
	change.Scope = string(in)
	return change, other && in == memoir.ScopeProject, err
}

// OfUser reports whether entries of a type belong to the user, wherever they
// are told. Preferences, instructions and contacts do. All others belong to the
// project.
func OfUser(typ string) bool {
	return slices.Contains([]string{layout.Preference, layout.Instruction, layout.Contact}, layout.TypeNamed(typ))
}

// Remember keeps a statement as [Engine.Remember] does. It goes where the entry
// stands that it replaces, else to the memory that it names, else to the memory
// that its type belongs to: the user's as long as the user has not agreed to the
// project's notes.
func (j *Joined) Remember(ctx context.Context, st Statement) (Outcome, error) {
	return remember.Severally(st, func(one Statement) (Outcome, error) { return j.rememberOne(ctx, one) })
}

// rememberOne keeps a statement that becomes one entry.
func (j *Joined) rememberOne(ctx context.Context, st Statement) (Outcome, error) {
	scope := st.Scope
	switch {
	case scope != "" && !slices.Contains(both, scope):
		return Outcome{}, fmt.Errorf("there is no memory %q; the memories are user and project: %w", scope, memoir.ErrInvalid)
	case st.Replaces != "" && !strings.EqualFold(st.Replaces, Nothing):
		of, ref, err := j.entry(ctx, st.Replaces)
		if err != nil {
			return Outcome{}, err
		}
		if scope != "" && scope != of && st.Shared { // which memory has it may be private
			return Outcome{}, noEntry(st.Replaces)
		}
		if scope != "" && scope != of {
			return Outcome{}, fmt.Errorf("%s is in the %s's memory, and cannot be replaced in the %s's: %w", st.Replaces, of, scope, memoir.ErrInvalid)
		}
		scope, st.Replaces = of, ref
	case scope == "" && !j.project.agreed():
		scope = memoir.ScopeUser
	case scope == "" && st.Type == "":
		// The text alone decides the type, so either memory can be asked.
		dry := st
		dry.DryRun, dry.Key = true, ""
		found, err := j.user.Remember(ctx, dry)
		if err != nil {
			return Outcome{}, err
		}
		if found.Outcome == Refused || found.Type == "" {
			scope = memoir.ScopeUser
			break
		}
		st.Type = found.Type
	}
	if scope == "" {
		if scope = memoir.ScopeProject; OfUser(st.Type) {
			scope = memoir.ScopeUser
		}
	}
	out, err := j.of(scope).Remember(ctx, st)
	if out.Path != "" {
		out.Scope = scope
	}
	if out.Replaces != nil {
		replaces := *out.Replaces
		replaces.Scope = scope
		out.Replaces = &replaces
	}
	for i := range out.Similar {
		out.Similar[i].Scope = scope
	}
	return out, err
}

// entry returns the memory that an entry stands in, and the name of the entry
// in that memory. ref is an id or where the entry stands.
func (j *Joined) entry(ctx context.Context, ref string) (memoir.Scope, string, error) {
	in, _, own, err := j.homes(ctx, ref)
	if err == nil && in == "" {
		err = noEntry(ref)
	}
	return in, own, err
}

// homes returns the memory whose notes have an entry, "" for none, those that have it in
// their history alone, and its name there.
func (j *Joined) homes(ctx context.Context, ref string) (in memoir.Scope, gone []memoir.Scope, own string, err error) {
	if scope, path := memoir.ParseName(ref); scope != "" {
		return scope, nil, string(path), nil
	}
	if strings.Contains(ref, "#") || strings.HasSuffix(strings.ToLower(ref), ".md") {
		return memoir.ScopeProject, nil, ref, nil // in a write, a path alone means the project's note
	}
	for _, scope := range both {
		switch found, err := j.of(scope).Forget(ctx, Target{Ref: ref}, true); {
		case errors.Is(err, memoir.ErrNotFound):
		case err != nil:
			return "", nil, "", err
		case len(found.Entries) == 0:
			gone = append(gone, scope)
		case in != "":
			return "", nil, "", memoir.WithHint(sentinel.As(fmt.Errorf("both memories have an entry %q", ref), memoir.ErrConflict), "name it by where it stands, such as user:memory/contacts.md#L3")
		default:
			in = scope
		}
	}
	return in, gone, ref, nil
}

func noEntry(ref string) error {
	return memoir.WithHint(fmt.Errorf("there is no entry %q: %w", ref, memoir.ErrNotFound), "memoir entries lists them with their ids")
}

// Forget takes entries out as [Engine.Forget] does: from the memory that they
// stand in. A session, and all entries of an origin, are taken out of both
// memories. When both have entries with the words of a question, it means none of
// them for certain, unless an entry has exactly these words.
func (j *Joined) Forget(ctx context.Context, target Target, dryRun bool) (Forgetting, error) {
	target, err := j.session(ctx, target)
	if err != nil {
		return Forgetting{}, err
	}
	targets, none, err := j.targets(ctx, target)
	if err != nil {
		return Forgetting{}, err
	}
	all := Forgetting{Entries: []Entry{}, Notes: []string{}, DryRun: dryRun, Of: target}
	doubtful, err := j.doubtful(ctx, target, targets)
	if err != nil {
		return all, err
	}
	for _, scope := range both {
		target, ok := targets[scope]
		if !ok {
			continue
		}
		done, err := j.of(scope).Forget(ctx, target, dryRun || doubtful[scope])
		if doubtful[scope] {
			done.Doubt()
		}
		all.Unmarked = appendNames(scope, all.Unmarked, done.Unmarked)
		if errors.Is(err, memoir.ErrNotFound) {
			none = err
			continue
		}
		if err != nil {
			return all, err
		}
		all.Entries = appendIn(scope, all.Entries, done.Entries)
		all.Also = appendIn(scope, all.Also, done.Also)
		all.Some = appendIn(scope, all.Some, done.Some)
		all.Near = appendIn(scope, all.Near, done.Near)
		all.InHistory = appendIn(scope, all.InHistory, done.InHistory)
		all.Recorded = appendIn(scope, all.Recorded, done.Recorded)
		all.Sessions, all.StillSaid = appendOnce(all.Sessions, done.Sessions), appendOnce(all.StillSaid, done.StillSaid)
		all.Notes, all.Unread = appendNames(scope, all.Notes, done.Notes), appendNames(scope, all.Unread, done.Unread)
		all.Written = appendNames(scope, all.Written, done.Written)
		all.InIndex = all.InIndex || done.InIndex
	}
	if len(all.Entries)+len(all.InHistory)+len(all.Notes)+len(all.Sessions) == 0 && none != nil {
		return all, none
	}
	return all, nil
}

// doubtful returns the memories in which a question means no entry for certain, because the
// other memory has its words, too.
func (j *Joined) doubtful(
	ctx context.Context, target Target, targets map[memoir.Scope]Target,
) (map[memoir.Scope]bool, error) {
	exact, having := map[memoir.Scope]bool{}, 0
	if target.Query == "" || target.All || len(targets) < len(both) {
		return nil, nil
	}
	for scope, target := range targets {
		found, err := j.of(scope).Forget(ctx, target, true)
		if err != nil {
			return nil, err
		}
		if len(found.Entries)+len(found.InHistory)+len(found.Also)+len(found.Recorded) > 0 {
			having++
		}
		exact[scope] = found.Exact()
	}
	doubtful := map[memoir.Scope]bool{}
	for _, scope := range both {
		doubtful[scope] = having > 1 && !exact[scope]
	}
	return doubtful, nil
}

// session returns a target that means a session by the id of its document and all names
// that entries may call it by, since a memory may not know it by its short name; any other
// target as it is.
func (j *Joined) session(ctx context.Context, target Target) (Target, error) {
	if _, path := memoir.ParseName(target.Ref); strings.HasPrefix(string(path), "sessions/") {
		target.Ref = string(path) // each memory may have indexed it
	}
	for _, scope := range both {
		e := j.of(scope)
		if _, err := e.keep("forget"); err != nil {
			return target, err
		}
		left, found, err := e.transcripts(ctx, target)
		e.calls.end()
		if err != nil {
			return target, err
		}
		if len(left) > 0 {
			found.Names = append(found.Names, found.Session)
			found.Session = string(left[0].IDs[0])
			return found, nil
		}
	}
	return target, nil
}

// appendIn appends entries of a memory to those of both.
func appendIn(scope memoir.Scope, all, entries []Entry) []Entry {
	for _, e := range entries {
		e.Scope = scope
		all = append(all, e)
	}
	return all
}

// appendNames appends the names that notes of a memory have in both.
func appendNames(scope memoir.Scope, all, paths []string) []string {
	for _, path := range paths {
		all = append(all, scope.Name(memoir.DocID(path)))
	}
	return all
}

// appendOnce appends transcripts, which both memories may have, each once.
func appendOnce(all, more []ForgottenSession) []ForgottenSession {
	for _, x := range more {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// targets returns what a target means in each of the memories that it is about. none is
// what several names lack, when one of them names nothing.
func (j *Joined) targets(ctx context.Context, target Target) (of map[memoir.Scope]Target, none, err error) {
	of = map[memoir.Scope]Target{}
	refs := target.Refs
	switch {
	case target.Ref != "":
		refs = []string{target.Ref}
	case len(refs) == 0:
		for _, scope := range both {
			of[scope] = target
		}
		return of, nil, nil
	}
	for _, ref := range refs {
		in, scopes, own, err := j.homes(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		if in != "" {
			scopes = append(scopes, in)
		}
		if len(scopes) == 0 {
			if none = noEntry(ref); target.Ref != "" {
				return nil, nil, none
			}
		}
		for _, scope := range scopes {
			t := target
			if t.Refs = append(of[scope].Refs, own); target.Ref != "" {
				t.Ref, t.Refs = own, nil
			}
			of[scope] = t
		}
	}
	return of, none, nil
}

// Entries returns the entries of both memories as [Engine.Entries] does, the user's first.
func (j *Joined) Entries(ctx context.Context, f EntryFilter) (all []Entry, err error) {
	for _, scope := range both {
		found, err := j.of(scope).Entries(ctx, f)
		if err != nil {
			return nil, err
		}
		all = appendIn(scope, all, found)
	}
	return all, nil
}

// Similar returns entries of both memories as [Engine.Similar] does.
func (j *Joined) Similar(ctx context.Context, text string, threshold float64) (all []Similar, err error) {
	for _, scope := range both {
		found, err := j.of(scope).Similar(ctx, text, threshold)
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			x.Scope = scope
			all = append(all, x)
		}
	}
	order.Stable(all, func(a, b Similar) int { return cmp.Compare(b.Score, a.Score) })
	return all, nil
}

// Tidy checks the notes of each memory as [Engine.Tidy] does. The ids of the
// findings begin like names, with the memory that they belong to. What is
// applied is one change, and so within one memory: that of the findings that
// are named, or the project's when none are.
func (j *Joined) Tidy(ctx context.Context, opts TidyOptions) (Tidying, error) {
	if opts.Apply {
		return j.tidied(ctx, opts)
	}
	all := Tidying{Findings: []TidyFinding{}}
	for _, scope := range both {
		found, err := j.of(scope).Tidy(ctx, opts)
		if err != nil {
			return Tidying{}, err
		}
		found = scoped(scope, found)
		found.Findings = append(all.Findings, found.Findings...)
		all = found
	}
	return all, nil
}

// History returns the changes of both memories, the oldest first.
func (j *Joined) History() (all []Change, err error) {
	for _, scope := range both {
		changes, err := j.of(scope).History()
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			c.Scope = string(scope)
			all = append(all, c)
		}
	}
	order.Stable(all, func(a, b Change) int { return a.Time.Compare(b.Time) })
	return all, nil
}

// Undo takes back a change of one memory as [Engine.Undo] does. With "" that is the
// last change of the project's. When the last change of the two is in the user's, nothing
// is taken back, and the error says how to: nobody loses in one memory what was meant in
// the other.
func (j *Joined) Undo(ctx context.Context, id string) (Change, error) {
	changes, err := j.History()
	if err != nil {
		return Change{}, err
	}
	scope := memoir.ScopeProject
	if id != "" {
		if i := slices.IndexFunc(changes, func(c Change) bool { return c.ID == id }); i >= 0 {
			scope = memoir.Scope(changes[i].Scope)
		}
	} else if last := lastStanding(changes); last != nil && last.Scope == string(memoir.ScopeUser) {
		err := errors.New("nothing was taken back: the last change is in the user's memory")
		const hint = "memoir --scope user undo, or memoir --scope project undo for the last change of the project's"
		return Change{}, memoir.WithHint(sentinel.As(err, memoir.ErrNotFound), hint)
	}
	change, err := j.of(scope).Undo(ctx, id)
	change.Scope = string(scope)
	return change, err
}

// Lost returns the lost entries of both memories as [Engine.Lost] does.
func (j *Joined) Lost(ctx context.Context) ([]Lost, error) {
	return j.lost(func(_ memoir.Scope, e *Engine) ([]Lost, error) { return e.Lost(ctx) })
}

// Restore puts lost entries of both memories back as [Engine.Restore] does.
func (j *Joined) Restore(ctx context.Context, ids []string) ([]Lost, error) {
	lost, err := j.Lost(ctx)
	if err != nil {
		return nil, err
	}
	of := map[memoir.Scope][]string{}
	for _, id := range ids {
		found := false
		for _, l := range lost {
			if l.ID == id {
				found, of[l.Scope] = true, append(of[l.Scope], id)
			}
		}
		if !found {
			return nil, memoir.WithHint(fmt.Errorf("no entry %q is lost: %w", id, memoir.ErrNotFound), "memoir history --lost")
		}
	}
	return j.lost(func(scope memoir.Scope, e *Engine) ([]Lost, error) {
		if len(ids) > 0 && len(of[scope]) == 0 {
			return nil, nil
		}
		return e.Restore(ctx, of[scope])
	})
}

func (j *Joined) lost(of func(memoir.Scope, *Engine) ([]Lost, error)) (all []Lost, err error) {
	all = []Lost{}
	for _, scope := range both {
		found, err := of(scope, j.of(scope))
		if err != nil {
			return all, err
		}
		for _, l := range found {
			l.Scope = scope
			all = append(all, l)
		}
	}
	return all, nil
}
