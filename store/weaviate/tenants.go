package weaviate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
)

// Exists reports whether anything is kept of a tenant, awake or asleep. It makes nothing.
func Exists(ctx context.Context, opts Options) (bool, error) {
	there := false
	err := eachClass(ctx, opts, func(s *Store, class string) error {
		err := s.client.call(ctx, http.MethodGet, "/v1/schema/"+class+"/tenants/"+opts.Tenant, nil, nil, nil)
		there = there || err == nil
		if hasStatus(err, http.StatusNotFound) || hasStatus(err, http.StatusUnprocessableEntity) {
			return nil
		}
		return err
	})
	return there, err
}

// Delete deletes a tenant with all that it has. One that is not there is no error. Who has
// it open finds it empty.
func Delete(ctx context.Context, opts Options) error {
	return eachClass(ctx, opts, func(s *Store, class string) error {
		return s.setTenants(ctx, http.MethodDelete, class, []tenant{{Name: opts.Tenant}})
	})
}

// eachClass calls f for each collection that memoir made.
func eachClass(ctx context.Context, opts Options, f func(s *Store, class string) error) error {
	c, err := newClient(opts)
	if err != nil {
		return err
	}
	defer c.http.CloseIdleConnections()
	if !tenantName().MatchString(opts.Tenant) {
		return fmt.Errorf("the tenant %q is no name that Weaviate takes: %w", opts.Tenant, memoir.ErrInvalid)
	}
	s := &Store{client: c, opts: opts}
	var all struct {
		Classes []struct {
			Class       string `json:"class"`
			Description string `json:"description"`
		} `json:"classes"`
	}
	if err := c.call(ctx, http.MethodGet, "/v1/schema", nil, nil, &all); err != nil {
		return err
	}
	var failed error
	for _, x := range all.Classes {
		if x.Description == format && (x.Class == wordsClass || strings.HasPrefix(x.Class, vectorsClass)) {
			failed = errors.Join(failed, f(s, x.Class))
		}
	}
	return failed
}

// What Weaviate says of a tenant that somebody is putting to sleep. When it sleeps the next
// request wakes it.
var dozing = []string{"shard shutdown in progress", "already shut or dropped", "not found locally", "does not exist locally", "shard not found", "tenant not active"}

// The waits between tries of a request about a tenant that is falling asleep: each is twice
// as long as the one before, and together they are 1.3 s.
const (
	firstWait = 10 * time.Millisecond
	maxWaits  = 7
)

// maxAfter is for how long at most a server that has too much to do is left alone before it
// is asked once more.
const maxAfter = 2 * time.Second

// missingReplicas is what Weaviate says of a change that too few replicas have taken: nodes
// are gone, or the tenant is falling asleep on some of them and awake on others.
const missingReplicas = "cannot reach enough replicas"

// patiently sends a request again while the tenant is falling asleep, and once after the
// time that the server asks for. Besides what Weaviate says of such a tenant, other signs of
// it may be given.
func patiently(ctx context.Context, request func() error, others ...string) error {
	signs := append(others, dozing...)
	wait, waits, asked := firstWait, 0, false
	for {
		err := request()
		var refused *statusError
		pause := wait
		switch {
		case err == nil:
			return nil
		case errors.As(err, &refused) && refused.after >= 0:
			if asked || refused.after > maxAfter {
				return err
			}
			asked, pause = true, refused.after
		case waits == maxWaits || !slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(err.Error(), sign) }):
			return err
		default:
			wait, waits = 2*wait, waits+1
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
