// Package name makes the names by which links and filters call a document: its
// path, the ends of its path, its title and aliases, its tags. A name is compared
// byte for byte, so that what is taken for the same is folded before.
package name

import (
	"path"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/link"
)

// Bounds of the names of a document; beyond are the last aliases and tags.
const (
	maxNames = 64
	maxTags  = 64
)

// A name begins with a mark that says what it is, so that a title is not taken
// for a path.
const (
	pathMark   = "/"  // below the root, without the ending
	suffixMark = "*/" // the end of a path, at a slash
	titleMark  = "="
	tagMark    = "#"
	talkMark   = "@" // what its agent calls a session
)

// maxSession is the longest id of a session, in bytes.
const maxSession = 200

// Session returns the name that a session has by its agent's id, "" for what is none.
func Session(id string) string {
	if id == "" || len(id) > maxSession {
		return ""
	}
	return talkMark + analyze.Fold(id)
}

// Tag returns the name that a tag gives a document.
func Tag(tag string) string { return tagMark + strings.Trim(analyze.Fold(tag), "#/") }

// maxType is the longest type, in bytes; what is longer is a sentence.
const maxType = 64

// Type returns the type that front matter gives a document as it is compared, ""
// for what is none.
func Type(text string) string {
	if folded := strings.TrimSpace(analyze.Fold(text)); len(folded) <= maxType {
		return folded
	}
	return ""
}

func foldPath(p string) string {
	p = analyze.Fold(p)
	return strings.TrimSuffix(strings.TrimSuffix(p, ".md"), ".markdown")
}

// Of returns the names of a document: of its path below the root of its source,
// its title, which may be "", its aliases and its tags.
func Of(file, title string, aliases, tags []string) []string {
	names := []string{pathMark + foldPath(file)}
	for rest := file; len(names) < maxNames/2; {
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		rest = after
		names = append(names, suffixMark+foldPath(rest))
	}
	for _, t := range append([]string{title}, aliases...) {
		if name := titleMark + analyze.Fold(t); name != titleMark && len(names) < maxNames && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return append(names, ofTags(tags)...)
}

// ofTags returns the names that tags give a document: a tag within another
// (work/travel) gives that of the other too.
func ofTags(tags []string) []string {
	var names []string
	for _, tag := range tags {
		for name := Tag(tag); name != tagMark && len(names) < maxTags; {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			slash := strings.LastIndexByte(name, '/')
			if slash < 0 {
				break
			}
			name = name[:slash]
		}
	}
	return names
}

// ForLink returns the names under which the target of a link in a document is
// looked up, the likeliest first. What the link shows is one where the target may be a note.
func ForLink(from string, l link.Link) []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	target := strings.TrimLeft(l.Target, "/")
	if near := path.Join(path.Dir(from), target); target == l.Target && near != ".." && !strings.HasPrefix(near, "../") {
		add(pathMark + foldPath(near))
	}
	for target = path.Clean(target); strings.HasPrefix(target, "../"); {
		target = target[len("../"):]
	}
	if target != "." && target != ".." {
		add(pathMark + foldPath(target))
		add(suffixMark + foldPath(target))
	}
	for _, title := range []string{foldPath(l.Target), l.Label} {
		if name := titleMark + analyze.Fold(title); name != titleMark {
			add(name)
		}
		if otherFile(l.Target) {
			break
		}
	}
	return names
}

// otherFile reports whether a target is a file of another kind than a note by its ending,
// such as main.go. What a link to it shows is the name of that.
func otherFile(target string) bool {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(target), "."))
	return ending != "" && ending != "md" && ending != "markdown" &&
		ending[0] >= 'a' && !strings.ContainsFunc(ending, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// File returns the file name of a path without its ending.
func File(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}
