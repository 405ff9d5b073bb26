package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/wire"
)

// Note is a whole note, as it is on disk.
type Note struct {
	Path string `json:"path"` // below the workspace
	Text string `json:"text"` // all of it
	ETag string `json:"etag"` // of the text, for If-Match; empty of what cannot be changed
}

// NoteText is the new text of a note.
type NoteText struct {
	Text string `json:"text"` // all of it
}

// Saved says what became of a note that was written.
type Saved struct {
	Path   string       `json:"path"`           // below the workspace
	ETag   string       `json:"etag,omitempty"` // of what the note holds now; absent when it is gone
	Change *wire.Change `json:"change"`         // that POST /v1/undo takes back; null when the note was the same already
	// Redacted says that secrets were masked in what an agent's token wrote: the note differs
	// from what was sent. What the owner sends is saved as it is.
	Redacted bool `json:"redacted,omitzero"`
	// Skipped says why no search finds the note: an ignore rule leaves it out, or it is too
	// large. It is absent when the note is indexed.
	Skipped *wire.Skipped `json:"skipped,omitempty"`
}

// Listed is a note in a list.
type Listed struct {
	Path     string `json:"path"`               // below the workspace
	Bytes    int64  `json:"bytes"`              // of the file
	Modified string `json:"modified,omitempty"` // time of the last change, RFC 3339 in UTC; absent for a moment after it
	ReadOnly bool   `json:"readOnly,omitempty"` // it is a collection's, and cannot be changed
}

// List is a page of the notes in the index, ordered by path.
type List struct {
	Notes []Listed `json:"notes"`
	Next  string   `json:"next,omitempty"` // what after= gives the next page; absent on the last
}

func noteRoutes() []route {
	lines := []param{
		{name: "from", kind: "integer", about: "first line of an excerpt, counted from 1"},
		{name: "to", kind: "integer", about: "its last line, inclusive"},
	}
	return []route{
		{
			method: "GET", pattern: "/v1/notes", summary: "List the notes in the index", permission: MayRead,
			params: []param{
				{name: "prefix", kind: "string", about: "only notes whose path begins so"},
				{name: "after", kind: "string", about: "only notes behind this path"},
				{name: "limit", kind: "integer", about: "how many at most, 1 to 1000; when left out, 200"},
				{name: "collections", kind: "boolean", about: "those of collections, too, which cannot be changed; for who may see what is private"},
			},
			out: List{}, handle: listNotes,
		},
		{method: "GET", pattern: "/v1/notes/{path...}", summary: "Read a note, with its ETag; with from= or to= some lines", permission: MayRead, params: lines, headers: []string{"If-None-Match"}, out: Note{}, orOut: wire.Excerpt{}, handle: readNote},
		{
			method: "PUT", pattern: "/v1/notes/{path...}", permission: MayWrite, writes: true,
			summary: "Save a note: If-Match names the text that was read; " +
				"If-None-Match: * makes a new one, which takes the permission private",
			headers: []string{"If-Match", "If-None-Match"}, in: NoteText{}, markdown: true, out: Saved{}, handle: saveNote,
		},
		{
			method: "DELETE", pattern: "/v1/notes/{path...}", summary: "Take a note away; the history keeps it, and undo brings it back", permission: MayWrite, writes: true,
			headers: []string{"If-Match"}, out: Saved{}, handle: removeNote,
		},
	}
}

// etag returns the ETag of a text.
func etag(text string) string {
	sum := sha256.Sum256([]byte(text))
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

func listNotes(r *request) (any, error) {
	limit, err := r.whole("limit", 200, 1, 1000)
	if err != nil {
		return nil, err
	}
	list := List{Notes: []Listed{}}
	collections, err := r.flag("collections")
	if err != nil {
		return nil, err
	}
	prefix, after := r.text("prefix"), r.text("after")
	for meta, err := range r.api.opts.Memory.Documents(r.Context()) {
		if err != nil {
			return nil, err
		}
		path := string(meta.ID)
		readOnly := meta.Kind == memoir.KindCollection
		if meta.Kind.ReadOnly() && (!readOnly || !collections || !r.private()) || path <= after || !strings.HasPrefix(path, prefix) || r.hides(path) {
			continue
		}
		if len(list.Notes) == limit {
			list.Next = list.Notes[limit-1].Path
			break
		}
		n := Listed{Path: path, Bytes: meta.Size, ReadOnly: readOnly}
		if !meta.ModTime.IsZero() {
			n.Modified = meta.ModTime.UTC().Format(timeFormat)
		}
		list.Notes = append(list.Notes, n)
	}
	return list, nil
}

const timeFormat = "2006-01-02T15:04:05Z"

func readNote(r *request) (any, error) {
	path, err := r.visible(r.PathValue("path"))
	if err == nil {
		err = r.readable(path)
	}
	if err != nil {
		return nil, err
	}
	if r.query.Has("from") || r.query.Has("to") {
		from, err := r.whole("from", 1, 1, 1<<30)
		if err != nil {
			return nil, err
		}
		to, err := r.whole("to", 0, 1, 1<<30)
		if err != nil {
			return nil, err
		}
		x, err := r.api.opts.Memory.Get(r.Context(), memoir.DocID(path), from, to)
		if err != nil {
			return nil, err
		}
		return wire.NewExcerpt(x), nil
	}
	text, tag, err := r.whatever(path)
	if err != nil || tag == "" {
		return Note{Path: path, Text: text}, err
	}
	r.w.Header().Set("ETag", tag)
	if matches(strings.Join(r.Header.Values("If-None-Match"), ", "), tag) {
		r.status = http.StatusNotModified
		return nil, nil
	}
	return Note{Path: path, Text: text, ETag: tag}, nil
}

// whatever returns the text of a note and its ETag. The ETag is empty for a
// document that cannot be changed, for example in a collection.
func (r *request) whatever(path string) (text, tag string, err error) {
	text, err = r.api.opts.Memory.Note(path)
	if err == nil {
		err = r.legible(path, text)
	}
	if errors.Is(err, memoir.ErrInvalid) {
		if x, failed := r.api.opts.Memory.Get(r.Context(), memoir.DocID(path), 0, 0); failed == nil {
			return x.Text, "", nil
		}
	}
	if err != nil {
		return "", "", err
	}
	return text, etag(text), nil
}

// legible returns an error for what a note holds when that is no text in UTF-8: the one
// with which other ways of reading refuse it.
func (r *request) legible(path, text string) error {
	if utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		return nil
	}
	if _, err := r.api.opts.Memory.Get(r.Context(), memoir.DocID(path), 1, 1); err != nil {
		return err
	}
	return &memoir.SkipError{ID: memoir.DocID(path), Reason: "not valid UTF-8"}
}

// edited is the error of a change to a note. Where the note that is there is no text, it
// says what is wrong with that.
func (r *request) edited(path string, err error) error {
	if !errors.Is(err, memoir.ErrInvalid) {
		return err
	}
	if hidden := r.readable(path); errors.Is(hidden, memoir.ErrNotFound) {
		return hidden
	}
	if text, failed := r.api.opts.Memory.Note(path); failed == nil {
		if illegible := r.legible(path, text); illegible != nil {
			return illegible
		}
	}
	return err
}

// isMarkdown reports whether a Content-Type is that of Markdown.
func isMarkdown(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "text/markdown"
}

// matches reports whether a list of ETags contains one, or is a star.
func matches(list, tag string) bool {
	if strings.TrimSpace(list) == "*" {
		return true
	}
	for one := range strings.SplitSeq(list, ",") {
		if strings.TrimPrefix(strings.TrimSpace(one), "W/") == tag {
			return true
		}
	}
	return false
}

// expected is the condition under which a request may change a note.
type expected struct {
	match  string // the note has one of these ETags
	absent bool   // the note does not exist
}

func (r *request) expected() (expected, error) {
	// A list may come in several lines.
	match, none := strings.Join(r.Header.Values("If-Match"), ", "), strings.TrimSpace(r.Header.Get("If-None-Match"))
	switch {
	case match != "" && none == "":
		return expected{match: match}, nil
	case match == "" && none == "*":
		return expected{absent: true}, nil
	}
	return expected{}, &problem{
		status: http.StatusPreconditionRequired, code: "precondition", message: "the request does not say what it replaces",
		action: "send If-Match with the ETag that GET gave, or If-None-Match: * for a new note",
	}
}

// check returns an error if a note does not meet the condition.
func (x expected) check(path, text string, exists bool) error {
	p := &problem{status: http.StatusPreconditionFailed, code: "changed", message: path + " has changed since it was read", action: "read it again, and send the change on top of what it holds now"}
	switch {
	case x.absent && exists:
		p.message, p.action = path+" is there already", "read it, and send If-Match with its ETag"
		return p
	case !x.absent && !exists:
		return noNote(path)
	case !x.absent && !matches(x.match, etag(text)):
		return p
	}
	return nil
}

func saveNote(r *request) (any, error) {
	path, err := r.visible(r.PathValue("path"))
	if err != nil {
		return nil, err
	}
	want, err := r.expected()
	if err == nil && want.absent && !r.private() {
		err = &problem{
			status: http.StatusForbidden, code: "permission",
			message: "this token cannot name a new note, because a taken name would reveal a private one",
			action:  "keep the text with POST /v1/remember, or use a token with the permission private",
		}
	}
	if err != nil {
		return nil, err
	}
	in, err := r.noteText(path)
	if err != nil {
		return nil, err
	}
	now, redacted := in.Text, false
	change, err := r.edit("saved", path, want, func(d *engine.Draft, text string, exists bool) error {
		if exists && text == in.Text {
			return nil
		}
		if r.who.name != owner.name { // the owner may save anything; a token saves no secret and no origin above its own
			masked, secrets := engine.MaskNew(text, in.Text)
			kept, line := engine.KeepOrigins(text, masked)
			if line > 0 {
				return invalid("leave the origin out of that comment", "line %d says in the comment above it that it is not an agent's, so nothing was saved", line)
			}
			now, redacted = kept, secrets > 0
			line, err := d.Regained(path, now)
			if err == nil && line > 0 {
				err = invalid("leave it out; the owner of the notes can bring it back", "line %d was forgotten on purpose, so nothing was saved", line)
			}
			if err != nil {
				return err
			}
		}
		return d.Write(path, now)
	})
	if err != nil {
		return nil, err
	}
	tag := etag(now)
	r.w.Header().Set("ETag", tag)
	saved := r.saved(path, tag, change)
	saved.Redacted = redacted
	_, err = r.api.opts.Memory.Get(r.Context(), memoir.DocID(path), 1, 1)
	if skipped := (*memoir.SkipError)(nil); errors.As(err, &skipped) && !skipped.Temporary {
		saved.Skipped = &wire.Skipped{Path: path, Reason: skipped.Reason}
	}
	return saved, nil
}

// noteText reads the text that a request sends for a note.
func (r *request) noteText(path string) (in NoteText, err error) {
	body, err := readBody(r.w, r.Request, "text/markdown", "application/json")
	switch {
	case err != nil:
		return in, err
	case isMarkdown(r.Header.Get("Content-Type")):
		in.Text = string(body)
	default:
		err = read(body, &in)
	}
	if err == nil && (!utf8.ValidString(in.Text) || strings.ContainsRune(in.Text, 0)) {
		err = invalid("send text in UTF-8", "what was sent as %s is not text", path)
	}
	return in, err
}

func removeNote(r *request) (any, error) {
	path, err := r.visible(r.PathValue("path"))
	if err != nil {
		return nil, err
	}
	want, err := r.expected()
	if err == nil && want.absent {
		err = invalid("send If-Match with the ETag of the note", "a note that is not there cannot be deleted")
	}
	if err != nil {
		return nil, err
	}
	change, err := r.edit("removed", path, want, func(d *engine.Draft, _ string, _ bool) error { return d.Remove(path) })
	if err != nil {
		return nil, err
	}
	return r.saved(path, "", change), nil
}

// edit changes a note that the caller may see and that meets the condition. do is given
// what the note holds, and whether it is there.
func (r *request) edit(why, path string, want expected, do func(d *engine.Draft, text string, exists bool) error) (engine.Change, error) {
	if _, file := memoir.ParseName(path); layout.Obeyed(string(file)) && !Owner(r.Context()) {
		return engine.Change{}, invalid("choose another name; the owner of the notes can change this file", "agents take %s for orders, so no token changes it", path)
	}
	change, err := r.api.opts.Memory.Edit(r.Context(), "http", why+" "+path, func(d *engine.Draft) error {
		text, exists, err := d.Read(path)
		if err == nil && !r.private() && entry.HasPrivate(text) {
			err = noNote(path)
		}
		if err == nil {
			err = want.check(path, text, exists)
		}
		if err != nil {
			return err
		}
		return do(d, text, exists)
	})
	if err != nil {
		return change, r.edited(path, err)
	}
	return change, nil
}

// saved reports a change and returns the answer.
func (r *request) saved(path, tag string, change engine.Change) Saved {
	s := Saved{Path: path, ETag: tag}
	if len(change.Edits) > 0 {
		c := wire.NewChange(change)
		s.Change = &c
		r.changed(changeEvent(change))
	}
	return s
}
