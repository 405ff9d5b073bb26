// Package doctor examines every part that memoir needs and says what is wrong with it.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/internal/vecmath"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// Health says how a part is.
type Health string

// The states of health. A warning means that something is lost, slow or unsafe. A broken
// part keeps memoir from working.
const (
	Healthy Health = "ok"
	Warning Health = "warning"
	Broken  Health = "broken"
)

// A Check is what was found about one part.
type Check struct {
	Name   string
	Health Health
	Detail string // for people
	Action string // the next step; may be "" when all is well
}

// Diagnosis is what [Diagnose] found.
type Diagnosis struct {
	Checks  []Check
	Servers []Server

	notes map[memoir.DocID]bool // the files of the workspace that are notes by their names
}

// Broken reports whether any part is broken.
func (d *Diagnosis) Broken() bool {
	for _, c := range d.Checks {
		if c.Health == Broken {
			return true
		}
	}
	return false
}

func (d *Diagnosis) add(name string, health Health, action, format string, args ...any) {
	d.Checks = append(d.Checks, Check{name, health, fmt.Sprintf(format, args...), action})
}

// failed adds a check that ended with an error.
func (d *Diagnosis) failed(name string, health Health, err error, action string) {
	if hint := memoir.Hint(err); hint != "" {
		action = hint
	}
	d.add(name, health, action, "%s", err)
}

// Diagnose examines every part that memoir needs, under these settings. It embeds one
// word with the configured provider, and has the reranker score that word if one is set.
// It looks for model servers on this machine. It asks nothing else over a network and
// keeps nothing. ollamaHost is the value of OLLAMA_HOST.
func Diagnose(ctx context.Context, settings *config.Loaded, opts app.Options, ollamaHost string) *Diagnosis {
	d := &Diagnosis{}
	d.settings(settings)
	d.workspace(ctx, settings)
	if err := app.Bring(ctx, settings); err != nil {
		d.failed("cache", Broken, err, statedir.Hint)
	}
	d.state(settings)
	d.index(ctx, settings)
	d.following(ctx, settings)
	d.collections(settings)
	d.sessions(ctx, settings)
	d.kernels()
	d.provider(ctx, settings, opts)
	d.rerank(ctx, settings)
	d.Servers = findServers(ctx, settings, ollamaHost)
	return d
}

func (d *Diagnosis) settings(settings *config.Loaded) {
	for _, name := range settings.UnknownEnv {
		d.add("settings", Warning, "memoir config --docs", "the variable %s names no setting", name)
	}
	files := "no file, defaults"
	if len(settings.Files) > 0 {
		files = strings.Join(settings.Files, ", ")
	}
	d.add("settings", Healthy, "", "%s", files)
	if !settings.Trusted() {
		const what = "the notes in %s are searched, but given to no agent unasked and not written to"
		d.add("trusted", Warning, "memoir trust, when you know who writes them", what, settings.Place())
	}
}

func (d *Diagnosis) workspace(ctx context.Context, settings *config.Loaded) {
	notes, err := app.OpenSource(settings)
	if err != nil {
		d.failed("workspace", Broken, err, "memoir init")
		return
	}
	found, skipped, ahead := 0, 0, 0
	why := map[string]int{}
	d.notes = map[memoir.DocID]bool{}
	tomorrow := time.Now().Add(24 * time.Hour)
	var copies []string
	for entry, err := range notes.Scan(ctx) {
		switch {
		case err != nil:
			d.failed("workspace", Broken, err, "make the folder readable")
			return
		case entry.Skip != "":
			skipped++
			reason, _, _ := strings.Cut(entry.Skip, ": ") // behind it stands what is so of one file alone
			why[reason]++
		default:
			found++
			d.notes[entry.ID] = true
			if entry.ModTime.After(tomorrow) {
				ahead++
			}
			if layout.Conflict(string(entry.ID)) != "" {
				copies = append(copies, string(entry.ID))
			}
		}
	}
	if len(copies) > 0 {
		d.add("workspace", Warning, "memoir tidy --kind conflict-copy", "a synced folder could not merge %s: %s", english.Plural(len(copies), "note", ""), strings.Join(copies, ", "))
	}
	d.leftovers(settings)
	d.readOnly(settings)
	if dirs := openHome(settings); len(dirs) > 0 {
		d.add("workspace", Warning, "memoir doctor --fix", "other users of the machine may read the notes in %s", dirs[len(dirs)-1])
	}
	health, action := Healthy, ""
	if found == 0 {
		health, action = Warning, "write a note: MEMORY.md, or any *.md file there"
	}
	detail := fmt.Sprintf("%s: %s %s", settings.Place(), humanize.Comma(int64(found)), english.PluralWord(found, "note", ""))
	if skipped > 0 {
		detail += fmt.Sprintf(", %s: %s", english.Plural(skipped, "file skipped", "files skipped"), counted("%d × %s", "%d more reasons", why))
		action = "memoir index lists them with the reasons"
	}
	if ahead > 0 {
		detail += fmt.Sprintf(", %d dated in the future", ahead)
	}
	d.add("workspace", health, action, "%s", detail)
}

// readOnly says where nothing can be written to the notes.
func (d *Diagnosis) readOnly(settings *config.Loaded) {
	for _, dir := range []string{settings.Workspace, filepath.Join(settings.Workspace, layout.Folder)} {
		if err := regular.Writable(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.add("workspace", Warning, "let this user write there; where it is meant so, memoir mcp --read-only offers no tool that writes", "nothing can be remembered in %s: %s", dir, err)
			return
		}
	}
}

// leftovers names what an editor saved at the moment when memoir was killed, and whatever
// else memoir does not remove from the notes by itself.
func (d *Diagnosis) leftovers(settings *config.Loaded) {
	kept, err := notebook.Strays(settings.Workspace)
	if err != nil {
		d.failed("workspace", Warning, err, "make the folder readable")
	}
	for _, l := range kept {
		if l.Err != nil {
			d.add("workspace", Warning, "move it away", "%s was left beside a note and cannot be read: %s", l.Path, l.Err)
			continue
		}
		d.add("workspace", Warning, "memoir history --lost, and --restore with the file to bring it back", "%s has what an editor saved while memoir was killed in writing %s; it may stand nowhere else", l.Path, l.Of)
	}
}

// collections checks that the folders of the collections are there.
func (d *Diagnosis) collections(settings *config.Loaded) {
	all, err := app.OpenCollections(settings)
	if err != nil {
		d.failed("collections", Broken, err, "memoir config")
		return
	}
	for _, c := range all {
		if err := c.Problem(); err != nil {
			action := "bring the folder back, or take it out of the setting collections"
			if c.Inside {
				action = app.InsideHint
			}
			d.add("collections", Warning, action, "%s: %s", c.Name, err)
			continue
		}
		d.add("collections", Healthy, "", "%s: %s can be read", c.Name, c.Path)
	}
}

// trial is how many bytes are written to see whether a disk has room: more than
// a hook writes, a long summary aside.
const trial = 64 << 10

// state checks that what is kept and the index can be written, and that everything beside
// the index is an ordinary file.
func (d *Diagnosis) state(settings *config.Loaded) {
	if settings.StateDirHoldsNotes() {
		d.add("state", Warning, "name another folder with --state-dir or MEMOIR_STATE_DIR", "the notes stand in %s, among memoir's own files", settings.StateDir)
	}
	if err := statedir.Own(settings.StateDir); err != nil {
		d.failed("state", Broken, err, statedir.Hint)
		return
	}
	cached := filepath.Dir(settings.IndexPath())
	now, dated, ok := d.writable("state", settings.KeptDir())
	if _, _, cacheOK := d.writable("cache", cached); !ok || !cacheOK {
		return
	}
	entries, err := os.ReadDir(cached)
	if err != nil {
		d.failed("cache", Broken, err, statedir.Hint)
		return
	}
	for _, e := range entries {
		path := filepath.Join(cached, e.Name())
		if err := regular.Check(path); err != nil && strings.HasPrefix(path, settings.IndexPath()) {
			d.add("cache", Broken, "move "+path+" away", "%s", err)
		}
	}
	d.add("state", Healthy, "", "%s can be written", settings.KeptDir())
	d.add("cache", Healthy, "", "%s can be written", cached)
	d.clock(now, dated, settings)
}

// writable makes a folder and writes to a file in it. It returns when it did, by the clock
// and by the file. It adds a check only when something is wrong.
func (d *Diagnosis) writable(name, dir string) (now, dated time.Time, ok bool) {
	err := statedir.Make(filepath.Join(dir, "x"))
	var f *os.File
	if err == nil {
		f, err = os.CreateTemp(dir, ".doctor-*")
	}
	if err != nil {
		d.failed(name, Broken, err, statedir.Hint)
		return now, dated, false
	}
	now = time.Now()
	dated = now
	if info, err := f.Stat(); err == nil {
		dated = info.ModTime()
	}
	_, full := f.Write(make([]byte, trial)) // a file can be made on a full disk, too
	full = errors.Join(full, f.Sync())
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil && full == nil {
		d.failed(name, Broken, err, statedir.Hint)
		return now, dated, false
	}
	if full != nil {
		d.failed(name, Broken, full, "make room, or "+statedir.Hint)
	}
	return now, dated, full == nil
}

// index reads the whole index and compares it with the notes.
func (d *Diagnosis) index(ctx context.Context, settings *config.Loaded) {
	path := settings.IndexPath()
	if statedir.Check(path) != nil {
		return // the check of the state says so
	}
	if settings.Store == config.StoreWeaviate {
		d.weaviate(ctx, settings)
		return
	}
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		d.add("index", Warning, "memoir index", "there is none yet at %s", path)
		return
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{ReadOnly: true})
	if err != nil {
		d.failed("index", Broken, err, "memoir index")
		return
	}
	defer store.Close() // an error does not matter: the file was only read
	stats, err := store.Stats(ctx, memoir.Space{})
	if err == nil {
		err = store.Check(ctx)
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		d.failed("index", Broken, err, "memoir index")
		return
	}
	health, action, detail := Healthy, "", fmt.Sprintf("%s: %s", path, holds(stats))
	if err != nil {
		detail += "; it is too large to be checked in the time"
	}
	lacks, skipped := behind(ctx, settings, store)
	if len(skipped) > 0 {
		detail += "; " + english.Plural(len(skipped), "file skipped", "files skipped")
	}
	defer d.unread(skipped)
	missing := append(store.Degradations(), lacks...)
	for _, x := range append(missing, waiting(ctx, store, stats.Serving)...) {
		health, action, detail = Warning, x.Action, detail+"; "+x.Reason
	}
	d.add("index", health, action, "%s", detail)
}

// holds counts what an index has.
func holds(stats memoir.StoreStats) string {
	return fmt.Sprintf("%s %s, %s %s", humanize.Comma(int64(stats.Documents)), english.PluralWord(stats.Documents, "note", ""),
		humanize.Comma(int64(stats.Chunks)), english.PluralWord(stats.Chunks, "passage", ""))
}

// waiting returns that texts have no vector yet of the space that answers searches.
func waiting(ctx context.Context, store memoir.Store, serving memoir.Space) []memoir.Degradation {
	if serving == (memoir.Space{}) {
		return nil
	}
	stats, err := store.Stats(ctx, serving)
	if err != nil || stats.Pending == 0 {
		return nil // the check of the index says so
	}
	return []memoir.Degradation{{Part: "vectors", Action: "memoir index", Reason: fmt.Sprintf("%s of %s %s %s no vector yet",
		humanize.Comma(int64(stats.Pending)), humanize.Comma(int64(stats.Texts)), english.PluralWord(stats.Texts, "text", ""), english.PluralWord(stats.Pending, "has", "have"))}}
}

// weaviate reads the index in Weaviate and compares it with the notes.
func (d *Diagnosis) weaviate(ctx context.Context, settings *config.Loaded) {
	if !config.IsThisMachine(settings.Weaviate.URL) && settings.Weaviate.APIKey != "" && strings.HasPrefix(settings.Weaviate.URL, "http://") {
		d.add("index", Warning, "set weaviate.url to an address that starts with https://", "the key and the text of notes go to %s unencrypted", settings.Weaviate.URL)
	}
	store, err := app.OpenWeaviate(ctx, settings, app.StoreUse{Reads: true})
	if err != nil {
		health := Broken
		if memoir.Hint(err) == "memoir index" {
			health = Warning // there is none yet
		}
		d.failed("index", health, err, "start Weaviate, or check weaviate.url")
		return
	}
	defer store.Close() // an error does not matter: the store was only read
	stats, err := store.Stats(ctx, memoir.Space{})
	if err != nil {
		d.failed("index", Broken, err, "memoir rebuild")
		return
	}
	health, action, detail := Healthy, "", fmt.Sprintf("%s: %s", store.Place(), holds(stats))
	lacks, skipped := behind(ctx, settings, store)
	if len(skipped) > 0 {
		detail += "; " + english.Plural(len(skipped), "file skipped", "files skipped")
	}
	defer d.unread(skipped)
	for _, x := range lacks {
		health, action, detail = Warning, x.Action, detail+"; "+x.Reason
	}
	d.add("index", health, action, "%s", detail)
}

// shownUnread is how many files are named that cannot be read.
const shownUnread = 3

// unread names the notes that the index leaves out because they cannot be read.
func (d *Diagnosis) unread(skipped []memoir.Skipped) {
	skipped = slices.DeleteFunc(slices.Clone(skipped), func(s memoir.Skipped) bool { return !d.notes[s.ID] })
	for i, s := range skipped {
		if i == shownUnread {
			d.add("notes", Warning, "memoir index lists them with the reasons", "%s cannot be read", english.Plural(len(skipped)-i, "more file", ""))
			break
		}
		d.add("notes", Warning, "mend it, or name it in the setting exclude; then memoir index", "%s is not indexed: %s", s.ID, s.Reason)
	}
}

// behind returns what the index lacks, and the files that it leaves out.
func behind(ctx context.Context, settings *config.Loaded, store memoir.Store) (lacks []memoir.Degradation, skipped []memoir.Skipped) {
	notes, err := app.OpenSource(settings)
	if err != nil {
		return nil, nil // the check of the workspace says so
	}
	cfg := app.EngineConfig(settings)
	cfg.Store, cfg.Writing.Files = store, settings.Shelves.ByType()
	if cfg.Sources, err = app.Sources(notes, settings); err != nil {
		return nil, nil // the check of the settings says so
	}
	memory, err := engine.New(cfg)
	if err != nil {
		return nil, nil // the check of the settings says so
	}
	st, err := memory.Status(ctx)
	if err != nil {
		return []memoir.Degradation{{Part: "index", Reason: err.Error(), Action: "memoir index"}}, nil
	}
	return slices.DeleteFunc(st.Degraded, func(x memoir.Degradation) bool { return x.Part != "sync" }), st.Skipped
}

func (d *Diagnosis) kernels() {
	best, err := vecmath.Best()
	if err != nil {
		d.failed("kernels", Broken, err, "unset MEMOIR_CPU")
		return
	}
	d.add("kernels", Healthy, "", "%s", best)
}

// doctorsWord is the text that the provider is asked to embed. It says nothing about the
// notes.
const doctorsWord = "memoir"

// provider opens the provider and embeds one word. It waits for the answer even when a
// search would not, and then warns.
func (d *Diagnosis) provider(ctx context.Context, settings *config.Loaded, opts app.Options) {
	choice := config.Choose(settings)
	if choice.Provider == "none" {
		d.add("provider", Healthy, "", "none, because %s: words only", choice.Reason)
		return
	}
	start := time.Now()
	e, err := app.OpenEmbedder(ctx, settings, opts)
	var vectors [][]float32
	if err == nil {
		vectors, err = e.Embed(ctx, memoir.TaskQuery, []string{doctorsWord})
	}
	switch {
	case err != nil:
		d.failed("provider", Broken, fmt.Errorf("%s, because %s: %w", choice.Provider, choice.Reason, err), "memoir config")
		return
	case len(vectors) != 1 || len(vectors[0]) != e.Space().Dimensions:
		d.add("provider", Broken, "memoir config", "%s gave no vector of %d dimensions", choice.Provider, e.Space().Dimensions)
		return
	}
	took := time.Since(start).Round(time.Millisecond)
	health, action := Healthy, ""
	if took > settings.Query.EmbedTimeout {
		health, action = Warning, "ask again, for the first answer may load the model; else raise query.embedTimeout"
	}
	d.add("provider", health, action, "%s, because %s: model %s, %d dimensions, the first vector after %v",
		e.Space().Provider, choice.Reason, e.Space().Model, e.Space().Dimensions, took)
	if settings.LeavesMachine(choice.Provider) {
		d.add("privacy", Healthy, "provider = \"local\" keeps them here", "notes and queries are sent to %s", settings.Remote(choice.Provider).BaseURL)
	}
}

// rerank asks the reranker about one word.
func (d *Diagnosis) rerank(ctx context.Context, settings *config.Loaded) {
	s := settings.Rerank
	if s.Provider == "none" {
		return
	}
	start := time.Now()
	r, err := app.OpenReranker(ctx, settings)
	var scores []float64
	if err == nil {
		scores, err = r.Rerank(ctx, doctorsWord, []string{doctorsWord})
	}
	if err == nil && len(scores) != 1 {
		err = fmt.Errorf("%d %s for 1 passage", len(scores), english.PluralWord(len(scores), "score", ""))
	}
	if err != nil {
		d.failed("rerank", Broken, fmt.Errorf("%s: %w", s.Provider, err), "memoir config")
		return
	}
	took := time.Since(start).Round(time.Millisecond)
	health, action := Healthy, ""
	if took > s.Timeout {
		health, action = Warning, "ask again, for the first answer may load the model; else raise rerank.timeout"
	}
	d.add("rerank", health, action, "%s orders the first %d results anew: %s, the first answer after %v", s.Provider, s.Top, cmp.Or(s.Model, "its own model"), took)
	if s.Leaves() {
		d.add("privacy", Healthy, `rerank.provider = "none" keeps them here`, "queries and the first passages are sent to %s", s.BaseURL)
	}
}
