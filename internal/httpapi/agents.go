package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/wire"
)

// Agents gives access to the sessions of agents on this machine. It must be
// safe for concurrent use.
type Agents interface {
	// Given returns what sessions were given, the latest session first. Its
	// lists are not nil.
	Given(ctx context.Context) ([]Given, error)
	// Sessions returns at most limit transcripts, the newest first. If sessions
	// are not enabled, the error wraps [memoir.ErrUnavailable].
	Sessions(ctx context.Context, limit int) ([]wire.Session, error)
	// Session returns what was said in a session, by its id or the path of its
	// transcript.
	Session(ctx context.Context, id string) (wire.Turns, error)
}

// Given is what a session of an agent was given.
type Given struct {
	Agent   string      `json:"agent"`   // as in memoir hook AGENT
	Session string      `json:"session"` // as the agent calls it
	Times   []GivenTime `json:"times"`   // the newest first
}

// GivenTime is one time that a session was given something.
type GivenTime struct {
	At     string      `json:"at"`     // RFC 3339 in UTC
	Event  string      `json:"event"`  // session-start or prompt
	Tokens int         `json:"tokens"` // of all of it, estimated
	Parts  []GivenPart `json:"parts"`  // in the order of the text
}

// GivenPart is a line that was given.
type GivenPart struct {
	Path      string `json:"path"`      // of the note, below the workspace
	StartLine int    `json:"startLine"` // first line, counted from 1, as it was then
	EndLine   int    `json:"endLine"`   // last line, inclusive
	Tokens    int    `json:"tokens"`    // estimated
	Reason    string `json:"reason"`    // why it was given, for people
	Text      string `json:"text"`      // as it was given; empty where the note does not say it any more
}

// GivenList is what sessions were given.
type GivenList struct {
	Sessions []Given `json:"sessions"` // the latest first
}

// SessionList are transcripts of agents.
type SessionList struct {
	Enabled  bool           `json:"enabled"`  // the settings let memoir read them
	Sessions []wire.Session `json:"sessions"` // the newest first
}

func agentRoutes() []route {
	return []route{
		{method: "GET", pattern: "/v1/given", summary: "What sessions of agents were given by hooks, and why", permission: MayPrivate, out: GivenList{}, handle: givenTo},
		{
			method: "GET", pattern: "/v1/sessions", summary: "List the newest sessions of agents", permission: MayPrivate,
			params: []param{{name: "limit", kind: "integer", about: "how many at most, 1 to 200; when left out, 30"}}, out: SessionList{}, handle: sessions,
		},
		{method: "GET", pattern: "/v1/sessions/{path...}", summary: "What was said in a session, by its id or the path of its transcript", permission: MayPrivate, out: wire.Turns{}, handle: session},
	}
}

func givenTo(r *request) (any, error) {
	out := GivenList{Sessions: []Given{}}
	if r.api.opts.Agents == nil {
		return out, nil
	}
	all, err := r.api.opts.Agents.Given(r.Context())
	if all != nil {
		out.Sessions = all
	}
	return out, err
}

func sessions(r *request) (any, error) {
	limit, err := r.whole("limit", 30, 1, 200)
	if err != nil {
		return nil, err
	}
	out := SessionList{Sessions: []wire.Session{}}
	if r.api.opts.Agents == nil {
		return out, nil
	}
	all, err := r.api.opts.Agents.Sessions(r.Context(), limit)
	if errors.Is(err, memoir.ErrUnavailable) {
		return out, nil
	}
	out.Enabled = err == nil
	if all != nil {
		out.Sessions = all
	}
	return out, err
}

func session(r *request) (any, error) {
	if r.api.opts.Agents == nil {
		return nil, memoir.ErrNotFound
	}
	turns, err := r.api.opts.Agents.Session(r.Context(), r.PathValue("path"))
	if errors.Is(err, memoir.ErrUnavailable) { // they are not enabled; a second try would find no more
		p := problemOf(err)
		return nil, &problem{status: http.StatusNotFound, code: "not-found", message: p.message, action: p.action}
	}
	return turns, err
}
