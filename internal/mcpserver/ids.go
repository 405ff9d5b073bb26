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

// ids brings the ids of requests through the SDK as they were written. It reads
// every number as a float64 and keeps an int64 of it (MakeID), so that
// 9007199254740993, 1.5 and 1e3 come back as other ids, for which no client
// waits. Such an id is a string to the SDK that nobody else can write.
type ids struct {
	mark []byte // `"id":"` and a number drawn for this conversation
}

func newIDs() *ids { return &ids{[]byte(`"id":"memoir-` + rand.Text() + `-`)} }

// plainNumber are the numbers that the SDK brings back as they were.
var plainNumber = lazyregexp.New(`^(?:0|-?[1-9][0-9]{0,14})$`)

// plain reports whether the SDK brings an id back as it was.
func plain(id json.RawMessage) bool {
	if id[0] == '"' {
		return utf8.Valid(id) && !bytes.Contains(id, []byte(`\u`))
	}
	return string(id) == "null" || plainNumber().Match(id)
}

// hide returns a message in which all ids come through, that of a request and
// the one that a cancellation names. line is a JSON object.
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

// replace puts what stands for an id in its place, if need be.
func (x *ids) replace(object map[string]json.RawMessage, key string) bool {
	id, ok := object[key]
	if !ok || plain(id) {
		return false
	}
	object[key] = fmt.Appendf(nil, "%s%x\"", x.mark[len(`"id":`):], []byte(id))
	return true
}

// show returns an answer with the id of its request.
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
