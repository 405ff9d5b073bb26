package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/wire"
)

// A Writer is what the tools of MCP that write need of a memory. It must be safe for
// concurrent use.
type Writer interface {
	Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error)
	Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error)
	Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error)
}

// A Recorder tells of writes that come as calls of tools over MCP, for which the API
// has no route, as of those that come by a route: an event, and a line in the audit
// with who asked, which tool, and what was changed. It needs both. Contexts are those
// of requests that the guard let in.
type Recorder struct {
	Events *Events
	Audit  func(Written)
}

// Writer returns a writer whose writes are told of.
func (r Recorder) Writer(w Writer) Writer { return recorded{w, r} }

// MemoryTool returns what answers calls of the tool memory and tells of its writes.
func (r Recorder) MemoryTool(call MemoryTool) func(context.Context, json.RawMessage) (string, error) {
	return func(ctx context.Context, input json.RawMessage) (string, error) {
		var wrote Event
		text, err := call(ctx, input, func(c engine.Change) {
			if ev := changeEvent(c); len(ev.Paths) > 0 {
				wrote = ev
			}
		})
		if changes(input) {
			failed := err
			if failed != nil && problemOf(failed).code == "internal" {
				failed = memoir.ErrInvalid // it is for the model to mend
			}
			r.tell(ctx, "memory", wrote, failed)
		}
		return text, err
	}
}

// tell tells of what a tool did; err says why it did not.
func (r Recorder) tell(ctx context.Context, tool string, wrote Event, err error) {
	if wrote.Who != "" {
		wrote.Type = "written"
		r.Events.Tell(wrote)
	}
	who, _ := ctx.Value(principalKey{}).(principal)
	r.Audit(written(who.name, "/mcp "+tool, wrote, err))
}

type recorded struct {
	Writer
	to Recorder
}

// Remember implements [Writer].
func (r recorded) Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error) {
	out, err := r.Writer.Remember(ctx, st)
	wrote, ok := remembered(out)
	if err != nil || !ok {
		wrote = Event{}
	}
	r.to.tell(ctx, "memory_remember", wrote, err)
	return out, err
}

// Forget implements [Writer].
func (r recorded) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	out, err := r.Writer.Forget(ctx, target, dryRun)
	wrote, ok := forgotten(out)
	if err != nil || !ok {
		wrote = Event{}
	}
	r.to.tell(ctx, "memory_forget", wrote, err)
	return out, err
}

// written is the line of the audit for a write that was asked for.
func written(who, route string, wrote Event, err error) Written {
	w := Written{Time: time.Now().UTC().Format(time.RFC3339), Who: who, Route: route, Status: http.StatusOK, Change: wrote.Change, Entry: wrote.Entry, Paths: wrote.Paths}
	if err != nil {
		w.Status = problemOf(err).status
	}
	return w
}

// remembered is the event of what was told; not ok where nothing was written.
func remembered(out engine.Outcome) (Event, bool) {
	path := out.Scope.Name(memoir.DocID(out.Path))
	return Event{Change: out.Change, Entry: out.ID, Who: "remember", Why: out.Reason.Text, Paths: []string{path}}, !out.DryRun && out.Path != "" && !out.Repeated
}

// forgotten is the event of what was taken out; not ok where nothing was written.
func forgotten(out engine.Forgetting) (Event, bool) {
	return Event{Who: "forget", Why: "forgotten for good", Paths: out.Written}, !out.DryRun
}

// changeEvent is the event of a change, whose paths are names where two memories are
// one.
func changeEvent(change engine.Change) Event {
	c := wire.NewChange(change)
	for i, path := range c.Paths {
		c.Paths[i] = memoir.Scope(c.Scope).Name(memoir.DocID(path))
	}
	return Event{Change: c.ID, Who: c.Who, Why: c.Why, Paths: c.Paths}
}
