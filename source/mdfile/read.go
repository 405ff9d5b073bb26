package mdfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/charset"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
	"golang.org/x/text/unicode/norm"
)

// readAttempts is how often a file that changes while it is read is read again.
const readAttempts = 3

// Read reads a whole note. The text is that of the file without a UTF-8 byte
// order mark; line ends are kept. It gives a [memoir.SkipError] for files that
// a scan would not list as notes, for links, and for files that are too large,
// unreadable, not UTF-8 or changing while they are read. It gives
// [memoir.ErrNotFound] for a missing note, and [memoir.ErrInvalid] for an id
// that no note can have.
func (s *Source) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	name := norm.NFC.String(string(id))
	if !validID(name) {
		return memoir.Document{}, fmt.Errorf("%q is not a path below the workspace: %w", id, memoir.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return memoir.Document{}, err
	}
	root, err := s.openRoot()
	if err != nil {
		return memoir.Document{}, err
	}
	defer root.Close()
	skip := func(reason string) error { return &memoir.SkipError{ID: memoir.DocID(name), Reason: reason} }
	data, info, err := s.read(root, name)
	var refused *refusedError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return memoir.Document{}, fmt.Errorf("%s: %w", name, memoir.ErrNotFound)
	case errors.As(err, &refused):
		return memoir.Document{}, &memoir.SkipError{ID: memoir.DocID(name), Reason: refused.reason, Temporary: refused == errChanging}
	case syserr.TooManyFiles(err): // that says nothing about the note
		return memoir.Document{}, memoir.WithHint(syserr.Reason(err), syserr.MoreFiles)
	case err != nil:
		return memoir.Document{}, memoir.WithHint(skip(unreadable(err)), "make it readable, then memoir index")
	}
	text, problem := decode(data)
	if strings.HasPrefix(problem, isBinary) {
		return memoir.Document{}, memoir.WithHint(skip(problem), "take it out of the workspace, or name it in the setting exclude; then memoir index")
	}
	if problem != "" {
		return memoir.Document{}, memoir.WithHint(skip(problem), "save it as UTF-8, then memoir index")
	}
	return memoir.Document{
		DocumentMeta: memoir.DocumentMeta{
			ID: memoir.DocID(name), Kind: memoir.KindNote,
			Size: info.Size(), ModTime: info.ModTime(), Stamp: stamp(info), Hash: memoir.HashText(text),
		},
		Text: text,
	}, nil
}

// validID reports whether a normalised id may name a file of the workspace.
func validID(id string) bool {
	return fs.ValidPath(id) && id != "." && !strings.ContainsRune(id, 0) &&
		filepath.IsLocal(filepath.FromSlash(id)) && filepath.ToSlash(id) == id
}

// read finds the file on disk and reads its bytes. Its errors are
// [fs.ErrNotExist], a refusedError, or those of the operating system.
func (s *Source) read(root *os.Root, id string) ([]byte, fs.FileInfo, error) {
	p, err := s.enter(root, place{real: "."})
	if err != nil {
		return nil, nil, err
	}
	p, err = s.find(root, p, strings.Split(id, "/"))
	if err != nil {
		return nil, nil, err
	}
	if !s.included(id) {
		return nil, nil, &refusedError{"not a note"}
	}
	if hasRole(id) {
		entries, err := listDir(root, ".")
		if err != nil {
			return nil, nil, err
		}
		if reason := s.role(id, shapeOf(entries)); reason != "" {
			return nil, nil, &refusedError{reason}
		}
	}
	return s.readFile(func() (fs.File, error) { return s.open(root, p.real) })
}

// find goes down to the file whose id is that of the folder joined with the
// rest. Names on disk may be in another normal form than the id.
func (s *Source) find(root *os.Root, dir place, rest []string) (place, error) {
	p, err := s.step(root, dir, rest[0], rest[1:])
	if !errors.Is(err, fs.ErrNotExist) || isASCII(rest[0]) {
		return p, err
	}
	entries, listErr := listDir(root, dir.real)
	if listErr != nil {
		return p, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if e.Name() == rest[0] || norm.NFC.String(e.Name()) != rest[0] {
			continue
		}
		if p, err := s.step(root, dir, e.Name(), rest[1:]); !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	return p, err
}

// step goes from a folder to one of its entries and on to the rest.
func (s *Source) step(root *os.Root, dir place, name string, rest []string) (place, error) {
	p := dir.child(name)
	info, err := root.Lstat(p.real)
	switch {
	case err != nil:
		return p, err
	case info.Mode()&fs.ModeSymlink != 0:
		return p, &refusedError{reasonLink}
	case len(rest) > 0 && !info.IsDir():
		return p, fmt.Errorf("%s is not a folder: %w", p.id, fs.ErrNotExist)
	}
	if out, _ := s.ignores(p, info.IsDir()); out {
		return p, &refusedError{"left out by an ignore rule"}
	}
	if len(rest) == 0 {
		return p, nil
	}
	if p, err = s.enter(root, p); err != nil {
		return p, err
	}
	return s.find(root, p, rest)
}

// open opens a file only if it is an ordinary one both before and after
// opening, because a link or a pipe may have taken its place in between.
func (s *Source) open(root *os.Root, name string) (fs.File, error) {
	before, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if reason := s.fileProblem(factsOf(before)); reason != "" {
		return nil, &refusedError{reason}
	}
	f, err := openSame(root, name, before)
	if err != nil {
		return nil, err // otherwise a nil file would be an interface that is not nil
	}
	return f, nil
}

// openSame opens the file that was seen before. If a link or a pipe has taken
// its place meanwhile, it is neither followed nor waited for.
func openSame(root *os.Root, name string, before fs.FileInfo) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|regular.NonBlock, 0)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !(after.Mode().IsRegular() && os.SameFile(before, after)) {
		err = errChanging
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// refusedError says why a file is not read although it can be opened.
type refusedError struct{ reason string }

func (e *refusedError) Error() string { return e.reason }

var errChanging = &refusedError{"changes while it is read; the next sync tries again"}

// readFile reads a file that stays the same from the first byte to the last.
// When it changes, readFile starts again.
func (s *Source) readFile(open func() (fs.File, error)) (data []byte, info fs.FileInfo, err error) {
	for range readAttempts {
		if data, info, err = s.readOnce(open); !errors.Is(err, errChanging) {
			break
		}
	}
	return data, info, err
}

func (s *Source) readOnce(open func() (fs.File, error)) ([]byte, fs.FileInfo, error) {
	f, err := open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	// The limit is one byte more than expected. That shows when the file has
	// grown, and bounds the memory that it can take.
	var buf bytes.Buffer
	buf.Grow(int(before.Size()) + bytes.MinRead)
	if _, err := io.Copy(&buf, io.LimitReader(f, before.Size()+1)); err != nil {
		return nil, nil, err
	}
	after, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if s.maxBytes >= 0 && after.Size() > s.maxBytes {
		return nil, nil, &refusedError{s.tooLarge(after.Size())}
	}
	if int64(buf.Len()) != before.Size() || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) || stamp(after) != stamp(before) {
		return nil, nil, errChanging
	}
	return buf.Bytes(), after, nil
}

// isBinary begins the problem of a file that is no text.
const isBinary = "binary file"

// decode returns the text of a file, or what is wrong with it.
func decode(data []byte) (text, problem string) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return "", "UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return "", isBinary + " with a zero byte at " + position(data, i)
	}
	if i := invalidUTF8(data); i >= 0 {
		problem = "not valid UTF-8 at " + position(data, i)
		if likely := charset.Guess(data); likely != "" {
			problem += fmt.Sprintf(", perhaps %s; save it as UTF-8 (iconv -f %s -t UTF-8)", likely, likely)
		}
		return "", problem
	}
	return string(bytes.TrimPrefix(data, []byte("\ufeff"))), ""
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func position(data []byte, offset int) string {
	line := 1 + bytes.Count(data[:offset], []byte{'\n'})
	return fmt.Sprintf("line %d (byte %d)", line, offset)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
