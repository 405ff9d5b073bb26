package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/remember"
)

// Forget removes entries from the notes, from their history and from the files of
// the index, for good. A dry run only says which. When the target matches nothing,
// the error wraps [memoir.ErrNotFound]; when it is a path where no note can be,
// [memoir.ErrInvalid]. When the index cannot be cleared, because another program
// reads it or the disk is full, that is no error, and [Forgetting] says so. The next call
// clears it, also when this one was killed.
//
// A session is forgotten as a whole: its entries, the notes with its summaries, and what the
// index has of its transcript, which is never indexed again. The transcript itself is another program's
// and stays as it is. Target.Session, or Target.Ref, is the id of its document, its name,
// or the beginning of that, if no other session has it; of several the error wraps
// [memoir.ErrInvalid].
func (e *Engine) Forget(ctx context.Context, target Target, dryRun bool) (Forgetting, error) {
	k, err := e.keep("forget")
	if err != nil {
		return Forgetting{}, err
	}
	defer e.calls.end()
	defer e.indexer.Wake()
	left, target, err := e.transcripts(ctx, target)
	if err != nil {
		return Forgetting{}, err
	}
	if !dryRun {
		if err := e.leave(left); err != nil {
			return Forgetting{}, err
		}
	}
	owing := !dryRun && k.Owing()
	out, err := k.Forget(ctx, target, dryRun)
	if errors.Is(err, memoir.ErrNotFound) && len(left) > 0 {
		out, err = Forgetting{Entries: []Entry{}, Notes: []string{}, Unmarked: out.Unmarked, DryRun: dryRun, Of: target}, nil
	}
	changed := slices.Clone(out.Written)
	for _, x := range left {
		for i, id := range x.IDs {
			out.Sessions = append(out.Sessions, ForgottenSession{Path: string(id), File: x.Files[i]})
			changed = append(changed, string(id))
		}
	}
	for _, x := range out.InHistory { // the index may not know yet that they left their notes
		changed = append(changed, x.Path)
	}
	if owing || !dryRun && len(changed) > 0 {
		ctx := context.WithoutCancel(ctx) // the notes are changed, whoever waits
		kept := e.purge(ctx, changed, owing || target.Again)
		out.InIndex = kept != nil
		if err != nil && kept != nil {
			err = errors.Join(err, fmt.Errorf("the index may still hold what was forgotten: %w", kept))
		}
	}
	switch {
	case err != nil:
	case target.Session == "":
		out.StillSaid = e.stillSaid(ctx, slices.Concat(out.Entries, out.InHistory))
	default:
		out.StillSaid = copies(left)
	}
	return out, noteError(err)
}

// WordsOf returns the words of the entries that were forgotten. [Engine.Keep] says which of
// them stay.
func WordsOf(done Forgetting) *Words {
	var texts []string
	for _, x := range slices.Concat(done.Entries, done.InHistory) {
		texts = append(texts, x.Text)
	}
	return remember.WordsOf(texts)
}

// Keep marks the words that the notes still have.
func (e *Engine) Keep(ctx context.Context, w *Words) error {
	k, err := e.keep("forget")
	if err != nil {
		return err
	}
	defer e.calls.end()
	return k.Keep(ctx, w)
}

// The bounds of what is looked for in transcripts.
const (
	maxAbout = 20 // entries
	maxSaid  = 5  // transcripts
)

// stillSaid returns transcripts that tell what stands in entries. Where the index cannot answer
// there are none.
func (e *Engine) stillSaid(ctx context.Context, entries []Entry) (all []ForgottenSession) {
	if !e.sessions() {
		return nil
	}
	for _, x := range entries[:min(len(entries), maxAbout)] {
		docs, _ := e.searcher.Telling(ctx, x.Text, memoir.KindSession, maxSaid) // nothing that was asked for
		for _, id := range docs {
			if t := (ForgottenSession{Path: string(id)}); len(all) < maxSaid && !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// copies returns transcripts that begin as sessions that are left out, and stay.
func copies(left []ability.Left) (all []ForgottenSession) {
	for _, x := range left {
		for _, id := range x.Copies {
			if len(all) < maxSaid && !contain(left, id) {
				all = append(all, ForgottenSession{Path: string(id)})
			}
		}
	}
	return all
}

// transcripts returns the sessions that a target means, and the target with all names that
// entries may call them by. It refuses what is no entry and no whole session: a line of
// one, and a document that is only read.
func (e *Engine) transcripts(ctx context.Context, target Target) ([]ability.Left, Target, error) {
	if target.Ref != "" {
		switch path, _, cited := strings.Cut(target.Ref, "#"); {
		case !e.readOnly(path):
			return nil, target, nil
		case e.leaver(path) == nil:
			return nil, target, memoir.WithHint(fmt.Errorf("%s is in a folder that memoir only reads, so it forgets nothing there: %w", path, memoir.ErrInvalid),
				"change or remove the file itself, and the next search leaves out what is gone; or take its folder out of the setting collections")
		case cited:
			return nil, target, memoir.WithHint(fmt.Errorf("%s is a line of a session, and a session is forgotten as a whole: %w", target.Ref, memoir.ErrInvalid), "memoir forget --session "+path)
		default:
			target.Session, target.Ref = path, ""
		}
	}
	if target.Session == "" {
		return nil, target, nil
	}
	name, _, _ := strings.Cut(target.Session, "#")
	meant, sure, err := e.meant(ctx, name)
	if err != nil {
		return nil, target, fmt.Errorf("forget a session: %w", err)
	}
	if name != target.Session && len(meant) > 0 {
		return nil, target, memoir.WithHint(fmt.Errorf("%s is a line of a session, and a session is forgotten as a whole: %w", target.Session, memoir.ErrInvalid), "memoir forget --session "+name)
	}
	if len(meant) > 1 && !sure {
		return nil, target, memoir.WithHint(fmt.Errorf("%s stands for %d sessions: %w", name, len(meant), memoir.ErrInvalid), "memoir sessions lists them; memoir forget --session "+strings.Join(some(meant), "; memoir forget --session "))
	}
	// The ids are those that another memory has found.
	for _, id := range slices.Clone(target.Names) {
		if !strings.HasPrefix(id, "sessions/") || contain(meant, memoir.DocID(id)) {
			continue
		}
		more, _, err := e.meant(ctx, id)
		if err != nil {
			return nil, target, fmt.Errorf("forget a session: %w", err)
		}
		meant = append(meant, slices.DeleteFunc(more, func(x ability.Left) bool { return contain(meant, x.IDs[0]) })...)
	}
	for _, x := range meant {
		target.Again = target.Again || x.Again
		target.Names = append(target.Names, x.Names...)
		for _, id := range slices.Concat(x.IDs, x.Before) {
			target.Names = append(target.Names, string(id))
		}
	}
	return meant, target, nil
}

// contain reports whether a document is of one of several sessions.
func contain(sessions []ability.Left, id memoir.DocID) bool {
	return slices.ContainsFunc(sessions, func(x ability.Left) bool { return slices.Contains(x.IDs, id) })
}

// some returns the ids by which the first of several sessions can be named.
func some(sessions []ability.Left) (ids []string) {
	for _, x := range sessions[:min(len(sessions), 5)] {
		ids = append(ids, string(x.IDs[0]))
	}
	return ids
}

// readOnly reports whether a path is that of a document that is no note, and that no note
// stands in the way of.
func (e *Engine) readOnly(path string) bool {
	for _, src := range e.sources {
		owner, ok := memoir.As[ability.Owner](src)
		if !ok || !src.Kind().ReadOnly() || !owner.Owns(memoir.DocID(path)) {
			continue
		}
		_, err := e.keeper.Note(path)
		return err != nil
	}
	return false
}

// leaver returns the source of a document that can be left out; nil when it cannot.
func (e *Engine) leaver(path string) ability.Leaver {
	for _, src := range e.sources {
		owner, ok := memoir.As[ability.Owner](src)
		if leaver, leaves := memoir.As[ability.Leaver](src); ok && leaves && owner.Owns(memoir.DocID(path)) {
			return leaver
		}
	}
	return nil
}

// meant returns the sessions that a name means. What has the name goes before what begins
// with it. sure is true when they are of one agent and all have one name: copies of a
// session, say.
func (e *Engine) meant(ctx context.Context, name string) (all []ability.Left, sure bool, err error) {
	var known []memoir.DocID
	for meta, err := range e.store.Documents(ctx) {
		if err != nil {
			break // without an index the files alone are looked at
		}
		if meta.Kind == memoir.KindSession {
			known = append(known, meta.ID)
		}
	}
	cited, err := e.keeper.Sessions(ctx) // an agent may have moved a transcript to a database since
	if err != nil {
		return nil, false, err
	}
	for _, id := range cited {
		known = append(known, memoir.DocID(id))
	}
	var called, begun [][]ability.Left // by their agents
	again := true
	for _, src := range e.sources {
		leaver, ok := memoir.As[ability.Leaver](src)
		if !ok {
			continue
		}
		meant, err := leaver.Meant(ctx, name, known)
		switch {
		case err != nil:
			return nil, false, err
		case len(meant) == 0:
		case !slices.Contains(meant[0].Names, name) && !slices.Contains(slices.Concat(meant[0].IDs, meant[0].Before), memoir.DocID(name)):
			begun = append(begun, meant)
		case meant[0].Again && !again:
		default:
			if again && !meant[0].Again { // what is left out already is not asked about
				called, again = nil, false
			}
			called = append(called, meant)
		}
	}
	if len(called) > 0 {
		return slices.Concat(called...), len(called) == 1, nil
	}
	return slices.Concat(begun...), len(begun) == 1 && oneName(begun[0], name), nil
}

// oneName reports whether several sessions have a name that begins like that, and one only.
func oneName(sessions []ability.Left, beginning string) bool {
	var names []string
	for _, x := range sessions {
		for _, n := range x.Names {
			if strings.HasPrefix(n, beginning) && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return len(names) == 1
}

// leave leaves sessions out from now on.
func (e *Engine) leave(all []ability.Left) error {
	for _, x := range all {
		for _, id := range x.IDs {
			if leaver := e.leaver(string(id)); leaver != nil {
				if err := leaver.Leave(x); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}
