// Package remotetest is the contract of embedding providers that are asked over
// HTTP. It is a suite of tests over real connections on loopback. They check
// what a provider sends, and what it makes of the answers and failures that
// servers are known for. A provider passes in the shapes of its requests and
// answers, recorded as its documentation shows them.
package remotetest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

// Key is the key that a provider under test is opened with.
const Key = "sk-secret-1234"

// Dimensions is the length of the vectors that a provider under test is opened with.
const Dimensions = 3

// A Provider says what the suite has to know about a provider.
type Provider struct {
	// New opens the provider at a server, with [Key], [Dimensions] and a model
	// whose name is nothing special.
	New func(ctx context.Context, server string, opts remote.Options) (memoir.Embedder, error)
	// Path is where requests have to go, Header and Value how they show the key.
	Path, Header, Value string
	// Read returns what a request asks for.
	Read func(body []byte) (Sent, error)
	// Answer returns the answer with these vectors.
	Answer func(vectors []json.RawMessage) any
}

// Sent is what a server was asked.
type Sent struct {
	Texts []string
	Query bool // where the protocol says so
}

// The files in the folder testdata of a provider: what its server answers,
// as its documentation or its users report it.
const (
	fileAnswer     = "answer.json"          // 200, two texts, vectors of three values
	fileBusy       = "rate_limit.json"      // 429
	fileKey        = "unauthorized.json"    // 401
	fileRefused    = "bad_request.json"     // 400, something is wrong with the input
	fileTextLong   = "text_too_long.json"   // 400
	fileBatchLarge = "batch_too_large.json" // 400; without the file the status is 413
)

// Run runs the suite.
func Run(t *testing.T, p Provider) {
	t.Run("Requests", p.testRequests)
	t.Run("RecordedAnswer", p.testRecordedAnswer)
	t.Run("Concurrency", p.testConcurrency)
	t.Run("Retries", p.testRetries)
	t.Run("Answers", p.testAnswers)
	t.Run("Errors", p.testErrors)
	t.Run("PartOfACall", p.testPartOfACall)
	t.Run("BadTexts", p.testBadTexts)
	t.Run("BadSettings", p.testBadSettings)
	t.Run("LongText", p.testLongText)
	t.Run("LargeBatch", p.testLargeBatch)
	t.Run("Silence", p.testSilence)
	t.Run("SlowDrip", p.testSlowDrip)
	t.Run("BrokenConnections", p.testBrokenConnections)
	t.Run("ServerIsOff", p.testServerIsOff)
	t.Run("Cancel", p.testCancel)
}

// answer is how a server answers one request.
type answer func(w http.ResponseWriter, r *http.Request, s Sent)

// server is an endpoint on loopback. It gives its answers in turn, and the last
// one again and again.
type server struct {
	*httptest.Server
	mu   sync.Mutex // a request that was given up may still be served
	sent []Sent
}

func (p Provider) serve(t *testing.T, answers ...answer) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		sent, readErr := p.Read(body)
		if err != nil || readErr != nil || r.Method != http.MethodPost || r.URL.Path != p.Path || r.URL.RawQuery != "" || r.Header.Get(p.Header) != p.Value {
			t.Errorf("%s %s %s %v: %v", r.Method, r.URL, body, readErr, r.Header)
			http.Error(w, "not a request that is documented", http.StatusTeapot)
			return
		}
		s.mu.Lock()
		n := min(len(s.sent), len(answers)-1)
		s.sent = append(s.sent, sent)
		s.mu.Unlock()
		answers[n](w, r, sent)
	}))
	t.Cleanup(s.Close)
	return s
}

// requests returns what the server was asked until now.
func (s *server) requests() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent(nil), s.sent...)
}

// open opens the provider at the server, with short waits unless the options
// say otherwise.
func (p Provider) open(t *testing.T, s *server, opts remote.Options) memoir.Embedder {
	t.Helper()
	remote.SetDefault(&opts.RetryWait, 1)
	e, err := p.New(t.Context(), s.URL, opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ok answers each text with the unit vector of its length.
func (p Provider) ok(w http.ResponseWriter, _ *http.Request, s Sent) {
	var vectors []json.RawMessage
	for _, text := range s.Texts {
		vectors = append(vectors, vector(text))
	}
	if err := json.NewEncoder(w).Encode(p.Answer(vectors)); err != nil {
		panic(err)
	}
}

// vector returns the vector that ok gives a text. The last byte of the text
// decides on which axis it lies, so that a prefix changes nothing.
func vector(text string) json.RawMessage {
	axes := []string{"[1,0,0]", "[0,1,0]", "[0,0,1]"}
	return json.RawMessage(axes[int(text[len(text)-1])%len(axes)])
}

// status answers with a code, a body and headers in pairs.
func status(code int, body string, header ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ Sent) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// recorded reads a file of the provider's testdata.
func recorded(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// quiet fails the test when an error or its hint contains the key.
func quiet(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error()+memoir.Hint(err), Key) {
		t.Errorf("the key stands in %q (%s)", err, memoir.Hint(err))
	}
	if err != nil && len(err.Error()) > 500 {
		t.Errorf("an error of %d bytes: %.100s…", len(err.Error()), err)
	}
}
