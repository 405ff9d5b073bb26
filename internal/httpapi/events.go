package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// An Event is something that happened to the memory.
type Event struct {
	ID   uint64 `json:"id"`   // one more than that of the event before; no other run of the server has it
	Type string `json:"type"` // indexed: the index follows notes that changed; written: memoir changed notes; reset: some events were missed
	Time string `json:"time"` // RFC 3339 in UTC
	// For indexed: the notes, new or changed, and those that are gone; of more
	// than a hundred only how many.
	Indexed []string `json:"indexed,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Count   int      `json:"count,omitempty"` // how many notes, when they are not named
	// For written: the change as memoir undo takes it, who made it, why, and its
	// notes.
	Change string   `json:"change,omitempty"`
	Entry  string   `json:"entry,omitempty"` // id of the entry that was remembered
	Who    string   `json:"who,omitempty"`
	Why    string   `json:"why,omitempty"`
	Paths  []string `json:"paths,omitempty"`
}

// Events passes events on to whoever listens, and keeps the last ones for
// clients that were away for a moment. It is safe for concurrent use.
// [NewEvents] makes one.
type Events struct {
	now func() time.Time

	mu      sync.Mutex
	last    uint64
	kept    []Event // the last of them, in order
	changed chan struct{}
}

const (
	keptEvents = 512 // for clients that were away; who missed more is told to read anew
	namedNotes = 100 // in one event; of more it has the number alone
	// heartbeat is how often a stream has a sign of life, for proxies close a silent one after
	// half a minute or a minute, and how long a client may take to read.
	heartbeat = 15 * time.Second
	// mostListeners bounds the connections that wait for events.
	mostListeners = 64
)

// NewEvents returns an Events without any event yet. Its ids follow the microsecond in which
// it is made, so that none is an id of an earlier run, and JSON has them exactly.
func NewEvents() *Events {
	return &Events{now: time.Now, last: uint64(time.Now().UnixMicro()), changed: make(chan struct{})}
}

// Tell passes on an event. It sets ID and Time.
func (e *Events) Tell(ev Event) {
	if n := len(ev.Indexed) + len(ev.Removed); n > namedNotes {
		ev.Indexed, ev.Removed, ev.Count = nil, nil, n
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	ev.ID, ev.Time = e.last, e.now().UTC().Format(time.RFC3339)
	if len(e.kept) == keptEvents {
		e.kept = slices.Delete(e.kept, 0, 1)
	}
	e.kept = append(e.kept, ev)
	close(e.changed)
	e.changed = make(chan struct{})
}

// since returns the events after an id, and a channel that is closed when there
// are more. If some were dropped meanwhile, or the id is from an earlier run of
// the server, the first event is a reset.
func (e *Events) since(id uint64) ([]Event, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if id == e.last {
		return nil, e.changed
	}
	first := e.last - uint64(len(e.kept)) // the id before the first that is kept
	if id < first || id > e.last {
		return []Event{{ID: e.last, Type: "reset", Time: e.now().UTC().Format(time.RFC3339)}}, e.changed
	}
	return slices.Clone(e.kept[id-first:]), e.changed
}

// latest returns the id of the last event; before the first, the one before its id.
func (e *Events) latest() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

const (
	eventsRoute = "GET /v1/events"
	eventsNeed  = MayPrivate
)

// serveEvents answers with a stream of server-sent events: those after the one
// that the header Last-Event-ID names, or else those from now on.
func (a *api) serveEvents(w http.ResponseWriter, r *http.Request) {
	who, _ := r.Context().Value(principalKey{}).(principal)
	if !a.metrics.listeners.enter(who) {
		a.fail(w, r, &problem{status: http.StatusServiceUnavailable, code: "busy", message: "too many listen already", action: "try again later", after: 1})
		return
	}
	defer a.metrics.listeners.leave(who)
	id := a.opts.Events.latest()
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		n, err := strconv.ParseUint(last, 10, 64)
		if err != nil {
			a.fail(w, r, invalid("send the id of an event", "Last-Event-ID %q is not a number", last))
			return
		}
		id = n
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead {
		return // nobody would read the stream
	}
	out := http.NewResponseController(w)
	send := func(text string) bool {
		if _, err := a.let(r, eventsNeed); err != nil {
			return false // the token was revoked meanwhile
		}
		_ = out.SetWriteDeadline(time.Now().Add(heartbeat)) // a client that does not read is dropped
		_, err := w.Write([]byte(text))
		return err == nil && out.Flush() == nil
	}
	// The id says where a client is that sees no event before its connection ends.
	if !send(fmt.Sprintf("retry: 1000\nid: %d\n\n", id)) {
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		events, more := a.opts.Events.since(id)
		for _, ev := range events {
			data, err := json.Marshal(ev)
			if err != nil || !send(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", ev.ID, ev.Type, data)) {
				return
			}
			id = ev.ID
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-more:
		case <-beat.C:
			if !send(": here\n\n") {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
