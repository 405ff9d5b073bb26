package weaviate_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// fake answers as Weaviate does to what the store asks, on one node and in memory. It
// knows the queries of the store and no others, so that one that is written otherwise
// fails. The real server is asked by the same tests (.ci/weaviate).
type fake struct {
	*httptest.Server

	mu      sync.Mutex // guards what follows
	classes map[string]json.RawMessage
	tenants map[string]map[string]string // class, name, status
	objects map[string]map[string]*kept  // class and tenant, id
	// spoil changes an answer before it is sent; nil: no.
	spoil func(r *http.Request, body string) string
	// before is called before a request is answered; nil: no.
	before func(r *http.Request)
	// stale is what the one replica has that is asked for objects by what they hold, of
	// those that are asked for by "of"; nil: what all have.
	stale map[string]*kept
	asked []string // the method, path and parameters of each request
	keys  map[string]bool
}

type kept struct {
	ID         string            `json:"id"`
	Class      string            `json:"class"`
	Tenant     string            `json:"tenant"`
	Properties map[string]string `json:"properties"`
	Vector     []float32         `json:"vector"`
}

func newFake(t testing.TB) *fake {
	f := &fake{classes: map[string]json.RawMessage{}, tenants: map[string]map[string]string{}, objects: map[string]map[string]*kept{}, keys: map[string]bool{}}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if before := f.before; before != nil {
		f.mu.Unlock()
		before(r)
		f.mu.Lock()
	}
	f.asked = append(f.asked, r.Method+" "+r.URL.RequestURI())
	f.keys[r.Header.Get("Authorization")] = true
	status, body := f.answer(r)
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	out := string(text)
	if f.spoil != nil {
		out = f.spoil(r, out)
	}
	w.WriteHeader(status)
	w.Write([]byte(out))
}

func refusal(format string, args ...any) map[string]any {
	return map[string]any{"error": []map[string]string{{"message": fmt.Sprintf(format, args...)}}}
}

func (f *fake) answer(r *http.Request) (int, any) {
	tenant := r.URL.Query().Get("tenant")
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch {
	case parts[0] == "schema" && r.Method == http.MethodPost && len(parts) == 1:
		var c struct{ Class string }
		var raw json.RawMessage
		if json.NewDecoder(r.Body).Decode(&raw) != nil || json.Unmarshal(raw, &c) != nil || f.classes[c.Class] != nil {
			return 422, refusal("class %s exists", c.Class)
		}
		f.classes[c.Class], f.tenants[c.Class] = raw, map[string]string{}
		return 200, raw
	case parts[0] == "schema" && f.classes[parts[1]] == nil:
		return 404, nil
	case parts[0] == "schema" && len(parts) == 2:
		return 200, f.classes[parts[1]]
	case parts[0] == "schema" && r.Method == http.MethodGet:
		if f.tenants[parts[1]][parts[3]] == "" {
			return 404, refusal("no such tenant")
		}
		return 200, map[string]string{"name": parts[3], "activityStatus": f.tenants[parts[1]][parts[3]]}
	case parts[0] == "schema" && r.Method == http.MethodDelete:
		var names []string
		json.NewDecoder(r.Body).Decode(&names)
		for _, name := range names {
			delete(f.tenants[parts[1]], name)
			delete(f.objects, parts[1]+" "+name)
		}
		return 200, nil
	case parts[0] == "schema":
		var all []struct{ Name, ActivityStatus string }
		if json.NewDecoder(r.Body).Decode(&all) != nil || len(all) > 100 {
			return 422, refusal("at most 100 tenants")
		}
		for _, t := range all {
			f.tenants[parts[1]][t.Name] = t.ActivityStatus
		}
		return 200, all
	case parts[0] == "objects":
		if f.tenants[parts[1]][tenant] == "" {
			return 422, refusal("tenant not found: %q", tenant)
		}
		o := f.objects[parts[1]+" "+tenant][parts[2]]
		if o == nil {
			return 404, nil
		}
		return 200, o
	case parts[0] == "batch" && r.Method == http.MethodPost:
		var in struct{ Objects []*kept }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return 422, refusal("%v", err)
		}
		results := []any{}
		for _, o := range in.Objects {
			at := o.Class + " " + o.Tenant
			if f.objects[at] == nil {
				f.objects[at] = map[string]*kept{}
			}
			f.tenants[o.Class][o.Tenant] = "HOT"
			f.objects[at][o.ID] = o
			results = append(results, map[string]any{"result": map[string]string{"status": "SUCCESS"}})
		}
		return 200, results
	case parts[0] == "batch":
		return f.remove(r, tenant)
	case parts[0] == "graphql":
		var in struct{ Query string }
		json.NewDecoder(r.Body).Decode(&in)
		return 200, f.query(in.Query)
	}
	return 404, nil
}

func (f *fake) remove(r *http.Request, tenant string) (int, any) {
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
	maps.DeleteFunc(f.objects[in.Match.Class+" "+tenant], func(id string, o *kept) bool {
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
	counting  = regexp.MustCompile(`(\w+\d+):(\w+)\(tenant:("[^"]*"),where:\{path:\["(terms|all)"\],operator:Equal,valueText:("(?:[^"\\]|\\.)*")\}\)\{meta\{count\}\}`)
	getting   = regexp.MustCompile(`^\{Get\{(\w+)\(tenant:("[^"]*"),(.*)\)\{([^(){}]*) ?_additional\{(id|id vector)\}\}\}\}$`)
	limit     = regexp.MustCompile(`^limit:(\d+)`)
	listed    = regexp.MustCompile(`where:\{path:\["id"\],operator:ContainsAny,valueText:(\[[^\]]*\])\}$`)
	being     = regexp.MustCompile(`where:\{path:\["of"\],operator:Equal,valueText:("[^"]*")\}$`)
	holding   = regexp.MustCompile(`where:\{path:\["terms"\],operator:ContainsAll,valueText:(\[.*\])\}$`)
	ranking   = regexp.MustCompile(`bm25:\{query:("(?:[^"\\]|\\.)*"),properties:\["terms"\]\}`)
	near      = regexp.MustCompile(`nearVector:\{vector:(\[[^\]]*\])\}`)
	following = regexp.MustCompile(`after:("[^"]*")$`)
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

func (f *fake) query(q string) any {
	if strings.HasPrefix(q, "{Aggregate{") {
		counts := map[string]any{}
		for _, m := range counting.FindAllStringSubmatch(q, -1) {
			n := 0
			for _, o := range f.objects[m[2]+" "+decode[string](m[3])] {
				if slices.Contains(strings.Fields(o.Properties[m[4]]), decode[string](m[5])) {
					n++
				}
			}
			counts[m[1]] = []any{map[string]any{"meta": map[string]int{"count": n}}}
		}
		return map[string]any{"data": map[string]any{"Aggregate": counts}}
	}
	m := getting.FindStringSubmatch(q)
	if m == nil {
		return failed("syntax error: %s", q)
	}
	class, arguments := m[1], m[3]
	if f.tenants[class][decode[string](m[2])] == "" {
		return failed("tenant not found")
	}
	all := slices.SortedFunc(maps.Values(f.objects[class+" "+decode[string](m[2])]), func(a, b *kept) int { return cmp.Compare(a.ID, b.ID) })
	keep := func(has func(*kept) bool) { all = slices.DeleteFunc(all, func(o *kept) bool { return !has(o) }) }
	if l := listed.FindStringSubmatch(arguments); l != nil {
		ids := decode[[]string](l[1])
		keep(func(o *kept) bool { return slices.Contains(ids, o.ID) })
	}
	if l := being.FindStringSubmatch(arguments); l != nil {
		if f.stale != nil {
			all = slices.Collect(maps.Values(f.stale))
		}
		of := decode[string](l[1])
		keep(func(o *kept) bool { return o.Properties["of"] == of })
	}
	if l := following.FindStringSubmatch(arguments); l != nil {
		after := decode[string](l[1])
		keep(func(o *kept) bool { return o.ID > after })
	}
	if l := holding.FindStringSubmatch(arguments); l != nil {
		terms := decode[[]string](l[1])
		keep(func(o *kept) bool {
			has := strings.Fields(o.Properties["terms"])
			return !slices.ContainsFunc(terms, func(t string) bool { return !slices.Contains(has, t) })
		})
	}
	score := map[*kept]float64{}
	if l := ranking.FindStringSubmatch(arguments); l != nil {
		for _, o := range all {
			for _, t := range strings.Fields(o.Properties["terms"]) {
				score[o] += float64(strings.Count(" "+decode[string](l[1])+" ", " "+t+" "))
			}
		}
		keep(func(o *kept) bool { return score[o] > 0 })
	}
	if l := near.FindStringSubmatch(arguments); l != nil {
		v := decode[[]float32](l[1])
		for _, o := range all {
			if len(o.Vector) != len(v) {
				return failed("vector lengths don't match")
			}
			var dot, squares float64
			for i := range v {
				dot, squares = dot+float64(v[i])*float64(o.Vector[i]), squares+float64(o.Vector[i])*float64(o.Vector[i])
			}
			if squares > 0 {
				score[o] = dot / math.Sqrt(squares)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *kept) int { return cmp.Compare(score[b], score[a]) })
	if l := limit.FindStringSubmatch(arguments); l != nil {
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
		}
		hit := map[string]any{"_additional": extra}
		for _, field := range strings.Fields(m[4]) {
			hit[field] = o.Properties[field]
		}
		hits = append(hits, hit)
	}
	return map[string]any{"data": map[string]any{"Get": map[string]any{class: hits}}}
}
