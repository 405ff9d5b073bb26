package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// limits bound how long connections may take, and how many there may be.
type limits struct {
	header, body, answer, idle time.Duration // streams set their own deadlines for answers
	conns                      int           // at the same time; further ones wait
}

// usual are the limits of a server.
var usual = limits{header: 5 * time.Second, body: 30 * time.Second, answer: 2 * time.Minute, idle: 2 * time.Minute, conns: 1024}

const (
	maxHeader   = 32 << 10 // bytes
	stopTimeout = 5 * time.Second
)

// Serve answers connections until ctx is done. Then it accepts no more, and
// gives requests in progress five seconds. cert and key are TLS files; "" means
// no TLS.
func Serve(ctx context.Context, l net.Listener, h http.Handler, cert, key string, log *slog.Logger) error {
	return serve(ctx, l, h, cert, key, log, usual)
}

func serve(ctx context.Context, l net.Listener, h http.Handler, cert, key string, log *slog.Logger, within limits) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv := &http.Server{
		Handler: h, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: within.header, ReadTimeout: within.body, WriteTimeout: within.answer, IdleTimeout: within.idle,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		cancel() // streams of events end
		to, done := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer done()
		err := srv.Shutdown(to)
		if err != nil {
			err = errors.Join(err, srv.Close())
		}
		stopped <- err
	})
	defer stop()
	room := &limited{Listener: l, room: make(chan struct{}, within.conns), idle: map[net.Conn]bool{}, silent: map[net.Conn]time.Time{}}
	srv.ConnState = room.state
	var err error
	if cert != "" {
		err = srv.ServeTLS(room, cert, key)
	} else {
		err = srv.Serve(room)
	}
	if errors.Is(err, http.ErrServerClosed) {
		<-stopped
		return nil
	}
	return err
}

// limited is a listener with a limit on open connections. When more come and
// wait, it closes idle connections to make room, and then those that have sent
// nothing since they came.
type limited struct {
	net.Listener
	room chan struct{} // one for each connection

	mu      sync.Mutex
	idle    map[net.Conn]bool      // kept open between requests
	silent  map[net.Conn]time.Time // sent nothing yet, since that time
	waiting bool                   // a connection waits for room
}

const (
	hearing   = time.Second // how long a new connection may be silent while others wait
	roomPause = 100 * time.Millisecond
)

// state is called when the state of a connection changes.
func (l *limited) state(c net.Conn, s http.ConnState) {
	l.mu.Lock()
	closes := s == http.StateIdle && l.waiting
	delete(l.idle, c)
	delete(l.silent, c)
	switch {
	case closes:
		l.waiting = false
	case s == http.StateIdle:
		l.idle[c] = true
	case s == http.StateNew:
		l.silent[c] = time.Now()
	}
	l.mu.Unlock()
	if closes {
		_ = c.Close() // there is nobody to tell
	}
}

// enter waits for room.
func (l *limited) enter() {
	select {
	case l.room <- struct{}{}:
		return
	default:
	}
	pause := time.NewTicker(roomPause)
	defer pause.Stop()
	for entered := false; !entered; {
		l.mu.Lock()
		c := l.dispensable()
		l.waiting = c == nil
		l.mu.Unlock()
		if c != nil {
			_ = c.Close() // there is nobody to tell
		}
		select {
		case l.room <- struct{}{}:
			entered = true
		case <-pause.C:
		}
	}
	l.mu.Lock()
	l.waiting = false
	l.mu.Unlock()
}

// dispensable removes and returns the connection to close for another: an idle
// one, or else the one that was silent longest; nil if there is none.
func (l *limited) dispensable() (found net.Conn) {
	for found = range l.idle {
		delete(l.idle, found)
		return found
	}
	oldest := time.Now().Add(-hearing)
	for c, since := range l.silent {
		if since.Before(oldest) {
			found, oldest = c, since
		}
	}
	delete(l.silent, found)
	return found
}

// Accept implements [net.Listener].
func (l *limited) Accept() (net.Conn, error) {
	l.enter()
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.room })}, nil
}

type limitedConn struct {
	net.Conn
	leave func()
}

// Close implements [net.Conn].
func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
