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
	// lookPause is how often the index is asked whether another process has changed
	// it, as long as somebody wants to know.
	lookPause = 2 * time.Second
	// maxSubscriptions is how many notes one client may follow.
	maxSubscriptions = 10_000
)

// subscriptions tells clients of changes of the notes that they follow. It looks at
// the index, when it is told of a change and now and then, for there may be other
// processes that write it; with nobody to tell it does not.
type subscriptions struct {
	backend Backend                                  // with all documents
	server  *mcp.Server                              // set before the first client, as hides is
	hides   func(context.Context, memoir.DocID) bool // from who calls; nil: nothing
	changed <-chan struct{}                          // holds one token when the index has changed; nil: nobody tells

	stopped chan struct{} // closed when nobody is to be told any more
	looks   sync.WaitGroup

	mu       sync.Mutex // guards what follows
	of       map[*mcp.ServerSession]map[string]memoir.DocID
	looking  bool // a goroutine does
	revision uint64
	seen     map[memoir.DocID]memoir.Hash // of the notes that are followed, as last told
}

func newSubscriptions(backend Backend, changed <-chan struct{}) *subscriptions {
	return &subscriptions{
		backend: backend, changed: changed, stopped: make(chan struct{}),
		of: map[*mcp.ServerSession]map[string]memoir.DocID{}, seen: map[memoir.DocID]memoir.Hash{},
	}
}

// subscribe notes that a client follows a note, which need not be there yet.
func (s *subscriptions) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	id, err := addressed(req.Params.URI)
	if err != nil {
		return err
	}
	ctx = withClient(ctx, req.ClientInfo())
	if s.hides != nil && s.hides(ctx, id) {
		return nil // as a note that is not there
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

// unsubscribe notes that a client no longer follows a note.
func (s *subscriptions) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of[req.Session], req.Params.URI)
	return nil
}

// stop ends what subscribe began, and waits for it. It is called once, when there
// are no clients any more.
func (s *subscriptions) stop() {
	close(s.stopped)
	s.looks.Wait()
}

// look tells of changes until nobody follows a note any more.
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
			// It logs what goes wrong; a client that is gone is none.
			_ = s.server.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}

// followed reports whether a client that is there follows a note, and forgets the
// clients that are gone. When it is false look ends.
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

// news returns the addresses, as clients wrote them, of the notes that are not what
// they were when it was asked last.
func (s *subscriptions) news() (uris []string) {
	ctx := context.Background()
	stats, err := s.backend.Stats(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || stats.Revision != 0 && stats.Revision == s.revision {
		return nil // an index that cannot be read now is asked again
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

// hashes returns the hashes of some documents, "" of those that are not there.
func (s *subscriptions) hashes(ctx context.Context, of map[memoir.DocID]memoir.Hash) (map[memoir.DocID]memoir.Hash, error) {
	hashes := make(map[memoir.DocID]memoir.Hash, len(of))
	for meta, err := range s.backend.Documents(ctx) {
		if err != nil {
			return nil, err
		}
		if _, ok := of[meta.ID]; ok {
			hashes[meta.ID] = meta.Hash
		}
	}
	for id := range of {
		hashes[id] += "" // also of what is not there
	}
	return hashes, nil
}
