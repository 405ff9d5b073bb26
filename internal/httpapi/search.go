package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/wire"
)

// SearchRequest is a question.
type SearchRequest struct {
	Query     string   `json:"query"`               // words, a question, phrases in quotes and filters
	Limit     *int     `json:"limit,omitempty"`     // of how many notes at most, 1 to 1000, two results for each in all; when left out, the setting query.maxResults
	Mode      string   `json:"mode,omitempty"`      // hybrid, text or vector; when left out, the setting query.mode
	MinScore  *float64 `json:"minScore,omitempty"`  // leaves out results with a lower score; when left out, the setting query.minScore
	Path      string   `json:"path,omitempty"`      // only notes with this in their path, as path: in the query
	Source    string   `json:"source,omitempty"`    // memory, sessions, collections or all; when left out, all
	Since     string   `json:"since,omitempty"`     // only what is of that day or later, as since: in the query: 2026-03-02, 2026-03, yesterday; a time (RFC 3339) means its day
	MaxTokens *int     `json:"maxTokens,omitempty"` // how many tokens the snippets may have together; without limit as many results as fit
	MaxChars  *int     `json:"maxChars,omitempty"`  // the same in characters
	Explain   bool     `json:"explain,omitempty"`   // show the parts of each score
}

// WhyRequest asks why a passage was found, or was not.
type WhyRequest struct {
	Query string `json:"query"`           // as it was searched
	Path  string `json:"path"`            // of the note
	Line  *int   `json:"line,omitempty"`  // that the passage holds, counted from 1; when left out, the note's best passage
	Limit *int   `json:"limit,omitempty"` // of the results that were asked for; when left out, the setting query.maxResults
}

// SimilarRequest is a text to compare with what is there.
type SimilarRequest struct {
	Text      string  `json:"text"`                // as it would be remembered
	Threshold float64 `json:"threshold,omitempty"` // the least score, 0 to 1; when left out, the usual one
}

func searchRoutes() []route {
	return []route{
		{
			method: "POST", pattern: "/v1/search", summary: "Find passages by word and by meaning", permission: MayRead,
			in: SearchRequest{}, out: wire.Answer{}, handle: search,
		},
		{
			method: "POST", pattern: "/v1/why", summary: "Say why a passage was found, or was not", permission: MayRead,
			in: WhyRequest{}, out: wire.Why{}, handle: why,
		},
		{
			method: "POST", pattern: "/v1/similar", summary: "List entries that may be about the same as a text", permission: MayRead, private: true,
			in: SimilarRequest{}, out: []engine.Similar{}, handle: similar,
		},
		{
			method: "GET", pattern: "/v1/prime", summary: "What an agent is given at the start of a session", permission: MayRead,
			params: []param{
				{name: "message", kind: "string", about: "what the user said first"},
				{name: "maxTokens", kind: "integer", about: "the most tokens of the text, estimated"},
				{name: "shared", kind: "boolean", about: "for groups: nothing of MEMORY.md and USER.md, nothing marked private"},
			},
			out: engine.Primed{}, handle: primed,
		},
		{
			method: "GET", pattern: "/v1/status", permission: MayRead,
			summary: "What is indexed, with which model, and what is missing; " +
				"without the permission private only the model",
			out: wire.Status{}, orOut: wire.Model{}, handle: status,
		},
	}
}

// query returns the query of a request.
func (q *SearchRequest) query(r *request) (memoir.Query, error) {
	defaults := r.api.opts.Defaults
	if strings.TrimSpace(q.Query) == "" {
		return memoir.Query{}, invalid(`send {"query": "what you want to know"}`, "the query is missing")
	}
	out := memoir.Query{
		Text: q.Query, Mode: cmp.Or(memoir.Mode(q.Mode), defaults.Mode), MinScore: defaults.MinScore, Explain: q.Explain,
		Path: q.Path, Since: q.Since, Hidden: r.hidden(),
	}
	for _, n := range []struct {
		name  string
		value *int
		most  int
		to    *int
	}{{"limit", q.Limit, memoir.MaxLimit, &out.Limit}, {"maxTokens", q.MaxTokens, math.MaxInt, &out.MaxTokens}, {"maxChars", q.MaxChars, math.MaxInt, &out.MaxChars}} {
		if err := number(n.name, n.value, n.most, n.to); err != nil {
			return out, err
		}
	}
	if q.MinScore != nil {
		out.MinScore = *q.MinScore
	}
	if out.Limit == 0 && out.MaxTokens == 0 && out.MaxChars == 0 {
		out.Limit = defaults.Limit
	}
	var known bool
	if out.Filter.Kinds, known = wire.KindsOf(q.Source); !known {
		return out, invalid("give memory, sessions, collections or all", "source %q is not known", q.Source)
	}
	return out, nil
}

// number puts a number that a body has into to, which stays as it is where the body has
// none. It returns an error for a number that is not from 1 to most.
func number(name string, value *int, most int, to *int) error {
	switch {
	case value == nil:
	case *value < 1 && most == math.MaxInt:
		return invalid("send a number from 1 on, or leave it out", "%s is %d, and may be 1 or more", name, *value)
	case *value < 1, *value > most:
		return invalid(fmt.Sprintf("send a number from 1 to %d, or leave it out", most), "%s is %d, and may be 1 to %d", name, *value, most)
	default:
		*to = *value
	}
	return nil
}

func search(r *request) (any, error) {
	var in SearchRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	q, err := in.query(r)
	if err != nil {
		return nil, err
	}
	res, err := r.api.opts.Memory.Search(r.Context(), q)
	if err != nil {
		return nil, err
	}
	if !r.private() { // an index that is behind may not mark them as private yet
		res.Hits = slices.DeleteFunc(res.Hits, func(h memoir.Hit) bool { return r.hides(h.Scope.Name(h.Doc)) })
	}
	return wire.NewAnswer(res), nil
}

func why(r *request) (any, error) {
	var in WhyRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	path, err := r.visible(in.Path)
	if err != nil {
		return nil, err
	}
	defaults := r.api.opts.Defaults
	if err := r.readable(path); err != nil {
		return nil, err
	}
	q := memoir.Query{Text: in.Query, Limit: defaults.Limit, Mode: defaults.Mode, MinScore: defaults.MinScore, Hidden: r.hidden()}
	line := 0
	if err := errors.Join(number("limit", in.Limit, memoir.MaxLimit, &q.Limit), number("line", in.Line, math.MaxInt, &line)); err != nil {
		return nil, err
	}
	found, err := r.api.opts.Memory.Why(r.Context(), q, memoir.DocID(path), line)
	if err != nil {
		return nil, err
	}
	return wire.NewWhy(found), nil
}

func similar(r *request) (any, error) {
	var in SimilarRequest
	if err := r.body(&in); err != nil {
		return nil, err
	}
	found, err := r.api.opts.Memory.Similar(r.Context(), in.Text, in.Threshold)
	if err != nil {
		return nil, err
	}
	return append([]engine.Similar{}, found...), nil
}

func primed(r *request) (any, error) {
	most, err := r.whole("maxTokens", 0, 1, 1_000_000)
	if err != nil {
		return nil, err
	}
	shared, err := r.flag("shared")
	if err != nil {
		return nil, err
	}
	return r.api.opts.Memory.Prime(r.Context(), engine.PrimeOptions{Message: r.text("message"), MaxTokens: most, Shared: shared || !r.private()})
}

func status(r *request) (any, error) {
	st, err := r.api.opts.Memory.Status(r.Context())
	if err == nil && !r.private() { // everything else may depend on private notes
		return wire.Model{Provider: st.Provider, Model: st.Model}, nil
	}
	return st, err
}

// hidden returns filters for what the caller may not see.
func (r *request) hidden() []memoir.Filter {
	if r.private() {
		return nil
	}
	return []memoir.Filter{
		{Kinds: []memoir.Kind{memoir.KindSession, memoir.KindCollection}},
		{Labels: []memoir.Label{memoir.LabelPrivate}},
	}
}

// concealed reports whether a note is hidden from the caller by its name, in either memory.
func (r *request) concealed(path string) bool {
	for scope, id := memoir.ParseName(path); scope != ""; scope, id = memoir.ParseName(path) {
		path = string(id)
	}
	return !r.private() && layout.Private(path)
}

// readable returns an error when the caller may not read a note because an
// entry in it is private. It is the same error as for a note that does not
// exist.
func (r *request) readable(path string) error {
	if r.private() {
		return nil
	}
	text, err := r.api.opts.Memory.Note(path)
	if err == nil && entry.HasPrivate(text) {
		err = noNote(path)
	}
	return err
}

// noNote is the error for a note that is not there, or as if it were not there for the caller.
func noNote(path string) error { return fmt.Errorf("%s: %w", path, memoir.ErrNotFound) }

// hides reports whether a note is as one that is not there for the caller, by its name or
// because an entry in it is private.
func (r *request) hides(path string) bool {
	return !r.private() && (r.concealed(path) || errors.Is(r.readable(path), memoir.ErrNotFound))
}

// visible returns the path of a note that the caller may read. For a concealed
// note the error is the same as for one that does not exist.
func (r *request) visible(path string) (string, error) {
	path = norm.NFC.String(path)
	if path == "" {
		return "", invalid("name a note, such as memory/2026-03-02.md", "the path is missing")
	}
	if r.concealed(path) {
		return "", noNote(path)
	}
	return path, nil
}
