package chat_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/internal/chat"
)

func TestAsk(t *testing.T) {
	for name, test := range map[string]struct {
		status       int
		body, answer string
		tokens       int
		unavailable  bool
	}{
		"answered":      {200, `{"choices":[{"message":{"role":"assistant","content":"well"}}],"usage":{"total_tokens":31}}`, "well", 31, false},
		"without usage": {200, `{"choices":[{"message":{"content":"well"}}]}`, "well", 0, false},
		"minus":         {200, `{"choices":[{"message":{"content":"well"}}],"usage":{"total_tokens":-9}}`, "well", 0, false},
		"no answer":     {200, `{"choices":[]}`, "", 0, true},
		"no JSON":       {200, `<html>`, "", 0, true},
		"no right":      {401, `{"error":{"message":"key"}}`, "", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			var sent struct {
				Model    string
				Messages []struct{ Role, Content string }
				Max      int `json:"max_tokens"`
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer k" || json.NewDecoder(r.Body).Decode(&sent) != nil {
					t.Errorf("%s %v", r.URL, r.Header)
				}
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}))
			defer s.Close()
			c, err := chat.New(chat.Options{Settings: "summaries", BaseURL: s.URL + "/v1", APIKey: "k", Model: "m", Options: remote.Options{RetryWait: 1}})
			if err != nil {
				t.Fatal(err)
			}
			answer, tokens, err := c.Ask(t.Context(), "be brief", "a text", 77)
			if answer != test.answer || tokens != test.tokens || errors.Is(err, memoir.ErrUnavailable) != test.unavailable || (err == nil) == test.unavailable {
				t.Errorf("got %q, %d, %v", answer, tokens, err)
			}
			if sent.Model != "m" || sent.Max != 77 || len(sent.Messages) != 2 || sent.Messages[0].Role != "system" || sent.Messages[0].Content != "be brief" || sent.Messages[1].Content != "a text" {
				t.Errorf("sent %+v", sent)
			}
		})
	}
}
