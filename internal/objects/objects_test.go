package objects

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/objects/s3test"
)

// open returns the bucket of a server, or the part of it below a folder.
func open(t *testing.T, s *s3test.Server, folder string) *Bucket {
	t.Helper()
	b, err := Open(Options{URL: "s3://" + s3test.Bucket + "/" + folder, Endpoint: s.URL, Key: s3test.Key, Secret: s3test.Secret, Timeout: 5 * time.Second, Wait: 1})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func list(t *testing.T, b *Bucket) (names []string) {
	t.Helper()
	for o, err := range b.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprintf("%s %d", o.Name, o.Size))
	}
	return names
}

// TestList: names of every kind come back as they were given, over many pages, and names
// of other folders do not.
func TestList(t *testing.T) {
	s := s3test.New(t)
	s.Page = 2
	s.Set("team-b/x.md", "another's")
	want := []string{"a b+c&d.md 1", "a%20b.md 1", "e<f>\"g'.md 1", "memory/2026-01-02.md 1", "日本語/ノート.md 1"}
	b := open(t, s, "team")
	for _, line := range want {
		name := strings.TrimSuffix(line, " 1")
		if _, err := b.Put(t.Context(), name, []byte("x"), ""); err != nil {
			t.Fatal(err)
		}
		if text, ok := s.Text("team/" + name); !ok || text != "x" {
			t.Fatalf("%s: the server has %q, %v", name, text, ok)
		}
		if data, _, err := b.Get(t.Context(), name, 10); err != nil || string(data) != "x" {
			t.Fatalf("%s: got %q, %v", name, data, err)
		}
	}
	if diff := cmp.Diff(want, list(t, b)); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
	if n := s.Count("LIST"); n != 3 {
		t.Errorf("five objects on pages of two were listed by %d requests", n)
	}
}

func TestConditions(t *testing.T) {
	s := s3test.New(t)
	b, ctx := open(t, s, ""), t.Context()
	first, err := b.Put(ctx, "a.md", []byte("one"), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(ctx, "a.md", []byte("two"), ""); !errors.Is(err, ErrChanged) {
		t.Errorf("made anew what is there: %v", err)
	}
	second, err := b.Put(ctx, "a.md", []byte("two"), first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(ctx, "a.md", []byte("three"), first); !errors.Is(err, ErrChanged) {
		t.Errorf("overwrote what another one wrote: %v", err)
	}
	if err := b.Delete(ctx, "a.md", first); !errors.Is(err, ErrChanged) {
		t.Errorf("deleted what another one wrote: %v", err)
	}
	if err := b.Delete(ctx, "a.md", second); err != nil {
		t.Error(err)
	}
	if err := b.Delete(ctx, "a.md", second); err != nil {
		t.Errorf("deleted again: %v", err)
	}
	if _, err := b.Put(ctx, "a.md", []byte("three"), second); !errors.Is(err, ErrChanged) {
		t.Errorf("wrote to what is gone: %v", err)
	}
	if _, _, err := b.Get(ctx, "a.md", 10); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("read what is gone: %v", err)
	}
}

// TestLostAnswer: a lost answer neither doubles a write nor makes us take another
// machine's write for our own.
func TestLostAnswer(t *testing.T) {
	for _, meanwhile := range []bool{false, true} {
		s := s3test.New(t)
		b := open(t, s, "")
		lose := true
		s.Lost = func(r *http.Request) bool {
			defer func() { lose = false }()
			return lose && r.Method == http.MethodPut
		}
		if meanwhile { // the first attempt does not arrive, and another machine is faster
			s.Lost = nil
			s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
				if lose {
					lose = false
					s.Set("a.md", "theirs")
					panic(http.ErrAbortHandler)
				}
				return false
			}
		}
		etag, err := b.Put(t.Context(), "a.md", []byte("ours"), "")
		if meanwhile != errors.Is(err, ErrChanged) || meanwhile != (etag == "") {
			t.Errorf("meanwhile %v: got %q, %v", meanwhile, etag, err)
		}
		if text, _ := s.Text("a.md"); meanwhile != (text == "theirs") {
			t.Errorf("meanwhile %v: the object holds %q", meanwhile, text)
		}
	}
}

func TestConditional(t *testing.T) {
	for _, test := range []struct{ unconditional, undeleted, deletes, bad bool }{
		{false, false, true, false}, {false, true, false, false}, {true, true, false, true},
	} {
		s := s3test.New(t)
		s.Unconditional, s.Undeleted = test.unconditional, test.undeleted
		deletes, err := open(t, s, "").Conditional(t.Context())
		if deletes != test.deletes || errors.Is(err, memoir.ErrInvalid) != test.bad || !test.bad && err != nil {
			t.Errorf("%+v: got %v, %v", test, deletes, err)
		}
		if names := s.Names(); len(names) > 0 {
			t.Errorf("%+v: left %v", test, names)
		}
	}
}

func TestRetries(t *testing.T) {
	s := s3test.New(t)
	b := open(t, s, "")
	s.Set("a.md", "text")
	n := 0
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if n++; n > 2 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, "<Error><Code>SlowDown</Code></Error>")
		return true
	}
	if data, _, err := b.Get(t.Context(), "a.md", 10); err != nil || string(data) != "text" || n != 3 {
		t.Errorf("got %q after %d requests: %v", data, n, err)
	}
	n = -1000
	_, _, err := b.Get(t.Context(), "a.md", 10)
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "503 SlowDown") || n != -1000+attempts {
		t.Errorf("after %d requests: %v", n+1000, err)
	}
}

// TestClock: the clock of the server counts.
func TestClock(t *testing.T) {
	for _, hours := range []time.Duration{-30, 3} {
		s := s3test.New(t)
		s.Now = func() time.Time { return time.Now().Add(hours * time.Hour) }
		b := open(t, s, "")
		for range 2 {
			if names := list(t, b); names != nil {
				t.Errorf("listed %v", names)
			}
		}
	}
}

func TestHostileAnswers(t *testing.T) {
	elsewhere := s3test.New(t)
	page := func(inside string) string { return "<ListBucketResult>" + inside + "</ListBucketResult>" }
	for _, test := range []struct {
		name   string
		status int
		header string
		body   string
		want   string
	}{
		{"redirect", 307, elsewhere.URL, "", "somewhere else"},
		{"no XML", 200, "", "hello", "no listing"},
		{"HTML", 200, "", "<html><body>log in</body></html>", "no listing"},
		{"empty", 200, "", "", "no listing"},
		{"cut short", 200, "", "<ListBucketResult><Contents><Key>a</Key>", "well-formed"},
		{"no end", 200, "", page("<IsTruncated>true</IsTruncated>"), "a page is missing"},
		{"no ETag", 200, "", page("<Contents><Key>a</Key><Size>1</Size></Contents>"), "no ETag"},
		{"size", 200, "", page("<Contents><Key>a</Key><ETag>x</ETag><Size>-1</Size></Contents>"), "is not the size"},
		{"not UTF-8", 200, "", page("<EncodingType>url</EncodingType><Contents><Key>%ff</Key><ETag>x</ETag><Size>1</Size></Contents>"), "cannot be read"},
		{"another folder", 200, "", page("<Contents><Key>b/a</Key><ETag>x</ETag><Size>1</Size></Contents>"), "not asked for"},
		{"circle", 200, "", page("<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"), "circle"},
		{"deep", 200, "", strings.Repeat("<a>", 100), "well-formed"},
		{"denied", 403, "", "<Error><Code>AccessDenied</Code><Message>no\x1b[2J " + s3test.Secret + "</Message></Error>", "403 AccessDenied: no [2J [key]"},
		{"no bucket", 404, "", "<Error><Code>NoSuchBucket</Code></Error>", "NoSuchBucket"},
	} {
		s := s3test.New(t)
		s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Location", test.header)
			w.WriteHeader(test.status)
			fmt.Fprint(w, test.body)
			return true
		}
		var err error
		for _, err = range open(t, s, "team").List(t.Context()) {
			if err != nil {
				break
			}
		}
		if err == nil || !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error()+memoir.Hint(err), test.want) || memoir.Hint(err) == "" {
			t.Errorf("%s: %v (%s)", test.name, err, memoir.Hint(err))
		}
	}
	if n := elsewhere.Count("LIST"); n > 0 {
		t.Error("a redirect was followed")
	}
}

// TestBrokenObjects: an object that is larger than announced is not read, and neither is
// one that breaks off.
func TestBrokenObjects(t *testing.T) {
	s := s3test.New(t)
	b := open(t, s, "")
	s.Set("a.md", "more than ten bytes")
	if _, _, err := b.Get(t.Context(), "a.md", 10); !errors.Is(err, ErrLarge) {
		t.Error(err)
	}
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Length", "100")
		w.Header().Set("ETag", "x")
		fmt.Fprint(w, "half")
		return true
	}
	if data, _, err := b.Get(t.Context(), "a.md", 1000); !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("read %q of a half object: %v", data, err)
	}
}

// TestDeadlines: a server that says nothing is given up at the deadline, and earlier if
// the caller ends.
func TestDeadlines(t *testing.T) {
	s := s3test.New(t)
	end := make(chan struct{})
	defer close(end)
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		select {
		case <-end:
		case <-r.Context().Done():
		}
		return true
	}
	b := open(t, s, "")
	b.opts.Timeout = time.Millisecond
	if _, _, err := b.Get(t.Context(), "a.md", 10); !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "no answer within") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := b.Get(ctx, "a.md", 10); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOpen(t *testing.T) {
	for _, test := range []struct {
		opts Options
		ok   bool
	}{
		{Options{URL: "s3://notes"}, true},
		{Options{URL: "s3://my.notes/a/b/"}, true},
		{Options{URL: "s3://no"}, false},
		{Options{URL: "s3://Notes"}, false},
		{Options{URL: "s3://notes/../a"}, false},
		{Options{URL: "s3://no@evil"}, false},
		{Options{URL: "s3://notes?x"}, false},
		{Options{URL: "https://notes"}, false},
		{Options{URL: "s3://notes", Key: "k"}, false},
		{Options{URL: "s3://notes", Key: "k\n", Secret: "s"}, false},
		{Options{URL: "s3://notes", Region: "eu.evil.example/"}, false},
		{Options{URL: "s3://notes", Endpoint: "ftp://host"}, false},
		{Options{URL: "s3://notes", Endpoint: "https://me:pw@host"}, false},
		{Options{URL: "s3://notes", Endpoint: "https://host/?x"}, false},
	} {
		_, err := Open(test.opts)
		if (err == nil) != test.ok || err != nil && (!errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "") {
			t.Errorf("%+v: %v", test.opts, err)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%v tells a password", err)
		}
	}
}

// TestSignature checks the example of a listing in Amazon's description of signatures
// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
func TestSignature(t *testing.T) {
	b, err := Open(Options{URL: "s3://examplebucket", Key: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodGet, "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", nil)
	if err != nil {
		t.Fatal(err)
	}
	b.sign(req, nil, time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC))
	const want = "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
	if got := req.Header.Get("Authorization"); !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzPage(f *testing.F) {
	f.Add([]byte("<?xml version=\"1.0\"?><!-- c --><ListBucketResult><Contents><Key>a&amp;b&#x41;</Key><ETag>&quot;x&quot;</ETag><Size>3</Size></Contents></ListBucketResult>"))
	f.Add([]byte("<a/><b></b>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := parsePage(body)
		for _, o := range p.objects {
			if err != nil || o.Name == "" || o.ETag == "" || o.Size < 0 {
				t.Errorf("%+v, %v", o, err)
			}
		}
		parseError(body)
	})
}

// TestClockSet: when the clock is set while the program runs, all requests under way
// notice it.
func TestClockSet(t *testing.T) {
	s := s3test.New(t)
	var ahead atomic.Int64
	s.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	b := open(t, s, "")
	for _, hours := range []time.Duration{3, 0, -5} {
		ahead.Store(int64(hours * time.Hour))
		var all errgroup.Group
		for range 8 {
			all.Go(func() error {
				for _, err := range b.List(t.Context()) {
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := all.Wait(); err != nil {
			t.Errorf("%d hours: %v", hours, err)
		}
	}
}

// TestETags: an ETag is the same whether or not a server quotes it or marks it as weak.
func TestETags(t *testing.T) {
	for _, as := range []string{"%s", `"%s"`, `W/"%s"`} {
		const sum = "8b1a9953c4611296a827abf8c47804d7"
		s := s3test.New(t)
		s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Has("list-type") {
				fmt.Fprintf(w, "<ListBucketResult\n xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Contents><Key>a</Key><ETag>%s</ETag><Size>5</Size></Contents></ListBucketResult>", html.EscapeString(fmt.Sprintf(as, sum)))
				return true
			}
			w.Header().Set("ETag", `"`+sum+`"`)
			fmt.Fprint(w, "Hello")
			return true
		}
		b := open(t, s, "")
		_, etag, err := b.Get(t.Context(), "a", 10)
		if err != nil {
			t.Fatal(err)
		}
		for o, err := range b.List(t.Context()) {
			if err != nil || o.ETag != etag {
				t.Errorf("%s: listed %s, read %s, %v", as, o.ETag, etag, err)
			}
		}
	}
}

// TestOvertaken: a write without an answer counts as written, even if somebody else has
// added to the object since.
func TestOvertaken(t *testing.T) {
	s := s3test.New(t)
	b := open(t, s, "")
	first, err := b.Put(t.Context(), "log", []byte("one\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	var lost atomic.Bool
	s.Lost = func(r *http.Request) bool { return !lost.Swap(true) && r.Method == http.MethodPut }
	s.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
		if lost.Load() && r.Method == http.MethodPut { // the second attempt comes after another machine's write
			if text, _ := s.Text("log"); text == "one\ntwo\n" {
				s.Set("log", "one\ntwo\nthree\n")
			}
		}
		return false
	}
	if etag, err := b.Put(t.Context(), "log", []byte("one\ntwo\n"), first); err != nil || etag != "" {
		t.Errorf("got %q, %v; want no ETag and no error", etag, err)
	}
	if text, _ := s.Text("log"); text != "one\ntwo\nthree\n" {
		t.Errorf("the object holds %q", text)
	}
}

// TestNoContent: an answer without content is not that of an object.
func TestNoContent(t *testing.T) {
	s := s3test.New(t)
	s.Fault = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("ETag", `"x"`)
		w.WriteHeader(http.StatusNoContent)
		return true
	}
	if data, _, err := open(t, s, "").Get(t.Context(), "a.md", 10); !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("read %q: %v", data, err)
	}
}

// TestEndlessPages: a listing without an end is given up, even if each page has a new
// token.
func TestEndlessPages(t *testing.T) {
	for _, circle := range []int{2, 1 << 30} {
		s := s3test.New(t)
		n := 0
		s.Fault = func(w http.ResponseWriter, _ *http.Request) bool {
			n++
			fmt.Fprintf(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t%d</NextContinuationToken></ListBucketResult>", n%circle)
			return n < 2000
		}
		var last error
		for _, last = range open(t, s, "").List(t.Context()) {
		}
		if !errors.Is(last, memoir.ErrUnavailable) || n >= 2000 {
			t.Errorf("circle of %d: %d pages: %v", circle, n, last)
		}
	}
}
