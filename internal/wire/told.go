package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/querylang"
)

// Told is something that is worth knowing, as it is told: a line of remember --jsonl.
type Told struct {
	Text string `json:"text"`           // what is worth knowing
	Type string `json:"type,omitempty"` // one of [judge.Type]; when left out, the text decides
	Pin  bool   `json:"pin,omitempty"`  // into MEMORY.md
	// One of user, agent, tool, web and import; when left out, user. A text that a token tells
	// as user is kept as agent.
	Origin     string `json:"origin,omitempty"`
	Importance int    `json:"importance,omitempty"` // 1 to 5
	At         string `json:"at,omitempty"`         // when it was told, RFC 3339 or a day (2026-03-02, yesterday, 昨天, 昨日); when left out, now
	Key        string `json:"key,omitempty"`        // a name for this text; a second line with it changes nothing
	Replaces   string `json:"replaces,omitempty"`   // id or citation of the entry that it corrects; `none`: it is about something else than all others
	Session    string `json:"session,omitempty"`    // the session that it comes from
	Scope      string `json:"scope,omitempty"`      // user or project; when left out, that which the type belongs to
}

// ReadTold reads what is told from a line of JSON. A name that no field has is an error, so
// that a mistyped one is not passed over.
func ReadTold(line string) (t Told, err error) {
	dec := json.NewDecoder(strings.NewReader(line))
	dec.DisallowUnknownFields()
	err = dec.Decode(&t)
	if err != nil {
		if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return Told{}, invalid("write its fields as "+strings.Join(toldFields(), ", "), "there is no field %.80q", strings.Trim(name, `"`))
		}
	} else if _, end := dec.Token(); end != io.EOF {
		err = memoir.ErrInvalid
	}
	if err != nil {
		return Told{}, invalid(`write each line as {"text": "what is worth knowing"}`, "the line is not a JSON object with a text")
	}
	return t, CheckObject([]byte(line))
}

// toldFields returns the names of the fields of [Told].
func toldFields() (names []string) {
	for field := range reflect.TypeFor[Told]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// Statement returns the statement that the engine is told. A time that cannot be read is
// an error, and so is a memory that there cannot be.
func (t *Told) Statement(dryRun bool) (engine.Statement, error) {
	st := engine.Statement{
		Text: t.Text, Type: t.Type, Pin: t.Pin, Origin: t.Origin, Importance: t.Importance, Key: t.Key, Replaces: t.Replaces, Session: t.Session, Scope: memoir.Scope(t.Scope), DryRun: dryRun,
	}
	if st.Scope != "" && st.Scope != memoir.ScopeUser && st.Scope != memoir.ScopeProject {
		return st, invalid("name user or project, or leave scope out", "there is no memory %q", t.Scope)
	}
	if t.At == "" {
		return st, nil
	}
	at, err := timeOf(t.At, time.Now())
	st.At = at
	return st, err
}

// ahead is how far after now a text may have been told: where it was told may be tomorrow already.
const ahead = 24 * time.Hour

// timeOf reads a time up to now, or a day in the words that queries take, which begins at midnight.
func timeOf(text string, now time.Time) (time.Time, error) {
	at, err := readTime(text, now)
	if err == nil && at.After(now.Add(ahead)) {
		return time.Time{}, memoir.WithHint(fmt.Errorf("%q is still to come, and nothing was told then: %w", text, memoir.ErrInvalid), "leave it out, and say in the text itself which day it is about")
	}
	return at, err
}

func readTime(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	const hint = "write it as 2026-03-02, yesterday or 2026-03-02T10:32:00Z"
	days, ok := querylang.Days(text, now)
	switch {
	case !ok:
		return time.Time{}, memoir.WithHint(fmt.Errorf("%q is no time: %w", text, memoir.ErrInvalid), hint)
	case !days.From.Equal(days.To):
		return time.Time{}, memoir.WithHint(fmt.Errorf("%q is more than one day: %w", text, memoir.ErrInvalid), hint)
	}
	y, m, d := days.From.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, now.Location()), nil
}

// Change is a change of notes that memoir made.
type Change struct {
	Scope  string    `json:"scope,omitempty"`  // user or project, where there are both
	ID     string    `json:"id"`               // as memoir undo takes it
	Time   time.Time `json:"time"`             // of the change
	Who    string    `json:"who"`              // the command or tool
	Why    string    `json:"why"`              // for people, one line
	Undoes string    `json:"undoes,omitempty"` // id of the change that this one takes back
	Paths  []string  `json:"paths"`            // notes that were changed, below the workspace
	Text   string    `json:"text,omitempty"`   // the words of the entry that it added, or else changed or removed, of a long one the beginning and …; absent for several, and for what was forgotten
}

// mostText is how many characters of the entry a change has: a note that was saved may be one
// entry of some megabytes.
const mostText = 1000

// NewChange returns the JSON form of a change. Paths is never nil.
func NewChange(c engine.Change) Change {
	x := Change{Scope: c.Scope, ID: c.ID, Time: c.Time, Who: c.Who, Why: c.Why, Undoes: c.Undoes, Paths: []string{}, Text: Cut(engine.About(c), mostText)}
	for _, e := range c.Edits {
		if !slices.Contains(x.Paths, e.Path) {
			x.Paths = append(x.Paths, e.Path)
		}
	}
	return x
}
