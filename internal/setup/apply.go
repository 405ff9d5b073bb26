package setup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/memoir-ai/memoir"
)

// Options say how to apply a change.
type Options struct {
	Place   Place
	Command Command
	// Dir is a folder for the original bytes of files. It may be deleted. Undo
	// then removes memoir's part, but cannot restore the bytes.
	Dir    string
	DryRun bool
	// Replace takes servers out that start memoir through another program.
	Replace bool
	// Everywhere has Undo restore all files that were changed for the agent. Otherwise one
	// that the agent keeps elsewhere by now is restored only where the file in its place was
	// not changed: a variable may name one of several folders.
	Everywhere bool
	// Run runs a command of the agent itself.
	Run func(ctx context.Context, words []string) error
}

// What became of a file.
const (
	Made      = "made"      // it was not there
	Changed   = "changed"   // memoir's part was added or renewed
	Unchanged = "unchanged" // all was as it should be
	Restored  = "restored"  // its bytes are what they were
	Removed   = "removed"   // it was made for memoir
	Cleaned   = "cleaned"   // memoir's part is out; others had changed the rest
	Ran       = "ran"       // the agent's own command changed it
)

// A Change is what becomes of a file.
type Change struct {
	Path    string `json:"path"`              // of the file
	Change  string `json:"change"`            // one of made, changed, unchanged, restored, removed, cleaned and ran
	Backup  string `json:"backup,omitempty"`  // where its bytes are as they were
	Diff    string `json:"diff,omitempty"`    // with --dry-run, what would change
	Command string `json:"command,omitempty"` // of the agent, in place of a change
}

// Connect adds memoir's part to the files of an agent. It reads all of them first: if one
// cannot be changed, none is. If one cannot be written, the others are, and are in the result.
// The error names the files that failed.
func (a Agent) Connect(ctx context.Context, opts Options) ([]Change, error) {
	files := a.files(opts.Place, opts.Command)
	connect := func(opts Options) ([]Change, error) {
		do := func(f file, r *record) (Change, error) {
			r.Program = opts.Command.Program
			return a.connect(ctx, f, r, opts)
		}
		return a.each(opts, files, do, "mend the file; what belongs into it is shown by memoir setup --print "+a.Name)
	}
	dry := opts
	dry.DryRun = true
	changes, err := connect(dry)
	switch {
	case opts.DryRun:
		return changes, err
	case err != nil:
		return []Change{}, err
	}
	return connect(opts)
}

// Undo restores the original files of an agent. From files that others have
// changed since, it only removes memoir's part. The error names the files of
// which it could do neither; the others are in the result.
func (a Agent) Undo(ctx context.Context, opts Options) ([]Change, error) {
	files := a.files(opts.Place, opts.Command)
	files = append(files, elsewhere(openRecord(opts.Dir, a.Name), files, opts.Everywhere)...)
	slices.Reverse(files) // so that folders that were made are empty by the end
	do := func(f file, r *record) (Change, error) { return a.undo(ctx, f, r, opts) }
	return a.each(opts, files, do, "mend the file, then memoir setup --undo "+a.Name)
}

// elsewhere returns the files of a record that are none of an agent's files now: a variable
// named another folder then, or another file of it counts by now. Unless all are wanted,
// those are left out in whose place a file of the record stands now.
func elsewhere(r *record, files []file, all bool) (more []file) {
	kind := func(path string) string { return strings.TrimSuffix(filepath.Base(path), "c") } // .json and .jsonc are one
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		i := slices.IndexFunc(files, func(f file) bool { return kind(f.path) == kind(path) })
		if i < 0 || files[i].path == path || !all && r.Files[files[i].path] != nil {
			continue
		}
		f := files[i]
		f.path, f.add, f.drop = path, nil, nil // the agent's own commands change the file that counts
		more = append(more, f)
	}
	return more
}

// attempts is how often a file is read again when others change it at the same
// time.
const attempts = 5

// each does something with all files, also after one that fails. The error names those that
// failed; its hint is that of the first, or else the one given.
func (a Agent) each(opts Options, files []file, do func(file, *record) (Change, error), hint string) ([]Change, error) {
	r, changes := openRecord(opts.Dir, a.Name), []Change{}
	var failed error
	for _, f := range files {
		c, err := do(f, r)
		for i := 1; errors.Is(err, errMoved) && i < attempts; i++ {
			c, err = do(f, r)
		}
		if err == nil {
			changes = append(changes, c)
			continue
		}
		named := fmt.Errorf("%s: %w", f.path, err)
		if failed == nil {
			failed, hint = named, cmp.Or(memoir.Hint(err), hint)
		} else {
			failed = fmt.Errorf("%w; %w", failed, named)
		}
	}
	return changes, memoir.WithHint(failed, hint)
}

func (a Agent) connect(ctx context.Context, f file, r *record, opts Options) (Change, error) {
	now, err := read(f.path)
	if err != nil {
		return Change{}, err
	}
	f = f.instead(now.data, opts.Replace)
	next, err := f.want(now.data)
	if err != nil && f.add != nil && !errors.Is(err, errShape) {
		return a.byCommands(ctx, f, r, now, opts)
	}
	c := Change{Path: f.path, Change: Changed, Backup: r.backup(r.Files[f.path])}
	switch {
	case err != nil:
		return Change{}, err
	case now.there && bytes.Equal(next, now.data):
		c.Change = Unchanged
		return c, nil
	case !now.there:
		c.Change = Made
	}
	old, there := now.data, now.there
	if original, existed, ok := r.original(f.path, now); ok {
		old, there = original, existed // an earlier version of memoir's part is not original
	} else if r.Files[f.path] != nil && !r.isBefore(f.path, now) {
		if old, err = f.strip(now.data, true, r.before(f.path)); err != nil {
			return Change{}, err
		}
	}
	if !there {
		old = nil
	}
	if next, err = f.want(old); err != nil {
		return Change{}, err
	}
	if err := now.locked(); err != nil {
		return Change{}, err
	}
	if opts.DryRun {
		c.Diff, c.Backup = difference(f.path, now.data, next), ""
		return c, nil
	}
	known := r.Files[f.path]
	if err := r.keep(a.Name, f.path, old, next); err != nil {
		return Change{}, err
	}
	c.Backup = r.backup(r.Files[f.path])
	if err := now.write(f.path, next); err != nil {
		return Change{}, errors.Join(err, r.goBack(f.path, known))
	}
	return c, nil
}

func (a Agent) undo(ctx context.Context, f file, r *record, opts Options) (Change, error) {
	now, err := read(f.path)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: f.path, Change: Restored}
	next, existed, ok := r.original(f.path, now)
	switch {
	case !now.there, !ok && r.isBefore(f.path, now): // it was put back, or never written
		c.Change = Unchanged
		return c, a.forget(r, f.path, opts)
	case ok && !existed:
		c.Change, next = Removed, nil
	case !ok:
		c.Change, c.Backup = Cleaned, r.backup(r.Files[f.path])
		if next, err = f.strip(now.data, r.Files[f.path] != nil, r.before(f.path)); err != nil && f.drop != nil {
			return a.run(ctx, f, r, now, f.drop, opts)
		} else if err != nil {
			return Change{}, err
		}
		if next == nil || f.bare(next) && r.made(f.path, now) {
			c.Change, next = Removed, nil
		}
	}
	if next != nil && bytes.Equal(next, now.data) {
		c.Change = Unchanged
		return c, a.forget(r, f.path, opts)
	}
	if err := now.locked(); err != nil {
		return Change{}, err
	}
	if opts.DryRun {
		c.Diff = difference(f.path, now.data, next)
		return c, nil
	}
	if next == nil && now.target != f.path {
		next = []byte(f.empty) // the link and its file belong to somebody
		c.Change = Cleaned
	}
	if !ok && (next == nil || r.Files[f.path] == nil) {
		// The file differs from what memoir wrote, as far as is known, so a
		// person may miss it.
		if c.Backup, err = r.aside(a.Name, f.path, now.data); err != nil {
			return Change{}, err
		}
	}
	if err := now.write(f.path, next); err != nil {
		return Change{}, err
	}
	if b := r.Files[f.path]; next == nil && b != nil && b.Folder {
		_ = os.Remove(filepath.Dir(f.path)) // it fails if others have put something there
	}
	return c, r.forget(f.path, c.Backup == "")
}

// forget drops the record of a file that needs no change.
func (a Agent) forget(r *record, path string, opts Options) error {
	if opts.DryRun {
		return nil
	}
	return r.forget(path, false)
}

// bare reports whether a file that memoir made holds nothing else.
func (f file) bare(data []byte) bool {
	text := strings.TrimSpace(string(data))
	return text == "" || text == strings.TrimSpace(f.empty)
}

// byCommands lets the agent add memoir's part itself, after it has taken out the servers that
// start memoir through another program and are to be replaced.
func (a Agent) byCommands(ctx context.Context, f file, r *record, now state, opts Options) (Change, error) {
	var before string
	for _, s := range serversIn(now.data, f.path, f.servers) {
		if !opts.Replace || s.Name == tableName[1] {
			continue
		}
		if strings.HasPrefix(s.Name, "-") {
			return Change{}, fmt.Errorf("%w: a server is called as a flag of its command", errShape)
		}
		words := append(slices.Clone(f.drop[:len(f.drop)-1]), s.Name)
		before += shell(opts.Place.OS, words) + "; "
		if opts.DryRun {
			continue
		}
		if err := opts.Run(ctx, words); err != nil {
			return Change{}, memoir.WithHint(fmt.Errorf("it can be changed by the agent's own command alone: %w", err), shell(opts.Place.OS, words))
		}
	}
	c, err := a.run(ctx, f, r, now, f.add, opts)
	c.Command = before + c.Command
	return c, err
}

// run lets the agent change its own file. The original bytes are kept as for
// any other file.
func (a Agent) run(ctx context.Context, f file, r *record, now state, words []string, opts Options) (Change, error) {
	c := Change{Path: f.path, Change: Ran, Command: shell(opts.Place.OS, words)}
	if opts.DryRun {
		return c, nil
	}
	if err := opts.Run(ctx, words); err != nil {
		return Change{}, memoir.WithHint(fmt.Errorf("it can be changed by the agent's own command alone: %w", err), c.Command)
	}
	after, err := read(f.path)
	if err != nil {
		return Change{}, err
	}
	if words[len(words)-1] == f.drop[len(f.drop)-1] {
		return c, r.forget(f.path, false)
	}
	if bytes.Equal(after.data, now.data) {
		c.Change = Unchanged
		return c, nil
	}
	old := now.data
	if original, _, ok := r.original(f.path, now); ok {
		old = original
	}
	err = r.keep(a.Name, f.path, old, after.data)
	c.Backup = r.backup(r.Files[f.path])
	return c, err
}

// difference shows what would change, as diff -u does.
func difference(path string, old, next []byte) string {
	return string(diff.Diff(path, old, path, next))
}
