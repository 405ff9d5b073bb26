package app

import (
	"context"
	"errors"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// Watching says what a process that lives on would be told of the notes: how many folders
// are watched, on which file system, how many folders one user may watch, and why it is
// not told and looks by the clock; nil: it is told.
func Watching(ctx context.Context, settings *config.Loaded) (folders int, fileSystem string, limit int, unwatched error) {
	notes, err := openNotes(settings, settings.Sync.Watch)
	if err != nil {
		return 0, "", 0, err
	}
	defer notes.Close() // nothing of it was written
	for _, err := range notes.Scan(ctx) {
		if err != nil {
			return 0, "", 0, err
		}
	}
	folders, fileSystem, limit = notes.System()
	switch {
	case settings.Bucket.URL != "":
		return 0, "", 0, errors.New("they are in a bucket, which is listed every " + settings.Sync.Interval.String())
	case !settings.Sync.Watch:
		return 0, fileSystem, limit, errors.New("sync.watch is off")
	}
	return folders, fileSystem, limit, notes.Blind()
}

// Computing returns who computes missing vectors for an index now, and whether somebody does.
func Computing(settings *config.Loaded) (statedir.Holder, bool) {
	return embedLock(settings.IndexPath()).holder()
}

// Indexing reports whether a command indexes now.
func Indexing(settings *config.Loaded) bool { return statedir.Held(runLock(settings.IndexPath())) }
