package app

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/objects"
	"github.com/memoir-ai/memoir/source/bucket"
	"github.com/memoir-ai/memoir/source/mdfile"
)

// openCopy opens this machine's copy of the bucket that holds the notes; nil
// when they are in a folder.
func openCopy(settings *config.Loaded) (*bucket.Copy, error) {
	s := settings.Bucket
	if s.URL == "" {
		return nil, nil
	}
	b, err := openBucket(settings)
	if err != nil {
		return nil, err
	}
	names, err := mdfile.Named(mdfile.Options{Include: settings.Include})
	if err != nil {
		return nil, err
	}
	return bucket.Open(bucket.Options{
		Bucket: b, Name: s.URL, Dir: settings.CopyDir(), MaxBytes: settings.MaxFileBytes, Fresh: s.Fresh,
		Keeps: func(name string) bool {
			return names(name) || path.Base(name) == ".gitignore" || path.Base(name) == ".memoirignore"
		},
	})
}

func openBucket(settings *config.Loaded) (*objects.Bucket, error) {
	s := settings.Bucket
	return objects.Open(objects.Options{URL: s.URL, Endpoint: s.Endpoint, Region: s.Region, Key: s.AccessKey, Secret: s.SecretKey, Token: s.SessionToken, Timeout: s.Timeout})
}

// Remote returns what the notes of a workspace are a copy of, nil where they are what there is.
func Remote(settings *config.Loaded) (engine.Remote, error) {
	c, err := openCopy(settings)
	if c == nil || err != nil {
		return nil, err // otherwise a nil copy would be an interface that is not nil
	}
	return c, nil
}

// first is how long to wait for a bucket when its notes are opened.
const first = 10 * time.Second

// fill makes the copy equal to the bucket. If that fails, an older copy is
// used, and searches say so.
func fill(ctx context.Context, c *bucket.Copy) error {
	if c == nil {
		return nil
	}
	timed, cancel := context.WithTimeout(ctx, first)
	defer cancel()
	err := c.Refresh(timed)
	switch {
	case err == nil || c.Listed():
		return nil
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return memoir.WithHint(fmt.Errorf("copy the notes of the bucket: not all are here after %v: %w", first, memoir.ErrUnavailable), "the same command again, which goes on")
	}
	return fmt.Errorf("copy the notes of the bucket: %w", err)
}

// source returns the notes of a workspace as they are searched.
func source(notes *mdfile.Source, c *bucket.Copy, settings *config.Loaded) memoir.Source {
	if c == nil {
		return notes
	}
	return c.Notes(notes, settings.Sync.Interval)
}

// OpenSource opens the notes of the workspace as they are searched.
func OpenSource(settings *config.Loaded) (memoir.Source, error) {
	c, err := openCopy(settings)
	if err != nil {
		return nil, err
	}
	notes, err := OpenNotes(settings)
	if err != nil {
		return nil, err
	}
	return source(notes, c, settings), nil
}

var errInBucket = memoir.WithHint(fmt.Errorf("the notes are in a bucket, and the file on this machine is a copy that nobody but memoir writes to: %w", memoir.ErrUnavailable),
	"memoir get shows a note; memoir remember and memoir forget change it, and so does whatever else writes to the bucket")
