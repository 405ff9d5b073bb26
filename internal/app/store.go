package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/store/weaviate"
)

// fresh is how long the state of an index is used without asking for it again,
// because a search needs it several times.
const fresh = 200 * time.Millisecond

// StoreUse says what an index is opened for.
type StoreUse struct {
	Reads  bool // a missing index is not made
	Sleeps bool // it goes to sleep when it is closed
}

// OpenWeaviate opens the index that the settings name in Weaviate. It gives
// [memoir.ErrUnavailable] when there is none and use says that none is made, or
// when the server cannot be reached.
func OpenWeaviate(ctx context.Context, settings *config.Loaded, use StoreUse) (*weaviate.Store, error) {
	path := settings.IndexPath()
	tenant, err := tenantOf(settings, !use.Reads)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, memoir.WithHint(fmt.Errorf("there is no index yet at %s: %w", settings.Weaviate.URL, memoir.ErrUnavailable), "memoir index")
	}
	if err != nil {
		return nil, err
	}
	byTurns, err := machineTurns(settings)
	if err != nil {
		return nil, err
	}
	w, fresh := settings.Weaviate, fresh
	if byTurns != nil {
		fresh = 0 // another machine may have deleted what this one knows
	}
	return weaviate.Open(ctx, weaviate.Options{
		URL: w.URL, Key: w.APIKey, Tenant: tenant, Replicas: w.Replicas, Timeout: w.Timeout, Fresh: fresh, Turns: byTurns, Sleeps: use.Sleeps,
		Writer: func(ctx context.Context) (func(), error) {
			lock, err := statedir.Acquire(ctx, path+".write.lock", nil)
			return func() { _ = lock.Release() }, err
		},
	})
}

// TenantFile returns the path of the file that holds the name of a workspace's
// own tenant. It is kept: without it nobody could delete the tenant.
func TenantFile(settings *config.Loaded) string {
	return filepath.Join(settings.KeptDir(), settings.Agent+tenantSuffix)
}

const tenantSuffix = indexExt + ".tenant"

var ownTenant = lazyregexp.New(`^memoir-[0-9a-f]{32}$`)

// tenantOf returns the tenant of an index. In a namespace, its name is made
// from the namespace, the path of the notes and the agent. Otherwise the name
// is random, so that nobody else has it, and is stored in [TenantFile].
func tenantOf(settings *config.Loaded, makes bool) (string, error) {
	if settings.Weaviate.Namespace != "" {
		real, err := filepath.EvalSymlinks(settings.Place())
		if err != nil {
			real = settings.Place()
		}
		sum := sha256.Sum256([]byte(settings.Weaviate.Namespace + "\x00" + filepath.ToSlash(real) + "\x00" + settings.Agent))
		return "memoir-" + hex.EncodeToString(sum[:16]), nil
	}
	path := TenantFile(settings)
	if makes {
		if err := statedir.Make(path); err != nil {
			return "", err
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			id := make([]byte, 16)
			rand.Read(id)
			tenant := "memoir-" + hex.EncodeToString(id)
			_, err = f.WriteString(tenant)
			if err = errors.Join(err, f.Close()); err == nil {
				return tenant, nil
			}
			return "", errors.Join(statedir.WithHint(path, err), os.Remove(path))
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", statedir.WithHint(path, err)
		}
	}
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // of a file that was only read
	text, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil {
		return "", err
	}
	if !ownTenant().Match(text) {
		return "", memoir.WithHint(fmt.Errorf("%s holds no name of a tenant: %w", path, memoir.ErrInvalid), "remove the file, then memoir index")
	}
	return string(text), nil
}
