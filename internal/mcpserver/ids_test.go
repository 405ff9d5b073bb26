package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/mcpserver"
)

// oddIDs are ids of requests as clients may write them.
var oddIDs = []string{
	"0", "1", "-1", "-0", "2147483648", "999999999999999", "9007199254740991", "9007199254740993", "-9007199254740993", "9223372036854775807", "18446744073709551616",
	"123456789012345678901234567890", "1.5", "1.0", "-2.25", "1e3", "1E3", "1e300", `"1e3"`, `"1"`, `"9007199254740993"`, `"é\u00e9 <&>"`, `"\ud800"`, `""`, `" "`,
}

// The id of a request comes back as it was written, whatever number it is.
func TestIDsComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, answering())
		c.send(initialize)
		c.receive()
		for _, id := range oddIDs {
			c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
			var answer struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(c.receive()), &answer); err != nil {
				t.Fatal(err)
			}
			if got := string(answer.ID); got != id && !sameString(got, id) {
				t.Errorf("id %s came back as %s", id, got)
			}
			if strings.Contains(id, "9") {
				c.send(`{"params":{"name":"memory_search","arguments":{"query":"\"id\":\"memoir- 9007199254740993"}},"method":"tools/call","id":` + id + `,"jsonrpc":"2.0"}`)
				if got := c.receive(); !strings.Contains(got, `"id":`+id+`,`) {
					t.Errorf("id %s of a call came back in %.200s", id, got)
				}
			}
		}
		c.in.Close()
		c.ended()
	})
}

// What can be no id is refused at once, and so is a request with the id null: nobody waits
// for an answer in vain. A notification may say null.
func TestNoIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, answering())
		c.send(initialize)
		c.receive()
		c.send(`{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`)
		for _, id := range []string{"null", "true", "[]", "[1]", "{}", `{"a":1}`, "1E400"} {
			c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"}`)
			if got := c.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`) {
				t.Errorf("id %s: got %.200s", id, got)
			}
		}
		c.send(`{"jsonrpc":"2.0","id":"in the end","method":"ping"}`)
		if got := c.receive(); !strings.Contains(got, `"id":"in the end","result":`) {
			t.Errorf("got %.200s", got)
		}
		c.in.Close()
		c.ended()
	})
}

// Some clients of Windows begin with a byte order mark, and their first request is answered
// all the same.
func TestByteOrderMark(t *testing.T) {
	for _, params := range []string{"", strings.Repeat("x", 5<<20)} {
		synctest.Test(t, func(t *testing.T) {
			c := start(t, answering())
			c.send("\ufeff" + strings.Replace(initialize, `"params":{`, `"params":{"x":"`+params+`",`, 1))
			if got := c.receive(); !strings.Contains(got, `"id":0,`) {
				t.Errorf("got %.200s", got)
			}
			c.in.Close()
			c.ended()
		})
	}
}

// sameString reports whether two strings of JSON are the same, however they are escaped.
func sameString(a, b string) bool {
	var x, y string
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && x == y
}

// A request with such an id can be cancelled by it.
func TestCancelByOddID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancelled := make(chan error, 1)
		c := start(t, &fake{search: func(ctx context.Context, _ memoir.Query) (memoir.Results, error) {
			<-ctx.Done()
			cancelled <- ctx.Err()
			return memoir.Results{}, ctx.Err()
		}})
		c.send(initialize)
		c.receive()
		c.send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"tea"}}}`)
		synctest.Wait()
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993,"reason":"tired"}}`)
		if err := <-cancelled; err == nil {
			t.Error("the call was not cancelled")
		}
		synctest.Wait()
		c.in.Close()
		c.ended() // without an answer, as the protocol wants it of a cancelled call
	})
}

// What makes this necessary: the SDK changes such an id by itself. When this
// fails, ids.go is not needed any more.
func TestSDKChangesIDs(t *testing.T) {
	message, err := jsonrpc.DecodeMessage([]byte(`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := jsonrpc.EncodeMessage(message); err != nil || strings.Contains(string(data), "9007199254740993") {
		t.Errorf("the id is as it was: %s, %v", data, err)
	}
}

// Where folders are set apart by backslashes an agent may write them.
func TestBackslashes(t *testing.T) {
	var asked []string
	reader := &fake{
		search: func(_ context.Context, q memoir.Query) (memoir.Results, error) {
			asked = append(asked, "search "+q.Path)
			return memoir.Results{}, nil
		},
		get: func(_ context.Context, id memoir.DocID, from, _ int) (memoir.Excerpt, error) {
			asked = append(asked, "get "+string(id))
			if strings.Contains(string(id), "#") {
				return memoir.Excerpt{}, memoir.ErrNotFound
			}
			return memoir.Excerpt{ID: id}, nil
		},
	}
	for _, tt := range []struct {
		separator rune
		want      string
	}{
		{'\\', "get memory/2026-03-02.md; search .\\memory\\projects\\; get memory/a.md#L3; get memory/a.md; get memory/a.md"},
		{'/', `get memory\2026-03-02.md; search .\memory\projects\; get memory\a.md#L3; get memory\a.md; get memory/a.md`},
	} {
		asked = nil
		client := connectTo(t, mcpserver.New(reader, mcpserver.Options{Separator: tt.separator}))
		call(t, client, "memory_get", `{"path":"memory\\2026-03-02.md"}`)
		call(t, client, "memory_search", `{"query":"x","path":".\\memory\\projects\\"}`)
		call(t, client, "memory_get", `{"path":"memory\\a.md#L3"}`)
		call(t, client, "memory_get", `{"path":"memory/a.md"}`)
		if got := strings.Join(asked, "; "); got != tt.want {
			t.Errorf("separator %q: got %s, want %s", tt.separator, got, tt.want)
		}
	}
}
