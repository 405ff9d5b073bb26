package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/store/weaviate"
)

// A Kept is a place where something of a workspace is kept.
type Kept struct {
	Place string // a folder, or what [weaviate.Place] says
	What  string // [KeptNotes], [KeptState], [KeptCache] or [KeptIndex]
	Files int    // 0 of what is in Weaviate
	Bytes int64
}

// What is kept in a place.
const (
	KeptNotes = "notes"
	KeptState = "state" // the history of changes, the questions that were asked
	KeptCache = "cache" // indexes
	KeptIndex = "index" // in Weaviate
)

// KeptOf looks where all there is of a workspace is kept on this machine and in
// Weaviate, for every agent.
func KeptOf(ctx context.Context, settings *config.Loaded) (all []Kept, err error) {
	state := settings.KeptDir()
	for _, k := range []Kept{
		{Place: settings.Workspace, What: KeptNotes}, {Place: state, What: KeptState},
		{Place: filepath.Dir(settings.IndexPath()), What: KeptCache},
	} {
		if _, err := os.Lstat(k.Place); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := regular.Folder(k.Place); errors.Is(err, regular.ErrFolder) {
			return nil, memoir.WithHint(fmt.Errorf("look at %s: %w: %w", k.Place, err, memoir.ErrConflict), "put the folder itself there, or its own path into serve.workspaces; what is behind a link is not deleted")
		} else if err != nil {
			return nil, err
		}
		if k.Files, k.Bytes, err = weigh(k.Place); err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	tenants, err := tenantsOf(settings, state)
	if err != nil {
		return nil, err
	}
	for _, opts := range tenants {
		there, err := weaviate.Exists(ctx, opts)
		if err != nil {
			return nil, err
		}
		if there {
			all = append(all, Kept{Place: weaviate.Place(opts), What: KeptIndex})
		}
	}
	return all, nil
}

func weigh(dir string) (files int, bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return files, bytes, syserr.Reason(err)
}

// tenantsOf returns the tenants in Weaviate of a workspace whose state is in a folder.
func tenantsOf(settings *config.Loaded, state string) (all []weaviate.Options, err error) {
	if settings.Store != config.StoreWeaviate {
		return nil, nil
	}
	w := settings.Weaviate
	opts := weaviate.Options{URL: w.URL, Key: w.APIKey, Timeout: w.Timeout}
	if w.Namespace != "" {
		if opts.Tenant, err = tenantOf(settings, false); err != nil {
			return nil, err
		}
		all = append(all, opts)
	}
	entries, err := os.ReadDir(state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, syserr.Reason(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), tenantSuffix) {
			continue
		}
		f, err := regular.Open(filepath.Join(state, e.Name()))
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(io.LimitReader(f, 64))
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		if ownTenant().Match(text) {
			opts.Tenant = string(text)
			all = append(all, opts)
		}
	}
	return all, nil
}

// Erase deletes all that is kept of a workspace, and then looks again: left is what is
// still there. What is in Weaviate goes first, for the state names it; an error leaves the
// rest as it is, so that it can be tried again.
func Erase(ctx context.Context, settings *config.Loaded) (left []Kept, err error) {
	state := settings.KeptDir()
	tenants, err := tenantsOf(settings, state)
	if err != nil {
		return nil, err
	}
	for _, opts := range tenants {
		if err := weaviate.Delete(ctx, opts); err != nil {
			return nil, fmt.Errorf("delete the index: %w", err)
		}
	}
	kept, err := KeptOf(ctx, settings)
	if err != nil {
		return nil, err
	}
	slices.Reverse(kept) // the notes last: they are what cannot be made again
	for _, k := range kept {
		if k.What == KeptIndex {
			continue
		}
		if err := os.RemoveAll(k.Place); err != nil {
			return nil, fmt.Errorf("delete the %s in %s: %w", k.What, k.Place, syserr.Reason(err))
		}
	}
	left, err = KeptOf(ctx, settings)
	for _, opts := range tenants { // the files that named them are gone
		there, lookErr := weaviate.Exists(ctx, opts)
		if err = errors.Join(err, lookErr); there {
			left = append(left, Kept{Place: weaviate.Place(opts), What: KeptIndex})
		}
	}
	return left, err
}
