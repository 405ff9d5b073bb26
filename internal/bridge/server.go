package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// maxBody is the size of the largest call, in bytes: a message of MCP fits.
const maxBody = 16 << 20

// Handler answers calls to the memory that digest names. With readOnly it
// refuses clients that would write. It also refuses requests for another
// memory, or from another version of memoir.
func Handler(m Memory, digest string, readOnly bool, hi Greeting) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := strings.TrimPrefix(r.URL.Path, "/")
		switch {
		case r.Header.Get(held) != digest:
			http.Error(w, "this server holds another memory", http.StatusConflict)
			return
		case readOnly && r.Header.Get(reads) == "":
			http.Error(w, "this server changes no notes", http.StatusConflict)
			return
		}
		var body bytes.Buffer
		if _, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
			http.Error(w, "the request cannot be read", http.StatusBadRequest)
			return
		}
		value, err := answered(r.Context(), m, readOnly, hi, call, body.Bytes())
		data, failed := json.Marshal(value)
		if err == nil {
			err = failed
		}
		out := answer{Value: data, Failure: pack(err)}
		data, failed = json.Marshal(out)
		if failed != nil {
			http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data) // an error means that nobody reads the answer
	})
}

// reads is the header of a client that will write nothing.
const reads = "Memoir-Reads"

// answered carries out a call.
func answered(ctx context.Context, m Memory, readOnly bool, hi Greeting, call string, body []byte) (any, error) {
	switch call {
	case hello:
		return hi, nil
	case search:
		return made(body, func(q memoir.Query) (any, error) { return m.Search(ctx, q) })
	case get:
		return made(body, func(a getArguments) (any, error) { return m.Get(ctx, a.ID, a.From, a.To) })
	case documents:
		all := []memoir.DocumentMeta{}
		for meta, err := range m.Documents(ctx) {
			if err != nil {
				return nil, err
			}
			all = append(all, meta)
		}
		return all, nil
	case stats:
		return m.Stats(ctx)
	}
	if readOnly {
		return nil, fmt.Errorf("this server changes no notes: %w", memoir.ErrInvalid)
	}
	return written(ctx, m, call, body)
}

// written carries out a call that only writers may make.
func written(ctx context.Context, m Memory, call string, body []byte) (any, error) {
	switch call {
	case remember:
		return made(body, func(st statement) (any, error) {
			out, err := m.Remember(ctx, st)
			return packOutcome(out), err
		})
	case prime:
		return made(body, func(o primeOptions) (any, error) { return m.Prime(ctx, o) })
	case forget:
		return made(body, func(a forgetArguments) (any, error) {
			out, err := m.Forget(ctx, a.Target, a.DryRun)
			return packForgetting(out), err
		})
	case tool:
		return m.Tool(ctx, body)
	}
	return nil, fmt.Errorf("there is no call %q: %w", call, memoir.ErrInvalid)
}

// made reads the arguments of a call and carries it out.
func made[Arguments any](body []byte, call func(Arguments) (any, error)) (any, error) {
	var arguments Arguments
	if err := json.Unmarshal(body, &arguments); err != nil {
		return nil, fmt.Errorf("the arguments cannot be read: %w", memoir.ErrInvalid)
	}
	return call(arguments)
}

// stopTimeout is how long calls in progress may take when the server ends.
const stopTimeout = 5 * time.Second

// Listen makes the socket at path for the life of the server. ok is false when
// another process already serves there. It is an error when something else
// stands in its place, or the path is too long for a socket.
func Listen(path string) (l net.Listener, ok bool, err error) {
	lock, ok, err := statedir.TryAcquire(path + ".lock")
	if err != nil || !ok {
		return nil, false, err
	}
	defer func() {
		if l == nil {
			err = errors.Join(err, lock.Release())
		}
	}()
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, false, err
	case info.Mode()&fs.ModeSocket == 0:
		return nil, false, memoir.WithHint(fmt.Errorf("%s is no socket: %w", path, memoir.ErrUnavailable), "move it away")
	default: // left by a server that was killed; we hold its lock now
		if err := os.Remove(path); err != nil {
			return nil, false, err
		}
	}
	made, err := net.Listen("unix", path)
	if err != nil {
		return nil, false, fmt.Errorf("make the socket %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, false, errors.Join(err, made.Close())
	}
	return &locked{made, lock}, true, nil
}

// locked is a listener that holds a lock.
type locked struct {
	net.Listener
	lock *statedir.Lock
}

// Close removes the socket.
func (l *locked) Close() error { return errors.Join(l.Listener.Close(), l.lock.Release()) }

// Serve answers on a listener until ctx is done, and then gives calls in
// progress five seconds.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: stopTimeout, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		to, done := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer done()
		err := srv.Shutdown(to)
		if err != nil {
			err = srv.Close()
		}
		stopped <- err
	})
	defer stop()
	err := srv.Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		return <-stopped
	}
	return err
}
