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

// A Recorder reports writes that come as calls of MCP tools, for which the API
// has no route, in the same way as writes that come by a route: as an event,
// and as a line of the audit with the caller, the tool and the change. Both
// must be set. Contexts are those of requests that the guard has let in.
type Recorder struct {
	Events *Events
	Audit  func(Written)
}

// Writer returns a writer whose writes are reported.
func (r Recorder) Writer(w Writer) Writer { return recorded{w, r} }

// MemoryTool returns a function that answers calls of the tool memory and
// reports its writes.
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
				failed = memoir.ErrInvalid // the model can correct it
			}
			r.tell(ctx, "memory", wrote, failed)
		}
		return text, err
	}
}

// tell reports what a tool did. err says why it failed.
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
	st.Origin = toldBy(ctx, st.Origin)
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

// toldBy returns the origin of a text that a request tells. A token never speaks as the user,
// whatever it claims, because an agent that holds it may have been talked into the claim.
func toldBy(ctx context.Context, origin string) string {
	if !Owner(ctx) && (origin == "" || origin == "user") {
		return "agent"
	}
	return origin
}

// written returns the audit line of a write that somebody asked for.
func written(who, route string, wrote Event, err error) Written {
	w := Written{Time: time.Now().UTC().Format(time.RFC3339), Who: who, Route: route, Status: http.StatusOK, Change: wrote.Change, Entry: wrote.Entry, Paths: wrote.Paths}
	if err != nil {
		w.Status = problemOf(err).status
	}
	return w
}

// remembered returns the event of a statement. ok is false when nothing was
// written.
func remembered(out engine.Outcome) (Event, bool) {
	path := out.Scope.Name(memoir.DocID(out.Path))
	return Event{Change: out.Change, Entry: out.ID, Who: "remember", Why: out.Reason.Text, Paths: []string{path}}, !out.DryRun && out.Path != "" && !out.Repeated
}

// forgotten returns the event of a removal. ok is false when nothing was
// written.
func forgotten(out engine.Forgetting) (Event, bool) {
	return Event{Who: "forget", Why: "forgotten for good", Paths: out.Written}, !out.DryRun
}

// changeEvent returns the event of a change. Its paths are names when two
// memories are joined.
func changeEvent(change engine.Change) Event {
	c := wire.NewChange(change)
	for i, path := range c.Paths {
		c.Paths[i] = memoir.Scope(c.Scope).Name(memoir.DocID(path))
	}
	return Event{Change: c.ID, Who: c.Who, Why: c.Why, Paths: c.Paths}
}
