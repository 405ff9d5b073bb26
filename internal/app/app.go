// Package app is the composition root: it makes an engine and its parts from
// the settings. It is the only package that names stores, providers and
// sources.
package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/access"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/models"
	"github.com/memoir-ai/memoir/internal/querylog"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/source/bucket"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/source/session"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/tune"
)

// Need says how much of an App a caller uses. What it does not need is not
// opened: a search by words touches no model, reading a note no index.
type Need int

// The needs.
const (
	NeedAll    Need = iota // notes, index and vectors
	NeedWords              // notes and index
	NeedNotes              // notes only
	NeedStatus             // the provider's name and the index as it is, not written to
	NeedRecall             // notes, index, and vectors of queries by a model on this machine
)

// Options say how to open an App. The zero value opens all parts for reading.
type Options struct {
	Need Need
	// Exclusive makes Open wait until no other process does a long run on the
	// workspace's index. Searches do not need it.
	Exclusive bool
	// Waiting is called once when Open has to wait; it may be nil.
	Waiting func()
	// Embedder replaces the configured provider; nil means the configured one.
	Embedder func(context.Context) (memoir.Embedder, error)
	// Write lets the engine write notes.
	Write bool
	// Make has the default folder of notes made if there is none.
	Make bool
	// Lives says that the process lives on. The default folder of notes is made
	// if there is none. Where the system can report changes, searches know
	// without looking at every note that none has changed. [App.Maintain] may be
	// called.
	Lives bool
	// Renews says that who opens it looks at [Memory.Outdated] before each call, and then
	// opens it anew. So a person need not be told.
	Renews bool
	// Unlogged keeps no queries, whatever the settings say, and counts no
	// answers.
	Unlogged bool
	// Changed is called after changes of the index, as in [engine.Config]; nil:
	// nothing is called.
	Changed func(indexed, removed []memoir.DocID)
	// Room is asked before a change that makes more of the notes: of how many notes
	// and bytes more (either may be below 0). have looks how many there are. Its error
	// ends the change, which then has changed nothing. nil: there is room for all.
	Room func(have func() (notes int, bytes int64, err error), addedNotes int, addedBytes int64) error
	// Held is told which process the notes are waited for, as in [engine.Writing].
	Held   func(pid int)
	Logger *slog.Logger // nil discards

	turns  turns // shared with another memory; nil: not shared
	shared *App  // whose embedder serves this App too; nil: none
	member bool  // it is searched as part of a joined memory, which reranks
}

// An App is an engine with what front ends need besides it.
type App struct {
	Engine *engine.Engine
	// Settings are what the App was made from.
	Settings *config.Loaded
	// Made says that the folder of notes did not exist and was made.
	Made bool
	// RerankerErr says why nothing is reranked although the settings ask for it;
	// nil if nothing is wrong. Searches report it as a degradation.
	RerankerErr error

	notes       *mdfile.Source
	copy        *bucket.Copy // the copy that notes are read from; nil: the notes are in a folder
	collections []Collection
	turns       turns
	sessions    []*session.Source
	noVector    func() error    // nil if the provider was opened at once
	vectors     memoir.Embedder // nil: there are none
	index       *sqlite.Store   // nil if none is open, or if the store is another one
	place       string          // where the index is, for people
	indexErr    error           // why it could not be opened for its status
	lock        *statedir.Lock  // nil unless Exclusive
	queries     *querylog.Log   // nil unless queries are kept
	accesses    *access.Log     // nil unless answers are counted
	outdated    *outdated       // nil unless the process lives on
	keeping     *keeping        // nil: no index is open
}

// MakeWorkspace makes the folder of notes, unless it is there. The user's own, and the
// folders above it that are missing, are for the user alone; a project's is for whom the
// umask says.
func MakeWorkspace(settings *config.Loaded) error {
	perm := fs.FileMode(0o777)
	if settings.UsersOwn() {
		perm = 0o700
	}
	if err := os.MkdirAll(settings.Workspace, perm); err != nil {
		return fmt.Errorf("make the workspace %s: %w", settings.Workspace, syserr.Reason(err))
	}
	return nil
}

// Open makes an App from the settings. If the workspace does not exist it gives
// [memoir.ErrNotFound] with the next command. The caller closes the App.
func Open(ctx context.Context, settings *config.Loaded, opts Options) (_ *App, err error) {
	if err := statedir.Own(settings.StateDir); err != nil {
		return nil, err
	}
	made := false
	if settings.Bucket.URL == "" && (opts.Lives || opts.Make && !settings.IsSet("workspace")) {
		_, err := os.Stat(settings.Workspace)
		made = errors.Is(err, fs.ErrNotExist)
		if err := MakeWorkspace(settings); err != nil {
			return nil, err
		}
	}
	if opts.Lives && settings.Embed.Threads == 0 {
		gentle := *settings
		gentle.Embed.Threads = max(1, runtime.GOMAXPROCS(0)/4)
		settings = &gentle
	}
	copied, err := openCopy(settings)
	if err == nil {
		err = fill(ctx, copied)
	}
	if err != nil {
		return nil, err
	}
	watch := settings.Sync.Watch && (opts.Lives || opts.Need == NeedStatus)
	notes, err := openNotes(settings, watch)
	if err != nil {
		return nil, err
	}
	a := &App{Settings: settings, Made: made, notes: notes, copy: copied, turns: opts.turns}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.closeSources(), a.lock.Release())
		}
	}()
	if a.collections, err = openCollections(settings, watch); err != nil {
		return nil, err
	}
	if a.sessions, err = OpenSessions(settings); err != nil {
		return nil, err
	}
	if err = a.prepare(ctx, opts); err != nil {
		return nil, err
	}
	if opts.Exclusive {
		if a.lock, err = statedir.Acquire(ctx, runLock(settings.IndexPath()), opts.Waiting); err != nil {
			return nil, err
		}
	}
	if a.Engine, err = a.engine(ctx, opts); err != nil {
		return nil, err
	}
	return a, nil
}

// prepare looks at the folders of what is kept and of the index, and brings the index from
// where earlier versions had it.
func (a *App) prepare(ctx context.Context, opts Options) error {
	if opts.Need == NeedNotes {
		if opts.Write {
			return statedir.Check(a.Settings.NotebookDir())
		}
		return nil
	}
	if err := Bring(ctx, a.Settings); err != nil || opts.Need == NeedStatus {
		return err
	}
	if err := statedir.Check(a.Settings.IndexPath()); err != nil {
		return err
	}
	return statedir.NoteWorkspace(a.Settings.KeptDir(), a.Settings.Workspace)
}

// Size returns how many files with the name of a note there are, and their bytes, by a look
// at the folder. Files that are skipped or left out of the index count, too, for they can be
// written; hidden ones cannot.
func (a *App) Size(ctx context.Context) (notes int, bytes int64, err error) {
	dir := a.Settings.Workspace
	if a.copy != nil {
		dir = a.Settings.CopyDir()
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, 0, syserr.Reason(err)
	}
	defer root.Close() // of a folder that was only read
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name != "." && errors.Is(err, fs.ErrNotExist): // it has just been removed
			return nil
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !a.notes.Owns(memoir.DocID(name)):
			return ctx.Err()
		}
		info, err := d.Info()
		if err == nil {
			notes, bytes = notes+1, bytes+info.Size()
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
	return notes, bytes, syserr.Reason(err)
}

// Maintain keeps the index complete until the App is closed, as
// [engine.Engine.Maintain] does.
func (a *App) Maintain() error { return a.Engine.Maintain(a.Settings.Sync.Interval) }

// Close closes the index and releases it for other processes.
func (a *App) Close() error {
	err := a.Engine.Close()
	a.outdated.close()
	a.keeping.leave()
	a.closeLogs()
	return errors.Join(err, a.closeSources(), a.lock.Release())
}

// closeSources ends the watching of folders.
func (a *App) closeSources() error {
	err := a.notes.Close()
	for _, c := range a.collections {
		err = errors.Join(err, c.Notes.Close())
	}
	return err
}

// EmbedderErr says why there are no vectors although a provider is configured;
// nil if nothing is wrong. Whoever needs a vector tries again to reach a
// provider; once it is reached, EmbedderErr returns nil. Searches report the
// error as a degradation.
func (a *App) EmbedderErr() error {
	if a.noVector == nil {
		return nil
	}
	return a.noVector()
}

// Locate returns the id of the document that a person means by a path; a path
// outside the workspace and its collections gives [memoir.ErrInvalid].
func (a *App) Locate(path string) (memoir.DocID, error) {
	id, err := a.notes.Locate(path)
	if err == nil {
		return id, nil
	}
	for _, c := range a.collections {
		if id, ok := c.Notes.Locate(path); ok && !c.Inside {
			return id, nil
		}
	}
	return "", err
}

// File returns the absolute path of a note's file, as [mdfile.Source.File]
// does. A note in a bucket has none.
func (a *App) File(id memoir.DocID) (string, error) {
	if a.copy != nil {
		return "", errInBucket
	}
	return a.notes.File(id)
}

// OpenNotes opens the notes of the workspace.
func OpenNotes(settings *config.Loaded) (*mdfile.Source, error) { return openNotes(settings, false) }

func openNotes(settings *config.Loaded, watch bool) (*mdfile.Source, error) {
	notes, err := mdfile.Open(settings.Workspace, mdfile.Options{
		Include: settings.Include, Exclude: settings.Exclude, MaxBytes: settings.MaxFileBytes, Watch: watch,
	})
	if errors.Is(err, memoir.ErrNotFound) {
		hint := "memoir init"
		switch {
		case HasIndex(settings):
			hint = syserr.BringBack + "; memoir init makes an empty one"
		case settings.NotesHere():
			hint = "memoir init . makes this folder, which has notes, a workspace; memoir init makes your own"
		case !settings.IsSet("workspace"):
			hint = "memoir init, or name a folder of notes with --workspace"
		}
		return nil, memoir.WithHint(fmt.Errorf("there is no workspace at %s: %w", settings.Workspace, memoir.ErrNotFound), hint)
	}
	return notes, err
}

func (a *App) engine(ctx context.Context, opts Options) (*engine.Engine, error) {
	cfg := EngineConfig(a.Settings)
	cfg.Sources, cfg.Logger, cfg.Changed = searched([]memoir.Source{source(a.notes, a.copy, a.Settings)}, a.collections), opts.Logger, opts.Changed
	cfg.Whose, cfg.Consent = a.Settings.Whose(), Consent(a.Settings)
	cfg.Writing.Files = a.Settings.Shelves.ByType() // reading needs to know the types of notes, too
	for _, src := range a.sessions {
		cfg.Sources = append(cfg.Sources, src)
	}
	cfg.Open = func(ctx context.Context, space memoir.Space) (memoir.Embedder, error) {
		return openSpace(ctx, a.Settings, space)
	}
	if err := a.withVectors(ctx, &cfg, opts); err != nil {
		return nil, err
	}
	if opts.Need != NeedNotes && !opts.member {
		cfg.Reranker = a.reranker(ctx)
	}
	if opts.Write {
		cfg.Writing.Dir, cfg.Writing.State, cfg.Writing.Held = a.Settings.Workspace, a.Settings.NotebookDir(), opts.Held
		if a.copy != nil {
			cfg.Writing.Remote = a.copy
		}
		if opts.Room != nil {
			cfg.Writing.Room = func(ctx context.Context, addedNotes int, addedBytes int64) error {
				return opts.Room(func() (int, int64, error) { return a.Size(ctx) }, addedNotes, addedBytes)
			}
		}
	}
	var err error
	if cfg.Store, err = a.openStore(ctx, opts.Need, opts.Lives); err != nil {
		return nil, err
	}
	cfg.Answered = a.openLogs(opts)
	cfg.Outdated = a.leaving(opts)
	if opts.Need != NeedNotes && opts.Need != NeedStatus {
		cfg.Synced = a.noteSync(opts.Logger)
	}
	memory, err := engine.New(cfg)
	if err != nil {
		a.closeLogs()
		return nil, errors.Join(err, cfg.Store.Close())
	}
	return memory, nil
}

// withVectors adds to the parts of an engine what computes vectors, as far as it is needed.
func (a *App) withVectors(ctx context.Context, cfg *engine.Config, opts Options) (err error) {
	switch opts.Need {
	case NeedAll, NeedStatus:
		cfg.Vectors, cfg.OnBattery = a.siblings(), a.savesPower
		if cfg.Lease, err = vectorLease(a.Settings); err != nil {
			return err
		}
	case NeedRecall:
		cfg.Open = openLocalSpace(cfg.Open)
		if config.Choose(a.Settings).Provider != "local" {
			return nil
		}
	default:
		return nil
	}
	if opts.shared != nil {
		a.vectors, a.noVector = opts.shared.vectors, opts.shared.noVector
	} else {
		a.vectors = a.embedder(ctx, opts)
	}
	cfg.Embedder, cfg.Reads = opts.turns.embedder(a.vectors), models.Reads()
	return nil
}

// openLogs opens the logs of answers, and returns the function that writes to
// them; nil if nothing is logged.
func (a *App) openLogs(opts Options) func(memoir.Query, memoir.Results) {
	if opts.Unlogged || opts.Need == NeedNotes || opts.Need == NeedStatus {
		return nil
	}
	a.accesses = access.Open(a.Settings.NotebookDir(), nil, opts.Logger)
	if !a.Settings.Query.Log {
		return a.accesses.Add
	}
	a.queries = querylog.Open(questionsOf(a.Settings), opts.Logger)
	return func(q memoir.Query, res memoir.Results) {
		a.accesses.Add(q, res)
		a.queries.Add(q, res)
	}
}

func (a *App) closeLogs() {
	a.accesses.Close()
	a.queries.Close()
}

// embedder opens the provider, or returns a stand-in for one that cannot be
// opened. A search waits for it no longer than for a query's vector.
func (a *App) embedder(ctx context.Context, opts Options) memoir.Embedder {
	if !opts.Exclusive {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.Settings.Query.EmbedTimeout)
		defer cancel()
	}
	e, err := OpenEmbedder(ctx, a.Settings, opts)
	if err == nil {
		return e
	}
	remote := opts.Embedder == nil && a.Settings.Remote(config.Choose(a.Settings).Provider) != nil
	if remote || errors.Is(err, context.DeadlineExceeded) || models.MayCome(err) {
		l := newLater(err, func(ctx context.Context) (memoir.Embedder, error) { return OpenEmbedder(ctx, a.Settings, opts) })
		a.noVector = func() error {
			_, err := l.state()
			return err
		}
		return l
	}
	a.noVector = func() error { return err }
	return missing{err}
}

// EngineConfig translates the settings.
func EngineConfig(s *config.Loaded) engine.Config {
	return engine.Config{
		Agent:    s.Agent,
		Chunking: tune.Chunks{MaxTokens: s.Chunking.Tokens, OverlapTokens: new(s.Chunking.Overlap)},
		Ranking: tune.Rank{
			Fusion: s.Query.Fusion, TextWeight: s.Query.TextWeight, VectorWeight: s.Query.VectorWeight,
			CandidateMultiplier: s.Query.CandidateMultiplier, LinkWeight: new(s.Query.LinkWeight), Signals: signalOptions(s.Query.Signals),
		},
		Rerank:       tune.Rerank{Top: s.Rerank.Top, Timeout: s.Rerank.Timeout},
		EmbedTimeout: s.Query.EmbedTimeout, SyncBudget: new(s.Query.SyncBudget),
		Cache: tune.Cache{MaxEntries: s.Cache.MaxEntries, MaxAge: s.Cache.MaxAge},
	}
}

// signalOptions translates the settings of signals.
func signalOptions(s config.Signals) tune.Signals {
	return tune.Signals{
		DateWeight: new(s.DateWeight), DateWindowDays: s.DateWindowDays, RecencyWeight: new(s.RecencyWeight),
		AssistantWeight: s.AssistantWeight,
		Decay: tune.Decay{
			Enabled: s.TemporalDecay.Enabled, HalfLifeDays: new(s.TemporalDecay.HalfLifeDays),
			SessionHalfLifeDays: new(s.TemporalDecay.SessionHalfLifeDays), Floor: new(s.TemporalDecay.Floor),
		},
		Salience: s.Salience, MMR: tune.MMR{Enabled: s.MMR.Enabled, Lambda: s.MMR.Lambda},
		FeedbackWeight: s.FeedbackWeight, AdaptiveThreshold: s.AdaptiveThreshold,
	}
}
