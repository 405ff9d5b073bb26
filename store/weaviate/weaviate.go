// Package weaviate keeps an index in Weaviate (weaviate.io, BSD), a database
// that can run on several machines. It talks to Weaviate over plain HTTP.
//
// An index is a tenant. Its words and documents are in one collection, the
// vectors of each embedding space in another. Weaviate finds the candidates.
// Scores by words are computed here, from the terms that they hold; cosines are
// Weaviate's (docs/design/scale.md).
//
// Everything that is written gets ids that were never used before. It counts
// from the moment when one object, the state of the tenant, names it. So
// readers see all of a write or nothing, and never what a replica brings back
// after its deletion. Only one process at a time may write to a tenant
// ([Options.Writer]).
package weaviate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// DefaultTimeout is how long one request may take.
const DefaultTimeout = 10 * time.Second

// Options say where the index is.
type Options struct {
	URL    string // of the server, or of a proxy before several servers
	Key    string // "": the server needs none
	Tenant string // 1 to 64 ASCII letters and digits, - and _
	// Replicas is how many nodes keep each object of a new collection; 0 means
	// one. Existing collections keep their number.
	Replicas int
	Timeout  time.Duration // for one request; 0 means [DefaultTimeout]
	// Fresh is how long a reader uses the state of the tenant without asking for
	// it again, which saves a request. Writes of this process are known at once.
	// 0 means that every read asks.
	Fresh time.Duration
	// Writer waits until only this process may write to the tenant. It returns a
	// function that ends this right. nil: no other process writes. If two
	// processes write at once, the writes of one are lost.
	Writer func(context.Context) (release func(), err error)
	// Turns does so among machines, after Writer; nil: those of one machine alone write.
	// All that write to a tenant have it, or none.
	Turns func(context.Context) (Turn, error)
	// Sleeps lets Close put the tenant to sleep, so that it takes the server no
	// open file and little memory. The next request of anybody wakes it, which
	// takes the server some milliseconds.
	Sleeps bool
}

// Store keeps an index in one tenant. It is safe for concurrent use.
type Store struct {
	client *client
	opts   Options

	writing sync.Mutex // held while the tenant is written to

	mu           sync.Mutex // guards the fields below
	closed       bool
	replicas     int
	halted       time.Time             // when replicas were last missing for a change
	current      *contents             // as last seen
	seen         time.Time             // when that was
	acknowledged uint64                // the revision that this process has committed last
	ordered      uint64                // the highest order of a state that this process has sent
	ready        map[string]bool       // collections that exist and have the tenant
	deleted      map[string]bool       // what in the garbage is known to be deleted
	damaged      bool                  // a page could not be read
	broken       map[memoir.DocID]uuid // documents whose objects were missed, by revision
	words        cache[uuid, *forward]
	vectors      cache[vectorKey, []float32]
}

var (
	_ memoir.Store   = (*Store)(nil)
	_ ability.Healer = (*Store)(nil)
	_ ability.Ager   = (*view)(nil)
)

var (
	errNoID      = errors.New("not the id of an object")
	errClosed    = errors.New("the store is closed")
	tenantName   = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)
	wordsClass   = "MemoirWords2"
	vectorsClass = "MemoirVectors1_"
)

// format, in the description of a collection, says that memoir made it, and in
// which format.
const format = "memoir index, format 1"

// classOf returns the collection of an embedding space.
func classOf(space memoir.Space) string {
	id := uuidOf(space.Key())
	return vectorsClass + fmt.Sprintf("%x", id[:])
}

// Open opens the index of a tenant, and creates what is missing. A server that
// cannot be reached gives [memoir.ErrUnavailable], a collection that memoir did
// not make [memoir.ErrForeign].
func Open(ctx context.Context, opts Options) (*Store, error) {
	c, err := newClient(opts)
	if err != nil {
		return nil, err
	}
	if !tenantName().MatchString(opts.Tenant) {
		return nil, fmt.Errorf("the tenant %q is no name that Weaviate takes: %w", opts.Tenant, memoir.ErrInvalid)
	}
	s := &Store{client: c, opts: opts, replicas: 1, ready: map[string]bool{}, deleted: map[string]bool{}, broken: map[memoir.DocID]uuid{}, words: newCache[uuid, *forward](4096), vectors: newCache[vectorKey, []float32](50_000)}
	if err := s.prepare(ctx, wordsClass); err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	return s, nil
}

// Close makes every later call fail. Closing twice is no error.
func (s *Store) Close() error {
	s.mu.Lock()
	closed, used := s.closed, slices.Sorted(maps.Keys(s.ready))
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	if s.opts.Sleeps {
		s.sleep(used)
	}
	s.client.http.CloseIdleConnections()
	return nil
}

// maxSleep is how long Close waits for the server.
const maxSleep = 2 * time.Second

// sleep puts the tenant to sleep in collections. If that fails the tenant stays
// awake, and nothing is lost.
func (s *Store) sleep(classes []string) {
	ctx, cancel := context.WithTimeout(context.Background(), maxSleep)
	defer cancel()
	for _, class := range classes {
		_ = s.setTenants(ctx, http.MethodPut, class, []tenant{{s.opts.Tenant, "COLD"}})
	}
}

// Place says where the index is, for people.
func (s *Store) Place() string { return Place(s.opts) }

// Place says where an index is, for people.
func Place(opts Options) string { return opts.URL + " (Weaviate, tenant " + opts.Tenant + ")" }

func (s *Store) open(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	return ctx.Err()
}

// property is one of a collection.
type property struct {
	Name         string   `json:"name"`
	DataType     []string `json:"dataType"`
	Tokenization string   `json:"tokenization,omitempty"`
	Filterable   bool     `json:"indexFilterable"`
	Searchable   bool     `json:"indexSearchable"`
}

// collection is what memoir sets and checks of a Weaviate class.
type collection struct {
	Class       string         `json:"class"`
	Description string         `json:"description"`
	Vectorizer  string         `json:"vectorizer"`
	IndexType   string         `json:"vectorIndexType"`
	Index       map[string]any `json:"vectorIndexConfig,omitempty"`
	Properties  []property     `json:"properties"`
	Inverted    struct {
		BM25 struct {
			B  float64 `json:"b"`
			K1 float64 `json:"k1"`
		} `json:"bm25"`
		Stopwords struct {
			Preset string `json:"preset"`
		} `json:"stopwords"`
	} `json:"invertedIndexConfig"`
	Tenants struct {
		Enabled    bool `json:"enabled"`
		Creation   bool `json:"autoTenantCreation"`
		Activation bool `json:"autoTenantActivation"`
	} `json:"multiTenancyConfig"`
	Replication struct {
		Factor   int    `json:"factor"`
		Async    bool   `json:"asyncEnabled"`
		Deletion string `json:"deletionStrategy"`
	} `json:"replicationConfig"`
}

// collection returns the class as it has to be.
func (s *Store) collection(class string) collection {
	c := collection{Class: class, Description: format, Vectorizer: "none", IndexType: "flat", Index: map[string]any{"distance": "cosine"}}
	text := []string{"text"}
	c.Properties = []property{{Name: "data", DataType: text, Tokenization: "field"}}
	if class == wordsClass {
		c.Properties = append(c.Properties,
			property{Name: "of", DataType: text, Tokenization: "field", Filterable: true},
			property{Name: "terms", DataType: text, Tokenization: "whitespace", Searchable: true})
	}
	c.Inverted.BM25.B, c.Inverted.BM25.K1, c.Inverted.Stopwords.Preset = .75, .9, "none"
	c.Tenants.Enabled, c.Tenants.Creation, c.Tenants.Activation = true, true, true
	c.Replication.Factor = max(1, s.opts.Replicas)
	c.Replication.Async, c.Replication.Deletion = c.Replication.Factor > 1, "DeleteOnConflict"
	return c
}

// prepare creates a collection, and the tenant in it, if they are missing.
func (s *Store) prepare(ctx context.Context, class string) error {
	s.mu.Lock()
	ready := s.ready[class]
	s.mu.Unlock()
	if ready {
		return nil
	}
	found, err := s.schema(ctx, class)
	if hasStatus(err, http.StatusNotFound) {
		err = s.client.call(ctx, http.MethodPost, "/v1/schema", nil, s.collection(class), nil)
		if err == nil || hasStatus(err, http.StatusUnprocessableEntity) { // another process may have just created it
			found, err = s.schema(ctx, class)
		}
	}
	if err != nil {
		return err
	}
	if err := s.fits(found); err != nil {
		return err
	}
	if err := s.wake(ctx, class); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready[class] = true
	if class == wordsClass {
		s.replicas = found.Replication.Factor
	}
	return nil
}

func (s *Store) schema(ctx context.Context, class string) (found collection, err error) {
	err = s.client.call(ctx, http.MethodGet, "/v1/schema/"+class, nil, nil, &found)
	return found, err
}

// fits refuses a collection that differs from those that memoir makes.
func (s *Store) fits(found collection) error {
	want := s.collection(found.Class)
	wrong := ""
	switch {
	case found.Description != format:
		wrong = "memoir did not make it"
	case !found.Tenants.Enabled || found.Vectorizer != "none":
		wrong = "it has no tenants, or makes vectors itself"
	case found.Replication.Deletion != want.Replication.Deletion:
		wrong = "its deletionStrategy is " + s.client.clean(found.Replication.Deletion)
	case !found.Tenants.Activation || !found.Tenants.Creation:
		wrong = "its tenants are not woken or made when they are needed"
	}
	for _, p := range want.Properties {
		if !slices.ContainsFunc(found.Properties, func(q property) bool {
			return q.Name == p.Name && q.Tokenization == p.Tokenization && q.Filterable == p.Filterable && q.Searchable == p.Searchable
		}) {
			wrong = "its property " + p.Name + " is missing or another one"
		}
	}
	if wrong == "" {
		return nil
	}
	return memoir.WithHint(fmt.Errorf("the collection %s of Weaviate: %s: %w", s.client.clean(found.Class), wrong, memoir.ErrForeign),
		"rename or remove that collection, or set weaviate.url to another server")
}

// tenant is one of a collection.
type tenant struct {
	Name   string `json:"name"`
	Status string `json:"activityStatus,omitempty"`
}

// maxTenants is how many tenants Weaviate takes in one request.
const maxTenants = 100

// setTenants sends tenants of a collection, as many at a time as Weaviate takes.
func (s *Store) setTenants(ctx context.Context, method, class string, all []tenant) error {
	for some := range slices.Chunk(all, maxTenants) {
		var body any = some
		if method == http.MethodDelete {
			names := make([]string, len(some))
			for i, t := range some {
				names[i] = t.Name
			}
			body = names
		}
		if err := s.client.call(ctx, method, "/v1/schema/"+class+"/tenants", nil, body, nil); err != nil {
			return err
		}
	}
	return nil
}

// wake creates the tenant, or wakes it when it sleeps.
func (s *Store) wake(ctx context.Context, class string) error {
	var found tenant
	err := s.client.call(ctx, http.MethodGet, "/v1/schema/"+class+"/tenants/"+s.opts.Tenant, nil, nil, &found)
	own := []tenant{{s.opts.Tenant, "HOT"}}
	switch {
	case hasStatus(err, http.StatusNotFound) || hasStatus(err, http.StatusUnprocessableEntity):
		err = s.setTenants(ctx, http.MethodPost, class, own)
	case err == nil && found.Status != "HOT" && found.Status != "ACTIVE":
		err = s.setTenants(ctx, http.MethodPut, class, own)
	}
	return err
}

// of returns the parameters of a request about the tenant. With several
// replicas they include a consistency level.
func (s *Store) of(level string) url.Values {
	q := url.Values{"tenant": {s.opts.Tenant}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replicas > 1 && level != "" {
		q.Set("consistency_level", level)
	}
	return q
}

// level returns the argument of a query that asks most replicas.
func (s *Store) level() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replicas > 1 {
		return ",consistencyLevel:QUORUM"
	}
	return ""
}

// arguments returns the arguments of a query.
func (s *Store) arguments(rest string) string {
	return "tenant:" + quote(s.opts.Tenant) + s.level() + "," + rest
}

// cache keeps values that never change. When it holds too many it is emptied.
// The zero value keeps nothing. The store guards it.
type cache[K comparable, V any] struct {
	most int
	held map[K]V
}

func newCache[K comparable, V any](most int) cache[K, V] {
	return cache[K, V]{most, map[K]V{}}
}

func (c *cache[K, V]) put(key K, value V) {
	if len(c.held) >= c.most {
		clear(c.held)
	}
	c.held[key] = value
}
