package session

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// version grows whenever the same transcript would give another document than
// before. It is the stamp of every file, so that the next sync indexes them
// again.
const version = 3

// Scan implements [memoir.Source]. It yields the transcripts, ordered by id. An
// agent that is not on this machine has none. A folder that cannot be listed is
// a skipped entry, and the scan goes on. What was forgotten is not listed. While nobody can
// tell what was, no transcript is.
func (s *Source) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		found, err := s.all(ctx)
		if err != nil {
			yield(memoir.ScanEntry{}, err)
			return
		}
		left, err := s.left()
		if err != nil {
			whole := memoir.DocumentMeta{ID: memoir.DocID(strings.TrimSuffix(Prefix(s.opts.Agent), "/")), Kind: memoir.KindSession}
			yield(memoir.ScanEntry{DocumentMeta: whole, Skip: err.Error(), Temporary: true}, nil)
			return
		}
		for _, e := range found {
			if !left(e.ID) && !yield(e, nil) {
				return
			}
		}
	}
}

// all returns the transcripts that are there, forgotten ones among them, ordered by id.
func (s *Source) all(ctx context.Context) (found []memoir.ScanEntry, err error) {
	for _, base := range s.place.bases {
		if found, err = s.list(ctx, found, base); err != nil {
			return nil, err
		}
	}
	if found, err = s.rows(ctx, found); err != nil {
		return nil, err
	}
	found = s.once(found)
	order.By(found, func(a, b memoir.ScanEntry) int { return cmp.Compare(a.ID, b.ID) })
	return found, nil
}

// once leaves out transcripts of sessions that are also in a database. An agent
// that has begun to use a database leaves the files behind.
func (s *Source) once(found []memoir.ScanEntry) []memoir.ScanEntry {
	rows := map[string]bool{}
	for _, e := range found {
		if _, _, ok := s.row(e.ID); ok && e.Skip == "" {
			rows[string(e.ID)] = true
		}
	}
	return slices.DeleteFunc(found, func(e memoir.ScanEntry) bool {
		folder, name := path.Split(string(e.ID))
		session, ok := strings.CutSuffix(strings.TrimSuffix(name, ".zst"), ".jsonl")
		if !ok {
			session, ok = strings.CutSuffix(name, ".json")
		}
		return ok && (rows[path.Join(path.Dir(path.Clean(folder)), session)] || rows[Prefix(s.opts.Agent)+session])
	})
}

// list appends the transcripts below a base.
func (s *Source) list(ctx context.Context, found []memoir.ScanEntry, base string) ([]memoir.ScanEntry, error) {
	root, err := os.OpenRoot(s.opts.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return found, ctx.Err()
	}
	if err != nil {
		return append(found, s.skipped(base, err)), ctx.Err()
	}
	defer root.Close()
	w := walk{Source: s, root: root, ctx: ctx, found: found}
	if err := w.folder(base, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.found = append(w.found, s.skipped(base, err))
	}
	return w.found, ctx.Err()
}

func (s *Source) skipped(file string, err error) memoir.ScanEntry {
	return memoir.ScanEntry{
		DocumentMeta: memoir.DocumentMeta{ID: memoir.DocID(strings.ToValidUTF8(Prefix(s.opts.Agent)+file, "\ufffd")), Kind: memoir.KindSession},
		Skip:         "cannot be read: " + syserr.Reason(err).Error(),
	}
}

// walk is a scan of an agent's folders.
type walk struct {
	*Source
	root  *os.Root
	ctx   context.Context
	found []memoir.ScanEntry
}

// folder lists a folder, which must not be a link, and those below it.
func (w *walk) folder(name string, depth int) error {
	if w.ctx.Err() != nil {
		return nil
	}
	f, err := w.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|regular.NonBlock, 0)
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	for _, e := range entries {
		file := path.Join(name, e.Name())
		switch {
		case e.IsDir() && depth < w.place.depth && (w.place.enters == nil || w.place.enters(file)):
			if err := w.folder(file, depth+1); err != nil && !errors.Is(err, fs.ErrNotExist) {
				w.found = append(w.found, w.skipped(file, err))
			}
		case !e.IsDir() && w.mine(file) && !names[e.Name()+"l"]: // the .json file has become a .jsonl file
			if entry, ok := w.entry(file, e); ok {
				w.found = append(w.found, entry)
			}
		}
	}
	return nil
}

// entry returns the entry of a file, or false when the file has vanished.
func (w *walk) entry(file string, e fs.DirEntry) (memoir.ScanEntry, bool) {
	entry := memoir.ScanEntry{DocumentMeta: memoir.DocumentMeta{ID: w.id(file), Kind: memoir.KindSession}}
	switch {
	case !utf8.ValidString(file) || strings.ContainsFunc(file, unicode.IsControl) || !norm.NFC.IsNormalString(file):
		entry.ID = memoir.DocID(norm.NFC.String(strings.ToValidUTF8(string(entry.ID), "\ufffd")))
		entry.Skip = "its name is not plain text in Unicode normal form C"
		return entry, true
	case e.Type()&fs.ModeSymlink != 0:
		entry.Skip = "symbolic link; links are not followed"
		return entry, true
	case !e.Type().IsRegular():
		entry.Skip = "not an ordinary file"
		return entry, true
	}
	info, err := e.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return entry, false
	case err != nil:
		return w.skipped(file, err), true
	}
	entry.DocumentMeta = w.meta(entry.ID, info)
	if info.Size() > w.opts.MaxBytes {
		entry.Skip = w.tooLarge()
	}
	return entry, true
}

// meta returns what a scan tells of a transcript.
func (s *Source) meta(id memoir.DocID, info fs.FileInfo) memoir.DocumentMeta {
	return memoir.DocumentMeta{ID: id, Kind: memoir.KindSession, Size: info.Size(), ModTime: info.ModTime(), Stamp: version}
}
