package weaviate

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
)

// What is asked for of an object.
const (
	dataFields   = "data _additional{id}"
	vectorFields = "_additional{id vector}"
	nearFields   = "_additional{id distance}"
)

// objects returns those of the given objects that a collection has. One replica says
// which it has, and it may have been away while some were written: what it does not have
// is asked for again, of most replicas.
func (s *Store) objects(ctx context.Context, class string, ids []uuid, fields string) (map[uuid]object, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := s.queried(ctx, class, ids, fields)
	if err != nil {
		return nil, err
	}
	if s.level() == "" || len(out) == len(ids) {
		return out, nil
	}
	missing := slices.DeleteFunc(slices.Clone(ids), func(id uuid) bool { _, there := out[id]; return there })
	var mu sync.Mutex // guards out
	err = together(missing, func(id uuid) error {
		o, there, err := s.objectAt(ctx, class, id)
		if there {
			mu.Lock()
			defer mu.Unlock()
			out[id] = o
		}
		return err
	})
	return out, err
}

// objectAt returns an object with all that it has, as most replicas know it.
//
// A node that has just started says that an object is not there before it has opened the
// collection, where it refuses a query. So what is not there is believed only when a query
// was answered in between: whoever took it for an empty tenant would write over the index.
// What the query finds is not taken, for it is what one replica has, and may be old.
func (s *Store) objectAt(ctx context.Context, class string, id uuid) (object, bool, error) {
	o, there, err := s.fetch(ctx, class, id, mostReplicas)
	if there || err != nil {
		return o, there, err
	}
	found, err := s.queried(ctx, class, []uuid{id}, "_additional{id}")
	if err != nil {
		return object{}, false, err
	}
	o, there, err = s.fetch(ctx, class, id, mostReplicas)
	if err == nil && !there && len(found) > 0 {
		err = s.client.unusable(errors.New("an object is there and is not"))
	}
	return o, there, err
}

// The consistency levels: how many replicas have to answer.
const (
	mostReplicas = "QUORUM"
	allReplicas  = "ALL"
)

// fetch asks a node for an object, which asks so many replicas.
func (s *Store) fetch(ctx context.Context, class string, id uuid, level string) (o object, there bool, err error) {
	var found struct {
		ID         string `json:"id"`
		Properties struct {
			Data string `json:"data"`
		} `json:"properties"`
		Vector []float32 `json:"vector"`
	}
	query := s.of(level)
	query.Set("include", "vector")
	err = patiently(ctx, func() error {
		return s.client.call(ctx, http.MethodGet, "/v1/objects/"+class+"/"+id.String(), query, nil, &found)
	})
	if got, ok := parseUUID(found.ID); err == nil && (!ok || got != id) {
		err = s.client.unusable(errors.New("it is not the object that was asked for"))
	}
	if hasStatus(err, http.StatusNotFound) {
		return object{}, false, nil
	}
	o.Data, o.Additional.ID, o.Additional.Vector = found.Properties.Data, id.String(), found.Vector
	return o, err == nil, err
}

// queried returns those of the given objects that one replica has.
func (s *Store) queried(ctx context.Context, class string, ids []uuid, fields string) (map[uuid]object, error) {
	where := fmt.Sprintf("limit:%d,where:{path:[\"id\"],operator:ContainsAny,valueText:%s}", len(ids), quoteAll(ids))
	found, err := s.client.get(ctx, class, s.arguments(where), fields)
	if err != nil {
		return nil, err
	}
	asked := make(map[uuid]bool, len(ids))
	for _, id := range ids {
		asked[id] = true
	}
	out := make(map[uuid]object, len(found))
	for _, o := range found {
		if id, ok := o.id(); ok && asked[id] {
			out[id] = o
		}
	}
	return out, nil
}

// maxUnpacked is the most bytes that packed data may unpack to.
const maxUnpacked = 64 << 20

// packers are reused because each takes a megabyte of memory.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a valid constant
	}
	return w
}}

// pack writes a value as a short text.
func pack(v any) (string, error) {
	var b strings.Builder
	to := base64.NewEncoder(base64.StdEncoding, &b)
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(to)
	err := json.NewEncoder(w).Encode(v)
	if err == nil {
		err = errors.Join(w.Close(), to.Close())
	}
	return b.String(), err
}

// plain writes a small value as a text. Packed it would be a fifth shorter, or longer when
// it is very short, and take many times as long (docs/design/scale.md).
func plain(v any) (string, error) {
	var b strings.Builder
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	err := to.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// unpack decodes what pack or plain has written.
func unpack(text string, v any) error {
	if strings.HasPrefix(text, "{") { // no Base64 begins so
		return json.Unmarshal([]byte(text), v)
	}
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxUnpacked+1))
	switch {
	case err != nil:
		return err
	case len(data) > maxUnpacked:
		return fmt.Errorf("it has more than %d bytes", maxUnpacked)
	}
	return json.Unmarshal(data, v)
}

// put is an object to be written.
type put struct {
	class  string
	id     uuid
	tenant string
	properties
	vector []float32
}

// properties are those of an object. An empty one is not written.
type properties struct{ data, of, terms string }

// size returns about how many bytes an object takes in a request.
func (p *put) size() int { return 200 + len(p.data) + len(p.of) + len(p.terms) + 12*len(p.vector) }

// appendTo writes an object as JSON, in less time than [encoding/json].
func (p *put) appendTo(b []byte) []byte {
	b = appendText(append(b, `{"class":`...), p.class)
	b = appendText(append(b, `,"id":`...), p.id.String())
	b = appendText(append(b, `,"tenant":`...), p.tenant)
	b = appendText(append(b, `,"properties":{"data":`...), p.data)
	if p.of != "" {
		b = appendText(append(b, `,"of":`...), p.of)
	}
	if p.terms != "" {
		b = appendText(append(b, `,"terms":`...), p.terms)
	}
	b = append(b, '}')
	for i, x := range p.vector {
		if i == 0 {
			b = append(b, `,"vector":[`...)
		} else {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	if len(p.vector) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendText writes a text as JSON. Most are plain.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(b, quote(text)...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// requestsAtOnce is how many requests that write, or ask for single objects, are sent at
// a time.
const requestsAtOnce = 4

// write writes objects to all replicas, or to most of them when one is down. After an
// error some of them may have been written.
func (s *Store) write(ctx context.Context, all []put) error {
	var parts [][]put
	for len(all) > 0 {
		n, size := 0, 0
		for n < len(all) && n < putsAtOnce && (n == 0 || size+all[n].size() <= bytesAtOnce) {
			size += all[n].size()
			n++
		}
		parts, all = append(parts, all[:n]), all[n:]
	}
	return together(parts, func(some []put) error { return s.writeSome(ctx, some) })
}

// together calls f for each of some things, for a few at a time. After an error it calls
// f for no more of them, and returns that error.
func together[T any](all []T, f func(T) error) error {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex // guards failed
		failed error
		room   = make(chan struct{}, requestsAtOnce)
	)
	for _, x := range all {
		room <- struct{}{}
		mu.Lock()
		stop := failed != nil
		mu.Unlock()
		if stop {
			break
		}
		wg.Go(func() {
			defer func() { <-room }()
			if err := f(x); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = cmp.Or(failed, err)
			}
		})
	}
	wg.Wait()
	return failed
}

// halting is for how long only most replicas are asked to take what is written, after some
// of them were missing.
const halting = 15 * time.Second

// levels returns the consistency levels at which a change is tried, one after the other.
func (s *Store) levels() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.halted) < halting {
		return []string{mostReplicas}
	}
	return []string{allReplicas, mostReplicas}
}

// tried notes that a change was not made at a level, and why. Only [short] errors say
// that the next changes are better asked of most replicas at once.
func (s *Store) tried(level string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if level == allReplicas && s.replicas > 1 && short(err) {
		s.halted = time.Now()
	}
}

// short reports whether an error of a change says that replicas are missing. Two kinds do:
//
//   - Weaviate says that it could not reach enough of them, for the request or for an object.
//   - The request had no answer within its deadline, as when a node takes connections and is
//     silent: each change would wait as long.
//
// All others say nothing of the replicas: input that is refused (status 4xx), an object that
// fails for a reason of its own, an answer that cannot be used, a connection that ends (the
// node that was asked is gone, and another one may know all replicas), a caller who gave up.
func short(err error) bool {
	return err != nil && (errors.Is(err, errSilent) || strings.Contains(err.Error(), missingReplicas))
}

// failures say why an object was not written or deleted.
type failures struct {
	Error []struct {
		Message string `json:"message"`
	} `json:"error"`
}

// A batchAnswer is the answer to objects that are to be written: each of them, and what
// became of it.
type batchAnswer struct {
	sent    int
	results []batchResult // nil: all of them were kept
}

type batchResult struct {
	Result struct {
		Errors failures `json:"errors"`
		Status string   `json:"status"`
	} `json:"result"`
}

// read implements [reader]. Weaviate sends back all that it was sent, vectors too, and to
// parse that takes longer than to write it. So it is parsed only when not as many objects
// as were sent say of themselves that they were kept. No text in an object can say so:
// it would have a backslash before each quotation mark.
func (a *batchAnswer) read(answer []byte) error {
	if bytes.Count(answer, []byte(`"result":{"status":"SUCCESS"}`)) == a.sent && !bytes.Contains(answer, []byte(`"FAILED"`)) {
		return nil
	}
	if err := json.Unmarshal(answer, &a.results); err != nil {
		return err
	}
	if len(a.results) != a.sent {
		return fmt.Errorf("%d results for %d objects", len(a.results), a.sent)
	}
	return nil
}

func (s *Store) writeSome(ctx context.Context, some []put) error {
	size := 0
	for i := range some {
		size += some[i].size()
	}
	body := append(make([]byte, 0, size), `{"objects":[`...)
	for i := range some {
		if i > 0 {
			body = append(body, ',')
		}
		body = some[i].appendTo(body)
	}
	body = append(body, "]}"...)
	return s.atLevels(ctx, func(level string) error {
		answer := batchAnswer{sent: len(some)}
		err := s.client.call(ctx, http.MethodPost, "/v1/batch/objects", s.of(level), body, &answer)
		for _, r := range answer.results {
			why := ""
			if e := r.Result.Errors.Error; len(e) > 0 {
				why = s.client.clean(e[0].Message)
			} else if r.Result.Status != "FAILED" {
				continue
			}
			err = cmp.Or(err, memoir.WithHint(fmt.Errorf("an object was not kept by Weaviate: %s: %w", cmp.Or(why, "no reason is given"), memoir.ErrUnavailable), "memoir doctor"))
		}
		return err
	})
}

// atLevels makes a change at one level after the other, until it is made or another level
// would not help.
func (s *Store) atLevels(ctx context.Context, change func(level string) error) (err error) {
	for _, level := range s.levels() {
		var others []string
		if level == mostReplicas && s.replicas > 1 {
			others = []string{missingReplicas} // no other level is left
		}
		err = patiently(ctx, func() error { return change(level) }, others...)
		if err == nil || ctx.Err() != nil || wrong(err) {
			return err
		}
		s.tried(level, err)
	}
	return err
}

// wrong reports whether the server refuses a change for what is in it (status 4xx), so that
// the same again would be refused again. Replicas that are missing give 500, or an error of
// each object.
func wrong(err error) bool {
	var e *statusError
	return errors.As(err, &e) && e.status >= 400 && e.status < 500 && e.status != http.StatusRequestTimeout && e.status != http.StatusTooManyRequests
}

// deletedAtOnce is for how many documents and pages objects are deleted in one
// request.
const deletedAtOnce = 100

// remove deletes the objects of documents and pages. It returns those whose
// objects may not all be deleted. After a failure it tries no more of them: a
// server that is silent would be waited for each time.
func (s *Store) remove(ctx context.Context, ids []uuid) (left []uuid) {
	for len(ids) > 0 {
		n := min(len(ids), deletedAtOnce)
		if err := s.removeWhere(ctx, wordsClass, "of", ids[:n]); err != nil {
			return ids
		}
		ids = ids[n:]
	}
	return nil
}

// maxRounds is how often a deletion is asked for again because there is more to delete. Each
// round deletes thousands of objects.
const maxRounds = 100

// removeWhere deletes the objects that have one of some values. It always
// passes the time of deletion: without it Weaviate would take older objects for
// newer ones (docs/design/scale.md).
func (s *Store) removeWhere(ctx context.Context, class, path string, values []uuid) error {
	type results struct {
		Matches    int `json:"matches"`
		Limit      int `json:"limit"`
		Failed     int `json:"failed"`
		Successful int `json:"successful"`
		Objects    []struct {
			Errors failures `json:"errors"`
		} `json:"objects"` // those that failed
	}
	body := map[string]any{
		"match":                 map[string]any{"class": class, "where": map[string]any{"path": []string{path}, "operator": "ContainsAny", "valueTextArray": values}},
		"output":                "minimal",
		"deletionTimeUnixMilli": time.Now().UnixMilli(),
	}
	return s.atLevels(ctx, func(level string) (err error) {
		for more, rounds := true, 0; more; rounds++ {
			var answer struct {
				Results results `json:"results"`
			}
			err = s.client.call(ctx, http.MethodDelete, "/v1/batch/objects", s.of(level), body, &answer)
			if err == nil && answer.Results.Failed > 0 {
				why := ""
				if o := answer.Results.Objects; len(o) > 0 && len(o[0].Errors.Error) > 0 {
					why = s.client.clean(o[0].Errors.Error[0].Message)
				}
				err = fmt.Errorf("%d objects could not be deleted: %s: %w", answer.Results.Failed, cmp.Or(why, "no reason is given"), memoir.ErrUnavailable)
			}
			more = err == nil && answer.Results.Limit > 0 && answer.Results.Matches >= answer.Results.Limit
			if more && (answer.Results.Successful == 0 || rounds == maxRounds) {
				err, more = s.client.unusable(errors.New("there is more to delete, and nothing is deleted")), false
			}
		}
		return err
	})
}
