package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/wire"
)

// agents implements [httpapi.Agents].
type agents struct{ memory *app.Memory }

// Given implements [httpapi.Agents].
func (a agents) Given(context.Context) ([]httpapi.Given, error) {
	all, err := hook.Shown(hook.Dir(a.memory.Main().Settings.KeptDir()), a.memory.Note)
	out := []httpapi.Given{}
	for _, s := range all {
		given := httpapi.Given{Agent: s.Agent, Session: s.ID, Times: []httpapi.GivenTime{}}
		for _, t := range s.Times {
			x := httpapi.GivenTime{At: t.At.UTC().Format(time.RFC3339), Event: t.Event, Tokens: t.Tokens, Parts: []httpapi.GivenPart{}}
			for _, p := range t.Parts {
				x.Parts = append(x.Parts, httpapi.GivenPart{Path: hook.Name(&p.Part), StartLine: p.StartLine, EndLine: p.EndLine, Tokens: p.Tokens, Reason: p.Reason, Text: p.Text})
			}
			given.Times = append(given.Times, x)
		}
		out = append(out, given)
	}
	return out, err
}

// transcript is a session that was not read yet.
type transcript struct {
	source interface {
		Session(ctx context.Context, id memoir.DocID) (app.Session, error)
	}
	id      memoir.DocID
	changed time.Time
}

// transcripts lists the sessions that the settings allow, the newest first.
func (a agents) transcripts(ctx context.Context) ([]transcript, error) {
	sources, err := app.OpenSessions(a.memory.First().Settings)
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, errNoSessions
	}
	var all []transcript
	for _, src := range sources {
		for entry, err := range src.Scan(ctx) {
			if err != nil {
				return nil, fmt.Errorf("list the sessions of %s: %w", src.Agent(), err)
			}
			if entry.Skip == "" {
				all = append(all, transcript{src, entry.ID, entry.ModTime})
			}
		}
	}
	order.Stable(all, func(x, y transcript) int { return y.changed.Compare(x.changed) })
	return all, nil
}

// Sessions implements [httpapi.Agents].
func (a agents) Sessions(ctx context.Context, limit int) ([]wire.Session, error) {
	all, err := a.transcripts(ctx)
	if err != nil {
		return nil, err
	}
	out := []wire.Session{}
	for _, t := range all {
		if len(out) == limit {
			break
		}
		x, err := t.source.Session(ctx, t.id)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil && len(x.Turns) > 0 { // the status names sessions that cannot be read
			out = append(out, sessionOf(x))
		}
	}
	return out, nil
}

// Session implements [httpapi.Agents].
func (a agents) Session(ctx context.Context, id string) (wire.Turns, error) {
	all, err := a.transcripts(ctx)
	if err != nil {
		return wire.Turns{}, err
	}
	for _, t := range all {
		if string(t.id) == id {
			x, err := t.source.Session(ctx, t.id)
			return turnsOf(x), err
		}
	}
	for _, t := range all {
		x, err := t.source.Session(ctx, t.id)
		if ctx.Err() != nil {
			return wire.Turns{}, errors.Join(err, ctx.Err())
		}
		if err == nil && x.ID == id {
			return turnsOf(x), nil
		}
	}
	return wire.Turns{}, memoir.WithHint(fmt.Errorf("there is no session %s: %w", id, memoir.ErrNotFound), hintSessions)
}
