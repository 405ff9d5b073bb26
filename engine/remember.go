package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/remember"
)

// Writing says where what is told is kept.
type Writing struct {
	// Dir is the folder of notes that is written to, which a source reads; "" is none.
	Dir string
	// State is a folder for what has to be known beside the notes: the history of
	// changes, which texts were forgotten. It is made when it is needed.
	State string
	// Remote has the notes that Dir is a copy of, with the history of changes; nil: there
	// is none.
	Remote Remote
	// Files are the notes that entries are written to, by type; one that is not
	// there has its default ([docs/design/remember.md]). They count without a Dir,
	// too: what stands in one is found as of that type.
	Files map[string]string
}

// The words of remembering.
type (
	// A Statement is something that is told.
	Statement = remember.Request
	// An Outcome says what became of a statement.
	Outcome = remember.Outcome
	// An Entry is a list item or a paragraph of a note, with what is known beside it.
	Entry = remember.Entry
	// A Ref is an entry where it stands.
	Ref = remember.Ref
	// An EntryFilter says which entries are meant.
	EntryFilter = remember.Filter
	// A Similar is an entry that may be about the same as a text.
	Similar = remember.Similar
	// A Target says what is to be forgotten.
	Target = remember.Target
	// A Forgetting says what was forgotten, or would be.
	Forgetting = remember.Forgetting
	// A Lost is an entry that memoir wrote and that is in no note any more.
	Lost = remember.Lost
	// A Change is one change of notes that can be taken back.
	Change = notebook.Change
	// A Remote has notes of which a folder is a copy.
	Remote = notebook.Remote
	// A Bundle is what several changes are together; the zero value is none.
	Bundle = notebook.Bundle
	// An Incoming is a note of another memory, as it is.
	Incoming = remember.Incoming
	// Brought says what became of such a note.
	Brought = remember.Brought
)

// What became of a statement, and of a note that was brought.
const (
	Added      = remember.Added
	Reinforced = remember.Reinforced
	Superseded = remember.Superseded
	Refused    = remember.Refused

	NoteAdded    = remember.NoteAdded
	NoteGrown    = remember.NoteGrown
	NoteThere    = remember.NoteThere
	NoteBeside   = remember.NoteBeside
	NoteConflict = remember.NoteConflict
	NoteRefused  = remember.NoteRefused
)

// SameName returns what paths of notes have in common that a file system may take
// for the same.
func SameName(path string) string { return remember.SameName(path) }

// NewBundle returns a bundle for changes that shall be taken back as one: who makes
// them, and why.
func NewBundle(who, why string) Bundle { return notebook.NewBundle(who, why) }

// open opens what keeps what is told.
func (e *Engine) open(w Writing, now func() time.Time) (*remember.Keeper, error) {
	notes, err := notebook.Open(w.Dir, w.State, notebook.Options{Now: now, Remote: w.Remote})
	if err != nil {
		return nil, err
	}
	opts := remember.Options{Notebook: notes, Dir: w.State, Shelves: e.shelves, Now: now, Near: e.near, List: e.list, Recalled: prime.Recalled}
	if reader, ok := memoir.As[memoir.TokenReader](e.embedder); ok {
		opts.Space, opts.Read = e.Space(), func(ctx context.Context, texts []string) ([]judge.Side, error) { return sides(ctx, reader, texts) }
	}
	return remember.Open(opts)
}

// sides reads texts as they are compared.
func sides(ctx context.Context, reader memoir.TokenReader, texts []string) ([]judge.Side, error) {
	readings, err := reader.Read(ctx, memoir.TaskQuery, texts)
	if err != nil {
		return nil, err
	}
	sides := make([]judge.Side, len(readings))
	for i, r := range readings {
		sides[i] = judge.Side{Text: texts[i], Vector: r.Vector}
		for _, t := range r.Tokens {
			sides[i].Tokens = append(sides[i].Tokens, judge.Token{Text: t.Text, Score: t.Score, Vector: t.Vector})
		}
	}
	return sides, nil
}

// near returns where a text may be spoken of already.
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

// weigh returns what the entries in passages say of their weight.
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

// keep begins a call that writes notes, or says that none are written.
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

// tellers is how many texts are judged and kept at once. They are written one after
// another anyway, and each is a search and a look through the entries: of fifty at once
// a question would get a fiftieth of the processors.
const tellers = 2

// Remember keeps what is told, once and in the right note, or says why not. When
// it returns without an error, what the outcome says is on disk, and the next
// search finds it. An error that is a [NotKeptError] has the text in it.
func (e *Engine) Remember(ctx context.Context, st Statement) (Outcome, error) {
	k, err := e.keep("remember")
	if err != nil {
		return Outcome{}, err
	}
	defer e.calls.end()
	select {
	case e.telling <- struct{}{}:
		defer func() { <-e.telling }()
	case <-ctx.Done():
		return Outcome{}, fmt.Errorf("remember: %w", context.Cause(ctx))
	}
	defer e.indexer.Wake()
	return k.Remember(ctx, st)
}

// Bring puts notes of another memory into the workspace as they are, all as one
// change of the bundle, and says what became of each, in their order. No byte of a
// note that is there changes. A dry run writes nothing.
func (e *Engine) Bring(ctx context.Context, b Bundle, notes []Incoming, dryRun bool) ([]Brought, error) {
	k, err := e.keep("bring notes")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.Bring(ctx, b, notes, dryRun)
}

// Owns reports whether a path below the workspace has the name of one of its notes,
// and not that of a document of another source. It reads nothing.
func (e *Engine) Owns(path string) bool {
	note := false
	for _, s := range e.sources {
		owner, ok := s.(memoir.Owner)
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

// NotKeptError says that a statement could not be written, and has its text.
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
// first: those whose score is at least the threshold, 0 for the usual one.
func (e *Engine) Similar(ctx context.Context, text string, threshold float64) ([]Similar, error) {
	k, err := e.keep("compare with what is there")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.Similar(ctx, text, threshold)
}

// Forget takes entries out of the notes and of their history, for good; a dry run
// says which. When nothing is meant the error wraps [memoir.ErrNotFound].
func (e *Engine) Forget(ctx context.Context, target Target, dryRun bool) (Forgetting, error) {
	k, err := e.keep("forget")
	if err != nil {
		return Forgetting{}, err
	}
	defer e.calls.end()
	defer e.indexer.Wake()
	return k.Forget(ctx, target, dryRun)
}

// History returns what was changed in the notes, the oldest first.
func (e *Engine) History() ([]Change, error) {
	k, err := e.keep("read the history")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.History()
}

// Lost returns the entries that memoir wrote and that are in no note any more, though
// nobody took them back or forgot them: an editor has saved an older state over them,
// say. A person may have removed them on purpose.
func (e *Engine) Lost(ctx context.Context) ([]Lost, error) {
	k, err := e.keep("look for what is lost")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.Lost(ctx)
}

// Restore puts lost entries back, those of the ids or all without any, and returns
// them.
func (e *Engine) Restore(ctx context.Context, ids []string) ([]Lost, error) {
	k, err := e.keep("bring back what is lost")
	if err != nil {
		return nil, err
	}
	defer e.calls.end()
	return k.Restore(ctx, ids)
}

// Undo takes a change back, "" the last one, unless somebody has changed the same
// lines since; then the error says so and nothing is changed. It returns what it did.
func (e *Engine) Undo(ctx context.Context, id string) (Change, error) {
	k, err := e.keep("undo")
	if err != nil {
		return Change{}, err
	}
	defer e.calls.end()
	defer e.indexer.Wake()
	change, err := k.Undo(ctx, id)
	return change, noteError(err)
}
