package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/remember"
	"github.com/memoir-ai/memoir/internal/sentinel"
)

// Writing says where the engine keeps what it is told.
type Writing struct {
	// Dir is the folder of notes to write to, which exists and which a source
	// reads; "" means none.
	Dir string
	// State is a folder for what is kept beside the notes: the history of
	// changes, and which texts were forgotten. It is made when first needed. A Dir needs one.
	State string
	// Remote holds the original notes when Dir is a copy of them, and the
	// history of changes; nil when Dir holds the originals.
	Remote Remote
	// Room is asked before a change that makes more of the notes: of how many notes
	// and bytes more. Its error ends the change, which then has changed nothing.
	// nil: there is room for all.
	Room func(ctx context.Context, notes int, bytes int64) error
	// Held is called once by a change that has waited two seconds for another process that
	// writes to the notes, with its id, 0 when that is not known. Several changes may call
	// it at a time. nil: it is not called.
	Held func(pid int)
	// Files are the notes that entries of each type are written to. A type that
	// is missing has its default file (docs/design/remember.md). Files counts
	// even without a Dir: an entry in one of these notes is found as one of that
	// type.
	Files map[string]string
}

// Types for remembering.
type (
	// A Statement is something that memoir is told.
	Statement = remember.Request
	// An Outcome says what became of a statement.
	Outcome = remember.Outcome
	// A Reason says why, and after a refusal what to do next.
	Reason = remember.Reason
	// An Entry is a list item or a paragraph of a note, with what its comments
	// say of it.
	Entry = remember.Entry
	// A Ref is an entry and where it stands.
	Ref = remember.Ref
	// An EntryFilter selects entries.
	EntryFilter = remember.Filter
	// A Similar is an entry that may be about the same as a text.
	Similar = remember.Similar
	// A Target says what to forget.
	Target = remember.Target
	// A Forgetting says what was forgotten, or would be.
	Forgetting = remember.Forgetting
	// Cleaned says what besides the notes had something of what was forgotten.
	Cleaned = remember.Cleaned
	// Words are the words of what was forgotten.
	Words = remember.Words
	// A ForgottenSession is a session that was forgotten, or would be.
	ForgottenSession = remember.ForgottenSession
	// Elsewhere is what is forgotten of a session in another workspace.
	Elsewhere = remember.Elsewhere
	// A Lost is an entry that memoir wrote and that no note has any more.
	Lost = remember.Lost
	// A Change is one change of notes that can be taken back.
	Change = notebook.Change
	// A Remote holds the notes that a folder is a copy of.
	Remote = notebook.Remote
	// A Bundle joins several changes into one that is taken back together. The
	// zero value is no bundle.
	Bundle = notebook.Bundle
	// An Incoming is a note of another memory, unchanged.
	Incoming = remember.Incoming
	// Brought says what became of an incoming note.
	Brought = remember.Brought
)

// What became of a statement, in [Outcome].
const (
	Added      = remember.Added      // "added": there is a new entry
	Reinforced = remember.Reinforced // "reinforced": it was there already, which is noted
	Superseded = remember.Superseded // "superseded": there is a new entry, and the one that it replaces is marked
	Refused    = remember.Refused    // "refused": nothing is kept; the reason says why
)

// What became of an incoming note, in [Brought].
const (
	NoteAdded    = remember.NoteAdded    // "added"
	NoteGrown    = remember.NoteGrown    // "grown": the existing note was its beginning, and has the rest now
	NoteThere    = remember.NoteThere    // "there": an existing note has all of it
	NoteBeside   = remember.NoteBeside   // "beside": another note has the name; it is NAME-2 now
	NoteConflict = remember.NoteConflict // "conflict": other notes have both names; it was left out
	NoteRefused  = remember.NoteRefused  // "refused": no note can be written there
)

// What would have a refused text kept, if it is a fact: its type, its type and the origin
// user, or a sentence; or what it asks for instead.
const (
	WantsSentence = remember.WantsSentence
	WantsSearch   = remember.WantsSearch
	WantsForget   = remember.WantsForget
)

// Nothing as what a statement replaces, in any case, says that it is about something else
// than every entry that has not its very words: it is added beside them.
const Nothing = remember.Nothing

// Fresh is the reason of an entry that is like no other.
var Fresh = remember.Fresh

// Certain reports whether a name of an entry means the same one whatever was removed
// before it in its note: an id does, and a citation with a check; see [Ref.Name].
func Certain(ref string) bool { return remember.Certain(ref) }

// About returns the words of the entry that a change is about: the one that it added, or
// else changed, or else removed. It is "" when there are several or none, and of what was
// forgotten.
func About(c Change) string { return remember.About(c) }

// WithoutForgotten returns a text without the entries that were forgotten in the notes whose
// [Writing.State] it is given.
func WithoutForgotten(state, text string) (string, error) {
	return remember.WithoutForgotten(state, text)
}

// SameName returns a key that is equal for paths that some file system takes
// for the same.
func SameName(path string) string { return remember.SameName(path) }

// NewBundle returns a bundle for changes that are taken back together. who and
// why say who makes them, and why.
func NewBundle(who, why string) Bundle { return notebook.NewBundle(who, why) }

// open opens the part that writes notes.
func (e *Engine) open(w Writing, now func() time.Time, consent func() error) (*remember.Keeper, error) {
	notes, err := notebook.Open(w.Dir, w.State, notebook.Options{
		Now: now, Remote: w.Remote, Room: w.Room, Consent: consent, Held: w.Held,
	})
	if err != nil {
		return nil, err
	}
	opts := remember.Options{Notebook: notes, Dir: w.State, Shelves: e.shelves, Now: now, Near: e.near, List: e.list, Recalled: prime.Recalled}
	opts.Reader = e.reader()
	if readerOf(e.embedder) != nil {
		opts.Space, opts.Embed = e.Space(), func(ctx context.Context, texts []string) ([][]float32, error) {
			return e.embedder.Embed(ctx, memoir.TaskQuery, texts)
		}
	}
	return remember.Open(opts)
}

// near returns the places that may already say what a text says.
func (e *Engine) near(ctx context.Context, text string, vector []float32, limit int) ([]remember.Place, error) {
	chunks, err := e.searcher.Near(ctx, text, vector, limit)
	places := make([]remember.Place, 0, len(chunks))
	for _, c := range chunks {
		if !c.Kind.ReadOnly() {
			places = append(places, remember.Place{Path: string(c.Doc), StartLine: c.StartLine, EndLine: c.EndLine})
		}
	}
	return places, err
}

// weigh returns the salience of the entries in chunks.
func (e *Engine) weigh(_ context.Context, passages []memoir.Chunk) ([]memoir.Salience, error) {
	if e.keeper == nil {
		return make([]memoir.Salience, len(passages)), nil
	}
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Text
	}
	return e.keeper.Weigh(texts)
}

// list returns all notes.
func (e *Engine) list(ctx context.Context) (notes []remember.Note, err error) {
	for _, src := range e.notes() {
		for entry, err := range src.Scan(ctx) {
			if err != nil {
				return nil, err
			}
			if entry.Skip == "" {
				notes = append(notes, remember.Note{
					Path: string(entry.ID), Modified: entry.ModTime,
					Stamp: fmt.Sprintf("%d %d %d", entry.Size, entry.ModTime.UnixNano(), entry.Stamp),
				})
			}
		}
	}
	return notes, nil
}

// keep begins a call that writes notes. It fails when the engine may not write.
func (e *Engine) keep(doing string) (*remember.Keeper, error) {
	if err := e.calls.begin(doing); err != nil {
		return nil, err
	}
	if e.keeper == nil {
		e.calls.end()
		return nil, fmt.Errorf("%s: the engine was made without a folder to write to: %w", doing, memoir.ErrUnavailable)
	}
	return e.keeper, nil
}

// tellers is how many statements are judged and kept at once. They are written
// one after another anyway, and each needs a search and a look through the
// entries. If fifty ran at once, a search would get only a fiftieth of the
// processors.
const tellers = 2

// Remember keeps a statement, once and in the right note, or says why not. When
// it returns without an error, the result is on disk, and the next search finds
// it if [Config.SyncBudget] is enough to index it; else that search is degraded.
// No search finds it where the outcome says in Skipped why not. If the error is a
// [NotKeptError], it has the text; it wraps a [memoir.SkipError] where the note
// is not UTF-8.
func (e *Engine) Remember(ctx context.Context, st Statement) (Outcome, error) {
	k, end, err := e.tell(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer end()
	out, err := k.Remember(ctx, st)
	if err == nil && out.Path != "" && !out.DryRun {
		out.Skipped = e.skipped(ctx, out.Path)
	}
	return out, unreadable(err)
}

// RememberSome keeps the first of some statements, one at least, as [Engine.Remember] does one
// after the other. It is quicker with many that go to day logs and change nothing else
// (Aside). It returns the outcomes of those that were kept or refused; with an error, of those
// before the one that failed.
func (e *Engine) RememberSome(ctx context.Context, sts []Statement) ([]Outcome, error) {
	k, end, err := e.tell(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	outs, err := k.RememberSome(ctx, sts)
	for i := range outs {
		if out := &outs[i]; out.Path != "" && !out.DryRun {
			out.Skipped = e.skipped(ctx, out.Path)
		}
	}
	return outs, unreadable(err)
}

// tell begins a call that keeps statements, when it is its turn. end ends it.
func (e *Engine) tell(ctx context.Context) (k *remember.Keeper, end func(), err error) {
	if k, err = e.keep("remember"); err != nil {
		return nil, nil, err
	}
	select {
	case e.telling <- struct{}{}:
		return k, func() {
			e.indexer.Wake()
			<-e.telling
			e.calls.end()
		}, nil
	case <-ctx.Done():
		e.calls.end()
		return nil, nil, fmt.Errorf("remember: %w", context.Cause(ctx))
	}
}

// skipped returns why a note is not indexed; "" when it is. It does not look again at a note
// that could be read before.
func (e *Engine) skipped(ctx context.Context, path string) string {
	if _, ok := e.readable.Load(path); ok {
		return ""
	}
	_, err := e.indexer.Read(ctx, memoir.DocID(path))
	if skip := (*memoir.SkipError)(nil); errors.As(err, &skip) && !skip.Temporary {
		return skip.Reason
	}
	switch {
	case err == nil:
		e.readable.Store(path, true)
	case errors.Is(err, memoir.ErrNotFound):
		return "no source has the note"
	}
	return ""
}

// Bring puts notes of another memory into the workspace unchanged, all in one
// change of the bundle. It returns what became of each note, in order. It never
// changes a note that exists already. A dry run writes nothing.
func (e *Engine) Bring(ctx context.Context, b Bundle, notes []Incoming, dryRun bool) ([]Brought, error) {
	k, err := e.keep("bring notes")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.Bring(ctx, b, notes, dryRun)
}

// Owns reports whether a path below the workspace names one of its notes and
// not a document of another source. It reads nothing.
func (e *Engine) Owns(path string) bool {
	note := false
	for _, s := range e.sources {
		owner, ok := memoir.As[ability.Owner](s)
		switch {
		case !ok || !owner.Owns(memoir.DocID(path)):
		case s.Kind().ReadOnly():
			return false
		default:
			note = true
		}
	}
	return note
}

// NotKeptError says that a statement could not be written. It has the text of
// the statement.
type NotKeptError = remember.NotKeptError

// Entries returns the entries of the notes that memoir writes, ordered by path and line.
func (e *Engine) Entries(ctx context.Context, f EntryFilter) ([]Entry, error) {
	k, err := e.keep("list the entries")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.Entries(ctx, f)
}

// Similar returns entries that may be about the same as a text, the likeliest
// first. Their scores are at least threshold, where 0 means the default. Like a
// search it indexes changed notes first, as far as there is time: entries of day
// logs are found through the index.
func (e *Engine) Similar(ctx context.Context, text string, threshold float64) ([]Similar, error) {
	k, err := e.keep("compare with what is there")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	e.indexer.Freshen(ctx, nil)
	return k.Similar(ctx, text, threshold)
}

// History returns the changes of the notes, the oldest first.
func (e *Engine) History() ([]Change, error) {
	k, err := e.keep("read the history")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.History()
}

// Lost returns entries that memoir wrote and that no note has any more,
// although nobody took them back or forgot them. An editor may have saved an
// older state over them, for example. A person may also have removed them on
// purpose.
func (e *Engine) Lost(ctx context.Context) ([]Lost, error) {
	k, err := e.keep("look for what is lost")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.Lost(ctx)
}

// Restore puts lost entries back and returns them: those with the given ids, or
// all when no ids are given.
func (e *Engine) Restore(ctx context.Context, ids []string) ([]Lost, error) {
	k, err := e.keep("bring back what is lost")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.Restore(ctx, ids)
}

// Undo takes back the change with that id, or the last one for "". If somebody
// has changed the same lines since, it changes nothing and the error says so.
// So it does for "" when the last change that was not taken back removed
// something for good, as [Engine.Forget] does. It returns the change that it
// made.
func (e *Engine) Undo(ctx context.Context, id string) (Change, error) {
	k, err := e.keep("undo")
	if err != nil {
		return Change{}, err
	}
	defer e.calls.end()
	defer e.indexer.Wake()
	if id == "" {
		changes, err := k.History()
		if err != nil {
			return Change{}, noteError(err)
		}
		if err := lastIsForGood(changes); err != nil {
			return Change{}, err
		}
	}
	change, err := k.Undo(ctx, id)
	if errors.Is(err, notebook.ErrUnknown) {
		hint := "memoir history"
		if id == "" {
			hint = "memoir history lists what was changed and taken back; memoir undo ID, of an undo there, does that again"
		}
		err = memoir.WithHint(err, hint)
	}
	return change, noteError(err)
}

// lastStanding returns the last of the changes, the oldest first, that is no undo and
// was not taken back; nil if there is none. An undo that was taken back takes nothing
// back.
func lastStanding(changes []Change) *Change {
	undone := map[string]bool{}
	for i, c := range slices.Backward(changes) {
		switch {
		case undone[c.ID]:
		case c.Undoes != "":
			undone[c.Undoes] = true
		default:
			return &changes[i]
		}
	}
	return nil
}

// lastIsForGood returns an error when the last change that was not taken back is one
// that removed something for good. Who takes the last change back then means that one,
// and must not lose the one before it unasked.
func lastIsForGood(changes []Change) error {
	if last := lastStanding(changes); last == nil || !last.Forgot {
		return nil
	}
	err := sentinel.As(errors.New("nothing was taken back: the last change removed something for good"), memoir.ErrNotFound)
	return memoir.WithHint(err, "memoir history lists the changes before it; memoir undo ID takes one of them back")
}
