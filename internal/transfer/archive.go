package transfer

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// Limits of what an archive may hold, so that a small one cannot fill the machine.
const (
	maxArchive = 2 << 30 // bytes of all notes
	maxNotes   = 200_000
)

// Exported says what an archive holds.
type Exported struct {
	File    string        `json:"file"`    // the archive
	Notes   int           `json:"notes"`   // how many notes are in it
	Bytes   int64         `json:"bytes"`   // of all notes, before they are packed
	Skipped []SkippedNote `json:"skipped"` // what is not in it
}

// A SkippedNote is a note that is not in an archive.
type SkippedNote struct {
	Path   string `json:"path"`   // below the workspace
	Reason string `json:"reason"` // for people
}

// Export writes the notes of a workspace to an archive, a tar packed by gzip. The
// bytes of the archive depend only on the names and bytes of the notes. It holds
// no index, no settings and no history. Only the owner may read the file. Export
// replaces an existing file only with force, and never follows a link.
func Export(ctx context.Context, workspace string, owns func(path string) bool, file string, force bool) (Exported, error) {
	out := Exported{File: file, Skipped: []SkippedNote{}}
	err := write(file, force, func(w io.Writer) error { return out.pack(ctx, workspace, owns, w) })
	if err != nil {
		return out, fmt.Errorf("export to %s: %w", file, err)
	}
	return out, nil
}

// Pack writes the archive that [Export] makes to w.
func Pack(ctx context.Context, workspace string, owns func(path string) bool, w io.Writer) error {
	return new(Exported).pack(ctx, workspace, owns, w)
}

// write makes a file. Without force it never touches an existing file: it takes
// the name first, and gives it back after an error.
func write(file string, force bool, fill func(io.Writer) error) error {
	if force {
		return atomicfile.Write(file, 0o600, fill)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return memoir.WithHint(fmt.Errorf("it is there already: %w", memoir.ErrInvalid), "name another file, or replace it with --force")
	}
	if err != nil {
		return syserr.Reason(err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := atomicfile.Write(file, 0o600, fill); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// pack writes the archive.
func (x *Exported) pack(ctx context.Context, workspace string, owns func(path string) bool, w io.Writer) error {
	buffered := bufio.NewWriter(w)
	packed := gzip.NewWriter(buffered) // its header has no name and no time
	archive := tar.NewWriter(packed)
	isNote := func(name string) bool { return isMarkdown(name) || owns(name) }
	var failed error
	err := walk(workspace, isNote, func(f file) bool {
		if failed = ctx.Err(); failed == nil {
			failed = x.add(archive, f)
		}
		return failed == nil
	})
	for _, err := range []error{failed, err} {
		if err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close(), buffered.Flush())
}

// add writes one note to the archive.
func (x *Exported) add(archive *tar.Writer, f file) error {
	if layout.Host(f.name) {
		f.skip = "not memory but a file of the agent's host"
	}
	if f.skip != "" {
		x.Skipped = append(x.Skipped, SkippedNote{f.name, f.skip})
		return nil
	}
	x.Notes, x.Bytes = x.Notes+1, x.Bytes+int64(len(f.text))
	if x.Bytes > maxArchive || x.Notes > maxNotes {
		return fmt.Errorf("there are more than %d GiB or %d notes: %w", maxArchive>>30, maxNotes, memoir.ErrInvalid)
	}
	// The time of a note means nothing to memoir: its day is in its name or text.
	header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: 0o600, Size: int64(len(f.text)), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	if err := archive.WriteHeader(header); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	_, err := io.WriteString(archive, f.text)
	return err
}

// readArchive reads what [Export] has written, or a tar like it, packed by gzip or
// not. It is looked through as a whole before any note is given: one that holds
// what no archive of notes has is refused.
func readArchive(in *input) pieces {
	return func(yield func(piece, error) bool) {
		names := map[string]bool{}
		look := func(header *tar.Header, _ io.Reader) (bool, error) {
			if names[header.Name] {
				return false, refused(header.Name, "it is there twice")
			}
			names[header.Name] = true
			return true, nil
		}
		if err := eachNote(in.path, look); err != nil {
			yield(piece{}, fmt.Errorf("read %s: %w", in.path, err))
			return
		}
		stopped := false
		err := eachNote(in.path, func(header *tar.Header, r io.Reader) (bool, error) {
			f, err := unpacked(header.Name, r, in.owns)
			if err == nil {
				stopped = !yield(noteAt(in.into, f), nil)
			}
			return !stopped, err
		})
		if err != nil && !stopped {
			yield(piece{}, fmt.Errorf("read %s: %w", in.path, err))
		}
	}
}

// unpacked makes a file of one in an archive.
func unpacked(name string, r io.Reader, owns func(path string) bool) (file, error) {
	f := file{name: strings.ToValidUTF8(name, "\ufffd"), skip: nameProblem(name)}
	hidden := slices.ContainsFunc(strings.Split(name, "/"), leftOut)
	switch {
	case f.skip != "":
	case hidden:
		f.skip = "it is hidden"
	case !isMarkdown(name) && !owns(name):
		f.skip = "it is no note"
	default:
		text, err := limited(r, maxNote)
		if errors.Is(err, errTooLarge) {
			f.skip = fmt.Sprintf("larger than %d MiB", maxNote>>20)
			return f, nil
		}
		if err != nil {
			return f, broken(err)
		}
		if f.text = string(text); !utf8.Valid(text) {
			f.text, f.skip = "", "not valid UTF-8"
		}
	}
	return f, nil
}

// eachNote calls visit with each file of an archive, whose names are checked, until
// it says no. More than may be is an error before it is unpacked.
func eachNote(path string, visit func(*tar.Header, io.Reader) (bool, error)) error {
	f, err := regular.Follow(path)
	if err != nil {
		return syserr.Reason(err)
	}
	defer f.Close() // of a file that was only read
	unpacked, err := opened(f)
	if err != nil {
		return err
	}
	archive := tar.NewReader(unpacked)
	var bytes int64
	for files := 0; ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			if _, err := io.Copy(io.Discard, unpacked); err != nil { // up to the checksum
				return broken(err)
			}
			return nil
		}
		if err != nil {
			return broken(err)
		}
		skip, err := check(header)
		if err != nil {
			return err
		}
		if files++; files > maxNotes {
			return fmt.Errorf("it has more than %d files: %w", maxNotes, memoir.ErrInvalid)
		}
		if bytes += header.Size; header.Size < 0 || bytes < 0 || bytes > maxArchive {
			return fmt.Errorf("it holds more than %d GiB: %w", maxArchive>>30, memoir.ErrInvalid)
		}
		if skip {
			continue
		}
		more, err := visit(header, archive)
		if err != nil || !more {
			return err
		}
	}
}

// opened returns the tar of an archive, bounded: padding, and what the tar says of
// each file, counts, too.
func opened(f *os.File) (io.Reader, error) {
	buffered := bufio.NewReader(f)
	var r io.Reader = buffered
	if magic, err := buffered.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		packed, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, broken(err)
		}
		r = packed
	}
	return io.LimitReader(r, maxArchive+maxNotes*(8<<10)), nil
}

// check judges what an archive says of a file, and makes its name a path. Folders
// are passed over: those of notes are made.
func check(header *tar.Header) (skip bool, err error) {
	switch header.Typeflag {
	case tar.TypeReg:
	case tar.TypeDir, tar.TypeXGlobalHeader:
		return true, nil
	case tar.TypeLink, tar.TypeSymlink:
		return false, refused(header.Name, "it is a link")
	default:
		return false, refused(header.Name, "it is no ordinary file")
	}
	name := strings.TrimPrefix(header.Name, "./")
	if !fs.ValidPath(name) && !validButText(name) || name == "." || filepath.ToSlash(name) != name {
		return false, refused(header.Name, "it is not a path below a folder")
	}
	header.Name = name
	return false, nil
}

// validButText reports whether a path is one but for bytes that are no text.
func validButText(name string) bool {
	return !utf8.ValidString(name) && fs.ValidPath(strings.ToValidUTF8(name, "x"))
}

func refused(name, why string) error {
	return memoir.WithHint(fmt.Errorf("%q: %s: %w", shortened(strings.ToValidUTF8(name, "\ufffd")), why, memoir.ErrInvalid), "no archive that memoir export writes has that; nothing was brought")
}

// broken says that an archive cannot be unpacked.
func broken(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return memoir.WithHint(fmt.Errorf("it is no whole archive (%w): %w", err, memoir.ErrInvalid), "name a file that memoir export has written")
}
