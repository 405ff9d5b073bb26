package bridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/bridge"
)

// fill puts something else than zero into every field that others see.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"a", "日本\r\n", "<b>&\u2028", "e\u0301"}[r.IntN(4)])
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(1 << 60))
	case reflect.Uint64:
		v.SetUint(r.Uint64())
	case reflect.Float64, reflect.Float32:
		v.SetFloat(r.Float64())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		if depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if depth < 6 {
			v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3)) // an empty one is not none
			for i := range v.Len() {
				fill(r, v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 3, 2, 9, 0, 0, r.IntN(1e9), time.UTC)))
			return
		}
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				panic(fmt.Sprintf("%v has a field that nobody sees", v.Type()))
			}
			fill(r, v.Field(i), depth+1)
		}
	default:
		panic(v.Type())
	}
}

func filled[T any](r *rand.Rand) (x T) {
	fill(r, reflect.ValueOf(&x).Elem(), 0)
	return x
}

// memory answers with what it was made to, and keeps what it was asked.
type memory struct {
	asked  []any
	answer any
	err    error
}

func said[T any](m *memory, asked ...any) (T, error) {
	m.asked = asked
	x, _ := m.answer.(T)
	return x, m.err
}

func (m *memory) Search(_ context.Context, q memoir.Query) (memoir.Results, error) {
	return said[memoir.Results](m, q)
}
func (m *memory) Get(_ context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	return said[memoir.Excerpt](m, id, from, to)
}
func (m *memory) Documents(context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	all, err := said[[]memoir.DocumentMeta](m)
	return func(yield func(memoir.DocumentMeta, error) bool) {
		for _, x := range all {
			if !yield(x, nil) {
				return
			}
		}
		if err != nil {
			yield(memoir.DocumentMeta{}, err)
		}
	}
}
func (m *memory) Stats(context.Context) (memoir.StoreStats, error) { return said[memoir.StoreStats](m) }
func (m *memory) Remember(_ context.Context, st engine.Statement) (engine.Outcome, error) {
	return said[engine.Outcome](m, st)
}
func (m *memory) Prime(_ context.Context, o engine.PrimeOptions) (engine.Primed, error) {
	return said[engine.Primed](m, o)
}
func (m *memory) Forget(_ context.Context, t engine.Target, dryRun bool) (engine.Forgetting, error) {
	return said[engine.Forgetting](m, t, dryRun)
}
func (m *memory) Tool(_ context.Context, input json.RawMessage) (string, error) {
	return said[string](m, string(input))
}

// served is a server of a memory, which ends with the test.
func served(t *testing.T, h http.Handler) (path string, stop func()) {
	t.Helper()
	path = bridge.Socket(folder(t), "/notes")
	l, ok, err := bridge.Listen(path)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- bridge.Serve(ctx, l, h, nil) }()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		done <- nil
		_ = l.Close() // it is closed
	}
	t.Cleanup(stop)
	return path, stop
}

// folder is one that nobody else can write to, with a short name.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "b")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func joined(t *testing.T, path, digest string) *bridge.Client {
	t.Helper()
	c, err := bridge.Join(t.Context(), path, digest, false)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestWhole: all that an engine is asked and answers comes through, to the last field.
func TestWhole(t *testing.T) {
	m := &memory{}
	hi := bridge.Greeting{User: true, Collections: []string{"手册 (work)"}}
	path, _ := served(t, bridge.Handler(m, "d", false, hi))
	c, r, ctx := joined(t, path, "d"), rand.New(rand.NewPCG(1, 2)), t.Context()
	if !reflect.DeepEqual(c.Greeting, hi) {
		t.Errorf("the greeting is %+v", c.Greeting)
	}
	check := func(got any, err error, asked ...any) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(got, m.answer) {
			t.Errorf("it answered\n%+v, and\n%+v came, %v", m.answer, got, err)
		}
		if len(asked)+len(m.asked) > 0 && !reflect.DeepEqual(m.asked, asked) {
			t.Errorf("it was asked\n%+v, want\n%+v", m.asked, asked)
		}
	}
	for range 50 {
		q := filled[memoir.Query](r)
		m.answer = filled[memoir.Results](r)
		got, err := c.Search(ctx, q)
		check(got, err, q)
		m.answer = filled[memoir.Excerpt](r)
		excerpt, err := c.Get(ctx, "a/b.md", 2, 3)
		check(excerpt, err, memoir.DocID("a/b.md"), 2, 3)
		m.answer = filled[memoir.StoreStats](r)
		stats, err := c.Stats(ctx)
		check(stats, err)
		st := filled[engine.Statement](r)
		m.answer = filled[engine.Outcome](r)
		outcome, err := c.Remember(ctx, st)
		check(outcome, err, st)
		o := filled[engine.PrimeOptions](r)
		m.answer = filled[engine.Primed](r)
		primed, err := c.Prime(ctx, o)
		check(primed, err, o)
		target := filled[engine.Target](r)
		m.answer = filled[engine.Forgetting](r)
		forgetting, err := c.Forget(ctx, target, true)
		check(forgetting, err, target, true)
		m.answer = filled[string](r)
		text, err := c.Tool(ctx, json.RawMessage(`{"command":"view"}`))
		check(text, err, `{"command":"view"}`)
		docs := append([]memoir.DocumentMeta{}, filled[[]memoir.DocumentMeta](r)...)
		m.answer = docs
		all := []memoir.DocumentMeta{}
		for x, err := range c.Documents(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, x)
		}
		check(all, nil)
	}
}

// TestErrors: an error of the other side says what it said there, and is taken for it.
func TestErrors(t *testing.T) {
	skip := &memoir.SkipError{ID: "a.md", Reason: "too large"}
	for _, err := range []error{
		nil, errors.New("out of luck"), fmt.Errorf("read: %w", memoir.ErrNotFound), memoir.WithHint(fmt.Errorf("x: %w", memoir.ErrInvalid), "memoir help"),
		fmt.Errorf("read: %w", skip), errors.Join(memoir.ErrUnavailable, context.DeadlineExceeded), memoir.WithHint(memoir.ErrCorrupt, "memoir rebuild"),
	} {
		got := bridge.Carry(err)
		if (got == nil) != (err == nil) || memoir.Hint(got) != memoir.Hint(err) || err != nil && got.Error() != err.Error() {
			t.Errorf("%v came as %v", err, got)
		}
		for _, kind := range []error{memoir.ErrInvalid, memoir.ErrNotFound, memoir.ErrConflict, memoir.ErrUnavailable, memoir.ErrCorrupt, memoir.ErrClosed, memoir.ErrForeign, context.DeadlineExceeded, context.Canceled} {
			if errors.Is(got, kind) != errors.Is(err, kind) {
				t.Errorf("%v: %v is another thing", err, kind)
			}
		}
		var was, is *memoir.SkipError
		if errors.As(err, &was) != errors.As(got, &is) || !reflect.DeepEqual(was, is) {
			t.Errorf("%v: skipped as %v", err, is)
		}
	}
	m := &memory{err: memoir.WithHint(memoir.ErrNotFound, "look elsewhere")}
	path, _ := served(t, bridge.Handler(m, "d", false, bridge.Greeting{}))
	if _, err := joined(t, path, "d").Get(t.Context(), "a", 1, 0); !errors.Is(err, memoir.ErrNotFound) || memoir.Hint(err) != "look elsewhere" {
		t.Error(err)
	}
}

// TestRefused: another memory, another version, and a server that changes no notes for
// who would are not joined.
func TestRefused(t *testing.T) {
	path, _ := served(t, bridge.Handler(&memory{}, "d", true, bridge.Greeting{}))
	if _, err := bridge.Join(t.Context(), path, "e", true); err == nil {
		t.Error("another memory is joined")
	}
	if _, err := bridge.Join(t.Context(), path, "d", false); err == nil {
		t.Error("a server that changes no notes is joined to write")
	}
	c, err := bridge.Join(t.Context(), path, "d", true)
	if err != nil {
		t.Fatal(err)
	}
	// Who said that it writes nothing is held to it.
	if out, err := c.Remember(t.Context(), engine.Statement{Text: "a"}); !errors.Is(err, memoir.ErrInvalid) {
		t.Errorf("a server that changes no notes remembers: %+v, %v", out, err)
	}
	one, err := bridge.Digest("1.0", map[string]int{"a": 1})
	other, err2 := bridge.Digest("1.1", map[string]int{"a": 1})
	if one == other || err != nil || err2 != nil {
		t.Error(one, other, err, err2)
	}
}

// TestPlace: in the place of a socket nothing else is asked, waited for or followed.
func TestPlace(t *testing.T) {
	there, _ := served(t, bridge.Handler(&memory{}, "d", false, bridge.Greeting{}))
	at := func(make func(path string) error) error {
		t.Helper()
		path := bridge.Socket(folder(t), "/notes")
		if err := make(path); err != nil {
			t.Skip(err)
		}
		began := time.Now()
		_, err := bridge.Join(t.Context(), path, "d", false)
		if err == nil {
			t.Errorf("it was joined")
		}
		if took := time.Since(began); took > time.Minute { // it gives up after seconds
			t.Errorf("it took %v", took)
		}
		var gone *bridge.Gone
		if !errors.As(err, &gone) || gone.Sent {
			t.Errorf("the error is %v", err)
		}
		return err
	}
	if err := at(func(string) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	_ = at(func(path string) error { return os.WriteFile(path, []byte("{}"), 0o600) })
	_ = at(func(path string) error { return os.Mkdir(path, 0o700) })
	_ = at(func(path string) error { return os.Symlink(there, path) })
	if runtime.GOOS != "windows" {
		_ = at(func(path string) error { return mkfifo(path) })
		_ = at(func(path string) error { // of a server that others could have replaced
			if err := os.Symlink(there, path); err != nil {
				return err
			}
			_ = os.Remove(path)
			l, err := net.Listen("unix", path)
			if err != nil {
				return err
			}
			t.Cleanup(func() { l.Close() })
			return os.Chmod(path, 0o622)
		})
		_ = at(func(path string) error { return os.Chmod(filepath.Dir(path), 0o777) })
	}
	_ = at(func(path string) error { // a server that was killed
		l, err := net.Listen("unix", path)
		if err == nil {
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	})
}

// TestSilent: a server that takes connections and says nothing is not waited for.
func TestSilent(t *testing.T) {
	path := bridge.Socket(folder(t), "/notes")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bridge.Join(t.Context(), path, "d", false); err == nil {
		t.Error("it was joined")
	}
}

// TestListen: one process serves a workspace; what a killed one left is in nobody's
// way, and what is no socket is not touched.
func TestListen(t *testing.T) {
	path, stop := served(t, http.NotFoundHandler())
	if l, ok, err := bridge.Listen(path); ok || err != nil {
		t.Error("two serve", l, err)
	}
	stop()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it left its socket: %v", err)
	}
	killed, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	killed.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = killed.Close()
	l, ok, err := bridge.Listen(path)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	_ = l.Close()
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := bridge.Listen(path); ok || err == nil || memoir.Hint(err) == "" {
		t.Error(ok, err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "mine" {
		t.Errorf("it is %q, %v", data, err)
	}
	if _, ok, err := bridge.Listen(bridge.Socket(filepath.Join(folder(t), strings.Repeat("long", 50)), "/notes")); ok || err == nil {
		t.Error(ok, err)
	}
}

// TestGone: a server that ends in the middle of a call is told from one that was not
// reached.
func TestGone(t *testing.T) {
	hold := make(chan struct{})
	breaks := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stats" || r.URL.Path == "/get" {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		if r.URL.Path == "/stats" {
			close(hold)
			<-r.Context().Done()
			return
		}
		if r.URL.Path == "/get" {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"))
				_ = conn.Close()
			}
			return
		}
		bridge.Handler(&memory{}, "d", false, bridge.Greeting{}).ServeHTTP(w, r)
	}
	path, stop := served(t, http.HandlerFunc(breaks))
	c := joined(t, path, "d")
	var gone *bridge.Gone
	if _, err := c.Get(t.Context(), "a", 1, 0); !errors.As(err, &gone) || !gone.Sent {
		t.Errorf("an answer that breaks off: %v", err)
	}
	go func() {
		<-hold
		c.Leave()
	}()
	if _, err := c.Stats(t.Context()); !errors.As(err, &gone) || !gone.Sent {
		t.Errorf("a server that is left: %v", err)
	}
	c = joined(t, path, "d")
	if err := c.Greet(t.Context()); err != nil {
		t.Error(err)
	}
	stop()
	if err := c.Greet(t.Context()); err == nil {
		t.Error("a server that is gone greets")
	}
	<-c.Left()
	if _, err := c.Remember(t.Context(), engine.Statement{Text: "x"}); !errors.As(err, &gone) || gone.Sent {
		t.Errorf("a server that is not there: %v", err)
	}
	given, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Stats(given); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestWire: what is no call is refused.
func TestWire(t *testing.T) {
	h := bridge.Handler(&memory{}, "d", false, bridge.Greeting{})
	path, _ := served(t, h)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	for _, x := range []struct {
		call, digest, body string
		status             int
		holds              string
	}{
		{"search", "", `{}`, 409, "another memory"}, {"search", "d", `{`, 200, "cannot be read"}, {"search", "d", strings.Repeat("[", 1e5), 200, "cannot be read"},
		{"nothing", "d", `{}`, 200, "no call"}, {"../search", "d", `{}`, 200, ""}, {"search", "d", string(bytes.Repeat([]byte("x"), 17<<20)), 400, "cannot be read"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://memoir/"+x.call, strings.NewReader(x.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Memoir-Held", x.digest)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		_, err = b.ReadFrom(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != x.status || !strings.Contains(b.String(), x.holds) {
			t.Errorf("%s: %d %.200s, %v", x.call, res.StatusCode, b.String(), err)
		}
	}
}
