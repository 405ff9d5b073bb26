package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Shape says which settings a process works with on which the contents of an index
// depend. Processes that share an index compare theirs.
type Shape struct {
	File string `json:"file"` // of the user's settings, which may be missing
	// Digests are of the values, by setting. They tell nothing of a value.
	Digests map[string]string `json:"digests"`
	// Own are the settings that a variable or a flag of this process decides, with its
	// name, or with "" where the name is not known.
	Own map[string]string `json:"own,omitempty"`
}

// Shape returns the shape of these settings.
func (l *Loaded) Shape() Shape {
	s := Shape{Digests: map[string]string{}, Own: map[string]string{}}
	if l.loader != nil {
		s.File = l.loader.env.UserFile()
	}
	for name, value := range l.shape() {
		if name == "provider" && value == "none" {
			continue // without vectors a process undoes none of another
		}
		sum := sha256.Sum256([]byte(value))
		s.Digests[name] = hex.EncodeToString(sum[:6])
		if place, own := l.own(name); own {
			s.Own[name] = place
		}
	}
	return s
}

// Disagrees returns the settings in which two processes disagree for good, because a
// variable, a flag or another file of settings says so for one of them. Where only a file has
// changed since one of them read it, they do not: whoever has read the older one will
// notice.
func (s Shape) Disagrees(other Shape) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Digests)) {
		theirs, counts := other.Digests[name]
		if !counts || theirs == s.Digests[name] {
			continue
		}
		_, mine := s.Own[name]
		_, its := other.Own[name]
		if mine || its || s.File != other.File {
			names = append(names, name)
		}
	}
	if slices.Contains(names, "provider") { // what else differs of it follows from that
		return slices.DeleteFunc(names, func(name string) bool { return name == "model" })
	}
	return names
}

// own reports whether a variable or a flag decides a setting of the shape, and its name.
func (l *Loaded) own(name string) (place string, own bool) {
	of := []string{name}
	switch name {
	case "chunking.tokens", "chunking.overlap":
		if l.Origin(name).Layer == LayerDefault {
			of = append(of, "chunking.preset")
		}
	case "provider":
		if l.Provider == "auto" {
			of = append(of, "model", "allowRemote", Choose(l).Provider+".apiKey")
		}
	case sessionFolders:
		return "", true // they depend on the home folder and on variables of the agents alone
	}
	for _, name := range of {
		if at := l.Origin(name); at.Layer == LayerEnv || at.Layer == LayerFlag {
			return at.Place, true
		}
	}
	return "", false
}

// sessionFolders names the folders of the agents whose sessions are read. No setting says
// which they are.
const sessionFolders = "sessions.folders"

// shape returns the values on which it depends what stands in an index of a workspace: what
// is read, how it is cut, and which vectors it has.
func (l *Loaded) shape() map[string]string {
	provider := Choose(l).Provider
	values := map[string]string{}
	for _, k := range Keys() {
		group, of, _ := strings.Cut(k.Name, ".")
		switch {
		case slices.Contains([]string{"include", "exclude", "maxFileBytes", "chunking.tokens", "chunking.overlap", "sessions.enabled"}, k.Name), group == "files",
			k.Name == "model" && provider == "local",
			l.Sessions.Enabled && k.Name == "sessions.agents",
			group == provider && slices.Contains([]string{"baseURL", "model", "dimensions", "documentPrefix"}, of):
			values[k.Name] = format(k.at(&l.Settings))
		}
	}
	values["provider"] = provider
	var folders []string
	for _, c := range l.Collections { // not what is said of them
		folders = append(folders, fmt.Sprintf("%q %q", c.Name, c.Path))
	}
	slices.Sort(folders)
	values["collections"] = strings.Join(folders, "\n")
	if l.Sessions.Enabled {
		values["sessions.custom"] = fmt.Sprintf("%+v", l.Sessions.Mappings)
		folders := ""
		for _, agent := range l.Sessions.Agents {
			folders += fmt.Sprintf("%q %q\n", l.Sessions.Dirs[agent], l.Sessions.DatabaseDirs[agent])
		}
		values[sessionFolders] = folders
	}
	return values
}
