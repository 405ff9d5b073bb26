package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/bridge"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/wire"
)

// late is the memory of a server on standard input and output. While a memoir
// serve has the memory open, late uses that one; otherwise it opens the memory
// itself. It keeps running even if the memory cannot be opened, because an
// agent that loses its server says nothing to its user. Each call tries again
// until it is open.
type late struct {
	*session
	ctx      context.Context // of the server
	readOnly bool
	changed  chan struct{} // holds a token when the index has changed
	calls    sync.RWMutex  // read-locked by each call

	mu      sync.Mutex     // guards the fields below
	server  *bridge.Client // the server that has the memory open; nil: none
	opened  *app.Memory    // the memory opened here; nil: not yet
	wait    func()         // waits for background work
	keeping sync.WaitGroup
}

// begin joins a server or opens the memory, and returns what to tell the client
// about it.
func (l *late) begin() (shown, error) {
	if x, ok := l.join(); ok {
		return x, nil
	}
	a, err := l.memory()
	if err != nil {
		return shown{}, err
	}
	return shownOf(a), nil
}

// join asks a running server for the memory. It returns false when no server
// has it open.
func (l *late) join() (shown, bool) {
	settings, err := l.memories()
	if err != nil || settings.ProjectErr != nil || !settings.First().ServeJoin {
		return shown{}, false
	}
	digest, err := memoryDigest(settings)
	var c *bridge.Client
	if err == nil {
		main := settings.Main()
		c, err = bridge.Join(l.ctx, bridge.Socket(serveDir(main), main.Workspace), digest, l.readOnly)
	}
	if err != nil {
		if log := l.logger(); log != nil {
			log.Info("no server is joined", "err", err)
		}
		return shown{}, false
	}
	x := shown{collections: c.Collections}
	if c.User {
		x.user = settings.User
	}
	if c.Project {
		x.project = settings.Project
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.server = c
	l.keeping.Go(func() { l.keep(c) })
	return x, true
}

// greetPause is how often the server is asked whether it still runs, when nothing is asked
// of it. Asking also keeps a workspace open that the server opens on demand.
const greetPause = time.Minute

// keep asks the server regularly whether it still runs. When it does not, keep
// opens the memory here, so that somebody keeps the index complete.
func (l *late) keep(c *bridge.Client) {
	tick := time.NewTicker(greetPause)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-c.Left():
			return
		case <-l.ctx.Done():
			return
		}
		if c.Greet(l.ctx) != nil && l.ctx.Err() == nil {
			l.alone(c)
			if _, err := l.memory(); err != nil {
				l.warn(err.Error(), memoir.Hint(err))
			}
			return
		}
	}
}

// alone makes late stop using a server.
func (l *late) alone(m bridge.Memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil && bridge.Memory(l.server) == m {
		l.server.Leave()
		l.server = nil
	}
}

// memory returns the memory that is opened here, and opens it if need be.
func (l *late) memory() (*app.Memory, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened != nil {
		return l.opened, nil
	}
	settings, err := l.memories()
	if err != nil {
		return nil, err
	}
	a, err := l.openMemory(l.ctx, settings, app.Options{Write: !l.readOnly, Lives: true, Renews: true, Changed: func(_, _ []memoir.DocID) {
		select {
		case l.changed <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		return nil, err
	}
	l.warnOpened(a)
	if err := a.Maintain(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	l.opened, l.wait = a, func() {}
	if !l.readOnly {
		l.wait = l.draining(l.ctx, a)
	}
	return a, nil
}

// renew closes the memory opened here when it has older settings than those on disk, so
// that the call that is about to be made opens it with these. It does nothing while another
// call runs, which is answered from what is open, nor when these cannot be read.
func (l *late) renew() {
	if !l.calls.TryLock() {
		return
	}
	defer l.calls.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil || l.opened.Outdated() == nil {
		return
	}
	if _, err := l.memories(); err != nil {
		return
	}
	l.wait()
	if err := l.opened.Close(); err != nil {
		l.warn(err.Error(), memoir.Hint(err))
	}
	l.opened = nil
}

// asked returns the memory for a call. An error tells an agent what to do.
func (l *late) asked() (bridge.Memory, error) {
	l.mu.Lock()
	server := l.server
	l.mu.Unlock()
	if server != nil {
		return server, nil
	}
	a, err := l.memory()
	if err != nil && memoir.Hint(err) == "" {
		err = memoir.WithHint(err, "tell the user to mend this, and call again; memoir doctor looks at every part")
	}
	if err != nil {
		return nil, err
	}
	return held{Memory: a, writer: a, tool: func(ctx context.Context, input json.RawMessage) (string, error) {
		return memoryTool(a)(ctx, input, func(engine.Change) {})
	}}, nil
}

// held is a memory that is opened here, in the form of a bridge's memory.
type held struct {
	*app.Memory
	writer httpapi.Writer
	tool   func(context.Context, json.RawMessage) (string, error)
}

// Remember implements [bridge.Memory].
func (h held) Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error) {
	return h.writer.Remember(ctx, st)
}

// Prime implements [bridge.Memory].
func (h held) Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error) {
	return h.writer.Prime(ctx, opts)
}

// Forget implements [bridge.Memory].
func (h held) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	return h.writer.Forget(ctx, target, dryRun)
}

// Tool implements [bridge.Memory].
func (h held) Tool(ctx context.Context, input json.RawMessage) (string, error) {
	return h.tool(ctx, input)
}

// Close closes the memory if it is open here.
func (l *late) Close() error {
	l.mu.Lock()
	if l.server != nil {
		l.server.Leave()
	}
	l.mu.Unlock()
	l.keeping.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		return nil
	}
	l.wait()
	return l.opened.Close()
}

// complete and hidden are those of toolOptions for a memory that may be opened
// later.
func (l *late) complete(hint string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		return hint
	}
	return shownOf(l.opened).complete()(hint)
}

func (l *late) hidden(client string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		return nil
	}
	if settings := withSessions(l.opened); settings != nil {
		return app.Hidden(settings, client)
	}
	return nil
}

// through makes a call. If the server did not answer, it makes the call here,
// and from then on this process works alone. The server may have carried out a
// write before it ended. lost decides what to return then; nil makes the call
// again.
func through[Answer any](l *late, call func(bridge.Memory) (Answer, error), lost func() (Answer, error)) (Answer, error) {
	l.renew()
	l.calls.RLock()
	defer l.calls.RUnlock()
	for {
		m, err := l.asked()
		if err != nil {
			return *new(Answer), err
		}
		out, err := call(m)
		var gone *bridge.Gone
		if !errors.As(err, &gone) {
			return out, err
		}
		l.alone(m)
		if gone.Sent && lost != nil {
			return lost()
		}
	}
}

// Search implements [mcpserver.Reader].
func (l *late) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	return through(l, func(m bridge.Memory) (memoir.Results, error) { return m.Search(ctx, q) }, nil)
}

// Get implements [mcpserver.Reader].
func (l *late) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	return through(l, func(m bridge.Memory) (memoir.Excerpt, error) { return m.Get(ctx, id, from, to) }, nil)
}

// Documents implements [mcpserver.Reader].
func (l *late) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		l.renew()
		l.calls.RLock()
		defer l.calls.RUnlock()
		for {
			m, err := l.asked()
			if err != nil {
				yield(memoir.DocumentMeta{}, err)
				return
			}
			again := false
			for meta, err := range m.Documents(ctx) {
				var gone *bridge.Gone
				if again = errors.As(err, &gone); again { // the error comes before the first document
					l.alone(m)
					break
				}
				if !yield(meta, err) {
					return
				}
			}
			if !again {
				return
			}
		}
	}
}

// Stats implements [mcpserver.Reader].
func (l *late) Stats(ctx context.Context) (memoir.StoreStats, error) {
	return through(l, func(m bridge.Memory) (memoir.StoreStats, error) { return m.Stats(ctx) }, nil)
}

// Remember implements [mcpserver.Writer].
func (l *late) Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error) {
	do := func(m bridge.Memory) (engine.Outcome, error) { return m.Remember(ctx, st) }
	if st.Key != "" {
		return through(l, do, nil) // if it was done, its key shows that
	}
	return through(l, do, func() (engine.Outcome, error) {
		// What the server was doing when it ended is either in the notes or not.
		look := st
		look.DryRun = true
		out, err := through(l, func(m bridge.Memory) (engine.Outcome, error) { return m.Remember(ctx, look) }, nil)
		if err != nil || out.Outcome != engine.Reinforced {
			return through(l, do, nil)
		}
		out.DryRun = false
		return out, nil
	})
}

// Prime implements [mcpserver.Writer].
func (l *late) Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error) {
	return through(l, func(m bridge.Memory) (engine.Primed, error) { return m.Prime(ctx, opts) }, nil)
}

// Forget implements [mcpserver.Writer].
func (l *late) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	do := func(m bridge.Memory) (engine.Forgetting, error) { return m.Forget(ctx, target, dryRun) }
	if dryRun {
		return through(l, do, nil)
	}
	// It must not be done twice, because other entries may now stand where the
	// forgotten one stood.
	return through(l, do, func() (engine.Forgetting, error) {
		return engine.Forgetting{}, memoir.WithHint(errors.New("the server ended during the call, and may have forgotten it already"), "look with memory_search whether it is still there, and call again if it is")
	})
}

// withStep returns an error of the tool memory with the next step where a disk, or the
// folder of notes, is at fault.
func withStep(err error) error {
	step := wire.Disk(err)
	if errors.Is(err, fs.ErrNotExist) { // what the tool was asked for and is not there has an error of its own
		step = syserr.BringBack
	}
	if step != "" {
		return fmt.Errorf("memory failed: %w\nNext step: %s", err, step)
	}
	return err
}

// memoryTool answers calls of the tool memory.
func (l *late) memoryTool(ctx context.Context, input json.RawMessage) (string, error) {
	var asked struct{ Command string }
	err := json.Unmarshal(input, &asked)
	lost := func() (string, error) {
		return "", errors.New("the server ended during the call, and may have done it already\nNext step: view the file, and call again if it was not done")
	}
	if err == nil && asked.Command == "view" {
		lost = nil
	}
	if _, err := l.asked(); err != nil {
		return "", fmt.Errorf("memory failed: %w\nNext step: %s", err, memoir.Hint(err))
	}
	return through(l, func(m bridge.Memory) (string, error) { return m.Tool(ctx, input) }, lost)
}
