package mcpserver

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// maxID is the length of the longest id that is looked for in a message that is refused.
const maxID = 256 // bytes

// asker finds the id of a request in the bytes of its message, of which it holds only a
// little. A message that is refused can be larger than memory, or no JSON. Without the id,
// whoever sent it would wait for an answer for ever. The zero value has read nothing.
type asker struct {
	depth           int // of brackets that are open
	began, ended    bool
	quoted, escaped bool
	behind          bool   // a colon: what comes is a value
	name, token     []byte // of a member of the outermost object, as far as they are held
	id              []byte
	ids             int  // members with that name
	asks, answers   bool // there is a method, or what only answers have
	other           bool // it is no object, or more than one
}

// Write reads a piece of the message. It returns no error.
func (a *asker) Write(piece []byte) (int, error) {
	for _, c := range piece {
		a.read(c)
	}
	return len(piece), nil
}

func (a *asker) read(c byte) {
	outermost := a.depth == 1
	switch {
	case a.quoted:
		switch {
		case a.escaped:
			a.escaped = false
		case c == '\\':
			a.escaped = true
		case c == '"':
			a.quoted = false
		}
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		return
	case !a.began && strings.IndexByte(byteOrderMark, c) >= 0:
		return
	case a.ended || !a.began && c != '{':
		a.other = true
		return
	case c == '"':
		a.quoted = true
	case c == '{' || c == '[':
		a.began = true
		a.depth++
	case c == '}' || c == ']':
		if a.depth--; a.depth == 0 {
			a.member()
			a.ended = true
		}
		return
	case outermost && c == ',':
		a.member()
		return
	case outermost && c == ':' && !a.behind:
		a.behind = true
		return
	}
	held := &a.token
	if !a.behind {
		held = &a.name
	}
	if outermost && len(*held) <= maxID {
		*held = append(*held, c)
	}
}

// member ends a member of the outermost object.
func (a *asker) member() {
	switch name := string(a.name); {
	case strings.EqualFold(name, `"id"`): // as the decoders of JSON compare names
		a.ids++
		a.id = bytes.Clone(a.token)
	case name == `"method"`:
		a.asks = true
	case name == `"result"` || name == `"error"`:
		a.answers = true
	}
	a.behind, a.name, a.token = false, a.name[:0], a.token[:0]
}

// asked returns the id of the request that was read whole, as it stands there, or nil when
// the message has none, or may be something else.
func (a *asker) asked() json.RawMessage {
	var id any
	if !a.ended || a.other || a.ids != 1 || !a.asks || a.answers || len(a.id) > maxID || !utf8.Valid(a.id) || json.Unmarshal(a.id, &id) != nil {
		return nil
	}
	switch id.(type) {
	case string, float64:
		return a.id
	}
	return nil
}
