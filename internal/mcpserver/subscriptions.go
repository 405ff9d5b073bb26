package mcpserver

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
)

const (
	// lookPause is how often the index is checked for changes by other processes
	// while somebody follows a note.
	lookPause = 2 * time.Second
	// maxSubscriptions is how many notes one client may follow.
	maxSubscriptions = 10_000
)

// subscriptions tells clients of changes of the notes that they follow. It
// checks the index when it is told of a change, and regularly, because other
// processes may write to it. While nobody follows a note it does nothing.
type subscriptions struct {
	reader  Reader                                   // with all documents
	server  *mcp.Server                              // set before the first client comes, like hides
	hides   func(context.Context, memoir.DocID) bool // hides documents from a caller; nil: none
	changed <-chan struct{}                          // holds a token when the index has changed; nil: nobody tells

	stopped chan struct{} // closed when clients need not be told any more
	looks   sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	of       map[*mcp.ServerSession]map[string]memoir.DocID
	looking  bool // the goroutine of look runs
	revision uint64
	seen     map[memoir.DocID]memoir.Hash // hashes of the followed notes, as last told
}

func newSubscriptions(reader Reader, changed <-chan struct{}) *subscriptions {
	return &subscriptions{
		reader: reader, changed: changed, stopped: make(chan struct{}),
		of: map[*mcp.ServerSession]map[string]memoir.DocID{}, seen: map[memoir.DocID]memoir.Hash{},
	}
}

// subscribe records that a client follows a note, which need not exist yet.
func (s *subscriptions) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	id, err := addressed(req.Params.URI)
	if err != nil {
		return err
	}
	ctx = withClient(ctx, req.ClientInfo())
	if s.hides != nil && s.hides(ctx, id) {
		return nil // treated like a note that does not exist
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	mine := s.of[req.Session]
	if len(mine) >= maxSubscriptions {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "too many notes are followed; end a subscription first"}
	}
	if mine == nil {
		mine = map[string]memoir.DocID{}
		s.of[req.Session] = mine
	}
	mine[req.Params.URI] = id
	if _, ok := s.seen[id]; !ok {
		hashes, err := s.hashes(ctx, map[memoir.DocID]memoir.Hash{id: ""})
		if err != nil {
			return protocolError("subscribe", err)
		}
		s.seen[id] = hashes[id]
	}
	if !s.looking {
		s.looking = true
		s.looks.Go(s.look)
	}
	return nil
}

// unsubscribe records that a client no longer follows a note.
func (s *subscriptions) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of[req.Session], req.Params.URI)
	return nil
}

// stop ends what subscribe began and waits for it. It is called once, after the
// last client has gone.
func (s *subscriptions) stop() {
	close(s.stopped)
	s.looks.Wait()
}

// look tells clients of changes until nobody follows a note any more.
func (s *subscriptions) look() {
	ticker := time.NewTicker(lookPause)
	defer ticker.Stop()
	for s.followed() {
		select {
		case <-s.changed:
		case <-ticker.C:
		case <-s.stopped:
			return
		}
		for _, uri := range s.news() {
			// The server logs errors. A client that has gone is no error.
			_ = s.server.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}

// followed reports whether a connected client follows a note, and forgets
// clients that have gone. When it returns false, look ends.
func (s *subscriptions) followed() bool {
	there := slices.Collect(s.server.Sessions())
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.of, func(session *mcp.ServerSession, uris map[string]memoir.DocID) bool {
		return len(uris) == 0 || !slices.Contains(there, session)
	})
	s.looking = len(s.of) > 0
	if !s.looking {
		s.revision = 0
		clear(s.seen)
	}
	return s.looking
}

// news returns the URIs, as clients wrote them, of the followed notes that have
// changed since the last call.
func (s *subscriptions) news() (uris []string) {
	ctx := context.Background()
	stats, err := s.reader.Stats(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || stats.Revision != 0 && stats.Revision == s.revision {
		return nil // an index that cannot be read now is checked again later
	}
	now, err := s.hashes(ctx, s.seen)
	if err != nil {
		return nil
	}
	s.revision = stats.Revision
	told := map[string]bool{}
	for _, mine := range s.of {
		for uri, id := range mine {
			told[uri] = told[uri] || now[id] != s.seen[id]
		}
	}
	s.seen = now
	for uri, changed := range told {
		if changed {
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	return uris
}

// hashes returns the hashes of some documents, with "" for those that do not
// exist.
func (s *subscriptions) hashes(ctx context.Context, of map[memoir.DocID]memoir.Hash) (map[memoir.DocID]memoir.Hash, error) {
	hashes := make(map[memoir.DocID]memoir.Hash, len(of))
	for meta, err := range s.reader.Documents(ctx) {
		if err != nil {
			return nil, err
		}
		if _, ok := of[meta.ID]; ok {
			hashes[meta.ID] = meta.Hash
		}
	}
	for id := range of {
		hashes[id] += "" // adds missing documents too
	}
	return hashes, nil
}
