// Package weaviatetest is a server in memory that answers as Weaviate does to what the
// store asks, for tests.
package weaviatetest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// A Server answers as Weaviate does to what the store asks, on one node and in memory. It
// knows the queries of the store and no others, so that one that is written otherwise
// fails. The real server is asked by the same tests (.ci/weaviate).
type Server struct {
	*httptest.Server

	Mu      sync.Mutex // guards what follows
	Classes map[string]json.RawMessage
	Tenants map[string]map[string]string  // class, name, status
	Objects map[string]map[string]*Object // class and tenant, id
	// Spoil changes an answer before it is sent; nil: no.
	Spoil func(r *http.Request, body string) string
	// Before is called before a request is answered; nil: no.
	Before func(r *http.Request)
	// Stale is what the one replica has that is asked for objects by what they hold, of
	// those that are asked for by "of"; nil: what all have.
	Stale map[string]*Object
	// Starting is how many more requests come to a node that has not opened its
	// collections yet.
	Starting int
	// Lagging are objects that the one replica does not have that is asked by a query.
	Lagging map[string]bool
	// Rare are objects that one replica alone has, so that who asks most of them may not
	// see them.
	Rare map[string]bool
	// Down is true when one replica does not answer, so that nobody can ask all of them.
	Down bool
	// Old is what that replica has of an object instead of what most have; nil: the same.
	Old   map[string]*Object
	Asked []string // the method, path and parameters of each request
	Keys  map[string]bool
}

// An Object is one of a tenant.
type Object struct {
	ID         string            `json:"id"`
	Class      string            `json:"class"`
	Tenant     string            `json:"tenant"`
	Properties map[string]string `json:"properties"`
	Vector     []float32         `json:"vector"`
}

// States returns copies of the objects of a class and tenant whose "of" is that of states.
func (f *Server) States(at string, isState func(of string) bool) []*Object {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	var all []*Object
	for _, o := range f.Objects[at] {
		if isState(o.Properties["of"]) {
			copied := *o
			all = append(all, &copied)
		}
	}
	return all
}

// PutBack puts objects over what is there now.
func (f *Server) PutBack(all []*Object) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, o := range all {
		f.Objects[o.Class+" "+o.Tenant][o.ID] = o
	}
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	f := &Server{Classes: map[string]json.RawMessage{}, Tenants: map[string]map[string]string{}, Objects: map[string]map[string]*Object{}, Keys: map[string]bool{}}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *Server) serve(w http.ResponseWriter, r *http.Request) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if before := f.Before; before != nil {
		f.Mu.Unlock()
		before(r)
		f.Mu.Lock()
	}
	f.Asked = append(f.Asked, r.Method+" "+r.URL.RequestURI())
	f.Keys[r.Header.Get("Authorization")] = true
	status, body := f.answer(r)
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	out := string(text)
	if f.Spoil != nil {
		out = f.Spoil(r, out)
	}
	w.WriteHeader(status)
	w.Write([]byte(out))
}

func refusal(format string, args ...any) map[string]any {
	return map[string]any{"error": []map[string]string{{"message": fmt.Sprintf(format, args...)}}}
}

func (f *Server) answer(r *http.Request) (int, any) {
	tenant := r.URL.Query().Get("tenant")
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	starting := f.Starting > 0
	f.Starting = max(0, f.Starting-1)
	switch {
	case starting && parts[0] == "objects":
		return 404, nil
	case starting && parts[0] == "graphql":
		return 200, failed("tried to browse non-existing index")
	case parts[0] == "schema":
		return f.schema(r, parts[1:])
	case parts[0] == "objects":
		if !f.awake(parts[1], tenant) {
			return 422, refusal("tenant not found: %q", tenant)
		}
		o, all := f.Objects[parts[1]+" "+tenant][parts[2]], r.URL.Query().Get("consistency_level") == "ALL"
		if all && f.Down {
			return 500, refusal("cannot achieve consistency level ALL")
		}
		if o == nil || f.Rare[o.ID] && !all {
			return 404, nil
		}
		return 200, o
	case parts[0] == "batch" && r.Method == http.MethodPost:
		return f.put(r)
	case parts[0] == "batch":
		return f.remove(r, tenant)
	case parts[0] == "graphql":
		var in struct{ Query string }
		json.NewDecoder(r.Body).Decode(&in)
		return 200, f.query(in.Query)
	}
	return 404, nil
}

// awake reports whether a tenant is there. One that sleeps is woken.
func (f *Server) awake(class, tenant string) bool {
	if f.Tenants[class][tenant] == "" {
		return false
	}
	f.Tenants[class][tenant] = "HOT"
	return true
}

// schema answers for classes and their tenants. The path is CLASS/tenants/NAME or
// the beginning of it.
func (f *Server) schema(r *http.Request, path []string) (int, any) {
	if len(path) == 0 {
		if r.Method == http.MethodPost {
			return f.addClass(r)
		}
		return 200, map[string]any{"classes": slices.Collect(maps.Values(f.Classes))}
	}
	class := path[0]
	switch {
	case f.Classes[class] == nil:
		return 404, nil
	case len(path) == 1:
		return 200, f.Classes[class]
	case r.Method == http.MethodGet:
		if f.Tenants[class][path[2]] == "" {
			return 404, refusal("no such tenant")
		}
		return 200, map[string]string{"name": path[2], "activityStatus": f.Tenants[class][path[2]]}
	case r.Method == http.MethodDelete:
		var names []string
		json.NewDecoder(r.Body).Decode(&names)
		for _, name := range names {
			delete(f.Tenants[class], name)
			delete(f.Objects, class+" "+name)
		}
		return 200, nil
	}
	var all []struct{ Name, ActivityStatus string }
	if json.NewDecoder(r.Body).Decode(&all) != nil || len(all) > 100 {
		return 422, refusal("at most 100 tenants")
	}
	for _, t := range all {
		f.Tenants[class][t.Name] = t.ActivityStatus
	}
	return 200, all
}

func (f *Server) addClass(r *http.Request) (int, any) {
	var c struct{ Class string }
	var raw json.RawMessage
	if json.NewDecoder(r.Body).Decode(&raw) != nil || json.Unmarshal(raw, &c) != nil || f.Classes[c.Class] != nil {
		return 422, refusal("class %s exists", c.Class)
	}
	f.Classes[c.Class], f.Tenants[c.Class] = raw, map[string]string{}
	return 200, raw
}

func (f *Server) put(r *http.Request) (int, any) {
	var in struct{ Objects []*Object }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 422, refusal("%v", err)
	}
	results := []any{}
	for _, o := range in.Objects {
		at := o.Class + " " + o.Tenant
		if f.Objects[at] == nil {
			f.Objects[at] = map[string]*Object{}
		}
		f.Tenants[o.Class][o.Tenant] = "HOT"
		f.Objects[at][o.ID] = o
		results = append(results, struct {
			*Object
			Result map[string]string `json:"result"`
		}{o, map[string]string{"status": "SUCCESS"}})
	}
	return 200, results
}

func (f *Server) remove(r *http.Request, tenant string) (int, any) {
	var in struct {
		Match struct {
			Class string
			Where struct {
				Path           []string
				Operator       string
				ValueTextArray []string
			}
		}
		DeletionTimeUnixMilli int64
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.DeletionTimeUnixMilli == 0 || in.Match.Where.Operator != "ContainsAny" {
		return 422, refusal("without a time, replicas bring it back")
	}
	n := 0
	maps.DeleteFunc(f.Objects[in.Match.Class+" "+tenant], func(id string, o *Object) bool {
		value := o.Properties["of"]
		if in.Match.Where.Path[0] == "id" {
			value = id
		}
		gone := slices.Contains(in.Match.Where.ValueTextArray, value)
		if gone {
			n++
		}
		return gone
	})
	return 200, map[string]any{"results": map[string]any{"matches": n, "successful": n, "limit": 10000}}
}

var (
	getting   = lazyregexp.New(`^\{Get\{(\w+)\(tenant:("[^"]*"),(.*)\)\{([^(){}]*) ?_additional\{(id|id vector|id distance)\}\}\}\}$`)
	limit     = lazyregexp.New(`^limit:(\d+)`)
	listed    = lazyregexp.New(`where:\{path:\["id"\],operator:ContainsAny,valueText:(\[[^\]]*\])\}$`)
	being     = lazyregexp.New(`where:\{path:\["of"\],operator:Equal,valueText:("[^"]*")\}$`)
	holding   = lazyregexp.New(`where:\{path:\["terms"\],operator:ContainsAll,valueText:(\[.*\])\}$`)
	ranking   = lazyregexp.New(`bm25:\{query:("(?:[^"\\]|\\.)*"),properties:\["terms"\]\}`)
	near      = lazyregexp.New(`nearVector:\{vector:(\[[^\]]*\])\}`)
	following = lazyregexp.New(`after:("[^"]*")$`)
)

func decode[T any](text string) (v T) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	return v
}

func failed(format string, args ...any) map[string]any {
	return map[string]any{"data": nil, "errors": []map[string]string{{"message": fmt.Sprintf(format, args...)}}}
}

func (f *Server) query(q string) any {
	m := getting().FindStringSubmatch(q)
	if m == nil {
		return failed("syntax error: %s", q)
	}
	class, tenant, arguments := m[1], decode[string](m[2]), m[3]
	if !f.awake(class, tenant) {
		return failed("tenant not found")
	}
	all, score, err := ordered(f.chosen(class+" "+tenant, arguments), arguments)
	if err != nil {
		return failed("%v", err)
	}
	if l := limit().FindStringSubmatch(arguments); l != nil {
		n, _ := strconv.Atoi(l[1])
		if n > 10_000 {
			return failed("query maximum results exceeded")
		}
		all = all[:min(len(all), n)]
	}
	hits := []any{}
	for _, o := range all {
		extra := map[string]any{"id": o.ID}
		if m[5] == "id vector" {
			extra["vector"] = o.Vector
		} else if m[5] == "id distance" {
			extra["distance"] = float32(1 - score[o])
		}
		hit := map[string]any{"_additional": extra}
		for _, field := range strings.Fields(m[4]) {
			hit[field] = o.Properties[field]
		}
		hits = append(hits, hit)
	}
	return map[string]any{"data": map[string]any{"Get": map[string]any{class: hits}}}
}

// chosen returns the objects that pass the conditions of a query, ordered by id.
func (f *Server) chosen(at, arguments string) []*Object {
	all := slices.SortedFunc(maps.Values(f.Objects[at]), func(a, b *Object) int { return cmp.Compare(a.ID, b.ID) })
	keep := func(has func(*Object) bool) { all = slices.DeleteFunc(all, func(o *Object) bool { return !has(o) }) }
	keep(func(o *Object) bool { return !f.Lagging[o.ID] && !f.Rare[o.ID] })
	for i, o := range all {
		if old := f.Old[o.ID]; old != nil {
			all[i] = old
		}
	}
	if l := listed().FindStringSubmatch(arguments); l != nil {
		ids := decode[[]string](l[1])
		keep(func(o *Object) bool { return slices.Contains(ids, o.ID) })
	}
	if l := being().FindStringSubmatch(arguments); l != nil {
		if f.Stale != nil {
			all = slices.Collect(maps.Values(f.Stale))
		}
		of := decode[string](l[1])
		keep(func(o *Object) bool { return o.Properties["of"] == of })
	}
	if l := following().FindStringSubmatch(arguments); l != nil {
		after := decode[string](l[1])
		keep(func(o *Object) bool { return o.ID > after })
	}
	if l := holding().FindStringSubmatch(arguments); l != nil {
		terms := decode[[]string](l[1])
		keep(func(o *Object) bool {
			has := strings.Fields(o.Properties["terms"])
			return !slices.ContainsFunc(terms, func(t string) bool { return !slices.Contains(has, t) })
		})
	}
	return all
}

// ordered puts the objects that a query ranks highest first. Of a query by words it
// leaves out those that hold none of them. It leaves the order of other queries alone.
// The scores of a query by a vector are cosines.
func ordered(all []*Object, arguments string) ([]*Object, map[*Object]float64, error) {
	score := map[*Object]float64{}
	if l := ranking().FindStringSubmatch(arguments); l != nil {
		for _, o := range all {
			for _, t := range strings.Fields(o.Properties["terms"]) {
				score[o] += float64(strings.Count(" "+decode[string](l[1])+" ", " "+t+" "))
			}
		}
		all = slices.DeleteFunc(all, func(o *Object) bool { return score[o] == 0 })
	}
	if l := near().FindStringSubmatch(arguments); l != nil {
		v := decode[[]float32](l[1])
		for _, o := range all {
			if len(o.Vector) != len(v) {
				return nil, nil, errors.New("vector lengths don't match")
			}
			var dot, squares, asked float64
			for i := range v {
				dot, squares, asked = dot+float64(v[i])*float64(o.Vector[i]), squares+float64(o.Vector[i])*float64(o.Vector[i]), asked+float64(v[i])*float64(v[i])
			}
			if squares*asked > 0 {
				score[o] = dot / math.Sqrt(squares*asked)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *Object) int { return cmp.Compare(score[b], score[a]) })
	return all, score, nil
}
