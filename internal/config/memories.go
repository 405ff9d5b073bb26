package config

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir/internal/layout"
)

// The values of the setting scope.
const (
	ScopeUser    = "user"    // the user's own memory
	ScopeProject = "project" // that of the current project
	ScopeAll     = "all"     // both, where there are two
)

// projectFolder is the folder at the root of a repository that is its memory.
const projectFolder = ".memoir"

// A Place is a workspace, and why it is one.
type Place struct {
	Scope     string // [ScopeUser] or [ScopeProject]
	Workspace string // absolute path
	Because   Origin
	// Beside says of a project's place that the user's memory is another one.
	Beside bool
	// Trusted says that the notes may be given to agents and written to. Those of
	// a project need the consent of the user ([Environment.Trust]).
	Trusted bool

	repository string // of a project's place: the root of the repository that it is in; "" for none
	here       string // of the user's place: the current folder, where that is in no workspace and holds none
}

// Places are the workspaces that the settings lead to.
type Places struct {
	User    Place
	Project *Place // nil: the current folder is in none
	// Repository is the repository of the current folder; nil: there is none.
	Repository *Repository
	// Chosen are the workspaces to use, the user's first.
	Chosen []Place
	// Because says why they were chosen.
	Because string
}

// Memories are the settings of the chosen workspaces: of one, or of the user's
// and the project's.
type Memories struct {
	Places
	// User and Project are nil if they were not chosen. A workspace that a flag
	// or a variable names counts as the user's.
	User, Project *Loaded
	// ProjectErr says why the settings of the project cannot be read when two
	// workspaces were chosen. Project is nil then.
	ProjectErr error
}

// Only returns memories with a single workspace.
func Only(settings *Loaded) *Memories {
	place := Place{Scope: ScopeUser, Workspace: settings.Workspace, Because: settings.Origin("workspace"), Trusted: true}
	return &Memories{User: settings, Places: Places{Chosen: []Place{place}}}
}

// Main returns the settings of the memory to which the work here belongs: the
// project's if it was chosen and is trusted, else the user's, else the project's.
func (m *Memories) Main() *Loaded {
	if m.Project != nil && m.User != nil && !m.Project.Trusted() {
		return m.User
	}
	return cmp.Or(m.Project, m.User)
}

// First returns the settings that decide how to search: the user's if chosen,
// else the project's.
func (m *Memories) First() *Loaded { return cmp.Or(m.User, m.Project) }

// All returns the settings of all that were chosen and can be read, the user's first.
func (m *Memories) All() (all []*Loaded) {
	for _, settings := range []*Loaded{m.User, m.Project} {
		if settings != nil {
			all = append(all, settings)
		}
	}
	return all
}

// Joined reports whether two memories were chosen.
func (m *Memories) Joined() bool { return len(m.Chosen) == 2 }

// LoadMemories reads the settings of all chosen workspaces. Mistakes are
// *[Error]. If two are chosen, a mistake in the project's settings does not
// affect the user's.
func LoadMemories(env Environment, flags Flags) (*Memories, error) {
	first := newLoader(env, flags)
	if err := first.places(); err != nil {
		return nil, err
	}
	m := &Memories{Places: first.found}
	for _, p := range m.Chosen {
		loaded, err := newLoader(env, flags).load(&p)
		switch {
		case err == nil && p.Scope == ScopeProject:
			m.Project = loaded
		case err == nil:
			m.User = loaded
		case p.Scope == ScopeProject && m.Joined():
			m.ProjectErr = err
		default:
			return nil, err
		}
	}
	return m, nil
}

// OwnPlace returns the workspace of the user for programs that have no flags and variables
// that name another one, or "" where the settings cannot be read.
func (e Environment) OwnPlace() string {
	lookup := e.Lookup
	e.Dir = e.Home()
	e.Lookup = func(name string) (string, bool) {
		if name == "MEMOIR_WORKSPACE" || name == "MEMOIR_SCOPE" {
			return "", false
		}
		return lookup(name)
	}
	memories, err := LoadMemories(e, Flags{"scope": ScopeUser})
	if err != nil {
		return ""
	}
	return memories.First().Place()
}

// OwnPlace does what [Environment.OwnPlace] does, in the environment that the settings were
// read in.
func (l *Loaded) OwnPlace() string {
	if l.loader == nil {
		return ""
	}
	return l.loader.env.OwnPlace()
}

// places finds the workspaces, from the layers below their own files.
func (l *loader) places() error {
	for _, step := range []func() error{l.userFile, l.scope} {
		if err := step(); err != nil {
			return err
		}
	}
	flag, variable := l.flags["workspace"], l.env.get("MEMOIR_WORKSPACE")
	at, p := l.out.Origin("scope"), &l.found
	if flag != "" {
		if at.Layer == LayerFlag {
			return &Error{Message: "--workspace names one folder of notes, and --scope chooses among several", Hint: "leave one of them out"}
		}
		p.User = Place{Scope: ScopeUser, Workspace: l.env.absolute(flag, l.env.Dir), Because: Origin{LayerFlag, "--workspace"}, Trusted: true}
		p.Chosen, p.Because = []Place{p.User}, "--workspace names exactly this one"
		return nil
	}
	if err := l.userPlace(variable); err != nil {
		return err
	}
	if variable != "" && at.Layer != LayerFlag && at.Layer != LayerEnv {
		p.Chosen, p.Because = []Place{p.User}, "MEMOIR_WORKSPACE names exactly this one; --scope joins others"
		return nil
	}
	l.projectPlace()
	if p.Project != nil {
		both, _ := l.all()
		p.Project.Beside = len(both) == 2
	} else if own := p.User.Workspace; own != "" && at.Layer != LayerFlag && !Within(l.env.Dir, own) && !Within(own, l.env.Dir) {
		p.User.here = l.env.Dir
	}
	return l.choose(at)
}

// scope reads the setting scope from all layers that have it.
func (l *loader) scope() error {
	for _, k := range Keys() {
		if k.Name != "scope" {
			continue
		}
		if text := l.env.get(k.Env()); text != "" {
			if err := l.text(k, text, Origin{LayerEnv, k.Env()}); err != nil {
				return err
			}
		}
		if text, ok := l.flags[k.Name]; ok {
			if err := l.text(k, text, Origin{LayerFlag, flagName(k.Name)}); err != nil {
				return err
			}
		}
		if !k.valid(&l.out.Settings) {
			return wrong(k, l.out.Origin("scope"), l.out.Scope)
		}
	}
	return nil
}

// userPlace finds the user's own workspace.
func (l *loader) userPlace(variable string) error {
	p := &l.found.User
	p.Scope, p.Trusted = ScopeUser, true
	switch {
	case variable != "":
		p.Workspace, p.Because = l.env.absolute(variable, l.env.Dir), Origin{LayerEnv, "MEMOIR_WORKSPACE"}
	case l.out.Workspace != "":
		p.Workspace, p.Because = l.out.Workspace, l.out.Origin("workspace")
	case l.env.home() != "":
		p.Workspace, p.Because = filepath.Join(l.env.home(), ".memoir", "workspace"), Origin{LayerDefault, ""}
	}
	return nil
}

// projectPlace finds the workspace of the current project: the nearest folder
// upwards that is a workspace, or .memoir at the root of a repository.
func (l *loader) projectPlace() {
	for dir := l.env.Dir; ; {
		found, mark := l.env.marked(dir)
		root := ""
		if r, ok := repositoryAt(dir); ok {
			if l.found.Repository == nil {
				l.found.Repository = &r
			}
			if mark == "" {
				found, mark = l.ofRepository(r)
			}
			root = strings.TrimSuffix(found, string(filepath.Separator)+projectFolder)
		}
		if mark != "" {
			l.found.Project = &Place{
				Scope: ScopeProject, Workspace: found, Because: Origin{LayerDefault, "found " + mark},
				Trusted: l.env.Trusts(found), repository: root,
			}
			return
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return
		}
		dir = parent
	}
}

// ofRepository returns the memory of a repository, which its worktrees share,
// and the file or folder that makes it one.
func (l *loader) ofRepository(r Repository) (dir, mark string) {
	roots := []string{r.Root}
	if r.Main != "" {
		roots = []string{r.Main, r.Root}
	}
	for _, root := range roots {
		folder := filepath.Join(root, projectFolder)
		// The .memoir in the home folder is the user's, whatever else the home
		// folder is.
		if info, err := os.Lstat(folder); err == nil && info.IsDir() && !l.isUsers(folder) && !same(root, l.env.home()) {
			return folder, folder
		}
		if root != r.Root {
			if found, mark := l.env.marked(root); mark != "" {
				return found, mark
			}
		}
	}
	return "", ""
}

// isUsers reports whether a folder holds the user's own memory.
func (l *loader) isUsers(folder string) bool {
	own := l.found.User.Workspace
	return own != "" && Within(own, folder)
}

// choose chooses among the places. at is where the setting scope comes from.
func (l *loader) choose(at Origin) error {
	p := &l.found
	switch l.out.Scope {
	case ScopeUser:
		p.Chosen, p.Because = []Place{p.User}, "scope is user: "+at.String()
	case ScopeProject:
		if p.Project == nil {
			return &Error{Message: "there is no project here: no folder upwards is a workspace, and no repository has a " + projectFolder + " folder at its root",
				Hint: "memoir init " + projectFolder + ", at the root of the repository"}
		}
		p.Chosen, p.Because = []Place{*p.Project}, "scope is project: "+at.String()
	default:
		p.Chosen, p.Because = l.all()
	}
	if p.Chosen[0].Workspace == "" {
		return noHome()
	}
	return nil
}

// all returns both memories, or the only one, and why.
func (l *loader) all() (chosen []Place, because string) {
	p := &l.found
	if p.Project == nil {
		return []Place{p.User}, "there is no project here"
	}
	info, err := os.Stat(p.User.Workspace)
	there := err == nil && info.IsDir() || IsBucket(p.User.Workspace)
	own, of := p.User.Workspace, p.Project.Workspace
	switch {
	case own != "" && !there && filepath.Base(of) == projectFolder:
		// It is no memory for what belongs to the user. The user's memory is made
		// by the first such statement.
		return []Place{p.User, *p.Project}, "a " + projectFolder + " folder is a project's, beside the user's, which is not there yet"
	case !there:
		return []Place{*p.Project}, "the user's memory is not there"
	case same(own, of):
		return []Place{p.User}, "the project's folder is the user's memory"
	case !p.Project.Trusted && (Within(of, own) || Within(own, of)):
		return []Place{p.User}, "the project's notes are not trusted, and one folder lies in the other"
	case Within(of, own):
		return []Place{*p.Project}, "the project's folder lies in the user's memory, " + own
	case Within(own, of):
		return []Place{*p.Project}, "the user's memory, " + own + ", lies in the project's folder"
	}
	return []Place{p.User, *p.Project}, "both are there"
}

// same reports whether two paths are one folder.
func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// marked returns a folder that is a workspace, and the file that makes it one;
// "" if it is none.
func (e Environment) marked(dir string) (workspace, mark string) {
	// If the file cannot be read as settings, whoever reads it reports that. To
	// go on upwards would use other notes than were meant.
	settings := filepath.Join(dir, WorkspaceFile)
	if info, err := os.Lstat(settings); err == nil && !info.IsDir() {
		return dir, settings
	}
	memory := filepath.Join(dir, layout.Memory)
	if info, err := os.Stat(memory); err == nil && info.Mode().IsRegular() {
		return dir, memory
	}
	return "", ""
}
