package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/regular"
)

// A Leftover is a file that a process left beside a note when it was killed, and
// that holds what memoir did not write: an editor saved it in the moment in which
// the note was rewritten, and it may stand nowhere else.
type Leftover struct {
	Path string    // of the file, below the root, with slashes
	Of   string    // the note, or how its path begins where its name is too long
	Text string    // what it holds
	Time time.Time // when it was written
	Err  error     // why it was not read, [regular.ErrKind] for what is no ordinary file
}

// A note is rewritten in two steps, and the name of the file beside it says in which
// of them a process was killed:
//
//	.NAME.RANDOM-OLD-NEW.part   our text, or the beginning of it: nothing of it counts
//	.NAME.RANDOM-OLD-NEW.new    it may have changed places with the note
//
// OLD and NEW are the beginnings of digests of what was read of the note and of what
// is to stand there. A file that holds either is memoir's, and so is a beginning beside
// the note that was read. Anything else is what an editor saved in that moment, or has
// nothing to do with memoir.
var leftoverName = lazyregexp.New(`^\.(.+)\.([0-9a-f]{8})(?:-([0-9a-f]{16})-([0-9a-f]{16})\.(new|part)|\.new)$`)

// nameMark is the beginning of a text's digest.
func nameMark(text string) string { return digest(text)[:16] }

// besideName returns the name of a file beside a note. Of a long name of the note it
// has the beginning.
func besideName(full, rest string) string {
	base := filepath.Base(full)
	for len(base) > maxName-len("..")-len(rest) {
		_, size := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-size]
	}
	return filepath.Join(filepath.Dir(full), "."+base+"."+rest)
}

// partName returns a name for a file beside a note that gets a text in the place of old.
func partName(full, old, text string) string {
	return besideName(full, fmt.Sprintf("%08x-%s-%s.part", rand.Uint32(), nameMark(old), nameMark(text)))
}

// staged returns the name that a file beside a note has from the moment on in which it
// may change places with it.
func staged(part string) string { return strings.TrimSuffix(part, "part") + "new" }

// ours reports whether a left-over holds nothing but what memoir wrote or read. Those
// of earlier versions say nothing in their names: of them only a copy of the note is.
// notes are those beside it that it may be of.
func ours(name []string, text string, notes []string) bool {
	mark := nameMark(text)
	switch {
	case name[3] == "":
		return slices.Contains(notes, text)
	case mark == name[4], mark == name[3] && name[5] == "new":
		return true
	}
	return name[5] == "part" && slices.ContainsFunc(notes, func(note string) bool { return nameMark(note) == name[3] })
}

// Leftovers removes what killed processes left beside the notes of what memoir wrote
// or read, and returns what else they left, ordered by path. Those files stay. Where
// the notes are those of a [Remote] there are none.
func (n *Notebook) Leftovers(ctx context.Context) (_ []Leftover, err error) {
	if n.opts.Remote != nil {
		return nil, nil
	}
	names, err := n.leftoverNames()
	if err != nil || len(names) == 0 {
		return nil, err
	}
	unlock, err := n.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return n.clear(names)
}

// Strays returns what [Notebook.Leftovers] does, and removes nothing, as the function
// [Strays] does.
func (n *Notebook) Strays() ([]Leftover, error) {
	if n.opts.Remote != nil {
		return nil, nil
	}
	return Strays(n.root)
}

// Strays returns what [Notebook.Leftovers] does for the notes of a folder, and removes
// nothing. It waits for nobody, so that it may name a file that a living process is
// about to remove.
func Strays(root string) ([]Leftover, error) {
	n := &Notebook{root: root}
	names, err := n.leftoverNames()
	if err != nil {
		return nil, err
	}
	var kept []Leftover
	for _, name := range names {
		if l, mine := n.leftover(name); !mine {
			kept = append(kept, l)
		}
	}
	return kept, nil
}

// Discard takes a left-over away, if it still holds the text.
func (n *Notebook) Discard(ctx context.Context, l Leftover) (err error) {
	if err := n.consent(); err != nil {
		return err
	}
	unlock, err := n.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return n.remove(filepath.Join(n.root, filepath.FromSlash(l.Path)), l.Text)
}

// Amend puts a text in the place of what a left-over holds, if it still holds that. It
// takes the file away when nothing but blanks is left of it.
func (n *Notebook) Amend(ctx context.Context, l Leftover, text string) (err error) {
	if strings.TrimSpace(text) == "" {
		return n.Discard(ctx, l)
	}
	if err := n.consent(); err != nil {
		return err
	}
	unlock, err := n.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	full := filepath.Join(n.root, filepath.FromSlash(l.Path))
	now, err := regular.ReadFile(full)
	if err != nil {
		return err
	}
	if string(now) != l.Text {
		return errChanged
	}
	f, err := regular.Open(full)
	if err != nil {
		return err
	}
	part, err := n.beside(full, l.Text, text, f) // a process that is killed here leaves what is ours
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, full); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return n.syncFolder(filepath.Dir(full))
}

// leftoverNames returns the paths of the files that look as if they were left over,
// below the root, with slashes. It looks into no folder that is hidden or a link.
func (n *Notebook) leftoverNames() (names []string, err error) {
	err = filepath.WalkDir(n.root, func(full string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case d.IsDir() && full != n.root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !d.IsDir() && leftoverName().MatchString(d.Name()):
			name, err := n.below(full)
			names = append(names, name)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for what is left over: %w", err)
	}
	return names, nil
}

// clear removes the left-overs that are memoir's and returns the others. The caller
// has the lock.
func (n *Notebook) clear(names []string) (kept []Leftover, err error) {
	for _, name := range names {
		l, mine := n.leftover(name)
		if !mine {
			kept = append(kept, l)
			continue
		}
		if err := os.Remove(filepath.Join(n.root, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, fmt.Errorf("remove what is left over: %w", err)
		}
	}
	return kept, nil
}

// leftover looks at one left-over and says whether it is memoir's.
func (n *Notebook) leftover(name string) (_ Leftover, mine bool) {
	parts := leftoverName().FindStringSubmatch(path.Base(name))
	l := Leftover{Path: name, Of: path.Join(path.Dir(name), parts[1])}
	f, err := regular.Open(filepath.Join(n.root, filepath.FromSlash(name)))
	if err != nil {
		l.Err = err
		return l, false
	}
	defer f.Close() // of a file that was only read
	info, err := f.Stat()
	var text bytes.Buffer
	if err == nil {
		l.Time = info.ModTime()
		_, err = text.ReadFrom(f)
	}
	if err != nil {
		l.Err = err
		return l, false
	}
	l.Text = text.String()
	return l, ours(parts, l.Text, n.notesOf(l.Of))
}

// notesOf returns what stands in the notes whose path begins so; of a name that was not too
// long there is one at most.
func (n *Notebook) notesOf(begins string) (notes []string) {
	full := filepath.Join(n.root, filepath.FromSlash(begins))
	paths := []string{full}
	if len(path.Base(begins)) > shortName {
		paths = nil
		entries, _ := os.ReadDir(filepath.Dir(full)) // what cannot be listed is of no note
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), path.Base(begins)) {
				paths = append(paths, filepath.Join(filepath.Dir(full), e.Name()))
			}
		}
	}
	for _, p := range paths {
		if text, err := regular.ReadFile(p); err == nil {
			notes = append(notes, string(text))
		}
	}
	return notes
}

// shortName is the longest name that a file beside a note has in full, a character less.
const shortName = maxName - len("..") - len("01234567-0123456789abcdef-0123456789abcdef.part") - utf8.UTFMax

// clearKilled removes what the process left over that wrote last, when it was killed:
// then the history does not end with a line that says that a change was carried out.
// The caller has the lock. What is not memoir's stays for [Notebook.Leftovers]. An addition
// of which only a part was written is completed.
func (n *Notebook) clearKilled() error {
	if n.opts.Remote != nil {
		return nil
	}
	if ended, err := n.historyEnded(); ended || err != nil {
		return err
	}
	text, err := n.historyText()
	if err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1] // a line that was cut short was before any note
	text = bytes.TrimSuffix(text, []byte{'\n'})
	var c Change
	if json.Unmarshal(text[bytes.LastIndexByte(text, '\n')+1:], &c) != nil {
		return nil
	}
	var names, folders []string
	for _, e := range c.Edits {
		full, err := n.place(e.Path)
		if err != nil {
			continue
		}
		if err := n.complete(full, e); err != nil {
			return err
		}
		if folder := filepath.Dir(full); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("look for what is left over: %w", err)
		}
		for _, e := range entries {
			if leftoverName().MatchString(e.Name()) {
				name, err := n.below(filepath.Join(folder, e.Name()))
				if err != nil {
					return err
				}
				names = append(names, name)
			}
		}
	}
	_, err = n.clear(names)
	return err
}

// complete adds the rest of an edit to a note of which a process that was killed has written
// only a part: a system writes page by page. It does nothing when others have written to the
// note since.
func (n *Notebook) complete(full string, e Edit) error {
	now, err := regular.ReadFile(full)
	if err != nil || e.At < 0 || len(now) <= e.At {
		return nil // nothing of it was written, or nobody can tell
	}
	text, part := string(now), string(now[e.At:])
	if len(part) <= len(e.Old) || !strings.HasPrefix(part, e.Old) || len(part) >= len(e.New) || !strings.HasPrefix(e.New, part) || digest(text[:e.At]+e.New) != e.After {
		return nil
	}
	f, err := add(full, e.New[len(part):])
	if err != nil {
		return fmt.Errorf("write %s: %w", e.Path, err)
	}
	return errors.Join(n.sync(f), f.Close())
}

// historyEnded reports whether the last line of the history says that a change was
// carried out, or there is none.
func (n *Notebook) historyEnded() (bool, error) {
	f, err := regular.Open(n.historyPath())
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("open the history: %w", err)
	}
	defer f.Close() // of a file that was only read
	info, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("open the history: %w", err)
	}
	end := make([]byte, min(info.Size(), 64)) // more than such a line has
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return false, fmt.Errorf("read the history: %w", err)
	}
	line := end[bytes.LastIndexByte(bytes.TrimSuffix(end, []byte{'\n'}), '\n')+1:]
	return len(end) == 0 || bytes.HasPrefix(line, []byte(`{"done":`)) && bytes.HasSuffix(line, []byte("}\n")), nil
}
