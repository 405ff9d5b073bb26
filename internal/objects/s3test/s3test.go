// Package s3test is a bucket in memory that speaks the S3 protocol, for tests. It has
// conditional writes and pages, checks signatures, and makes the faults that a test asks
// for.
package s3test

import (
	"cmp"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// These are the keys that the server accepts.
const (
	Bucket = "notes"
	Key    = "AKIDEXAMPLE"
	Secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
)

// A Server is a server with one bucket. Set its fields before the first request.
type Server struct {
	URL string
	// Page is how many objects stand on a page of a listing; 0 is 1000.
	Page int
	// Unconditional makes the server ignore the conditions of writes. Undeleted makes it
	// ignore those of deletions.
	Unconditional, Undeleted bool
	// Fault is called before each request. If it returns true, it has answered the
	// request.
	Fault func(w http.ResponseWriter, r *http.Request) bool
	// Lost is called after each request that was carried out. If it returns true, the
	// answer is lost.
	Lost func(r *http.Request) bool
	// Late is called for each listed object. If it returns true, the listing leaves the
	// object out.
	Late func(name string) bool
	// Now returns the time; nil is [time.Now].
	Now func() time.Time

	mu      sync.Mutex
	objects map[string]object
	counts  map[string]int
}

type object struct {
	data     []byte
	etag     string
	modified time.Time
}

// New starts a server that ends with the test. Where other processes ask the server, its
// fields are set by a function in set, which New calls first.
func New(t testing.TB, set ...func(*Server)) *Server {
	s := &Server{objects: map[string]object{}, counts: map[string]int{}}
	for _, f := range set {
		f(s)
	}
	http := httptest.NewServer(s)
	t.Cleanup(http.Close)
	s.URL = http.URL
	return s
}

// Set writes an object, as somebody else would.
func (s *Server) Set(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(name, []byte(text))
}

func (s *Server) set(name string, data []byte) string {
	sum := md5.Sum(data)
	etag := `"` + hex.EncodeToString(sum[:]) + `"`
	s.objects[name] = object{data, etag, time.Now()}
	return etag
}

// Remove deletes an object, as somebody else would.
func (s *Server) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, name)
}

// Text returns the content of an object, and whether there is one.
func (s *Server) Text(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.objects[name]
	return string(o.data), ok
}

// Names returns the names of all objects, in order.
func (s *Server) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Count returns the number of requests of a kind: LIST, GET, PUT or DELETE.
func (s *Server) Count(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[kind]
}

// ServeHTTP answers as S3 does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Fault != nil && s.Fault(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	now := time.Now()
	if s.Now != nil {
		now = s.Now()
	}
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	if code, text := s.refuses(r, body, now); code != "" {
		fail(w, http.StatusForbidden, code, text)
		return
	}
	path, err := url.PathUnescape(r.URL.EscapedPath())
	name, ok := strings.CutPrefix(path, "/"+Bucket+"/")
	if err != nil || !ok {
		fail(w, http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	recorded := httptest.NewRecorder()
	s.answer(recorded, r, name, body)
	if s.Lost != nil && s.Lost(r) {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), recorded.Header())
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(recorded.Body.Bytes()) // an error means that the client has gone
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, name string, body []byte) {
	o, there := s.objects[name]
	switch {
	case name == "" && r.Method == http.MethodGet:
		s.counts["LIST"]++
		s.list(w, r.URL.Query())
	case r.Method == http.MethodGet && there:
		s.counts["GET"]++
		w.Header().Set("ETag", o.etag)
		_, _ = w.Write(o.data) // this is memory
	case r.Method == http.MethodPut:
		s.counts["PUT"]++
		match, none := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
		switch {
		case s.Unconditional:
		case match != "" && !there:
			fail(w, http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
			return
		case match != "" && match != o.etag, none == "*" && there:
			fail(w, http.StatusPreconditionFailed, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
			return
		}
		w.Header().Set("ETag", s.set(name, body))
	case r.Method == http.MethodDelete:
		s.counts["DELETE"]++
		if match := r.Header.Get("If-Match"); !s.Undeleted && there && match != "" && match != o.etag {
			fail(w, http.StatusPreconditionFailed, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
			return
		}
		delete(s.objects, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		fail(w, http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
	}
}

func (s *Server) list(w http.ResponseWriter, query url.Values) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.objects)) {
		if strings.HasPrefix(name, query.Get("prefix")) && name > query.Get("continuation-token") && (s.Late == nil || !s.Late(name)) {
			names = append(names, name)
		}
	}
	most := cmp.Or(s.Page, 1000)
	truncated := len(names) > most
	names = names[:min(most, len(names))]
	fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>%s</Name><EncodingType>url</EncodingType><IsTruncated>%v</IsTruncated>", Bucket, truncated)
	if truncated {
		fmt.Fprintf(w, "<NextContinuationToken>%s</NextContinuationToken>", escaped(names[len(names)-1]))
	}
	for _, name := range names {
		o := s.objects[name]
		fmt.Fprintf(w, "<Contents><Key>%s</Key><LastModified>%s</LastModified><ETag>&quot;%s&quot;</ETag><Size>%d</Size><StorageClass>STANDARD</StorageClass></Contents>",
			url.QueryEscape(name), o.modified.UTC().Format("2006-01-02T15:04:05.000Z"), strings.Trim(o.etag, `"`), len(o.data))
	}
	fmt.Fprint(w, "</ListBucketResult>")
}

func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
}

// refuses checks the signature of a request and returns why it is wrong. It was written
// from Amazon's description, independently of the code that signs.
func (s *Server) refuses(r *http.Request, body []byte, now time.Time) (code, message string) {
	const scheme = "AWS4-HMAC-SHA256 "
	fields := map[string]string{}
	auth, ok := strings.CutPrefix(r.Header.Get("Authorization"), scheme)
	for part := range strings.SplitSeq(auth, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		fields[name] = value
	}
	scope := strings.Split(fields["Credential"], "/")
	if !ok || len(scope) != 5 || scope[0] != Key {
		return "AccessDenied", "Access Denied"
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || at.Sub(now).Abs() > 15*time.Minute {
		return "RequestTimeTooSkewed", "The difference between the request time and the current time is too large."
	}
	sum := sha256.Sum256(body)
	if r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) {
		return "XAmzContentSHA256Mismatch", "The provided x-amz-content-sha256 header does not match what was computed."
	}
	var lines []string
	for name := range strings.SplitSeq(fields["SignedHeaders"], ";") {
		value := strings.Join(r.Header.Values(name), ",")
		if name == "host" {
			value = r.Host
		}
		lines = append(lines, name+":"+strings.TrimSpace(value))
	}
	query := strings.Split(r.URL.RawQuery, "&")
	slices.Sort(query)
	canonical := strings.Join([]string{r.Method, r.URL.EscapedPath(), strings.Join(query, "&"), strings.Join(lines, "\n"), "", fields["SignedHeaders"], hex.EncodeToString(sum[:])}, "\n")
	whole := sha256.Sum256([]byte(canonical))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), strings.Join(scope[1:], "/"), hex.EncodeToString(whole[:])}, "\n")
	key := []byte("AWS4" + Secret)
	for _, part := range append(scope[1:], text) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	if hex.EncodeToString(key) != fields["Signature"] {
		return "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. " + strconv.Quote(canonical)
	}
	return "", ""
}
