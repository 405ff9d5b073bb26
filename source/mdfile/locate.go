package mdfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/syserr"
	"golang.org/x/text/unicode/norm"
)

// Locate returns the id of the note that a person means by a path. The path may
// be absolute, relative to the workspace (as answers cite it) or relative to
// the working directory. Of the last two, the one that exists is meant: the
// workspace's first, unless the path starts with a dot. If neither exists,
// Locate still returns an id. A path that leads out of the workspace gives
// [memoir.ErrInvalid].
func (s *Source) Locate(name string) (memoir.DocID, error) {
	clean := filepath.Clean(filepath.FromSlash(name))
	var candidates []string
	switch {
	case name == "" || strings.ContainsRune(name, 0):
	case filepath.IsAbs(clean):
		candidates = []string{clean}
	default:
		candidates = []string{filepath.Join(s.dir, clean)}
		if here, err := filepath.Abs(clean); err == nil {
			candidates = append(candidates, here)
		}
		if dotted(name) {
			candidates[0], candidates[len(candidates)-1] = candidates[len(candidates)-1], candidates[0]
		}
	}
	var first memoir.DocID
	for _, c := range candidates {
		id, ok := s.idOf(c)
		if !ok {
			continue
		}
		if _, err := os.Lstat(c); err == nil {
			return id, nil
		}
		if first == "" {
			first = id
		}
	}
	if first == "" {
		return "", fmt.Errorf("path %q is not below the workspace %s: %w", name, s.dir, memoir.ErrInvalid)
	}
	return first, nil
}

// File returns the absolute path of a note's file, as the disk spells it. It
// does not read the file. It gives [memoir.ErrNotFound] when there is no such
// note, and [memoir.ErrInvalid] when the id cannot be one of this folder's
// notes.
func (s *Source) File(id memoir.DocID) (string, error) {
	name := norm.NFC.String(string(id))
	if !validID(name) || !s.Owns(memoir.DocID(name)) {
		return "", fmt.Errorf("%q is no note below %s: %w", id, s.dir, memoir.ErrInvalid)
	}
	root, err := s.openRoot()
	if err != nil {
		return "", err
	}
	defer root.Close()
	p, err := s.enter(root, place{real: "."})
	if err == nil {
		p, err = s.find(root, p, strings.Split(name, "/"))
	}
	var refused *refusedError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s: %w", name, memoir.ErrNotFound)
	case errors.As(err, &refused):
		return "", &memoir.SkipError{ID: memoir.DocID(name), Reason: refused.reason, Temporary: refused == errChanging}
	case err != nil:
		return "", fmt.Errorf("find %s: %w", name, syserr.Reason(err))
	}
	return filepath.Join(s.dir, filepath.FromSlash(p.real)), nil
}

// dotted reports whether a path says that it starts at the working directory.
func dotted(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return first == "." || first == ".."
}

// idOf returns the id of an absolute path below the workspace. Links that lead
// to the workspace may be resolved in the path, or not.
func (s *Source) idOf(abs string) (memoir.DocID, bool) {
	dirs := []string{s.dir}
	if real, err := filepath.EvalSymlinks(s.dir); err == nil && real != s.dir {
		dirs = append(dirs, real)
	}
	for _, dir := range dirs {
		rel, err := filepath.Rel(dir, abs)
		if err != nil {
			continue
		}
		if id := norm.NFC.String(filepath.ToSlash(rel)); validID(id) {
			return memoir.DocID(id), true
		}
	}
	return "", false
}
