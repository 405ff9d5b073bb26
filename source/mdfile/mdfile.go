// Package mdfile is the [memoir.Source] of notes: the Markdown files of a
// folder, OpenClaw's workspaces included.
//
// The source never reads anything outside the folder, follows no symbolic
// links, and writes nothing. It leaves out whole classes of files silently:
// other kinds of files, hidden files and ignored ones. A single file that a
// person would miss is listed with the reason.
package mdfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/watch"
	"golang.org/x/text/unicode/norm"
)

// DefaultMaxBytes is the size above which a file is not indexed: 4 MiB.
const DefaultMaxBytes = 4 << 20

// Options says which files of a folder are notes. The zero value takes every
// *.md and *.markdown file, whatever its case, that is not hidden, not below
// node_modules, venv or __pycache__, and not ignored by a .gitignore or
// .memoirignore file of the folder.
//
// Patterns are those of .gitignore, relative to the folder: later ones win,
// "!" negates, a slash anchors, "**" spans folders.
type Options struct {
	// Include replaces the default choice of files. A pattern that names a
	// folder, or ends in "*", takes the Markdown files in it. Any other pattern
	// takes exactly what it matches, such as "*.txt", "*.log" or "*.go". To have
	// such files in addition to the notes, name "*.md" too.
	Include []string
	// Exclude leaves files and folders out. It overrides the defaults and ignore
	// files: "!.notes/" takes in a hidden folder.
	Exclude []string
	// MaxBytes is the size above which a file is skipped and listed; 0 means
	// [DefaultMaxBytes], negative means no limit.
	MaxBytes int64
	// Watch makes the source detect that nothing has changed, for a process that
	// lives on ([ability.Watched]). [Source.Close] ends it.
	Watch bool
}

// A Source is a folder of notes. It holds no open file between calls unless it
// watches the folder. It is safe for concurrent use.
type Source struct {
	dir      string // absolute
	include  rules  // empty: Markdown files
	exclude  rules
	builtin  rules
	maxBytes int64
	watched  watched
}

var (
	_ memoir.Source   = (*Source)(nil)
	_ ability.Watched = (*Source)(nil)
	_ ability.Owner   = (*Source)(nil)
)

// Open returns the source of the notes in a folder. A folder that does not
// exist gives [memoir.ErrNotFound]; one that is no folder, "", or a malformed
// pattern, gives [memoir.ErrInvalid].
func Open(root string, opts Options) (*Source, error) {
	if root == "" {
		return nil, fmt.Errorf("no workspace is named: %w", memoir.ErrInvalid)
	}
	dir, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", root, err)
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, memoir.WithHint(fmt.Errorf("workspace %s: %w", dir, memoir.ErrNotFound), "memoir init")
	case err != nil:
		return nil, fmt.Errorf("open workspace %s: %w", dir, syserr.Reason(err))
	case !info.IsDir():
		return nil, fmt.Errorf("workspace %s is not a folder: %w", dir, memoir.ErrInvalid)
	}
	return open(dir, opts)
}

// open makes the source of a folder, whether or not the folder exists.
func open(dir string, opts Options) (*Source, error) {
	s := &Source{dir: dir, maxBytes: opts.MaxBytes}
	if s.maxBytes == 0 {
		s.maxBytes = DefaultMaxBytes
	}
	if opts.Watch {
		s.watched.watcher = watch.New()
	}
	var err error
	if s.include, err = parsePatterns(opts.Include); err != nil {
		return nil, fmt.Errorf("include: %w", err)
	}
	if s.exclude, err = parsePatterns(opts.Exclude); err != nil {
		return nil, fmt.Errorf("exclude: %w", err)
	}
	if s.builtin, err = parsePatterns([]string{".*", "node_modules/", "venv/", "__pycache__/"}); err != nil {
		return nil, err
	}
	return s, nil
}

// Named returns a function that tells from a name alone whether a file would be
// a note of a folder with these options. A malformed pattern gives
// [memoir.ErrInvalid].
func Named(opts Options) (func(name string) bool, error) {
	include, err := parsePatterns(opts.Include)
	if err != nil {
		return nil, fmt.Errorf("include: %w", err)
	}
	s := &Source{include: include}
	return func(name string) bool { return s.Owns(memoir.DocID(name)) }, nil
}

// Kind returns [memoir.KindNote].
func (s *Source) Kind() memoir.Kind { return memoir.KindNote }

// Owns implements [ability.Owner]. It reports whether the id has the name of a
// note; [Source.Read] may still refuse the file.
func (s *Source) Owns(id memoir.DocID) bool {
	name := norm.NFC.String(string(id))
	return validID(name) && s.included(name)
}

// openRoot opens the folder again for each call. So a folder that was replaced
// is noticed, and a missing one is an error, not an empty workspace.
func (s *Source) openRoot() (*os.Root, error) {
	root, err := os.OpenRoot(s.dir)
	if err == nil {
		return root, nil
	}
	hint := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint = syserr.BringBack
	case syserr.TooManyFiles(err):
		hint = syserr.MoreFiles
	}
	return nil, memoir.WithHint(fmt.Errorf("open workspace %s: %w", s.dir, syserr.Reason(err)), hint)
}

// place is a file or folder on the way down from the root.
type place struct {
	real  string // path as the file system spells it; "." is the root
	id    string // the same in normal form C; "" is the root
	level *level // ignore files of the folders above it, and of itself once entered
}

// child returns the place of an entry of a folder.
func (p place) child(name string) place {
	normal := norm.NFC.String(name)
	switch {
	case p.id == "":
		return place{name, normal, p.level}
	case p.real == p.id && name == normal:
		id := p.id + "/" + name
		return place{id, id, p.level}
	}
	return place{p.real + "/" + name, p.id + "/" + normal, p.level}
}

// included reports whether a path has the name of a note.
func (s *Source) included(id string) bool {
	markdown := isMarkdown(id)
	if len(s.include) == 0 {
		return markdown
	}
	for i := len(s.include) - 1; i >= 0; i-- {
		r := &s.include[i]
		switch {
		case r.matches(id, false):
			return !r.negate && (markdown || !r.open)
		case r.matchesParent(id):
			return !r.negate && markdown
		}
	}
	return false
}

// includedByName reports whether an include pattern spells out the file's name.
func (s *Source) includedByName(id string) bool {
	for i := len(s.include) - 1; i >= 0; i-- {
		if r := &s.include[i]; r.matches(id, false) && r.named {
			return !r.negate
		}
	}
	return false
}

func isMarkdown(id string) bool {
	ext := path.Ext(id)
	return strings.EqualFold(ext, ".md") || strings.EqualFold(ext, ".markdown")
}

// shape is what the names in the root tell about the workspace.
type shape struct {
	curated  bool // MEMORY.md is there
	openclaw bool // it looks like an OpenClaw workspace
}

func shapeOf(entries []fs.DirEntry) shape {
	var l shape
	for _, e := range entries {
		switch {
		case e.Name() == layout.Memory:
			l.curated, l.openclaw = true, true
		case e.Name() == layout.OlderMemory, e.Name() == layout.Folder && e.IsDir():
			l.openclaw = true
		}
	}
	return l
}

// hasRole reports whether a name may mean something special in the root.
func hasRole(id string) bool { return id == layout.OlderMemory || layout.Host(id) }

// role returns why a file with a special part to play is left out, or "".
func (s *Source) role(id string, l shape) string {
	switch {
	case id == layout.OlderMemory && l.curated:
		return "older name of MEMORY.md, which is there too"
	case layout.Host(id) && l.openclaw && !s.includedByName(id):
		return "not memory but a file of the agent's host; include it by name to index it"
	}
	return ""
}
