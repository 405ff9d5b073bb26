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
	// Notes are its documents.
	Notes *mdfile.Collection
}

// InsideHint is the next step for a collection that lies in the workspace.
const InsideHint = "take it out of the setting collections"

// Problem says why the collection cannot be searched, or cannot be kept up to
// date; nil: it can.
func (c Collection) Problem() error {
	if c.Inside {
		return errors.New("it lies in the workspace, with which it is searched already")
	}
	return c.Notes.Problem()
}

// OpenCollections opens the collections of the settings. Their folders need not
// exist. The settings that include or exclude files are for the workspace,
// whose own file may set them. In a collection every Markdown file counts.
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

// patternOf returns the pattern that excludes a folder from one above it, or ""
// when it is not in there.
func patternOf(folder, above string) string {
	for i, dir := range []*string{&folder, &above} {
		real, err := filepath.EvalSymlinks(*dir)
		if err != nil && i == 1 {
			return "" // the folder does not exist
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

// Collections returns the collections that are searched with the workspace, and
// those that are not because they lie within it.
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

// Sources returns the sources of a workspace: its notes, collections and
// sessions.
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
