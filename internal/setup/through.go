package setup

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/titanous/json5"
)

// Through reports whether it starts memoir mcp through another program: by npx and its like,
// or in a container. by is that program. args are what follows memoir, when its paths are
// those of this machine.
func (s Start) Through() (by string, args []string, ok bool) {
	words := s.Words
	if len(words) > 2 && program(words[0]) == "cmd" && strings.EqualFold(words[1], "/c") {
		words = words[2:]
	}
	if len(words) < 2 || s.Off {
		return "", nil, false
	}
	by, rest := program(words[0]), words[1:]
	switch by {
	case "npx", "bunx", "pnpx":
		args, ok = ofPackage(rest)
	case "npm", "pnpm", "yarn", "bun":
		if slices.Contains([]string{"exec", "x", "dlx"}, rest[0]) {
			args, ok = ofPackage(rest[1:])
		}
	case "docker", "podman", "nerdctl":
		return by, nil, inContainer(rest)
	}
	return by, args, ok
}

// Plain returns what starts memoir itself with what s says; ok is false where s starts it
// in a container, in which paths are others, or is no such entry.
func (s Start) Plain() (Start, bool) {
	_, args, ok := s.Through()
	if !ok || args == nil {
		return s, false
	}
	s.Words = append([]string{"memoir"}, args...)
	return s, true
}

// program returns the name of a program without its folder and the ending of Windows.
func program(path string) string {
	name := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// ofPackage reads the words after npx: flags, memoir's package or, with --package, its
// program, and what that is told.
func ofPackage(words []string) (args []string, ok bool) {
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == "-p" || word == "--package":
			i++
		case strings.HasPrefix(word, "-"):
		default:
			name := strings.TrimPrefix(word, "@memoir-ai/")
			name, _, _ = strings.Cut(name, "@")
			args = words[i+1:]
			if len(args) > 0 && args[0] == "--" {
				args = args[1:]
			}
			rest, _ := parted(args)
			return args, name == "memoir" && slices.Contains(rest, "mcp")
		}
	}
	return nil, false
}

// aloneFlags are flags of docker run and exec that no value follows.
const aloneFlags = " --interactive --tty --rm --init --detach --privileged --read-only --publish-all --quiet --no-healthcheck --oom-kill-disable --disable-content-trust --no-TTY --no-deps --service-ports "

// inContainer reads the words after docker: what runs is the image, the container or the
// service after the flags, and then what that is told. memoir's image serves by itself.
func inContainer(words []string) bool {
	at := slices.IndexFunc(words, func(w string) bool { return w == "run" || w == "exec" })
	if at < 0 || at > 0 && !slices.Contains([]string{"container", "compose"}, words[0]) {
		return false
	}
	exec := words[at] == "exec"
	for i := at + 1; i < len(words); i++ {
		word := words[i]
		switch {
		case strings.HasPrefix(word, "--"):
			if !strings.Contains(word, "=") && !strings.Contains(aloneFlags, " "+word+" ") {
				i++
			}
		case strings.HasPrefix(word, "-") && len(word) > 1:
			if strings.Trim(word[1:], "itdPqT") != "" && len(word) == 2 {
				i++
			}
		default:
			rest, _ := parted(words[i+1:])
			if exec {
				return len(rest) > 1 && program(rest[0]) == "memoir" && slices.Contains(rest, "mcp")
			}
			return image(word) && (len(rest) == 0 || slices.Contains(rest, "mcp"))
		}
	}
	return false
}

// image reports whether an image is memoir's, whoever has built it.
func image(name string) bool {
	name, _, _ = strings.Cut(name, "@")
	name = name[strings.LastIndexByte(name, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	return name == "memoir" || name == "memoir-nomodel"
}

// Through returns the servers of the agent's own settings that start memoir through another
// program, by whatever name, sorted by it; none where the settings cannot be read.
func (a Agent) Through(p Place) []Start {
	w := a.wired(p)[0]
	now, err := read(w.path)
	if err != nil || !now.there {
		return nil
	}
	all := serversIn(now.data, w.path, w.server)
	for i := range all {
		all[i].File = w.path
	}
	return all
}

// serversIn returns the servers in settings that start memoir through another program.
func serversIn(data []byte, path string, servers []string) (all []Start) {
	root, err := rootOf(data, path)
	if err != nil {
		return nil
	}
	for _, name := range servers {
		root = inside(root, name)
	}
	entries, _ := root.(map[string]any) // what is no object has none
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		entry, ok := entries[name].(map[string]any)
		if !ok {
			continue
		}
		s := startOf(entry)
		s.Name = name
		if _, _, ok := s.Through(); ok {
			all = append(all, s)
		}
	}
	return all
}

// rootOf reads settings in TOML, or in JSON with comments or JSON5.
func rootOf(data []byte, path string) (root any, err error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	root, err = strictRoot(data, path)
	if err == nil || filepath.Ext(path) == ".toml" {
		return root, err
	}
	if nested(data) || json5.Unmarshal(data, &root) != nil {
		return nil, err // in the words for people
	}
	return root, nil
}

// strictRoot is rootOf without JSON5.
func strictRoot(data []byte, path string) (root any, err error) {
	if filepath.Ext(path) == ".toml" {
		err = toml.Unmarshal(data, &root)
		return root, err
	}
	value, err := parseJSON(data)
	if err == nil {
		err = decode(value, &root)
	}
	return root, err
}

// withoutJSON takes a server out of settings in JSON.
func withoutJSON(servers []string) func([]byte, string) ([]byte, error) {
	return func(data []byte, name string) ([]byte, error) {
		return behindMark(func(data []byte) ([]byte, error) {
			return remove(data, append(slices.Clone(servers), name), nil, func([]string) bool { return true })
		})(data)
	}
}

// withoutTOML takes a table of a server out of settings in TOML, whoever has written it.
func withoutTOML(data []byte, name string) ([]byte, error) {
	return behindMark(func(data []byte) ([]byte, error) {
		return removeServer(data, []string{tableName[0], name}, func(map[string]any) bool { return true })
	})(data)
}

// maxTaken bounds how many servers are taken out of a file, which is read for each.
const maxTaken = 100

// instead returns f with settings from which the servers that start memoir through another
// program are taken out first: all of them, or those that are not in the file any more.
func (f file) instead(now []byte, all bool) file {
	if f.servers == nil {
		return f
	}
	var there []string
	for _, s := range serversIn(now, f.path, f.servers) {
		there = append(there, s.Name)
	}
	want := f.want
	f.want = func(data []byte) (_ []byte, err error) {
		goes := func(s Start) bool { return all || !slices.Contains(there, s.Name) }
		for range maxTaken { // of servers of one name the last counts, and then the one before
			servers := serversIn(data, f.path, f.servers)
			i := slices.IndexFunc(servers, goes)
			if i < 0 {
				return want(data)
			}
			was := data
			if data, err = f.without(data, servers[i].Name); err != nil {
				return nil, err
			}
			if bytes.Equal(data, was) {
				return nil, fmt.Errorf("%w: the server %q cannot be taken out", errShape, servers[i].Name)
			}
		}
		return nil, fmt.Errorf("%w: more than %d servers would be taken out", errShape, maxTaken)
	}
	return f
}
