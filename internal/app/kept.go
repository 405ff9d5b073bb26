package app

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/querylog"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/source/bucket"
)

// A kind is some of the files that memoir keeps besides the notes. Every file in the folder
// of state is of a kind, which says whether it may hold words of the user's, and how memoir
// finds, masks and forgets them there.
type kind struct {
	// files are patterns as of [path.Match], below the folder of state. One that ends with a
	// slash means all files below such a folder.
	files []string
	// none says why they hold no words; by says which other code cleans them. A kind with
	// neither has all of the functions, each of which works on one workspace.
	none, by string

	in      string // of [engine.Cleaned]
	forget  func(at place, c *cleaning) (items int, err error)
	secrets func(at place) ([]engine.Finding, error)
	mask    func(at place) error
}

// A place is where memoir keeps what it has of a workspace besides its notes.
type place struct {
	dir   string       // see [config.Settings.KeptDir]
	aside bucket.Aside // of its copy of a bucket; "" when it has none
}

// A cleaning says what to forget in a workspace.
type cleaning struct {
	states []string                         // folders with the marks of what was forgotten
	means  func(agent, session string) bool // a session that is forgotten as a whole
	asks   func(querylog.Query) bool        // a question that gives away what was forgotten
	unread []string                         // files that could not be looked into, for the answer
}

// kinds are all kinds of files. The order is that of the answers.
var kinds = []kind{
	{files: []string{"*/hooks/queue/*"}, in: "hooks",
		forget: forgetWaiting, secrets: secretsWaiting, mask: maskWaiting},
	{files: []string{"*/*.queries.jsonl", "*/*.queries.jsonl.old"}, in: "queries",
		forget: forgetAsked, secrets: secretsAsked, mask: maskAsked},
	{files: []string{"hooks.log"}, in: "hooks",
		forget: forgetProblems, secrets: secretsInProblems, mask: maskProblems},
	{files: []string{"copies/*/aside/*"}, in: "aside",
		forget: forgetAside, secrets: secretsAside, mask: maskAside},

	{files: cached("*/*.sqlite", "*/*.sqlite-wal", "*/*.sqlite-shm", "*/*.sqlite.vectors-*", "*/*.sqlite.corrupt-*",
		"*/*.sqlite.fresh", "*/*.sqlite.fresh-*"),
		by: "the index is synced with the notes and written anew; forgetElsewhere does so with those of other agents"},
	{files: []string{"*/notebook/history.jsonl"}, by: "notebook rewrites the history"},
	{files: []string{"*/notebook/entries-*.vec", "*/notebook/tidy.json"},
		by: "remember drops the vectors of forgotten entries, and what tidy saw"},
	{files: []string{"copies/*/notes/"}, by: "these are the notes of a bucket"},

	{files: append(cached("*/*.lock", "*/*.replacing"), "*/notebook/*.lock", "*/notebook/notes.line", "*.lock"),
		none: "locks say which process holds them"},
	{files: []string{"*/workspace", "*/*.tenant"}, none: "the folder, or the tenant, whose notes these are"},
	{files: cached("*/*.sqlite.checked", "*/*.sqlite.fresh.checked", "*/*.sqlite.damaged", "*/*.synced"),
		none: "when the index was checked and synced; numbers, and errors about files"},
	{files: cached("*/*.jobs"), none: "jobs of a provider, with hashes of texts"},
	{files: []string{"*/notebook/salt", "*/notebook/salt.*", "*/notebook/forgotten", "*/notebook/uncleared",
		"*/notebook/accesses*", "*/notebook/summaries.json", "*/notebook/archived.json"},
		none: "digests with a salt, days and numbers"},
	{files: []string{"sessions/*"}, none: "digests of sessions that were forgotten"},
	{files: []string{"*/hooks/sessions/*"}, none: "digests of lines that sessions were given, and where these stood"},
	{files: []string{"copies/*/*.json"}, none: "names, sizes and times of the objects of a bucket"},
	{files: []string{"serve/*"},
		none: "tokens by their digests, quotas, sockets, and an audit that names notes and quotes none"},
	{files: []string{"setup/*"}, none: "settings of agents as they were, for memoir setup --undo"},
}

// cached returns patterns of files in the cache, and where earlier versions had them.
func cached(patterns ...string) (all []string) {
	for _, pattern := range patterns {
		all = append(all, path.Join("cache", pattern), pattern)
	}
	return all
}

// beingWritten matches the name of a file that is to take the place of another one.
var beingWritten = lazyregexp.New(`^\.(.+)\.[0-9a-f]{8}\.new$`)

// kindOf returns the kind of a file, by its path below the folder of state; nil for none.
func kindOf(file string) *kind {
	dir, base := path.Split(file)
	if m := beingWritten().FindStringSubmatch(base); m != nil {
		file = dir + m[1]
	}
	for i, k := range kinds {
		for _, pattern := range k.files {
			of := file
			if below, ok := strings.CutSuffix(pattern, "/"); ok {
				pattern = below
				parts := strings.SplitN(file, "/", strings.Count(below, "/")+2)
				of = strings.Join(parts[:len(parts)-1], "/")
			}
			if ok, _ := path.Match(pattern, of); ok {
				return &kinds[i]
			}
		}
	}
	return nil
}

// Unlisted returns the files in a folder below the folder of state that memoir does not know:
// it neither forgets nor masks anything in them. Without the folder there are none.
func Unlisted(stateDir, dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it has just been removed, as others are at work
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(stateDir, file)
		if err == nil && kindOf(filepath.ToSlash(rel)) == nil {
			files = append(files, file)
		}
		return err
	})
	return files, syserr.Reason(err)
}

// kept returns where things of an App's workspace are kept.
func (a *App) kept() place {
	p := place{dir: a.Settings.KeptDir()}
	if a.copy != nil {
		p.aside = bucket.AsideOf(a.Settings.CopyDir())
	}
	return p
}

// clean forgets in everything that is kept of a workspace.
func (c *cleaning) clean(at place) (cleaned []engine.Cleaned, err error) {
	for _, k := range kinds {
		if k.forget == nil {
			continue
		}
		n, failed := k.forget(at, c)
		if n > 0 {
			cleaned = append(cleaned, engine.Cleaned{In: k.in, Items: n})
		}
		err = errors.Join(err, failed)
	}
	return cleaned, err
}

func (p place) queue() hook.Queue { return hook.Queue(hook.Dir(p.dir)) }

func forgetWaiting(at place, c *cleaning) (int, error) {
	gone, err := at.queue().Forget(c.means)
	changed, failed := at.queue().Texts(func(_, text string) (string, error) {
		return hook.Remaining(text, c.states...)
	})
	unread, unlisted := at.queue().Unread()
	c.unread = append(c.unread, unread...)
	return gone + changed, errors.Join(err, failed, unlisted)
}

func secretsWaiting(at place) ([]engine.Finding, error) {
	return engine.FindingsIn(engine.InHooks, at.queue())
}

func maskWaiting(at place) error { return engine.MaskIn(at.queue()) }

// problems returns the log of hooks, which all workspaces share.
func (p place) problems() hook.ProblemLog { return hook.ProblemLog(hook.LogFile(filepath.Dir(p.dir))) }

// forgetProblems removes lines of the log of hooks that name a forgotten note, or whose words
// would reveal what was forgotten. The rule is that of the query log.
func forgetProblems(at place, c *cleaning) (int, error) {
	ends := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`:,;()#", r) }
	between := func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }
	return at.problems().Texts(func(_, text string) (string, error) {
		words := strings.Join(strings.FieldsFunc(text, between), " ") // also those of a path
		if c.asks(querylog.Query{Query: words, Paths: strings.FieldsFunc(text, ends)}) {
			return "", nil
		}
		return text, nil
	})
}

func secretsInProblems(at place) ([]engine.Finding, error) {
	return engine.FindingsIn(engine.InHooks, at.problems())
}

func maskProblems(at place) error { return engine.MaskIn(at.problems()) }

// logs returns the logs of questions of a workspace, one for each agent.
func (p place) logs() (paths []string, err error) {
	for _, suffix := range []string{querylog.Suffix, querylog.Suffix + ".old"} {
		agents, failed := agentsIn(p.dir, suffix)
		for _, agent := range agents {
			if path := querylog.Path(p.dir, agent); !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		err = errors.Join(err, failed)
	}
	return paths, err
}

func forgetAsked(at place, c *cleaning) (removed int, err error) {
	logs, err := at.logs()
	for _, log := range logs {
		n, failed := querylog.Forget(log, c.asks)
		removed, err = removed+n, errors.Join(err, failed)
	}
	return removed, err
}

func secretsAsked(at place) (found []engine.Finding, err error) {
	logs, err := at.logs()
	for _, log := range logs {
		asked, failed := querylog.Secrets(log)
		for _, f := range asked {
			found = append(found, engine.Finding{
				In: engine.InQueries, Line: f.Line, Kind: string(f.Kind), Preview: f.Preview,
			})
		}
		err = errors.Join(err, failed)
	}
	return found, err
}

func maskAsked(at place) error {
	logs, err := at.logs()
	for _, log := range logs {
		err = errors.Join(err, querylog.Mask(log))
	}
	return err
}

func forgetAside(at place, c *cleaning) (int, error) {
	return at.aside.Texts(func(_, text string) (_ string, err error) {
		for _, state := range c.states {
			if text, err = engine.WithoutForgotten(state, text); err != nil {
				return "", err
			}
		}
		return text, nil
	})
}

func secretsAside(at place) ([]engine.Finding, error) {
	return engine.FindingsIn(engine.InLeftover, at.aside)
}

func maskAside(at place) error { return engine.MaskIn(at.aside) }
