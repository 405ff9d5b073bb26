package httpapi

import (
	"path"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/markup"
)

// NotePage is a note as a person reads it.
type NotePage struct {
	Path     string        `json:"path"`       // below the workspace
	ETag     string        `json:"etag"`       // of the text that it was made of; empty of what cannot be changed, such as a collection's
	Title    string        `json:"title"`      // front matter's, or the first heading of level 1; may be empty
	Front    string        `json:"front"`      // the front matter, as it is
	HTML     string        `json:"html"`       // of the text: p, h2 to h6, lists, tables, pre, code and a; blocks have their line in data-line
	Passages []NotePassage `json:"passages"`   // as they are indexed, in order
	Links    []string      `json:"links"`      // paths of notes that it links to, in order
	From     []string      `json:"linkedFrom"` // paths of notes that link to it, in order; empty for who may not see what is private
}

// NotePassage is a passage of a note.
type NotePassage struct {
	StartLine int      `json:"startLine"` // counted from 1
	EndLine   int      `json:"endLine"`   // inclusive
	Heading   []string `json:"heading"`   // headings above it, from the top
}

func readRoutes() []route {
	return []route{{
		method: "GET", pattern: "/v1/pages/{path...}", summary: "A note as a person reads it: HTML without anything active, its passages, links to and from it", permission: MayRead,
		out: NotePage{}, handle: readPage,
	}}
}

func readPage(r *request) (any, error) {
	file, err := r.visible(r.PathValue("path"))
	if err == nil {
		err = r.readable(file)
	}
	if err != nil {
		return nil, err
	}
	text, tag, err := r.whatever(file)
	if err != nil {
		return nil, err
	}
	x, err := r.api.opts.Memory.Outline(r.Context(), memoir.DocID(file), r.unseen())
	if err != nil {
		return nil, err
	}
	page := NotePage{Path: file, ETag: tag, Title: x.Title, Passages: []NotePassage{}, Links: []string{}, From: []string{}}
	body := entry.Plain(strings.TrimPrefix(text, "\ufeff")) // the mark of some editors
	if x.FrontEnds > 0 {
		lines := strings.SplitAfterN(body, "\n", x.FrontEnds+1)
		n := min(len(lines), x.FrontEnds)
		page.Front, body = strings.Join(lines[:n], ""), strings.Repeat("\n", n)+strings.Join(lines[n:], "")
	}
	byTarget := map[string]string{}
	for target, id := range x.Links {
		to := string(id)
		byTarget[linkKey(target)] = to
		if to != file && !slices.Contains(page.Links, to) {
			page.Links = append(page.Links, to)
		}
	}
	slices.Sort(page.Links)
	page.HTML = markup.HTML(body, markup.Options{Note: func(target string) string { return byTarget[linkKey(target)] }})
	for _, p := range x.Passages {
		page.Passages = append(page.Passages, NotePassage{p.StartLine, p.EndLine, append([]string{}, p.Heading...)})
	}
	if r.private() {
		for _, id := range x.From {
			page.From = append(page.From, string(id))
		}
	}
	return page, nil
}

// unseen returns a function that reports the documents that no link may lead to, because the
// caller may not read them: private notes, sessions and documents of collections. It is nil for
// callers with the permission private.
func (r *request) unseen() func(memoir.DocID) bool {
	if r.private() {
		return nil
	}
	return func(id memoir.DocID) bool { return r.concealed(string(id)) || r.readable(string(id)) != nil }
}

// linkKey returns a key that is equal for two spellings of a link's target.
func linkKey(target string) string {
	return path.Clean(strings.Join(strings.Fields(strings.ReplaceAll(target, `\`, "/")), " "))
}
