package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// Environment is what the settings depend on besides files and flags.
type Environment struct {
	Lookup func(name string) (string, bool) // as [os.LookupEnv]
	List   func() []string                  // as [os.Environ]; may be nil
	Dir    string                           // current folder, absolute
	OS     string                           // as runtime.GOOS

	instead map[string][]byte // by path: contents to use instead of those of settings files
}

// get returns a variable; an empty one counts as not set.
func (e Environment) get(name string) string {
	v, _ := e.Lookup(name)
	return v
}

// home returns the user's folder, or "" when there is none.
func (e Environment) home() string {
	if e.OS == "windows" {
		return e.get("USERPROFILE")
	}
	return e.get("HOME")
}

// UserFile returns the path of the user's settings, or "" without a home
// folder. MEMOIR_CONFIG names another file.
func (e Environment) UserFile() string {
	if path := e.get("MEMOIR_CONFIG"); path != "" {
		return e.absolute(path, e.Dir)
	}
	dir := e.userFolder()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "config.toml")
}

// userFolder returns the folder of what the user has decided, which cannot be
// made again as an index can; "" without a home folder.
func (e Environment) userFolder() string {
	base := e.get("XDG_CONFIG_HOME")
	switch {
	case filepath.IsAbs(base):
	case e.OS == "windows":
		base = e.get("AppData")
	case e.home() != "":
		base = filepath.Join(e.home(), ".config")
	default:
		base = ""
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, "memoir")
}

// StateDir returns the folder of state as far as the environment tells, or
// "". It is for records that must be written even when the settings cannot be
// read.
func (e Environment) StateDir() string {
	if dir := e.get("MEMOIR_STATE_DIR"); dir != "" {
		return e.absolute(dir, e.Dir)
	}
	return e.stateDir()
}

// Home returns the user's folder, or "" when there is none.
func (e Environment) Home() string { return e.home() }

// stateDir returns memoir's folder within the platform's for what programs keep from one
// run to the next, or "" when there is no home folder.
func (e Environment) stateDir() string {
	return e.userDir(e.get("LocalAppData"), e.get("XDG_STATE_HOME"), ".local/state", "memoir")
}

// userDir returns a folder within the platform's folder for one kind of a user's data, or ""
// when there is no home folder. The platform's is on Windows the one that is given for it, on
// macOS Application Support, and elsewhere that of XDG, or else usual below the home folder.
func (e Environment) userDir(windows, xdg, usual string, within ...string) string {
	var base string
	switch {
	case e.OS == "windows":
		base = windows
	case e.OS == "darwin" && e.home() != "":
		base = filepath.Join(e.home(), "Library", "Application Support")
	case e.OS == "darwin":
	case filepath.IsAbs(xdg):
		base = xdg
	case e.home() != "":
		base = filepath.Join(e.home(), filepath.FromSlash(usual))
	}
	if base == "" {
		return ""
	}
	return filepath.Join(append([]string{base}, within...)...)
}

// agentDirs returns the folders in which agents keep their state, by agent:
// those that the agents' own variables name, else the usual ones below the home
// folder.
func (e Environment) agentDirs() map[string]string {
	dirs := map[string]string{}
	for _, a := range []struct{ name, folder, below, usual string }{
		{"claude-code", e.get("CLAUDE_CONFIG_DIR"), "", ".claude"},
		{"codex", e.get("CODEX_HOME"), "", ".codex"},
		{"gemini", e.get("GEMINI_CLI_HOME"), ".gemini", ".gemini"},
		{"openclaw", e.get("OPENCLAW_STATE_DIR"), "", ".openclaw"},
		{"opencode", e.get("XDG_DATA_HOME"), "opencode", ".local/share/opencode"}, // on every platform
		{"pi", e.get("PI_CODING_AGENT_DIR"), "", ".pi/agent"},
		{"cursor", "", "", ".cursor"},
	} {
		if filepath.IsAbs(a.folder) {
			dirs[a.name] = filepath.Join(a.folder, a.below)
		} else if e.home() != "" {
			dirs[a.name] = filepath.Join(e.home(), filepath.FromSlash(a.usual))
		}
	}
	return dirs
}

// databaseDirs returns the folders of agents' databases, by agent, where they
// differ from those of their state.
func (e Environment) databaseDirs() map[string]string {
	dir := e.userDir(e.get("AppData"), e.get("XDG_CONFIG_HOME"), ".config", "Cursor", "User", "globalStorage")
	if dir == "" {
		return nil
	}
	return map[string]string{"cursor": dir}
}

// modelsDir returns the folder of memoir's models within the platform's folder
// for user data, or "" when there is no home folder.
func (e Environment) modelsDir() string {
	return e.userDir(e.get("LocalAppData"), e.get("XDG_DATA_HOME"), ".local/share", "memoir", "models")
}

// isPath reports whether the value of the setting model is a path, not a name.
func isPath(model string) bool {
	return strings.ContainsAny(model, `/\:`) || strings.HasPrefix(model, "~") || strings.HasPrefix(model, ".") ||
		strings.HasSuffix(strings.ToLower(model), ".memoir")
}

// absolute resolves a path as written in a setting: ~ is the home folder, a
// relative one counts from dir. A bucket stays what it is.
func (e Environment) absolute(path, dir string) string {
	if IsBucket(path) {
		return path
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) && e.home() != "" {
		path = filepath.Join(e.home(), rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// WorkspaceFile is the name of a workspace's own settings.
const WorkspaceFile = ".memoir.toml"

// Within reports whether a folder, which need not exist, is another one or lies
// in it, by whatever name: through links, or in other letters where the file
// system takes them for the same.
func Within(dir, other string) bool {
	info, err := os.Stat(other)
	if err != nil {
		rel, err := filepath.Rel(followed(other), followed(dir))
		return err == nil && filepath.IsLocal(rel)
	}
	for real := followed(dir); ; {
		if found, err := os.Stat(real); err == nil && os.SameFile(found, info) {
			return true
		}
		if real == filepath.Dir(real) {
			return false
		}
		real = filepath.Dir(real)
	}
}

// followed returns a path without links. What exists of it is taken for what it is; below
// that are no links.
func followed(path string) string {
	below := ""
	for up := path; ; up = filepath.Dir(up) {
		if real, err := filepath.EvalSymlinks(up); err == nil {
			return filepath.Join(real, below)
		}
		if up == filepath.Dir(up) {
			return path
		}
		below = filepath.Join(filepath.Base(up), below)
	}
}

// StateDirHoldsNotes reports whether the workspace lies in the folder of state, in which
// everything is memoir's own.
func (s *Settings) StateDirHoldsNotes() bool {
	return s.Bucket.URL == "" && Within(s.Workspace, s.StateDir)
}

// KeptDir returns the folder of what memoir keeps of a workspace and cannot make again,
// whatever the agent: the history of changes, what was forgotten, what hooks left, the
// questions. It is <stateDir>/<base name>-<12 hexadecimal digits>, where the digits are
// of the SHA-256 of the workspace's real path.
func (s *Settings) KeptDir() string {
	real := followed(s.Workspace)
	sum := sha256.Sum256([]byte(real))
	base := filepath.Base(real)
	if s.Bucket.URL != "" {
		base = filepath.Base(s.CopyDir())
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, base)
	return filepath.Join(s.StateDir, name+"-"+hex.EncodeToString(sum[:6]))
}

// NotebookDir returns the folder in [Settings.KeptDir] of the history of changes.
func (s *Settings) NotebookDir() string { return filepath.Join(s.KeptDir(), "notebook") }

// CacheDir returns the folder within a folder of state that holds the indexes of all
// workspaces, and nothing that cannot be made again. It may be deleted at any moment.
func CacheDir(stateDir string) string { return filepath.Join(stateDir, "cache") }

// IndexPath returns where the index of a workspace and agent is: <agent>.sqlite in a
// folder of [CacheDir] that has the name of [Settings.KeptDir].
func (s *Settings) IndexPath() string {
	return filepath.Join(CacheDir(s.StateDir), filepath.Base(s.KeptDir()), s.Agent+".sqlite")
}
