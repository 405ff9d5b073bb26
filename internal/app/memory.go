package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/config"
)

// Asked is what front ends ask of a memory. One engine implements it, and
// [engine.Joined] does for two.
type Asked interface {
	Search(ctx context.Context, q memoir.Query) (memoir.Results, error)
	Stats(ctx context.Context) (memoir.StoreStats, error)
	Why(ctx context.Context, q memoir.Query, id memoir.DocID, line int) (memoir.Why, error)
	Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error)
	Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error]
	Outline(ctx context.Context, id memoir.DocID, hides func(memoir.DocID) bool) (engine.Outline, error)
	Sample(ctx context.Context, limit int) ([]memoir.SampledVector, error)
	Sync(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error)
	Scan(ctx context.Context) ([]engine.Finding, engine.ScanStats, error)
	Note(path string) (string, error)
	Edit(ctx context.Context, who, why string, plan func(*engine.Draft) error) (engine.Change, error)
	Owns(path string) bool
	Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error)
	Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error)
	Entries(ctx context.Context, f engine.EntryFilter) ([]engine.Entry, error)
	Similar(ctx context.Context, text string, threshold float64) ([]engine.Similar, error)
	Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error)
	Recall(ctx context.Context, opts engine.RecallOptions) (engine.Primed, error)
	Flush(window, used int) engine.Flush
	Tidy(ctx context.Context, opts engine.TidyOptions) (engine.Tidying, error)
	History() ([]engine.Change, error)
	Undo(ctx context.Context, id string) (engine.Change, error)
	Lost(ctx context.Context) ([]engine.Lost, error)
	Restore(ctx context.Context, ids []string) ([]engine.Lost, error)
}

// A Memory is what a front end opens: one workspace, or the user's and a
// project's joined. Each has its own App, with its own index, settings, lock
// and watcher.
type Memory struct {
	Asked
	// User and Project are nil when they are not wanted.
	User, Project *App
	// ProjectErr says why the project's memory is missing although it is wanted;
	// nil if nothing is wrong. Searches report it as a degradation.
	ProjectErr error

	joined *engine.Joined // nil when there is only one
}

// OpenMemory opens the wanted workspaces, each as [Open] does. Of two, one
// model serves both if their settings amount to the same. A project that cannot
// be opened is left out, and so is a user's folder that does not exist.
func OpenMemory(ctx context.Context, settings *config.Memories, opts Options) (*Memory, error) {
	m := &Memory{ProjectErr: settings.ProjectErr}
	if settings.Joined() {
		opts.turns = make(turns, 1)
	}
	var err error
	if settings.User != nil {
		m.User, err = Open(ctx, settings.User, opts.of(memoir.ScopeUser, settings))
		switch {
		case errors.Is(err, memoir.ErrNotFound) && settings.Project != nil:
			m.User = nil // it does not exist yet; the first write makes it
		case err != nil:
			return nil, err
		default:
			m.Asked = m.User.Engine
		}
	}
	if settings.Project != nil {
		own := opts.of(memoir.ScopeProject, settings)
		own.member = m.User != nil
		if m.User != nil && sameModel(settings.User, settings.Project) {
			own.shared = m.User
		}
		m.Project, err = Open(ctx, settings.Project, own)
		switch {
		case err != nil && m.User == nil:
			return nil, err
		case err != nil && ctx.Err() != nil:
			return nil, errors.Join(err, m.User.Close())
		case err != nil:
			m.Project, m.ProjectErr = nil, err
		default:
			m.Asked = m.Project.Engine
		}
	}
	if m.User != nil && m.Project != nil {
		if m.joined, err = engine.Join(m.User.Engine, m.Project.Engine); err != nil {
			return nil, errors.Join(err, m.User.Close(), m.Project.Close())
		}
		m.Asked = m.joined
	}
	if m.Project != nil && m.User == nil {
		m.Asked = stranger{m.Asked, m.Project.Settings.Trusted}
	}
	if m.ProjectErr != nil {
		m.Asked = alone{m.Asked, m.ProjectErr, settings.Places.Project.Trusted}
	}
	return m, nil
}

// of returns the options of one memory.
func (o Options) of(scope memoir.Scope, settings *config.Memories) Options {
	if tell := o.Changed; tell != nil && settings.Joined() {
		o.Changed = func(indexed, removed []memoir.DocID) { tell(scope.Names(indexed), scope.Names(removed)) }
	}
	return o
}

// Apps returns what is open, the user's first.
func (m *Memory) Apps() (all []*App) {
	for _, a := range []*App{m.User, m.Project} {
		if a != nil {
			all = append(all, a)
		}
	}
	return all
}

// Main returns the App to which the work here belongs, as [config.Memories.Main] does.
func (m *Memory) Main() *App {
	if m.Project != nil && m.User != nil && !m.Project.Settings.Trusted() {
		return m.User
	}
	return cmp.Or(m.Project, m.User)
}

// First returns the App whose settings decide how to search: the user's, or the
// project's if there is no user's.
func (m *Memory) First() *App { return cmp.Or(m.User, m.Project) }

// Joined reports whether two memories answer as one.
func (m *Memory) Joined() bool { return m.joined != nil }

// ScopeOf returns whose memory an App is, "" where there is one.
func (m *Memory) ScopeOf(a *App) memoir.Scope {
	switch {
	case !m.Joined():
		return ""
	case a == m.User:
		return memoir.ScopeUser
	}
	return memoir.ScopeProject
}

// File returns the file of a note of a scope, as [App.File] does.
func (m *Memory) File(scope memoir.Scope, id memoir.DocID) (string, error) {
	return m.Of(scope).File(id)
}

// Remember keeps a statement where it belongs, or in the memory that it names
// if that one is open.
func (m *Memory) Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error) {
	if st.Scope == memoir.ScopeUser && m.User == nil || st.Scope == memoir.ScopeProject && m.Project == nil && m.ProjectErr == nil {
		return engine.Outcome{}, memoir.WithHint(fmt.Errorf("there is no memory of the %s's here: %w", st.Scope, memoir.ErrInvalid), "memoir where")
	}
	out, err := m.Asked.Remember(ctx, st)
	m.name(&out)
	for i := range out.More {
		m.name(&out.More[i])
	}
	return out, err
}

// name adds to an outcome which memory took the text.
func (m *Memory) name(out *engine.Outcome) {
	if out.Path != "" {
		of := m.Of(out.Scope).Settings
		out.Whose, out.Workspace = of.Whose(), of.Place()
	}
}

// Of returns the App of a scope, the only one for "".
func (m *Memory) Of(scope memoir.Scope) *App {
	for _, a := range m.Apps() {
		if m.ScopeOf(a) == scope {
			return a
		}
	}
	return m.Main()
}

// Maintain keeps all indexes complete, as [App.Maintain] does.
func (m *Memory) Maintain() error {
	for _, a := range m.Apps() {
		if err := a.Maintain(); err != nil {
			return err
		}
	}
	return nil
}

// Close closes what is open.
func (m *Memory) Close() error {
	if m.joined != nil {
		m.joined.Close()
	}
	var err error
	for _, a := range m.Apps() {
		err = errors.Join(err, a.Close())
	}
	return err
}

// A Located is a document of a memory.
type Located struct {
	App   *App
	Scope memoir.Scope // "" where there is one memory
	ID    memoir.DocID
}

// Locate returns the documents that a person may mean by a note's name or path,
// the likeliest first. A path that no memory can have gives
// [memoir.ErrInvalid].
func (m *Memory) Locate(path string) (all []Located, err error) {
	add := func(a *App, path string) {
		id, failed := a.Locate(path)
		if failed != nil {
			err = cmp.Or(err, failed)
			return
		}
		all = append(all, Located{a, m.ScopeOf(a), id})
	}
	if m.Joined() {
		switch scope, below := memoir.ParseName(path); {
		case scope == "" || filepath.IsAbs(string(below)): // a name is followed by a path below the workspace
		case scope == memoir.ScopeUser:
			add(m.User, filepath.Join(m.User.Settings.Workspace, filepath.FromSlash(string(below))))
		default:
			add(m.Project, filepath.Join(m.Project.Settings.Workspace, filepath.FromSlash(string(below))))
		}
	}
	for _, a := range slices.Backward(m.Apps()) {
		add(a, path)
	}
	if len(all) > 0 {
		err = nil
	}
	return all, err
}

// alone answers from the user's memory while the project's is unavailable.
type alone struct {
	Asked
	err     error
	trusted bool // the project's notes may be written to
}

// Search answers, and reports what is missing.
func (a alone) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	res, err := a.Asked.Search(ctx, q)
	res.Degraded = append(res.Degraded, memoir.Degradation{Part: "project", Reason: "the project's memory is left out: " + a.err.Error(), Action: cmp.Or(memoir.Hint(a.err), "memoir where")})
	return res, err
}

// Remember keeps a statement that belongs to the user. It refuses one that
// belongs, or may belong, to the project, because nobody would look for it in
// the other memory. Into notes that are not trusted nothing would be written anyway.
func (a alone) Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error) {
	if !a.trusted && st.Scope == "" {
		return a.Asked.Remember(ctx, st)
	}
	if st.Scope != memoir.ScopeUser && (st.Scope != "" || !engine.OfUser(st.Type)) {
		return engine.Outcome{}, memoir.WithHint(fmt.Errorf("the project's memory cannot be written to: %w", a.err), cmp.Or(memoir.Hint(a.err), "memoir where")+"; or --scope user keeps it in the user's")
	}
	return a.Asked.Remember(ctx, st)
}

// sameModel reports whether two settings amount to the same vectors, computed
// in the same way.
func sameModel(a, b *config.Loaded) bool {
	if a.Provider == "none" || config.Choose(a).Provider != config.Choose(b).Provider || a.Model != b.Model || a.ModelsDir != b.ModelsDir || a.Embed != b.Embed {
		return false
	}
	provider := config.Choose(a).Provider
	one, other := a.Remote(provider), b.Remote(provider)
	if one == nil || other == nil {
		return one == other
	}
	return !one.Batch && *one == *other && permit(b, provider) == nil
}
