package mcpserver

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"unicode/utf8"
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
var plainNumber = regexp.MustCompile(`^(?:0|-?[1-9][0-9]{0,14})$`)

// plain reports whether the SDK brings an id back as it was.
func plain(id json.RawMessage) bool {
	if len(id) == 0 || id[0] == '"' {
		return utf8.Valid(id) && !bytes.Contains(id, []byte(`\u`))
	}
	return string(id) == "null" || plainNumber.Match(id)
}

// hide returns a message in which all ids come through, that of a request and
// the one that a cancellation names. line is valid JSON.
func (x *ids) hide(line []byte) []byte {
	var known struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	// What does not fit has no such id.
	_ = json.Unmarshal(line, &known)
	if !plain(known.ID) {
		line = x.replace(line, "id", known.ID)
	}
	if !plain(known.Params.RequestID) {
		var message map[string]json.RawMessage
		if json.Unmarshal(line, &message) == nil {
			line = replaceIn(line, "params", x.replace(message["params"], "requestId", known.Params.RequestID))
		}
	}
	return line
}

// replace puts what stands for an id in its place.
func (x *ids) replace(object []byte, key string, id json.RawMessage) []byte {
	return replaceIn(object, key, append(append(x.mark[len(`"id":`):len(x.mark):len(x.mark)], hex.EncodeToString(id)...), '"'))
}

// replaceIn returns an object with another value of a key that it has.
func replaceIn(object []byte, key string, value []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields[key] == nil {
		return object
	}
	fields[key] = value
	out, err := json.Marshal(fields)
	if err != nil {
		return object
	}
	return out
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
