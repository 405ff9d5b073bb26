package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/wire"
)

// RememberRequest is something that is worth knowing.
type RememberRequest struct {
	wire.Told
	DryRun bool `json:"dryRun,omitempty"` // say what would be done, and write nothing
}

// ForgetRequest says what is to be forgotten, in one of four ways.
type ForgetRequest struct {
	Ref     string `json:"ref,omitempty"`     // id or citation of an entry, or the path of a note; path#L3~check means only what was listed with that check
	Session string `json:"session,omitempty"` // a session as a whole, by its citation, its id or the beginning of that: its entries, and its transcript in the index
	Origin  string `json:"origin,omitempty"`  // all entries of an origin: user, agent, tool, web or import
	Query   string `json:"query,omitempty"`   // entries that are likely about this, also superseded ones; nothing goes without yes
	All     bool   `json:"all,omitempty"`     // with query: also the entries that are listed as also otherwise
	Yes     bool   `json:"yes,omitempty"`     // with query: a person has seen what it lists, and agrees
	DryRun  bool   `json:"dryRun,omitempty"`  // say what would go, and write nothing
}

// UndoRequest names a change.
type UndoRequest struct {
	ID string `json:"id,omitempty"` // as the history has it; when left out, the last change that was not taken back
}

// TidyRequest says what is looked for, and what is done.
type TidyRequest struct {
	Kinds []string `json:"kinds,omitempty"` // of findings; when left out, all
	Apply bool     `json:"apply,omitempty"` // do what is certain, or the findings of ids
	IDs   []string `json:"ids,omitempty"`   // of findings that somebody has looked at
	Mask  bool     `json:"mask,omitempty"`  // with apply: mask secrets, which does not come back
}

func writeRoutes() []route {
	return []route{
		{
			method: "POST", pattern: "/v1/remember", summary: "Keep what is told: once, in the right note, with its reason", permission: MayWrite, writes: true,
			in: RememberRequest{}, out: engine.Outcome{}, handle: rememberTold,
		},
		{
			method: "POST", pattern: "/v1/forget", summary: "Take entries out of the notes and their history, for good", permission: MayWrite, writes: true, private: true,
			in: ForgetRequest{}, out: engine.Forgetting{}, handle: forget,
		},
		{
			method: "POST", pattern: "/v1/undo", summary: "Take a change back", permission: MayWrite, writes: true, private: true,
			in: UndoRequest{}, out: wire.Change{}, handle: undo,
		},
		{
			method: "POST", pattern: "/v1/tidy", summary: "Look for what could be better in the notes, and do it when asked", permission: MayWrite, writes: true, private: true,
			in: TidyRequest{}, out: engine.Tidying{}, handle: tidy,
		},
		{
			method: "GET", pattern: "/v1/entries", summary: "List the entries of the notes that memoir writes", permission: MayRead,
			params: []param{
				{name: "type", kind: "string", many: true, about: "only of this type; it may come several times"},
				{name: "status", kind: "string", about: "active, superseded or all; when left out, active"},
			},
			out: []engine.Entry{}, handle: entries,
		},
		{
			method: "GET", pattern: "/v1/history", summary: "List what memoir changed in the notes, the newest first", permission: MayPrivate,
			params: []param{{name: "limit", kind: "integer", about: "how many at most, 1 to 1000; when left out, 50"}},
			out:    []wire.Change{}, handle: history,
		},
	}
}

func rememberTold(r *request) (any, error) {
	var in RememberRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	if in.Pin && !r.private() {
		return nil, &problem{
			status: http.StatusForbidden, code: "permission",
			message: "this token cannot see MEMORY.md, so it cannot pin anything there; nothing was kept",
			action:  "leave pin out to keep the text in the note of its type",
		}
	}
	in.Origin = toldBy(r.Context(), in.Origin)
	st, err := in.Statement(in.DryRun)
	if err != nil {
		return nil, err
	}
	st.Shared = !r.private()
	if err := r.replaceable(st.Replaces); err != nil {
		return nil, withoutEntry(err)
	}
	out, err := r.api.opts.Memory.Remember(r.Context(), st)
	if err == nil && out.Repeated && st.Replaces != "" && !strings.EqualFold(st.Replaces, engine.Nothing) {
		err = r.replaced(st.Replaces, out)
	}
	if err != nil {
		return nil, withoutEntry(err)
	}
	if ev, ok := remembered(out); ok {
		r.changed(ev)
	}
	if !r.private() {
		out.Similar, out.Known = []engine.Similar{}, "" // may be private
		if was := out.Replaces; was != nil && r.hides(out.Scope.Name(memoir.DocID(was.Path))) {
			out.Replaces = nil
		}
		if out.Path != "" && r.hides(out.Scope.Name(memoir.DocID(out.Path))) {
			// Whether the note has these words already is not told either.
			out = engine.Outcome{Outcome: engine.Added, Reason: engine.Fresh, Type: out.Type, Redacted: out.Redacted, Withheld: out.Withheld, DryRun: out.DryRun, Similar: []engine.Similar{}}
		}
	}
	return out, nil
}

// replaceable returns an error when the citation of the entry that a statement replaces
// names where no note can be, or a note that the caller may not see. It is the same error
// as for an entry that does not exist. Of what an id names, the memory says it.
func (r *request) replaceable(ref string) error {
	if path, _, cited := strings.Cut(ref, "#"); cited {
		path = norm.NFC.String(path)
		if _, err := r.api.opts.Memory.Note(path); errors.Is(err, memoir.ErrInvalid) || r.hides(path) {
			return noEntry(ref)
		}
	}
	return nil
}

// replaced returns the same error for an answer that somebody else was given to the same
// request, when it is about an entry that the caller may not see.
func (r *request) replaced(ref string, out engine.Outcome) error {
	of := out.Path
	if out.Replaces != nil {
		of = out.Replaces.Path
	}
	if of != "" && r.hides(out.Scope.Name(memoir.DocID(of))) {
		return noEntry(ref)
	}
	return nil
}

func noEntry(ref string) error {
	return fmt.Errorf("there is no entry %q: %w", ref, memoir.ErrNotFound)
}

// withoutEntry adds to an error about an entry that is not there how a client finds those
// that are.
func withoutEntry(err error) error {
	if errors.Is(err, memoir.ErrNotFound) {
		return memoir.WithHint(err, "GET /v1/entries lists the entries with their ids")
	}
	return err
}

func forget(r *request) (any, error) {
	var in ForgetRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	named := 0
	for _, s := range []string{in.Ref, in.Session, in.Origin, in.Query} {
		if s != "" {
			named++
		}
	}
	if in.All && in.Query == "" {
		return nil, invalid("leave all out, or give query", "all is for a query alone")
	}
	if named != 1 {
		return nil, invalid("give exactly one of ref, session, origin and query", "%d of ref, session, origin and query are given, not one", named)
	}
	target := engine.Target{Ref: in.Ref, Session: in.Session, Origin: in.Origin, Query: in.Query, All: in.All}
	out, err := r.api.opts.Memory.Forget(r.Context(), target, in.DryRun || in.Query != "" && !in.Yes)
	if err != nil {
		return nil, withoutEntry(err)
	}
	if ev, ok := forgotten(out); ok {
		r.changed(ev)
	}
	return out, nil
}

func undo(r *request) (any, error) {
	var in UndoRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	change, err := r.api.opts.Memory.Undo(r.Context(), in.ID)
	if errors.Is(err, memoir.ErrNotFound) {
		hint := "GET /v1/history lists the changes with their ids"
		if in.ID == "" {
			hint = "GET /v1/history lists what was changed and taken back; send the id of an undo there, and it is done again"
		}
		err = memoir.WithHint(err, hint)
	}
	if err != nil {
		return nil, err
	}
	r.changed(changeEvent(change))
	return wire.NewChange(change), nil
}

func tidy(r *request) (any, error) {
	var in TidyRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	out, err := r.api.opts.Memory.Tidy(r.Context(), engine.TidyOptions{Kinds: in.Kinds, Apply: in.Apply, IDs: in.IDs, Mask: in.Mask})
	if err != nil {
		return nil, err
	}
	if in.Apply && len(out.Applied) > 0 {
		r.changed(Event{Who: "tidy", Why: "did what was found", Paths: out.Written})
	}
	return out, nil
}

func entries(r *request) (any, error) {
	all, err := r.api.opts.Memory.Entries(r.Context(), engine.EntryFilter{Types: r.query["type"], Status: r.text("status")})
	if err != nil {
		return nil, err
	}
	hidden := map[string]bool{}
	return slices.DeleteFunc(append([]engine.Entry{}, all...), func(e engine.Entry) bool {
		name := e.Scope.Name(memoir.DocID(e.Path))
		hides, known := hidden[name]
		if !known {
			hides = r.hides(name)
			hidden[name] = hides
		}
		return hides || !r.private() && e.Private
	}), nil
}

func history(r *request) (any, error) {
	limit, err := r.whole("limit", 50, 1, 1000)
	if err != nil {
		return nil, err
	}
	all, err := r.api.opts.Memory.History()
	if err != nil {
		return nil, err
	}
	changes := []wire.Change{}
	for _, c := range slices.Backward(all[max(0, len(all)-limit):]) {
		changes = append(changes, wire.NewChange(c))
	}
	return changes, nil
}
