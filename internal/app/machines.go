package app

import (
	"context"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/lease"
	"github.com/memoir-ai/memoir/internal/objects"
	"github.com/memoir-ai/memoir/store/weaviate"
)

// leaseDir is where a bucket has the leases of indexes that machines share.
const leaseDir = ".memoir/lease/"

// sharedTenant returns the tenant of an index that several machines write to: one in
// Weaviate with a namespace, of notes in a bucket. "" is none.
func sharedTenant(settings *config.Loaded) string {
	if settings.Store != config.StoreWeaviate || settings.Weaviate.Namespace == "" || settings.Bucket.URL == "" {
		return ""
	}
	tenant, _ := tenantOf(settings, false) // in a namespace it is made of what is known
	return tenant
}

// A machineLease is a lease of the bucket, which is tried first whether it can have one.
type machineLease struct {
	bucket *objects.Bucket
	lease  *lease.Lease

	mu    sync.Mutex // guards tried
	tried bool
}

// leaseOf returns a lease on something of an index that machines share.
func leaseOf(settings *config.Loaded, name string) (*machineLease, error) {
	b, err := openBucket(settings)
	if err != nil {
		return nil, err
	}
	return &machineLease{bucket: b, lease: lease.Open(lease.Options{Bucket: b, Name: leaseDir + name})}, nil
}

// able reports why the bucket can have no lease: it overwrites whatever is asked of it.
func (m *machineLease) able(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tried {
		return nil
	}
	_, err := m.bucket.Conditional(ctx)
	m.tried = err == nil
	return err
}

// machineTurns returns what lets the machines that share an index write to it by turns; nil where
// none does.
func machineTurns(settings *config.Loaded) (func(context.Context) (weaviate.Turn, error), error) {
	tenant := sharedTenant(settings)
	if tenant == "" {
		return nil, nil
	}
	m, err := leaseOf(settings, tenant)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (weaviate.Turn, error) {
		if err := m.able(ctx); err != nil {
			return nil, err
		}
		turn, err := m.lease.Acquire(ctx)
		if err != nil {
			return nil, err // and no interface that holds no turn
		}
		return turn, nil
	}, nil
}

// sharedLease is the lease of who computes vectors, among the processes of this machine
// and then among machines.
type sharedLease struct {
	memoir.Lease
	machines *machineLease
}

// vectorLease returns the lease of who computes the vectors of an index.
func vectorLease(settings *config.Loaded) (memoir.Lease, error) {
	own := embedLock(settings.IndexPath())
	tenant := sharedTenant(settings)
	if tenant == "" {
		return own, nil
	}
	m, err := leaseOf(settings, tenant+"-vectors")
	if err != nil {
		return nil, err
	}
	return sharedLease{own, m}, nil
}

// Take implements [memoir.Lease].
func (l sharedLease) Take(ctx context.Context, wait bool) (release func(), ok bool, err error) {
	release, ok, err = l.Lease.Take(ctx, wait)
	if !ok || err != nil {
		return release, ok, err
	}
	if err := l.machines.able(ctx); err != nil {
		release()
		return nil, false, err
	}
	var turn *lease.Turn
	if wait {
		turn, err = l.machines.lease.Acquire(ctx)
		ok = err == nil
	} else {
		turn, ok, err = l.machines.lease.Try(ctx)
	}
	if err != nil || !ok {
		release()
		return nil, false, err
	}
	return func() {
		turn.Release(ctx)
		release()
	}, true, nil
}
