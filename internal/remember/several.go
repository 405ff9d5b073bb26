package remember

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// How many texts are decided on before what is to be written is written, and for how long.
// What is decided and not yet written is done again after a process was killed.
const (
	mostAhead = 256
	longAhead = 500 * time.Millisecond
)

// RememberSome keeps the first of some texts, one at least, as [Keeper.Remember] does one
// after the other: with the same outcomes, each in a change of its own. It is quicker with
// many texts that go to the log of a day and change nothing else (Aside): then the log is read
// once for many of them, and the disk is waited for once. It returns the outcomes of those
// that were kept or refused; with an error, of those before the one that failed.
func (k *Keeper) RememberSome(ctx context.Context, reqs []Request) (outs []Outcome, err error) {
	if len(reqs) == 0 {
		return nil, nil
	}
	if !reqs[0].logsOnly() {
		out, err := k.Remember(ctx, reqs[0])
		if err != nil {
			return nil, err
		}
		return []Outcome{out}, nil
	}
	view := *k
	view.ahead, view.pages = &ahead{logs: map[string]*strings.Builder{}}, k.pages.fork()
	var writings []*writing
	var at []int // in outs, of each writing
	var steps []notebook.Step
	var failed error
	for start := time.Now(); len(outs) < min(len(reqs), mostAhead) && reqs[len(outs)].logsOnly() && (len(outs) == 0 || time.Since(start) < longAhead); {
		t, err := k.take(reqs[len(outs)])
		var out Outcome
		var d *decision
		if err == nil {
			out, d, err = view.decide(ctx, t)
		}
		if failed = err; failed != nil {
			break
		}
		if d != nil {
			view.expect(t, d)
			w := k.writing(t, *d)
			writings, at, steps = append(writings, w), append(at, len(outs)), append(steps, w.Step)
		}
		outs = append(outs, t.outcome(out))
	}
	if len(steps) == 0 {
		return outs, failed
	}
	changes, err := k.opts.Notebook.DoAll(ctx, steps)
	if errors.Is(err, notebook.ErrUnsure) {
		changes = nil // nobody is told of those
	}
	for i, change := range changes {
		out, failed := k.written(ctx, writings[i], change)
		if failed != nil {
			return outs[:at[i]], failed
		}
		outs[at[i]] = writings[i].t.outcome(out)
	}
	if err != nil {
		return outs[:at[len(changes)]], k.notKept(writings[len(changes)].t, err)
	}
	return outs, failed
}

// logsOnly reports whether a request changes nothing but the log of a day.
func (r *Request) logsOnly() bool {
	return r.Aside && layout.TypeNamed(r.Type) == layout.Journal && !r.Pin && !r.DryRun && r.Replaces == ""
}

// ahead is what the logs of days will hold once some texts are written that were decided on.
// The texts after them are compared with that. It is for one goroutine. A nil one is nothing.
type ahead struct {
	logs map[string]*strings.Builder
}

// read returns a note as it will be. A log is read once.
func (a *ahead) read(k *Keeper, path string) (string, error) {
	if a == nil || k.opts.Shelves.Type(path) != layout.Journal {
		return k.opts.Notebook.Read(path)
	}
	if log := a.logs[path]; log != nil {
		return log.String(), nil
	}
	text, err := k.opts.Notebook.Read(path)
	if err == nil {
		a.logs[path] = new(strings.Builder)
		a.logs[path].WriteString(text)
	}
	return text, err
}

// expect takes in what a decision will add to a log.
func (k *Keeper) expect(t *told, d *decision) {
	if d.old != nil || d.beside != nil || t.path == "" {
		return
	}
	log := k.ahead.logs[t.path]
	if log == nil {
		log = new(strings.Builder) // there is no such note, or it cannot be read
		k.ahead.logs[t.path] = log
	}
	t.id = newID()
	text := log.String()
	k.parse(t.path, text)
	p := k.placed(t.path, text, k.item(t, t.path, t.id, ""))
	if p.At < len(text) {
		log.Reset()
		p.Text = p.In(text)
	}
	log.WriteString(p.Text)
	k.keepVector(t)
}
