package mcpserver

import (
	"encoding/json"
	"testing"
)

// FuzzAsker: of a message that is JSON the id is the one that a decoder finds, however the
// message is cut, and it is that of a request.
func FuzzAsker(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":7,"method":"a","params":{"id":1}}`, 20)
	f.Add(` {"method":"\"id\":1","params":[{"id":2},"}"],"id" : "a\\" } `, 3)
	f.Add(`{"id":1}{"id":2,"method":"x"}`, 0)
	f.Add(`{"method":,"id"::1e3,"]":}`, 9)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var whole, pieces asker
		_, _ = whole.Write([]byte(text)) // which returns no error
		cut = max(0, min(len(text), cut))
		_, _ = pieces.Write([]byte(text[:cut]))
		_, _ = pieces.Write([]byte(text[cut:]))
		id := whole.asked()
		if string(pieces.asked()) != string(id) {
			t.Errorf("%q: %s whole, %s when it is cut at %d", text, id, pieces.asked(), cut)
		}
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &members) != nil || id == nil {
			return
		}
		var one struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(text), &one); err != nil || string(one.ID) != string(id) || members["method"] == nil || members["result"] != nil {
			t.Errorf("%q: got %s, want %s", text, id, one.ID)
		}
	})
}
