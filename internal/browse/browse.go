// Package browse is the view of a memory in a terminal: search as one types, read, open
// in an editor, take out with undo. It leaves the terminal as it was.
package browse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/editor"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/wording"
)

// Memory is what is browsed. It must be safe for concurrent use.
type Memory interface {
	Search(ctx context.Context, q memoir.Query) (memoir.Results, error)
	Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error)
	Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error]
	Sync(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error)
	Edit(ctx context.Context, who, why string, plan func(*engine.Draft) error) (engine.Change, error)
	Undo(ctx context.Context, id string) (engine.Change, error)
}

// Options say where a memory is browsed. In, Out, Printable and File are required.
type Options struct {
	In, Out *os.File // of one terminal
	// Defaults gives Mode and MinScore of the searches.
	Defaults memoir.Query
	// Printable makes a text of a note one that does not steer a terminal.
	Printable func(string) string
	// File returns the file of a note by its name.
	File func(name string) (string, error)
	// Editor is the program that notes are opened in, with its arguments; "" is none.
	Editor string
	// Language is that of what the view says beside the notes; zero is English.
	Language wording.Language
}

// Bounds of what is listed.
const (
	mostFound  = 50  // notes
	mostNewest = 200 // notes, when nothing is searched
)

// Run shows the view until the person leaves, the terminal goes, or ctx is done. The
// terminal is as it was when it returns, and when it panics.
func Run(ctx context.Context, m Memory, opts Options) error {
	b := &browser{Options: opts, memory: m, found: make(chan found)}
	b.view.printable, b.view.language = opts.Printable, opts.Language
	ctx, cancel := context.WithCancel(ctx)
	defer b.wait(cancel)
	t, err := openTerminal(opts.In, opts.Out)
	if err != nil {
		return err
	}
	defer t.close() // first, whatever else happens
	b.terminal = t
	return b.run(ctx)
}

// browser is a run of the view.
type browser struct {
	Options
	memory   Memory
	terminal *terminal
	view     view

	found   chan found
	number  int // of the last search
	stop    context.CancelFunc
	running int  // searches that have not answered
	opens   bool // what is found first, when it is
	removes *row // what is found first, if it is this

	loaded  bool     // the reading pane holds the selected note
	changes []string // ids of what was taken out, the last one last
}

// found is what a search answered.
type found struct {
	number int
	rows   []row
	err    error
	panic  any // with its stack
}

// wait ends all searches.
func (b *browser) wait(cancel context.CancelFunc) {
	cancel()
	for ; b.running > 0; b.running-- {
		<-b.found
	}
}

func (b *browser) run(ctx context.Context) error {
	var rest []byte
	b.resize()
	b.search(ctx)
	for {
		b.load(ctx)
		if err := b.terminal.write(b.view.draw()); err != nil {
			return fmt.Errorf("write to the terminal: %w", err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-b.terminal.resized:
			b.resize()
		case f := <-b.found:
			b.running--
			b.answered(f)
			if r := b.removes; r != nil && !b.view.busy {
				b.removes = nil
				if b.load(ctx); b.view.shown == *r {
					b.remove(ctx)
				} else {
					b.view.said = "the list has changed; d again takes out what is marked now"
				}
			}
			if b.opens && !b.view.busy {
				b.opens = false
				if err := b.open(ctx); err != nil {
					return err
				}
			}
		case sent, ok := <-b.terminal.sent:
			if !ok {
				return nil // nobody is there any more
			}
			var all []key
			all, rest = keys(append(rest, sent...))
			for _, k := range all {
				if k.name == "" {
					continue
				}
				b.opens, b.removes = false, nil
				done, err := b.do(ctx, b.view.press(k))
				if done || err != nil {
					return err
				}
			}
		}
	}
}

func (b *browser) resize() { b.view.width, b.view.height = b.terminal.size() }

// do does what a key asked for, and reports whether it was to leave.
func (b *browser) do(ctx context.Context, a act) (leaves bool, err error) {
	switch a {
	case leave:
		return true, nil
	case search:
		b.search(ctx)
	case redraw:
		return false, b.terminal.write("\x1b[2J")
	case open:
		if b.opens = b.view.busy; !b.opens {
			err = b.open(ctx)
		}
	case remove:
		if r, ok := b.view.current(); ok && b.view.busy { // what is shown may not be what is found
			b.removes = &r
			break
		}
		b.remove(ctx)
	case undo:
		b.undo(ctx)
	}
	return false, err
}

// search begins to search for the query; what was being searched before ends.
func (b *browser) search(ctx context.Context) {
	if b.stop != nil {
		b.stop()
	}
	ctx, b.stop = context.WithCancel(ctx)
	b.number++
	b.running++
	b.view.busy = true
	go func(number int, text string) {
		f := found{number: number}
		defer func() {
			if p := recover(); p != nil { // in the loop, which restores the terminal first
				f.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			b.found <- f
		}()
		if strings.TrimSpace(text) == "" {
			f.rows, f.err = newest(ctx, b.memory)
			return
		}
		f.rows, f.err = b.ask(ctx, text)
	}(b.number, string(b.view.query))
}

func (b *browser) answered(f found) {
	if f.panic != nil {
		panic(f.panic)
	}
	if f.number != b.number {
		return // of a query before
	}
	b.view.busy = false
	if f.err != nil {
		if !errors.Is(f.err, context.Canceled) {
			b.view.said = f.err.Error()
		}
		return
	}
	b.view.list(f.rows)
	b.loaded = false
}

// ask searches.
func (b *browser) ask(ctx context.Context, text string) ([]row, error) {
	res, err := b.memory.Search(ctx, memoir.Query{Text: text, Limit: mostFound, Mode: b.Defaults.Mode, MinScore: b.Defaults.MinScore})
	if err != nil {
		return nil, err
	}
	var rows []row
	for i := range res.Hits {
		h := &res.Hits[i]
		r := row{name: h.Scope.Name(h.Doc), date: h.Date, from: h.StartLine, to: h.EndLine, weak: !h.Confident()}
		r.title = strings.Join(append([]string{cmp.Or(h.Title, stem(r.name))}, h.Heading...), " › ")
		rows = append(rows, r)
	}
	return rows, nil
}

// newest lists the notes that were changed last.
func newest(ctx context.Context, m Memory) ([]row, error) {
	_, failed := m.Sync(ctx, nil) // else what is indexed is listed
	var all []memoir.DocumentMeta
	for meta, err := range m.Documents(ctx) {
		if err != nil {
			return nil, err
		}
		if meta.Kind != memoir.KindSession {
			all = append(all, meta)
		}
	}
	order.Stable(all, func(x, y memoir.DocumentMeta) int { return y.ModTime.Compare(x.ModTime) })
	if len(all) == 0 {
		return nil, failed
	}
	var rows []row
	for _, meta := range all[:min(len(all), mostNewest)] {
		r := row{name: string(meta.ID), title: stem(string(meta.ID))}
		if !meta.ModTime.IsZero() {
			r.date = meta.ModTime.Local().Format(time.DateOnly)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// load reads the selected note into the reading pane.
func (b *browser) load(ctx context.Context) {
	r, ok := b.view.current()
	if !ok {
		b.view.lines, b.view.shown, b.loaded = nil, row{}, false
		return
	}
	if b.loaded && r == b.view.shown {
		return
	}
	b.loaded, b.view.shown, b.view.scroll = true, r, max(0, r.from-3)
	x, err := b.memory.Get(ctx, memoir.DocID(r.name), 0, 0)
	if err != nil {
		b.view.lines, b.view.said = nil, err.Error()
		return
	}
	b.view.lines = strings.Split(strings.TrimSuffix(x.Text, "\n"), "\n")
	for i, line := range b.view.lines {
		b.view.lines[i] = strings.TrimSuffix(line, "\r")
	}
	b.view.scroll = min(b.view.scroll, len(b.view.lines)-1)
}

// open opens the selected note in the editor, and looks at it again afterwards.
func (b *browser) open(ctx context.Context) error {
	r, ok := b.view.current()
	if !ok {
		return nil
	}
	file, err := b.File(r.name)
	if err != nil {
		b.view.said = err.Error()
		return nil
	}
	args, err := editor.Command(b.Editor, file, max(1, r.from))
	if err != nil {
		b.view.said = err.Error()
		if hint := memoir.Hint(err); hint != "" {
			b.view.said += ": " + hint
		}
		return nil
	}
	failed, err := b.terminal.lend(args)
	if err != nil {
		return err
	}
	if failed != nil {
		b.view.said = fmt.Sprintf("%s: %v", args[0], failed)
	}
	b.resize()
	b.loaded = false
	b.search(ctx)
	return nil
}

// errChanged says that lines are not there any more as they are shown.
var errChanged = errors.New("the note has changed meanwhile; search again")

// remove takes what is marked out of its note.
func (b *browser) remove(ctx context.Context) {
	r, ok := b.view.current()
	if !ok || r != b.view.shown {
		return
	}
	why := "took out " + r.name
	if r.from > 0 {
		why = fmt.Sprintf("took lines %d to %d out of %s", r.from, r.to, r.name)
	}
	change, err := b.memory.Edit(ctx, "browse", why, func(d *engine.Draft) error {
		text, exists, err := d.Read(r.name)
		if err != nil {
			return err
		}
		if !exists {
			return errChanged
		}
		left, ok := without(text, b.view.lines, r)
		switch {
		case !ok:
			return errChanged
		case r.from == 0 || strings.TrimSpace(left) == "":
			return d.Remove(r.name)
		}
		return d.Write(r.name, left)
	})
	if err != nil {
		b.view.said = err.Error()
		return
	}
	b.changes = append(b.changes, change.ID)
	b.view.said = why + "; u brings it back"
	b.view.rows = slices.Delete(b.view.rows, b.view.selected, b.view.selected+1)
	b.view.move(0)
	b.loaded = false
}

// without returns a text without the lines of a row; not ok where they are not what is
// shown.
func without(text string, shown []string, r row) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if r.from == 0 {
		return "", len(lines) == len(shown) || text == "" && len(shown) == 1
	}
	if r.to > len(lines) || r.to > len(shown) {
		return "", false
	}
	for i := r.from - 1; i < r.to; i++ {
		if strings.TrimRight(lines[i], "\r\n") != shown[i] {
			return "", false
		}
	}
	return strings.Join(slices.Delete(lines, r.from-1, r.to), ""), true
}

// undo takes back what was taken out last.
func (b *browser) undo(ctx context.Context) {
	if len(b.changes) == 0 {
		b.view.said = "nothing was taken out here; memoir history lists what was before"
		return
	}
	last := len(b.changes) - 1
	if _, err := b.memory.Undo(ctx, b.changes[last]); err != nil {
		b.view.said = err.Error()
		return
	}
	b.changes = b.changes[:last]
	b.view.said = "it is back"
	b.loaded = false
	b.search(ctx)
}
