package mdfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/syserr"
	"golang.org/x/text/unicode/norm"
)

// The names of ignore files, and how large one may be.
const (
	gitignoreName  = ".gitignore"
	ownIgnoreName  = ".memoirignore"
	maxIgnoreBytes = 1 << 20
)

// How many patterns may decide about one file, those of options or those of ignore files,
// and how many bytes one may have: every file is compared with every pattern.
const (
	maxPatterns     = 2000
	maxPatternBytes = 1 << 10
)

// rule is one pattern of gitignore(5).
type rule struct {
	base     string // folder that it belongs to; "" is the root
	glob     string // in doublestar's syntax, below base
	negate   bool
	dirOnly  bool
	anchored bool // it matches the whole path below base, not only the last name
	literal  bool // glob has no wildcard
	named    bool // its last name has no wildcard
	open     bool // it ends in a wildcard and names no file extension
}

// rules are in the order of their file; the last that matches decides.
type rules []rule

// verdict is what rules say about a path.
type verdict int

const (
	undecided verdict = iota
	kept
	ignored
)

// parsePatterns reads the patterns of options. A malformed pattern is an error.
func parsePatterns(patterns []string) (rules, error) {
	var out rules
	if len(patterns) > maxPatterns {
		return nil, fmt.Errorf("%d patterns, and at most %d count: %w", len(patterns), maxPatterns, memoir.ErrInvalid)
	}
	for _, p := range patterns {
		if len(p) > maxPatternBytes {
			return nil, fmt.Errorf("pattern %.40q… is longer than %d bytes: %w", p, maxPatternBytes, memoir.ErrInvalid)
		}
		r, ok := parseRule(p, "")
		if !ok {
			return nil, fmt.Errorf("pattern %q: %w", p, memoir.ErrInvalid)
		}
		out = append(out, r)
	}
	return out, nil
}

// parseIgnore reads an ignore file. Blank lines, comments and malformed
// patterns match nothing, as in git. It returns false when a pattern is too long.
func parseIgnore(text, base string) (rules, bool) {
	var out rules
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(line) > maxPatternBytes {
			return nil, false
		}
		if r, ok := parseRule(line, base); ok {
			out = append(out, r)
		}
	}
	return out, true
}

// parseRule reads one pattern; ok is false when it is empty or malformed.
func parseRule(pattern, base string) (r rule, ok bool) {
	r.base = base
	p := norm.NFC.String(trimSpaces(pattern))
	p, r.negate = strings.CutPrefix(p, "!")
	p, r.dirOnly = strings.CutSuffix(p, "/")
	r.anchored = strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	if p == "" {
		return rule{}, false
	}
	// "a/**" matches what lies in a. doublestar's also matches a itself.
	if strings.HasSuffix(p, "/**") {
		p += "/*"
	}
	r.glob = escapeBraces(p)
	r.literal = !hasWildcard(r.glob)
	r.named = !hasWildcard(path.Base(r.glob))
	r.open = strings.HasSuffix(p, "*")
	return r, doublestar.ValidatePattern(r.glob)
}

func hasWildcard(glob string) bool { return strings.ContainsAny(glob, `*?[\`) }

// trimSpaces removes trailing spaces except one that is escaped.
func trimSpaces(s string) string {
	t := strings.TrimRight(s, " ")
	if strings.HasSuffix(t, `\`) && len(t) < len(s) {
		t += " "
	}
	return t
}

// escapeBraces escapes braces, because they are ordinary characters to git.
func escapeBraces(p string) string {
	if !strings.ContainsAny(p, "{}") {
		return p
	}
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\' && i+1 < len(p):
			b.WriteByte(c)
			i++
		case c == '{', c == '}':
			b.WriteByte('\\')
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// matches reports whether the pattern matches the path itself.
func (r *rule) matches(id string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	name := id
	if r.base != "" {
		below, ok := strings.CutPrefix(id, r.base)
		if !ok || !strings.HasPrefix(below, "/") {
			return false
		}
		name = below[1:]
	}
	if !r.anchored {
		name = path.Base(name)
	}
	if r.literal {
		return name == r.glob
	}
	return doublestar.MatchUnvalidated(r.glob, name)
}

// matchesParent reports whether the pattern matches a folder above the path.
func (r *rule) matchesParent(id string) bool {
	for dir := path.Dir(id); dir != "."; dir = path.Dir(dir) {
		if r.matches(dir, true) {
			return true
		}
	}
	return false
}

func (rs rules) decide(id string, isDir bool) verdict {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].matches(id, isDir) {
			if rs[i].negate {
				return kept
			}
			return ignored
		}
	}
	return undecided
}

// level holds the ignore files of one folder.
type level struct {
	parent   *level // of the next folder above that has any; nil at the top
	git, own rules
	patterns int // of this folder and those above
}

// mayIgnore reports whether an entry of a folder may be an ignore file, also on
// file systems that ignore case.
func mayIgnore(e fs.DirEntry) bool {
	return strings.EqualFold(e.Name(), gitignoreName) || strings.EqualFold(e.Name(), ownIgnoreName)
}

// enter adds the ignore files of the folder to those above it.
func (s *Source) enter(root *os.Root, p place) (place, error) {
	git, own := rules(nil), rules(nil)
	var err error
	if git, err = readIgnore(root, p, gitignoreName); err != nil {
		return p, err
	}
	if own, err = readIgnore(root, p, ownIgnoreName); err != nil {
		return p, err
	}
	if n := len(git) + len(own); n > 0 {
		if p.level != nil {
			n += p.level.patterns
		}
		if n > maxPatterns {
			return p, &refusedError{fmt.Sprintf("left out because the ignore files here and above have more than %d patterns", maxPatterns)}
		}
		p.level = &level{p.level, git, own, n}
	}
	return p, nil
}

// readIgnore reads an ignore file of a folder. When there is none, there are no
// rules. One that cannot be read is an error: without its rules, files that it
// hides would be indexed.
func readIgnore(root *os.Root, p place, name string) (found rules, err error) {
	for range readAttempts {
		if found, err = readIgnoreOnce(root, p, name); !errors.Is(err, errChanging) {
			break
		}
	}
	return found, err
}

func readIgnoreOnce(root *os.Root, p place, name string) (rules, error) {
	file := p.child(name)
	info, err := root.Lstat(file.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, withheld(file.id, err)
	case !info.Mode().IsRegular():
		return nil, nil // git does not read a link either
	case info.Size() > maxIgnoreBytes:
		return nil, &refusedError{"left out because " + file.id + " is larger than 1 MiB"}
	}
	f, err := openSame(root, file.real, info)
	if errors.Is(err, errChanging) {
		return nil, errChanging
	}
	if err != nil {
		return nil, withheld(file.id, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreBytes))
	if err != nil {
		return nil, withheld(file.id, err)
	}
	found, ok := parseIgnore(string(data), p.id)
	if !ok {
		return nil, &refusedError{fmt.Sprintf("left out because %s has a pattern of more than %d bytes", file.id, maxPatternBytes)}
	}
	return found, nil
}

func withheld(id string, err error) error {
	if syserr.TooManyFiles(err) {
		return err
	}
	return &refusedError{"left out because " + id + " " + unreadable(err)}
}

// ignores decides whether a path is ignored whose parents are not. Options
// count before .memoirignore files, these before the defaults, and the defaults
// before .gitignore files; deeper files count before those above. byGit says
// that only a .gitignore file decided.
func (s *Source) ignores(p place, isDir bool) (out, byGit bool) {
	if v := s.exclude.decide(p.id, isDir); v != undecided {
		return v == ignored, false
	}
	for l := p.level; l != nil; l = l.parent {
		if v := l.own.decide(p.id, isDir); v != undecided {
			return v == ignored, false
		}
	}
	if s.builtin.decide(p.id, isDir) == ignored {
		return true, false
	}
	for l := p.level; l != nil; l = l.parent {
		if v := l.git.decide(p.id, isDir); v != undecided {
			return v == ignored, v == ignored
		}
	}
	return false, false
}
