package app

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/source/mdfile"
)

// A Collection is a folder that is searched with the notes of the workspace.
type Collection struct {
	config.Collection
	// Notes are what is in it.
	Notes *mdfile.Collection
}

// Problem says why the collection cannot be searched, or not be kept up to date; nil:
// it can.
func (c Collection) Problem() error {
	if c.Inside {
		return errors.New("it lies in the workspace, with which it is searched already")
	}
	return c.Notes.Problem()
}

// OpenCollections opens the collections of the settings. No folder need be there. What
// the settings say of files is about the workspace, whose own file may say it: of a
// collection every Markdown file is meant.
func OpenCollections(settings *config.Loaded) ([]Collection, error) {
	return openCollections(settings, false)
}

func openCollections(settings *config.Loaded, watch bool) (all []Collection, err error) {
	for _, c := range settings.Collections {
		opts := mdfile.Options{MaxBytes: settings.MaxFileBytes, Watch: watch && !c.Inside}
		if pattern := patternOf(settings.Workspace, c.Path); pattern != "" {
			opts.Exclude = []string{pattern}
		}
		src, err := mdfile.OpenCollection(c.Name, c.Path, opts)
		if err != nil {
			return nil, err
		}
		all = append(all, Collection{c, src})
	}
	return all, nil
}

// patternOf returns the pattern that leaves a folder out of one above it, "" when it
// does not lie there.
func patternOf(folder, above string) string {
	for i, dir := range []*string{&folder, &above} {
		real, err := filepath.EvalSymlinks(*dir)
		if err != nil && i == 1 {
			return "" // there is nothing
		}
		if err == nil {
			*dir = real
		}
	}
	below, err := filepath.Rel(above, folder)
	if err != nil || below == "." || !filepath.IsLocal(below) {
		return ""
	}
	return "/" + strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `).Replace(filepath.ToSlash(below)) + "/"
}

// Collections returns the collections that are searched with the workspace, and those
// that are not for lying in it.
func (a *App) Collections() []Collection { return a.collections }

// searched appends the sources of collections.
func searched(sources []memoir.Source, collections []Collection) []memoir.Source {
	for _, c := range collections {
		if !c.Inside {
			sources = append(sources, c.Notes)
		}
	}
	return sources
}

// Sources returns what is indexed of a workspace: its notes, collections and sessions.
func Sources(notes memoir.Source, settings *config.Loaded) ([]memoir.Source, error) {
	collections, err := OpenCollections(settings)
	if err != nil {
		return nil, err
	}
	sessions, err := OpenSessions(settings)
	if err != nil {
		return nil, err
	}
	all := searched([]memoir.Source{notes}, collections)
	for _, src := range sessions {
		all = append(all, src)
	}
	return all, nil
}
