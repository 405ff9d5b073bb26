package mcpserver

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// ids passes the ids of requests through the SDK unchanged. The SDK reads every
// number as a float64 and keeps it as an int64 (MakeID). So 9007199254740993,
// 1.5 and 1e3 would come back as other ids, for which no client waits. ids
// replaces such an id by a string that nobody else can write.
type ids struct {
	mark []byte // `"id":"` and a random number for this conversation
}

func newIDs() *ids { return &ids{[]byte(`"id":"memoir-` + rand.Text() + `-`)} }

// plainNumber matches the numbers that the SDK returns unchanged.
var plainNumber = lazyregexp.New(`^(?:0|-?[1-9][0-9]{0,14})$`)

// plain reports whether the SDK returns an id unchanged.
func plain(id json.RawMessage) bool {
	if id[0] == '"' {
		return utf8.Valid(id) && !bytes.Contains(id, []byte(`\u`))
	}
	return string(id) == "null" || plainNumber().Match(id)
}

// hide replaces the ids in a message that the SDK would change: that of a
// request, and the one that a cancellation names. line is a JSON object.
func (x *ids) hide(line []byte) []byte {
	var message, params map[string]json.RawMessage
	if json.Unmarshal(line, &message) != nil {
		return line
	}
	odd := x.replace(message, "id")
	if string(message["method"]) == `"notifications/cancelled"` && json.Unmarshal(message["params"], &params) == nil && x.replace(params, "requestId") {
		if data, err := json.Marshal(params); err == nil {
			message["params"], odd = data, true
		}
	}
	if !odd {
		return line
	}
	if data, err := json.Marshal(message); err == nil {
		return data
	}
	return line
}

// replace replaces an id if need be, and reports whether it did.
func (x *ids) replace(object map[string]json.RawMessage, key string) bool {
	id, ok := object[key]
	if !ok || plain(id) {
		return false
	}
	object[key] = fmt.Appendf(nil, "%s%x\"", x.mark[len(`"id":`):], []byte(id))
	return true
}

// show returns an answer with the original id of its request.
func (x *ids) show(message []byte) []byte {
	before, rest, found := bytes.Cut(message, x.mark)
	if !found {
		return message
	}
	written, rest, _ := bytes.Cut(rest, []byte{'"'})
	id, err := hex.DecodeString(string(written))
	if err != nil {
		return message
	}
	return bytes.Join([][]byte{before, []byte(`"id":`), id, rest}, nil)
}
