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
)

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
// looked up, the likeliest first.
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
	}
	return names
}

// File returns the file name of a path without its ending.
func File(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}
