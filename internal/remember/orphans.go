package remember

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/link"
	"github.com/memoir-ai/memoir/internal/name"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// noteLink is a link of an entry to another note, by its path.
type noteLink struct {
	entry  *known
	target string // as package link reads it
	label  string
}

// linksOf returns the links of entries to other notes. It leaves out wiki
// links, because they are meant for naming notes that are not written yet.
func linksOf(entries []*known) (links []noteLink) {
	for _, e := range entries {
		if !strings.Contains(e.Text, "](") {
			continue
		}
		for _, l := range link.Find(e.Text) {
			if isNote(l.Target) && inline(e.Text, l.Target) != nil {
				links = append(links, noteLink{e, l.Target, l.Label})
			}
		}
	}
	return links
}

// written matches a link in Markdown: [label](target "title").
var written = lazyregexp.New(`!?\[([^\[\]\n]*)\]\(<?([^()<>\s]+)>?(?:\s+"[^"\n]*")?\)`)

// inline returns the place of the link to a target, as byte offsets in the form
// of [regexp.Regexp.FindStringSubmatchIndex]. It returns nil when the link is
// written in another way.
func inline(text, target string) []int {
	for _, at := range written().FindAllStringSubmatchIndex(text, -1) {
		if found := link.Find(text[at[0]:at[1]]); len(found) == 1 && found[0].Target == target {
			return at
		}
	}
	return nil
}

// orphans returns the targets in a note that lead to no note, by memoir's own
// rules, and to no file.
func (t *tidier) orphans(file string, targets []string, notes []Note) (orphans []string) {
	for _, target := range targets {
		if slices.Contains(orphans, target) || t.resolves(file, target, notes) {
			continue
		}
		near := path.Join(path.Dir(file), target)
		if strings.HasPrefix(target, "/") {
			near = strings.TrimLeft(path.Clean(target), "/")
		}
		if _, err := t.keeper.opts.Notebook.Read(near); errors.Is(err, fs.ErrNotExist) {
			orphans = append(orphans, target)
		}
	}
	return orphans
}

// resolves reports whether a link finds a note.
func (t *tidier) resolves(file, target string, notes []Note) bool {
	if t.names == nil {
		t.names = map[string]bool{}
		for _, note := range notes {
			for _, n := range name.Of(note.Path, "", nil, nil) {
				t.names[n] = true
			}
		}
	}
	return slices.ContainsFunc(name.ForLink(file, link.Link{Target: target}), func(n string) bool { return t.names[n] })
}

// orphan makes a finding of a link to a missing note. It proposes the one note
// of that name, if there is one, or else to keep only the words.
func (t *tidier) orphan(l noteLink, notes []Note) TidyFinding {
	var moved []string
	for _, note := range notes {
		if strings.EqualFold(path.Base(note.Path), path.Base(l.target)) && note.Path != l.entry.path {
			moved = append(moved, note.Path)
		}
	}
	proposal := fmt.Sprintf("it links to %s, which is not there: keep the words alone", l.target)
	put := l.label
	if len(moved) == 1 {
		to := strings.ReplaceAll(relative(path.Dir(l.entry.path), moved[0]), " ", "%20")
		proposal, put = fmt.Sprintf("it links to %s, which is not there: link to %s", l.target, moved[0]), fmt.Sprintf("[%s](%s)", l.label, to)
	}
	return finding(Orphan, proposal, func(d *notebook.Draft) error {
		missing := errGone
		err := t.change(l.entry, func(text string, now *known) string {
			at := inline(text[now.Start:now.End], l.target)
			if at == nil {
				return text
			}
			missing = nil
			return text[:now.Start+at[0]] + put + text[now.Start+at[1]:]
		})(d)
		return errors.Join(err, missing)
	}, l.entry)
}

// relative returns the path of a note relative to a folder, with slashes.
func relative(dir, file string) string {
	if dir == "." {
		return file
	}
	up := ""
	for dir != "." && !strings.HasPrefix(file, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	return up + strings.TrimPrefix(file, dir+"/")
}
