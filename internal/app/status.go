package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// Status is the engine's status with what only the composition root knows.
type Status struct {
	memoir.Status
	Index   string // absolute path of the index, which need not exist, or its server and tenant
	Bytes   int64  // size of the index on this machine's disk
	Kernels string // as in [Facts]
	// Filling says that a process computes the missing vectors now, and Holder which; its
	// number is 0 when that is not known.
	Filling bool
	Holder  statedir.Holder
	// OnBattery says that many missing vectors wait until the machine is plugged in.
	OnBattery bool
	// Folders are watched, of at most FolderLimit that one user may watch, on FileSystem;
	// 0 and "" where that is not known.
	Folders, FolderLimit int
	FileSystem           string
	// LastSync is nil when none was noted.
	LastSync *statedir.SyncNote
	Sessions []AgentSessions
	// Unwatched is why a process that lives on is not notified of changed notes
	// and has to look for them; nil: it is notified.
	Unwatched error
	// Bill is what summaries have taken; nil when no language model may write
	// them and none did.
	Bill *engine.SummaryBill
	// InCollections counts the indexed documents of each collection, by name.
	InCollections map[string]int
}

// inCollections counts the documents of each collection in the index.
func (a *App) inCollections(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	if len(a.collections) == 0 {
		return counts, nil
	}
	for meta, err := range a.Engine.Documents(ctx) {
		if err != nil {
			return nil, err
		}
		for _, c := range a.collections {
			if meta.Kind == memoir.KindCollection && strings.HasPrefix(string(meta.ID), c.Notes.Prefix()) {
				counts[c.Name]++
			}
		}
	}
	return counts, nil
}

// AgentSessions are the sessions of one agent that are in the index.
type AgentSessions struct {
	Agent    string
	Folder   string // of its transcripts
	Sessions int
	Last     time.Time // when the last of them changed; zero when there is none
}

// seen counts the sessions in the index by their agents, in the order of the settings. A
// session whose time is not believed yet changed when the index was written last, or a
// moment before.
func (a *App) seen(ctx context.Context, written time.Time) ([]AgentSessions, error) {
	if len(a.sessions) == 0 {
		return nil, nil
	}
	all := make([]AgentSessions, len(a.sessions))
	for i, src := range a.sessions {
		all[i] = AgentSessions{Agent: src.Agent(), Folder: src.Dir()}
	}
	for meta, err := range a.Engine.Documents(ctx) {
		if err != nil {
			return nil, err
		}
		for i, src := range a.sessions {
			if meta.Kind != memoir.KindSession || !src.Owns(meta.ID) {
				continue
			}
			all[i].Sessions++
			changed := meta.ModTime
			if changed.IsZero() {
				changed = written
			}
			if changed.After(all[i].Last) {
				all[i].Last = changed
			}
		}
	}
	return all, nil
}

// noteSync notes beside the index how a sync ended. A memory that cannot be written
// beside says less in its status, and works.
func (a *App) noteSync(log *slog.Logger) func(memoir.SyncStats, time.Duration, error) {
	return func(stats memoir.SyncStats, took time.Duration, err error) {
		note := statedir.SyncNote{
			At: time.Now().UTC().Truncate(time.Second), TookMs: took.Milliseconds(), Files: stats.Scanned, Added: stats.Added, Changed: stats.Changed,
			Removed: stats.Removed, Skipped: len(stats.Skipped), PID: os.Getpid(),
		}
		if err != nil {
			note.Error, note.Action = err.Error(), memoir.Hint(err)
		}
		if err := statedir.WriteSync(a.Settings.IndexPath(), note); err != nil && log != nil {
			log.Debug("note the sync", "err", err)
		}
	}
}

// Status reports the state of the index. For an App opened with [NeedStatus],
// an index that is missing or cannot be read is reported as a degradation.
func (a *App) Status(ctx context.Context) (Status, error) {
	state, err := a.Engine.Status(ctx)
	if err != nil {
		return Status{}, err
	}
	st := Status{Status: state, Index: a.place, Kernels: kernels()}
	st.Holder, st.Filling = embedLock(a.Settings.IndexPath()).holder()
	st.OnBattery = a.vectors != nil && st.Pending > 0 && a.savesPower()
	st.Unwatched = a.notes.Blind()
	if note, ok := statedir.ReadSync(a.Settings.IndexPath()); ok {
		st.LastSync = &note
	}
	if st.Sessions, err = a.seen(ctx, st.Written); err != nil {
		return Status{}, err
	}
	for _, c := range a.collections {
		if st.Unwatched == nil && !c.Inside {
			st.Unwatched = c.Notes.Blind()
		}
	}
	if a.copy != nil {
		st.Unwatched = errors.New("they are in a bucket, which is listed every " + a.Settings.Sync.Interval.String())
	}
	if st.InCollections, err = a.inCollections(ctx); err != nil {
		return Status{}, err
	}
	if !a.Settings.Sync.Watch {
		st.Unwatched = errors.New("sync.watch is off")
	}
	if a.copy == nil {
		st.Folders, st.FileSystem, st.FolderLimit = a.notes.System()
	}
	if st.Unwatched != nil {
		st.Folders = 0
	}
	if a.index != nil {
		if st.Bytes, err = a.index.Size(); err != nil {
			return Status{}, err
		}
	}
	if bill, err := engine.ReadSummaryBill(a.Settings.NotebookDir()); err != nil {
		st.Degraded = append(st.Degraded, memoir.Degradation{Part: "summaries", Reason: err.Error(), Action: memoir.Hint(err)})
	} else if bill.Day != "" || a.Settings.Summaries.BaseURL != "" {
		st.Bill = &bill
	}
	st.Degraded = append(st.Degraded, a.others()...)
	if err := a.indexErr; err != nil {
		st.Degraded = slices.Insert(st.Degraded, 0, memoir.Degradation{Part: "index", Reason: err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir index")})
	}
	if err := a.EmbedderErr(); err != nil {
		st.Degraded = append(st.Degraded, memoir.Degradation{Part: "vectors", Reason: err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir config")})
	}
	if err := a.RerankerErr; err != nil {
		st.Degraded = append(st.Degraded, memoir.Degradation{Part: "rerank", Reason: err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir config")})
	}
	return st, nil
}

// openStore opens the index. If only its status is needed, it opens it
// read-only; if only notes are read, it makes an empty one in memory.
func (a *App) openStore(ctx context.Context, need Need, lives bool) (memoir.Store, error) {
	path := a.Settings.IndexPath()
	a.place = path
	if need == NeedNotes {
		return memstore.New(), nil
	}
	if a.Settings.Store == config.StoreWeaviate {
		return a.openWeaviate(ctx, need, lives)
	}
	var err error
	switch need {
	case NeedStatus:
		if err = statedir.Check(path); err == nil {
			a.index, err = sqlite.Open(ctx, path, sqlite.Options{ReadOnly: true})
		}
		if errors.Is(err, memoir.ErrUnavailable) || errors.Is(err, memoir.ErrCorrupt) || errors.Is(err, memoir.ErrForeign) {
			a.indexErr = err
			return memstore.New(), nil
		}
	default:
		if err := statedir.Make(path); err != nil {
			return nil, err
		}
		a.index, err = sqlite.Open(ctx, path, sqlite.Options{})
	}
	if err != nil {
		return nil, err
	}
	return a.index, nil
}

// openWeaviate does what openStore does for an index in Weaviate.
func (a *App) openWeaviate(ctx context.Context, need Need, lives bool) (memoir.Store, error) {
	a.place = a.Settings.Weaviate.URL + " (Weaviate)"
	if need != NeedStatus {
		// The folder that holds the locks.
		if err := statedir.Make(a.Settings.IndexPath()); err != nil {
			return nil, err
		}
	}
	s, err := OpenWeaviate(ctx, a.Settings, StoreUse{Reads: need == NeedStatus, Sleeps: lives})
	if need == NeedStatus && (errors.Is(err, memoir.ErrUnavailable) || errors.Is(err, memoir.ErrForeign)) {
		a.indexErr = err
		return memstore.New(), nil
	}
	if err != nil {
		return nil, err
	}
	a.place = s.Place()
	return s, nil
}

// siblings returns the indexes of the user's other workspaces and agents.
func (a *App) siblings() memoir.VectorSource {
	self := a.Settings.IndexPath()
	all := filepath.Join(filepath.Dir(filepath.Dir(self)), "*", "*"+filepath.Ext(self))
	if a.Settings.Store != config.StoreSQLite {
		self = "" // a file at that path would belong to another store
	}
	return sqlite.NewSiblings(all, self)
}
