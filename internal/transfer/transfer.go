// Package transfer imports other memories into a workspace, and writes the notes
// of a workspace to an archive and reads them back.
//
// A source yields notes and statements. Notes stay the Markdown that they are.
// Statements are told as a person would tell them: they pass the gate, lose their
// secrets and are compared with the entries already there
// (docs/design/transfer.md). If something cannot be brought, the import names it
// with the reason and goes on.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// A Memory is the target of an import: an [engine.Engine] with a writable folder.
type Memory interface {
	Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error)
	Bring(ctx context.Context, b engine.Bundle, notes []engine.Incoming, dryRun bool) ([]engine.Brought, error)
	// Owns reports whether a path below the workspace has the name of a note.
	Owns(path string) bool
}

// Options are the options of an [Import].
type Options struct {
	Workspace string // its folder; nothing in it is imported
	// Into is the folder below the workspace that notes go to. "" means the
	// source's default folder, "." the workspace itself.
	Into     string
	DryRun   bool
	Now      time.Time       // for memories that have expired
	Progress memoir.Progress // of statements; may be nil
}

// Imported is the outcome of an import. Statements and notes count alike.
type Imported struct {
	From   string `json:"from"`   // the kind of source
	DryRun bool   `json:"dryRun"` // nothing was written
	Undo   string `json:"undo"`   // id that memoir undo takes all of it back by; empty when nothing was written
	Counts Counts `json:"counts"` // how many had which outcome
	Items  []Item `json:"items"`  // those that need a look: beside, conflict, reworded, refused and skipped ones, and notes with a secret
}

// Counts say how many notes and statements had an outcome.
type Counts struct {
	Added      int `json:"added"`      // new notes and entries
	Grown      int `json:"grown"`      // notes that were there and got what they lacked, at their end
	Reinforced int `json:"reinforced"` // statements that an entry said already
	Reworded   int `json:"reworded"`   // of those, and of what was there already, the ones that an entry says in other words
	Superseded int `json:"superseded"` // statements that took the place of an entry
	There      int `json:"there"`      // notes and statements that were there already
	Beside     int `json:"beside"`     // notes that stand beside another of their name
	Conflicts  int `json:"conflicts"`  // notes that were left out, because others have both names
	Refused    int `json:"refused"`    // statements that are not worth keeping; statements and entries that were forgotten
	Skipped    int `json:"skipped"`    // what could not be read, or is no memory
	Masked     int `json:"masked"`     // statements, and notes made of rows, whose secrets were masked
	Secrets    int `json:"secrets"`    // notes with a secret that were written, or would be
}

// An Item is a note or a statement that needs a look.
type Item struct {
	Name    string `json:"name"`             // in the source: a path, an id
	Outcome string `json:"outcome"`          // beside, conflict, reworded, refused, skipped or secret; a note with a secret may also stand beside another
	Path    string `json:"path"`             // where the note stands; of a conflict, the note that is in its way; of a reworded statement, the note of the entry; else empty
	Reason  string `json:"reason"`           // for people
	Action  string `json:"action,omitempty"` // the next step after a refusal
	Text    string `json:"text"`             // of a reworded statement, without its secrets; else empty
	Known   string `json:"known"`            // of a reworded statement, the entry that says it; else empty
}

// piece is what a source gives: a note, a statement, or why there is none.
type piece struct {
	name string // as people know it
	note *engine.Incoming
	told *engine.Statement
	skip string
	// masked says that secrets of the note were masked.
	masked bool
}

// pieces yields the pieces of a source. It ends after an error.
type pieces = iter.Seq2[piece, error]

// source is a kind of memory.
type source struct {
	name string
	what string // what PATH is
	// into is the folder below the workspace that its notes go to.
	into string
	read func(in *input) pieces
}

// input is what a source reads.
type input struct {
	path      string
	workspace string
	into      string
	now       time.Time
	owns      func(path string) bool
}

// sources are all kinds, in the order in which people are told of them.
func sources() []source {
	const imports = "memory/imports/"
	return []source{
		{"openclaw", "a workspace of OpenClaw, or its openclaw.json", ".", readOpenClaw},
		{"openclaw-memory", "a folder .openclaw_memory", imports + "openclaw-memory", readOpenClawMemory},
		{"claude-code", "~/.claude, or a memory folder below it", imports + "claude-code", readClaudeCode},
		{"codex", "~/.codex, or its folder memories", imports + "codex", readCodex},
		{"basic-memory", "the folder of a project of basic-memory", imports + "basic-memory", readNamedFolder},
		{"mem0", "memories of mem0 as JSON, or the Markdown that its plugin exports", "", readMem0},
		{"mcp-memory-service", "an export of mcp-memory-service", "", readMCPMemory},
		{"claude-mem", "an export of claude-mem, JSON", imports + "claude-mem", readClaudeMem},
		{"engram", "what engram export writes, or a folder .engram", imports + "engram", readEngram},
		{"vault", "a folder of Markdown", imports + "vault", readNamedFolder},
		{"archive", "what memoir export has written", ".", readArchive},
	}
}

// Names returns the kinds of sources, with what their path is.
func Names() (names, paths []string) {
	for _, s := range sources() {
		names, paths = append(names, s.name), append(paths, s.what)
	}
	return names, paths
}

// Import imports everything that a source has. It returns an error if nothing of
// the source can be read, or if writing fails. What was imported before a failed
// write stays; the id in the result takes it back.
func Import(ctx context.Context, m Memory, from, path string, opts Options) (Imported, error) {
	out := Imported{From: from, DryRun: opts.DryRun, Items: []Item{}}
	all := sources()
	at := slices.IndexFunc(all, func(s source) bool { return s.name == from })
	if at < 0 {
		names, _ := Names()
		return out, memoir.WithHint(fmt.Errorf("memoir cannot import from %q: %w", from, memoir.ErrInvalid), "import from one of "+strings.Join(names, ", "))
	}
	in := &input{path: path, workspace: opts.Workspace, into: all[at].into, now: opts.Now, owns: m.Owns}
	if opts.Into != "" {
		if in.into = filepath.ToSlash(filepath.Clean(opts.Into)); !filepath.IsLocal(opts.Into) {
			return out, memoir.WithHint(fmt.Errorf("%q is not a folder below the workspace: %w", opts.Into, memoir.ErrInvalid), "name one such as memory/imports/old")
		}
	}
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = memoir.ErrNotFound
		}
		return out, memoir.WithHint(fmt.Errorf("import %s: %s: %w", from, path, syserr.Reason(err)), "name "+all[at].what)
	}
	r := &run{Imported: out, memory: m, opts: opts, bundle: engine.NewBundle("import", "imported from "+from), names: map[string]bool{}}
	err := r.all(ctx, all[at].read(in))
	if err != nil {
		err = fmt.Errorf("import %s: %w", from, err)
	}
	if errors.Is(err, regular.ErrKind) && memoir.Hint(err) == "" {
		err = memoir.WithHint(err, "name "+all[at].what)
	}
	return r.Imported, err
}

// run is one import.
type run struct {
	Imported
	memory Memory
	opts   Options
	bundle engine.Bundle

	// What is brought with the next change.
	notes []engine.Incoming
	from  []piece         // of which they are
	bytes int             // of their texts
	names map[string]bool // that a file system may take for the same

	told []piece // statements
}

// How much is brought as one change of the notebook: what is held in memory, and
// how many files are open at once.
const (
	atOnceNotes = 64
	atOnceBytes = 8 << 20
)

// all brings notes as they come and then tells the statements, the oldest first,
// so that what was said later takes the place of what was said before.
func (r *run) all(ctx context.Context, source pieces) error {
	for p, err := range source {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		switch {
		case p.skip != "":
			r.skip(p, p.skip)
		case p.told != nil:
			r.told = append(r.told, p)
		case p.note != nil:
			if err := r.note(ctx, p); err != nil {
				return err
			}
		}
	}
	if err := r.bring(ctx); err != nil {
		return err
	}
	order.Stable(r.told, func(a, b piece) int { return a.told.At.Compare(b.told.At) })
	for i, p := range r.told {
		if err := r.tell(ctx, p); err != nil {
			return err
		}
		if r.opts.Progress != nil {
			r.opts.Progress(i+1, len(r.told))
		}
	}
	return nil
}

// note takes a note in.
func (r *run) note(ctx context.Context, p piece) error {
	key := engine.SameName(p.note.Path)
	if len(r.notes) >= atOnceNotes || r.bytes+len(p.note.Text) > atOnceBytes || r.names[key] {
		if err := r.bring(ctx); err != nil {
			return err
		}
	}
	r.notes, r.from, r.bytes, r.names[key] = append(r.notes, *p.note), append(r.from, p), r.bytes+len(p.note.Text), true
	return nil
}

// bring brings the notes that were taken in.
func (r *run) bring(ctx context.Context) error {
	if len(r.notes) == 0 {
		return nil
	}
	done, err := r.memory.Bring(ctx, r.bundle, r.notes, r.opts.DryRun)
	if err != nil {
		return err
	}
	for i, b := range done {
		c := &r.Counts
		item := Item{Name: r.from[i].name, Outcome: b.Outcome, Path: b.Path}
		if b.Forgotten > 0 {
			c.Refused += b.Forgotten
			r.Items = append(r.Items, Item{Name: item.Name, Outcome: "refused", Reason: fmt.Sprintf("entries that were forgotten on purpose: %d", b.Forgotten)})
		}
		switch b.Outcome {
		case engine.NoteAdded:
			c.Added++
		case engine.NoteGrown:
			c.Grown++
		case engine.NoteThere:
			c.There++
			continue
		case engine.NoteBeside:
			c.Beside++
			item.Reason = "another note has its name"
			r.Items = append(r.Items, item)
		case engine.NoteConflict:
			c.Conflicts++
			item.Reason = "other notes have its name and the one beside it; keep one of the two, and import again"
			r.Items = append(r.Items, item)
			continue
		default:
			r.skip(r.from[i], b.Reason)
			continue
		}
		r.wrote()
		if b.Secret {
			c.Secrets++
			r.Items = append(r.Items, Item{Name: item.Name, Outcome: "secret", Path: b.Path, Reason: "it holds a secret"})
		}
		if r.from[i].masked {
			c.Masked++
		}
	}
	r.notes, r.from, r.bytes = nil, nil, 0
	clear(r.names)
	return nil
}

// skip counts a piece that nothing becomes of.
func (r *run) skip(p piece, reason string) {
	r.Counts.Skipped++
	r.Items = append(r.Items, Item{Name: p.name, Outcome: "skipped", Reason: reason})
}

// wrote records that there is something to take back.
func (r *run) wrote() {
	if !r.opts.DryRun {
		r.Undo = r.bundle.ID
	}
}

// reworded counts a statement that an entry says in other words, if it does.
func (r *run) reworded(p piece, o engine.Outcome) {
	if o.Told != "" {
		r.Counts.Reworded++
		r.Items = append(r.Items, Item{Name: p.name, Outcome: "reworded", Path: o.Path, Reason: "an entry says it in other words", Text: o.Told, Known: o.Known})
	}
}

// tell tells a statement.
func (r *run) tell(ctx context.Context, p piece) error {
	st := *p.told
	st.Origin, st.DryRun, st.Bundle = "import", r.opts.DryRun, r.bundle
	o, err := r.memory.Remember(ctx, st)
	if errors.Is(err, memoir.ErrInvalid) {
		r.skip(p, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	c := &r.Counts
	switch {
	case o.Outcome == engine.Refused:
		c.Refused++
		r.Items = append(r.Items, Item{Name: p.name, Outcome: "refused", Reason: o.Reason.Text, Action: o.Reason.Action})
		return nil
	case o.Repeated, o.Change == "" && !st.DryRun: // a day log has it
		c.There++
		r.reworded(p, o)
		return nil
	case o.Outcome == engine.Reinforced:
		c.Reinforced++
		r.reworded(p, o)
	case o.Outcome == engine.Superseded:
		c.Superseded++
	default:
		c.Added++
	}
	r.wrote()
	if o.Redacted {
		c.Masked++
	}
	return nil
}
