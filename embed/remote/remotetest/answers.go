package remotetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

func (p Provider) testRequests(t *testing.T) {
	s := p.serve(t, p.ok)
	e := p.open(t, s, remote.Options{})
	if got := e.Space().Dimensions; got != Dimensions {
		t.Errorf("the space has %d dimensions, want %d", got, Dimensions)
	}
	texts := []string{"a", " \n", "日记 🎉", "line\r\nline"}
	got, err := e.Embed(t.Context(), memoir.TaskDocument, texts)
	if err != nil || len(got) != len(texts) || got[1] != nil {
		t.Fatalf("got %v, %v", got, err)
	}
	for i, text := range texts {
		if want := fmt.Sprint(strings.ReplaceAll(string(vector(text)), ",", " ")); got[i] != nil && fmt.Sprint(got[i]) != want {
			t.Errorf("%q: got %v, want %s", text, got[i], want)
		}
	}
	if _, err := e.Embed(t.Context(), memoir.TaskQuery, []string{"q"}); err != nil {
		t.Fatal(err)
	}
	sent := s.requests()
	if len(sent) != 2 || len(sent[0].Texts) != 3 || !strings.HasSuffix(sent[0].Texts[1], "日记 🎉") || sent[0].Query {
		t.Errorf("sent %+v, want the documents in one request and the query in another", sent)
	}
	for _, texts := range [][]string{nil, {"", "  "}} {
		if got, err := e.Embed(t.Context(), memoir.TaskDocument, texts); err != nil || len(got) != len(texts) || len(s.requests()) != 2 {
			t.Errorf("%q: got %v, %v and %d requests", texts, got, err, len(s.requests()))
		}
	}
}

func (p Provider) testRecordedAnswer(t *testing.T) {
	s := p.serve(t, status(http.StatusOK, recorded(t, fileAnswer)))
	got, err := p.open(t, s, remote.Options{}).Embed(t.Context(), memoir.TaskDocument, []string{"a", "b"})
	if err != nil || len(got) != 2 || len(got[0]) != Dimensions || len(got[1]) != Dimensions || slices.Equal(got[0], got[1]) {
		t.Errorf("got %v, %v, want two vectors", got, err)
	}
}

// Neither request is answered before both are under way.
func (p Provider) testConcurrency(t *testing.T) {
	meet := make(chan struct{})
	s := p.serve(t, func(w http.ResponseWriter, r *http.Request, sent Sent) {
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-r.Context().Done():
			return
		}
		p.ok(w, r, sent)
	})
	got, err := p.open(t, s, remote.Options{Concurrency: 2}).Embed(t.Context(), memoir.TaskDocument, slices.Repeat([]string{"text"}, 64))
	if err != nil || slices.ContainsFunc(got, func(v []float32) bool { return v == nil }) {
		t.Errorf("got %v, %v", got, err)
	}
}

// testAnswers is about answers that cannot be used. The same request would get
// the same answer again.
func (p Provider) testAnswers(t *testing.T) {
	raw := func(vectors ...string) string {
		var list []json.RawMessage
		for _, v := range vectors {
			list = append(list, json.RawMessage(v))
		}
		// JSON has no NaN, so it replaces a value after encoding.
		for i, v := range list {
			list[i] = json.RawMessage(strings.ReplaceAll(string(v), "NaN", "12345"))
		}
		data, err := json.Marshal(p.Answer(list))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if strings.Contains(strings.Join(vectors, ""), "NaN") {
			text = strings.ReplaceAll(text, "12345", "NaN")
		}
		return text
	}
	good := "[1,0,0]"
	for _, tt := range []struct{ name, body, want string }{
		{"empty", "", "not the expected JSON"},
		{"truncated", raw(good, good)[:20], "not the expected JSON"},
		{"a web page", "<html>", "not the expected JSON"},
		{"nothing", "{}", "0 vectors for 2 texts"},
		{"too few", raw(good), "1 vector for 2 texts"},
		{"too many", raw(good, good, good), "3 vectors for 2 texts"},
		{"other dimensions", raw("[1,0]", good), "vector 0: 2 dimensions, not 3"},
		{"no dimensions", raw(good, "[]"), "vector 1: 0 dimensions"},
		{"null for a value", raw("[1,null,0]", good), "vector 0: value 1: "},
		{"null for a vector", raw(good, "null"), "vector 1: "},
		{"NaN", raw("[1,NaN,0]", good), "not the expected JSON"},
		{"beyond float32", raw("[1e39,0,0]", good), "vector 0: "},
		{"a string", raw(`"AAAA"`, good), "vector 0: "},
		{"an error with status 200", `{"error":{"message":"no such model ` + Key + `","code":404}}`, "no such model"},
		{"without end", `{"data":[` + strings.Repeat(" ", 2<<20), "more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := p.serve(t, status(http.StatusOK, tt.body))
			_, err := p.open(t, s, remote.Options{}).Embed(t.Context(), memoir.TaskDocument, []string{"a", "b"})
			if n := len(s.requests()); n != 1 {
				t.Errorf("got %d requests, want 1: what is wrong once stays wrong", n)
			}
			if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want …%s…", err, tt.want)
			}
			quiet(t, err)
		})
	}
}

func (p Provider) testBadTexts(t *testing.T) {
	refused := recorded(t, fileRefused)
	s := p.serve(t, func(w http.ResponseWriter, r *http.Request, sent Sent) {
		for _, text := range sent.Texts {
			if strings.Contains(text, "bad") {
				status(http.StatusBadRequest, refused)(w, r, sent)
				return
			}
		}
		p.ok(w, r, sent)
	})
	e := p.open(t, s, remote.Options{})
	texts := []string{"bad 1", "bad 2", "c", "d", "e", "f", "g", "bad 3"}
	got, err := e.Embed(t.Context(), memoir.TaskDocument, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if bad := strings.HasPrefix(text, "bad"); bad != (got[i] == nil) {
			t.Errorf("%q: got %v", text, got[i])
		}
	}
	if got, err := e.Embed(t.Context(), memoir.TaskDocument, []string{"bad"}); err != nil || got[0] != nil {
		t.Errorf("a bad document alone: got %v, %v, want no vector and no error", got, err)
	}
	if _, err := e.Embed(t.Context(), memoir.TaskQuery, []string{"bad"}); err == nil || !strings.Contains(err.Error(), "400 Bad Request: ") {
		t.Errorf("a bad query: got %v", err)
	}
}

// A setting that is refused with every text is not blamed on them.
func (p Provider) testBadSettings(t *testing.T) {
	s := p.serve(t, status(http.StatusBadRequest, recorded(t, fileRefused)))
	_, err := p.open(t, s, remote.Options{}).Embed(t.Context(), memoir.TaskDocument, []string{"a", "b", "c", "d"})
	if n := len(s.requests()); !errors.Is(err, memoir.ErrUnavailable) || n != 2 {
		t.Errorf("got %v after %d requests, want an error after 2", err, n)
	}
	quiet(t, err)
}

// A text that the model cannot read whole is cut, and the others are not.
func (p Provider) testLongText(t *testing.T) {
	tooLong := recorded(t, fileTextLong)
	s := p.serve(t, func(w http.ResponseWriter, r *http.Request, sent Sent) {
		for _, text := range sent.Texts {
			if len(text) > 1000 {
				status(http.StatusBadRequest, tooLong)(w, r, sent)
				return
			}
		}
		p.ok(w, r, sent)
	})
	e := p.open(t, s, remote.Options{})
	for _, task := range []memoir.Task{memoir.TaskDocument, memoir.TaskQuery} {
		got, err := e.Embed(t.Context(), task, []string{"short", strings.Repeat("长", 2000), "short"})
		if err != nil || slices.ContainsFunc(got, func(v []float32) bool { return v == nil }) {
			t.Errorf("task %d: got %v, %v, want three vectors", task, got, err)
		}
	}
	for _, sent := range s.requests() {
		for _, text := range sent.Texts {
			if strings.ContainsRune(text, '\ufffd') {
				t.Errorf("a text was cut within a character: %.40q", text)
			}
		}
	}
}

// A batch that is too large is halved, and later batches are not so large
// again.
func (p Provider) testLargeBatch(t *testing.T) {
	tooLarge := status(http.StatusRequestEntityTooLarge, "")
	if _, err := os.Stat(filepath.Join("testdata", fileBatchLarge)); err == nil {
		tooLarge = status(http.StatusBadRequest, recorded(t, fileBatchLarge))
	}
	const most = 10
	s := p.serve(t, func(w http.ResponseWriter, r *http.Request, sent Sent) {
		if len(sent.Texts) > most {
			tooLarge(w, r, sent)
			return
		}
		p.ok(w, r, sent)
	})
	e := p.open(t, s, remote.Options{Concurrency: 1})
	texts := slices.Repeat([]string{"text"}, 30)
	for round := range 2 {
		before := len(s.requests())
		got, err := e.Embed(t.Context(), memoir.TaskDocument, texts)
		if err != nil || slices.ContainsFunc(got, func(v []float32) bool { return v == nil }) {
			t.Fatalf("got %v, %v", got, err)
		}
		refused := 0
		for _, sent := range s.requests()[before:] {
			if len(sent.Texts) > most {
				refused++
			}
			if len(sent.Texts) == 1 {
				t.Errorf("a single text was sent, as if it were to blame")
			}
		}
		if wrong := round == 1 && refused > 0 || refused > int(math.Log2(30)); wrong {
			t.Errorf("round %d: %d requests were too large", round, refused)
		}
	}
}
