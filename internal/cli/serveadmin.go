package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/token"
	"github.com/memoir-ai/memoir/internal/transfer"
	"github.com/memoir-ai/memoir/internal/wire"
)

// administrator implements [httpapi.Administrator] on the settings, as memoir admin
// does, and keeps the server that runs in step with them.
type administrator struct {
	s     *session
	more  *onDemand
	doors *doors // by which other programs of this user reach the workspaces

	mu sync.Mutex // one change at a time

	archives sync.Mutex     // guards packed
	packed   map[string]int // how many archives of a workspace are being made; -1: it is being deleted
}

// hold keeps a workspace from being deleted while an archive of it is made, and the other
// way round: an archive of half of the notes would look whole.
func (a *administrator) hold(name string, deletes bool) (free func(), err error) {
	a.archives.Lock()
	defer a.archives.Unlock()
	switch n := a.packed[name]; {
	case n < 0:
		return nil, conflict("memoir admin list says what is left", "%s is being deleted", name)
	case n > 0 && deletes:
		return nil, conflict("try again when who takes it has all of it", "an archive of %s is being made", name)
	}
	if a.packed == nil {
		a.packed = map[string]int{}
	}
	step := 1
	if deletes {
		step = -1
	}
	a.packed[name] += step
	return func() {
		a.archives.Lock()
		defer a.archives.Unlock()
		if a.packed[name] -= step; a.packed[name] == 0 {
			delete(a.packed, name)
		}
	}, nil
}

var _ httpapi.Administrator = (*administrator)(nil)

// Workspaces implements [httpapi.Administrator].
func (a *administrator) Workspaces(ctx context.Context) ([]wire.AdminEntry, error) {
	settings, err := a.s.settings(nil)
	if err != nil {
		return nil, err
	}
	return a.s.adminEntries(ctx, settings)
}

// Create implements [httpapi.Administrator].
func (a *administrator) Create(ctx context.Context, name string, quota wire.Quota) (none wire.AdminCreated, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	settings, err := a.s.settings(nil)
	if err != nil {
		return none, err
	}
	made, err := a.s.adminCreate(ctx, settings, name, "", token.Quota(quota))
	if err != nil {
		return none, err
	}
	a.more.admit(servedPlace{made.Name, made.Workspace})
	a.doors.open(made.Name, made.Workspace, a.more.bridge(made.Name))
	return made, nil
}

// Delete implements [httpapi.Administrator].
func (a *administrator) Delete(ctx context.Context, name string, dryRun bool) (none wire.AdminDeleted, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	settings, err := a.s.settings(nil)
	if err != nil {
		return none, err
	}
	if !dryRun {
		free, err := a.hold(name, true)
		if err != nil {
			return none, err
		}
		defer free()
	}
	answer, err := a.s.adminDelete(ctx, settings, name, !dryRun, func(ctx context.Context, name, _ string) (func(), error) { return a.more.dismiss(ctx, name) })
	if err != nil {
		return none, err
	}
	if !dryRun {
		a.doors.shut(answer.Workspace)
	}
	return answer, nil
}

// SetQuota implements [httpapi.Administrator].
func (a *administrator) SetQuota(ctx context.Context, name string, quota wire.Quota) (none wire.AdminQuota, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	settings, err := a.s.settings(nil)
	if err != nil {
		return none, err
	}
	return setQuota(ctx, settings, name, func(token.Quota) token.Quota { return token.Quota(quota) })
}

// CreateToken implements [httpapi.Administrator].
func (a *administrator) CreateToken(ctx context.Context, workspace, name string, permissions []string) (none wire.TokenAnswer, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	settings, err := a.s.settings(nil)
	if err = cmp.Or(err, checkName(name)); err != nil {
		return none, err
	}
	if err := known(settings, workspace); err != nil {
		return none, err
	}
	secret, err := token.Open(serveDir(settings)).Create(ctx, name, permissions, []string{workspace}, time.Now())
	if err != nil {
		return none, err
	}
	return wire.TokenAnswer{Name: name, Token: secret, Permissions: permissions, Workspaces: []string{workspace}}, nil
}

// RevokeToken implements [httpapi.Administrator].
func (a *administrator) RevokeToken(ctx context.Context, workspace, name string) (none wire.TokenEntry, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	settings, err := a.s.settings(nil)
	if err != nil {
		return none, err
	}
	if err := known(settings, workspace); err != nil {
		return none, err
	}
	tokens := token.Open(serveDir(settings))
	all, err := tokens.List()
	if err != nil {
		return none, err
	}
	i := slices.IndexFunc(all, func(t token.Token) bool { return t.Name == name && slices.Equal(t.Workspaces, []string{workspace}) })
	if i < 0 {
		return none, memoir.WithHint(fmt.Errorf("no token %.80q is for %s alone: %w", name, workspace, memoir.ErrNotFound), "GET /v1/admin/workspaces lists the tokens; memoir token revoke takes away those for more than one")
	}
	return wire.TokenEntry{Name: name, Permissions: []string{}, Workspaces: all[i].Workspaces, Created: all[i].Created}, tokens.Revoke(ctx, name)
}

// Export implements [httpapi.Administrator].
func (a *administrator) Export(ctx context.Context, name string, w io.Writer) (err error) {
	free, err := a.hold(name, false)
	if err != nil {
		return err
	}
	defer free()
	settings, err := a.s.settings(nil)
	if err != nil {
		return err
	}
	if err := known(settings, name); err != nil {
		return err
	}
	all := servedOf(settings)
	memories, err := a.s.memoriesOf(all[slices.IndexFunc(all, func(p servedPlace) bool { return p.name == name })].dir)
	if err != nil {
		return err
	}
	opened, err := a.s.open(ctx, memories.Main(), app.Options{Need: app.NeedNotes})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return transfer.Pack(ctx, memories.Main().Workspace, opened.Engine.Owns, w)
}
