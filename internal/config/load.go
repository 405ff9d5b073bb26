package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// maxFile bounds a settings file, in bytes.
const maxFile = 1 << 20

// Flags are the values given on the command line, by key.
type Flags map[string]string

// Load reads every layer for a command that works with one workspace. If there
// are several, it is the project's. Mistakes are *[Error].
func Load(env Environment, flags Flags) (*Loaded, error) {
	first := newLoader(env, flags)
	if err := first.places(); err != nil {
		return nil, err
	}
	chosen := first.found.Chosen
	return newLoader(env, flags).load(&chosen[len(chosen)-1])
}

// LoadOwn reads every layer for the user's own workspace, or the one that a flag or a
// variable names. Mistakes are *[Error].
func LoadOwn(env Environment, flags Flags) (*Loaded, error) {
	first := newLoader(env, flags)
	if err := first.places(); err != nil {
		return nil, err
	}
	own := first.found.User
	if own.Workspace == "" {
		return nil, noHome()
	}
	return newLoader(env, flags).load(&own)
}

// noHome is the error of a user without a place for notes.
func noHome() error {
	return &Error{Message: "there is no home folder to keep notes in", Hint: "name a folder with --workspace or MEMOIR_WORKSPACE"}
}

type loader struct {
	env   Environment
	flags Flags
	out   *Loaded
	found Places
	at    Place // whose settings out are
}

func newLoader(env Environment, flags Flags) *loader {
	l := &loader{env: env, flags: flags, out: &Loaded{origins: map[string]Origin{}, references: map[string]string{}}}
	for _, k := range Keys() {
		if k.Default != "" {
			assignText(k.at(&l.out.Settings), k.Default)
		}
	}
	return l
}

// load reads every layer of a place.
func (l *loader) load(at *Place) (*Loaded, error) {
	workspace := func() error {
		l.out.Workspace = at.Workspace
		l.out.origins["workspace"] = at.Because
		l.out.here = at.here
		return nil
	}
	collections := func() error { return l.collections(at) }
	l.at = *at
	steps := []func() error{l.userFile, workspace, l.workspaceFile, l.environment, l.commandLine, l.keys, l.rerank, l.stateDir, l.bucket, l.sessions, collections, l.model, l.preset, l.validate}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	l.out.loader = l
	return l.out, nil
}

// Of reads the settings of another workspace and agent as those of l were read.
func (l *Loaded) Of(workspace, agent string) (*Loaded, error) {
	if l.loader == nil {
		return nil, errors.New("these settings were not read from anywhere")
	}
	flags := Flags{}
	maps.Copy(flags, l.loader.flags)
	flags["workspace"], flags["agent"], flags["stateDir"] = workspace, agent, l.StateDir
	place := Place{Scope: ScopeUser, Workspace: workspace, Because: Origin{LayerFlag, "--workspace"}}
	return newLoader(l.loader.env, flags).load(&place)
}

// set records where a value came from and follows a secret's reference.
func (l *loader) set(k Key, origin Origin) {
	l.out.origins[k.Name] = origin
	delete(l.out.references, k.Name)
	field, ok := k.at(&l.out.Settings).(*string)
	if !ok || !k.Secret {
		return
	}
	if m := reference().FindStringSubmatch(*field); m != nil {
		l.out.references[k.Name] = m[1]
		*field = l.env.get(m[1])
	}
}

func (l *loader) userFile() error {
	path := l.env.UserFile()
	if path == "" {
		return nil
	}
	return l.file(path, LayerUser, l.env.get("MEMOIR_CONFIG") != "")
}

func (l *loader) workspaceFile() error {
	// Whoever opens the workspace reports that it is missing, or is not a
	// folder.
	if info, err := os.Stat(l.out.Workspace); err != nil || !info.IsDir() {
		return nil
	}
	return l.file(filepath.Join(l.out.Workspace, WorkspaceFile), LayerWorkspace, false)
}

// file reads a settings file. A missing one is an error only if it is required.
func (l *loader) file(path string, layer Layer, required bool) error {
	data, replaced := l.env.instead[path]
	var err error
	if !replaced {
		data, err = readFile(path, layer)
	}
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil
	}
	if err != nil {
		return unreadable(path, layer, err)
	}
	settings, err := parse(path, data)
	if err != nil {
		return l.unquoted(layer, err)
	}
	l.out.Files = append(l.out.Files, path)
	for _, a := range settings {
		if err := l.assign(path, layer, a); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) assign(path string, layer Layer, a assignment) error {
	if layer == LayerWorkspace {
		if err := refuse(path, a, &l.out.Settings, l.env.UserFile()); err != nil {
			return err
		}
	}
	assign(a.key.at(&l.out.Settings), a.value)
	l.set(a.key, Origin{layer, fmt.Sprintf("%s:%d", path, a.line)})
	l.resolve(a.key.Name, filepath.Dir(path))
	return nil
}

// resolve makes the value of a setting absolute when it is a path, or several.
func (l *loader) resolve(name, dir string) {
	if p := l.path(name); p != nil && *p != "" {
		*p = l.env.absolute(*p, dir)
	}
	if name == "sessions.custom" {
		for i, file := range l.out.Sessions.Custom {
			l.out.Sessions.Custom[i] = l.env.absolute(file, dir)
		}
	}
	if name == "collections" {
		for i, c := range l.out.Collections {
			l.out.Collections[i].Path = l.env.absolute(c.Path, dir)
		}
	}
}

// path returns the field of a setting that is a path, or nil for other
// settings.
func (l *loader) path(name string) *string {
	switch name {
	case "workspace":
		return &l.out.Workspace
	case "stateDir":
		return &l.out.StateDir
	case "modelsDir":
		return &l.out.ModelsDir
	case "model":
		if isPath(l.out.Model) {
			return &l.out.Model
		}
	}
	return nil
}

func (l *loader) environment() error {
	known := map[string]bool{}
	for _, v := range allVariables() {
		known[v.Name] = true
	}
	for _, k := range Keys() {
		known[k.Env()] = true
		text := l.env.get(k.Env())
		if text == "" || k.Name == "workspace" {
			continue
		}
		if err := l.text(k, text, Origin{LayerEnv, k.Env()}); err != nil {
			return err
		}
	}
	if l.env.List == nil {
		return nil
	}
	for _, pair := range l.env.List() {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && strings.HasPrefix(name, "MEMOIR_") && !strings.HasPrefix(name, "MEMOIR_TEST_") && !known[name] {
			l.out.UnknownEnv = append(l.out.UnknownEnv, name)
		}
	}
	slices.Sort(l.out.UnknownEnv)
	return nil
}

func (l *loader) commandLine() error {
	for _, k := range Keys() {
		text, ok := l.flags[k.Name]
		if !ok || k.Name == "workspace" {
			continue
		}
		if err := l.text(k, text, Origin{LayerFlag, flagName(k.Name)}); err != nil {
			return err
		}
	}
	return nil
}

// flagName returns how a setting is written on the command line. A setting
// without a flag of its own keeps its name.
func flagName(setting string) string {
	switch setting {
	case "stateDir":
		return "--state-dir"
	case "agent":
		return "--agent"
	case "scope":
		return "--scope"
	}
	return setting
}

// text sets a key from a variable or flag.
func (l *loader) text(k Key, text string, origin Origin) error {
	if !assignText(k.at(&l.out.Settings), text) {
		return wrong(k, origin, text)
	}
	l.set(k, origin)
	l.resolve(k.Name, l.env.Dir)
	return nil
}

// stateDir fills in the folder of state. It refuses a folder within the
// notes, because it holds their text and past queries, and notes are
// shared, published and committed. The platform's own folder is always
// accepted, because the notes may be the whole home folder.
func (l *loader) stateDir() error {
	if dir := l.out.StateDir; dir != "" {
		if !Within(dir, l.out.Workspace) {
			return nil
		}
		return &Error{Message: fmt.Sprintf("%s: the folder of state, %s, lies in the notes, %s", l.out.Origin("stateDir"), dir, l.out.Workspace),
			Hint: "name a folder outside of the notes with --state-dir or MEMOIR_STATE_DIR, or none for the platform's own"}
	}
	if l.out.StateDir = l.env.stateDir(); l.out.StateDir == "" {
		return &Error{Message: "there is no home folder to keep the state in", Hint: "name a folder with --state-dir or MEMOIR_STATE_DIR"}
	}
	return nil
}

// sessions fills in where agents keep their state.
func (l *loader) sessions() error {
	l.out.Sessions.Dirs, l.out.Sessions.DatabaseDirs = l.env.agentDirs(), l.env.databaseDirs()
	if !l.out.Sessions.Enabled {
		return nil
	}
	return l.mappings()
}

// model fills in the folder of models, and the meaning of an empty name.
func (l *loader) model() error {
	if l.out.ModelsDir == "" {
		l.out.ModelsDir = l.env.modelsDir()
	}
	if l.out.Model == "" {
		l.out.Model = ModelInside
	}
	return nil
}

// preset fills in the sizes of chunks that no layer set.
func (l *loader) preset() error {
	c := &l.out.Chunking
	tokens, overlap := defaultTokens, defaultOverlap
	if c.Preset == "openclaw" {
		tokens, overlap = openclawTokens, openclawOverlap
	}
	origin := Origin{LayerDefault, "preset " + c.Preset}
	if !l.out.IsSet("chunking.tokens") {
		c.Tokens = tokens
		l.out.origins["chunking.tokens"] = origin
	}
	if !l.out.IsSet("chunking.overlap") {
		c.Overlap = overlap
		if l.out.IsSet("chunking.tokens") {
			c.Overlap = min(overlap, max(c.Tokens, 0)/4)
		}
		l.out.origins["chunking.overlap"] = origin
	}
	return nil
}

func (l *loader) validate() error {
	for _, k := range Keys() {
		if k.valid(&l.out.Settings) {
			continue
		}
		origin := l.out.Origin(k.Name)
		return l.unquoted(origin.Layer, wrong(k, origin, format(k.at(&l.out.Settings))))
	}
	return nil
}

// unquoted returns the error of a mistake in a layer. In the file of an untrusted project the
// error quotes nothing, because a stranger may have written it for the model that reads the
// message.
func (l *loader) unquoted(layer Layer, err error) error {
	e := (*Error)(nil)
	if errors.As(err, &e) && e.plain != "" && layer == LayerWorkspace && !l.at.trusted(&l.env) {
		e.Message, e.Err = e.plain, nil
	}
	return err
}

// wrong is the error of a value that a setting cannot have.
func wrong(k Key, origin Origin, value string) *Error {
	e := &Error{Hint: "memoir config --docs"}
	expected := k.expected()
	if origin.Layer == LayerFlag || origin.Layer == LayerEnv {
		expected = k.typedAs()
	}
	if origin.Layer == LayerFlag {
		e.Flag, e.Message = origin.Place, fmt.Sprintf("%s is %s and must be %s", origin.Place, k.shown(value), expected)
	} else {
		e.Message = fmt.Sprintf("%s: %s is %s and must be %s", origin, k.Name, k.shown(value), expected)
		e.plain = fmt.Sprintf("%s: %s must be %s", origin, k.Name, expected)
	}
	if k.Name == "scope" {
		e.Hint = "memoir where, which tells whose memory there is"
	}
	return e
}

// readFile reads a settings file of bounded size. The user's own may be a link,
// because some people keep such files elsewhere. No link is followed to a
// workspace's file.
func readFile(path string, layer Layer) ([]byte, error) {
	open := regular.Open
	if layer == LayerUser {
		open = regular.Follow
	}
	f, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, dangling := os.Lstat(path); dangling == nil {
			return nil, errors.New("it is a symbolic link that leads nowhere")
		}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // of a file that was only read
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return data, nil
}

// unreadable says why a settings file cannot be read, and what to do.
func unreadable(path string, layer Layer, err error) error {
	e := &Error{File: path, Message: "the settings cannot be read: " + syserr.Reason(err).Error(), Err: err, Hint: "make it readable, or name another file with MEMOIR_CONFIG"}
	if layer == LayerWorkspace {
		e.Hint = "put a file of its own there, or move it away"
	}
	return e
}
