// Package modeldir keeps installed models: one file a model, NAME.memoir, all
// in one folder.
//
// A file is put there in one step and never changed afterwards, so that
// processes can map it into memory. Two hidden folders stand beside the files:
// .downloads, where downloads go on where they stopped, and .tested, which
// remembers what passed its self-test on which processor. Both may be deleted.
package modeldir

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/mapped"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/regular"
)

// Suffix is how the names of model files end.
const Suffix = ".memoir"

var (
	// ErrName reports a name that cannot be that of a file on every platform.
	ErrName = errors.New("not a name for a model")
	// ErrMissing reports a model that is not installed.
	ErrMissing = errors.New("the model is not installed")
	// ErrWritten reports a file whose bytes are no longer those of the model that was opened.
	ErrWritten = errors.New("its file was written to while it was in use")
	// ErrNoFolder reports that there is no folder for models, for want of a
	// home folder.
	ErrNoFolder = errors.New("there is no folder for models")
)

// Dir is a folder of models. It need not exist.
type Dir struct{ path string }

// New returns the folder at the given path; "" is none.
func New(path string) Dir { return Dir{path} }

var (
	// A counted repetition of such classes takes milliseconds to compile.
	name = lazyregexp.New(`^[\p{L}\p{N}][\p{L}\p{N}._-]*$`)
	// Windows has devices of these names in every folder, whatever follows a dot.
	device = lazyregexp.New(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
)

// CheckName reports with [ErrName] whether a model can have the name: letters
// and digits of any language, dots, dashes and low lines.
func CheckName(n string) error {
	if utf8.RuneCountInString(n) > 100 || !name().MatchString(n) || device().MatchString(n) || strings.Contains(n, "..") || strings.HasSuffix(n, ".") || strings.EqualFold(n, "inside") {
		return fmt.Errorf("%q: %w", n, ErrName)
	}
	return nil
}

// Path returns where the model of that name is, or would be.
func (d Dir) Path(n string) (string, error) {
	if err := CheckName(n); err != nil {
		return "", err
	}
	if d.path == "" {
		return "", ErrNoFolder
	}
	return filepath.Join(d.path, n+Suffix), nil
}

// Names returns the installed models in order.
func (d Dir) Names() ([]string, error) {
	if d.path == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		n, ok := strings.CutSuffix(e.Name(), Suffix)
		if ok && CheckName(n) == nil && !e.IsDir() {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Install writes a model file into the folder, in place of one of the same
// name, and returns its path, also after an error. The file is checked first,
// its checksum included. What is there and no model file stays: it gives
// [modelfile.ErrForeign], or [regular.ErrKind] when it is no ordinary file.
func (d Dir) Install(n string, file []byte) (string, error) {
	path, err := d.Path(n)
	if err != nil {
		return "", err
	}
	parsed, err := modelfile.Parse(file)
	if err != nil {
		return path, err
	}
	if err := parsed.Verify(); err != nil {
		return path, err
	}
	if err := replaceable(path); err != nil {
		return path, err
	}
	if err := os.MkdirAll(d.path, 0o755); err != nil {
		return path, err
	}
	return path, atomicfile.Write(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(file)
		return err
	})
}

// Remove deletes an installed model, damaged or not; one that is not there gives
// [ErrMissing]. What is no model file stays, as with [Dir.Install].
func (d Dir) Remove(n string) error {
	path, err := d.Path(n)
	if err != nil {
		return err
	}
	m, err := Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", n, ErrMissing)
	case errors.Is(err, modelfile.ErrDamaged):
	case err != nil:
		return err
	default:
		sum := m.Checksum()
		if err := m.Close(); err != nil {
			return err
		}
		// The mark means nothing without the file.
		_ = os.Remove(d.mark(sum))
	}
	return os.Remove(path)
}

// replaceable reports what is at path and neither a model file nor nothing.
func replaceable(path string) error {
	m, err := Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, modelfile.ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.Close()
}

// longest is how many bytes file systems allow in a name.
const longest = 255

// Downloads returns the folder for the downloads of a published model at one
// moment of its history. The parts may be any text; different ones have
// different folders. A link in its place is an error.
func (d Dir) Downloads(parts ...string) (string, error) {
	if d.path == "" {
		return "", ErrNoFolder
	}
	escaped := make([]string, len(parts))
	for i, p := range parts {
		// An escape of our own, so that no part can be a path.
		escaped[i] = strings.NewReplacer("%", "%25", "\x00", "%00", "/", "%2F", `\`, "%5C", ":", "%3A", ".", "%2E", "@", "%40").Replace(p)
	}
	name := strings.Join(escaped, "@")
	if len(name) > longest {
		name = fmt.Sprintf("%%@%x", sha256.Sum256([]byte(name))) // no escape is "%@"
	}
	all := filepath.Join(d.path, ".downloads")
	dir := filepath.Join(all, name)
	return dir, errors.Join(regular.Folder(all), regular.Folder(dir))
}

// mark is the file that names, a line each, the kernels with which the model of
// that checksum passed its self-test.
func (d Dir) mark(checksum string) string { return filepath.Join(d.path, ".tested", checksum) }

// Tested reports whether the model of that checksum passed its self-test with
// the given kernels.
func (d Dir) Tested(checksum, kernels string) bool {
	data, err := d.marks(checksum)
	return err == nil && slices.Contains(strings.Split(string(data), "\n"), kernels)
}

// MarkTested notes that it passed. A folder that cannot be written to only
// means that the test is made again.
func (d Dir) MarkTested(checksum, kernels string) error {
	if d.path == "" || d.Tested(checksum, kernels) {
		return nil
	}
	path := d.mark(checksum)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	old, err := d.marks(checksum)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Write(path, 0o644, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%s\n", old, kernels)
		return err
	})
}

// marks reads the file of a mark. The folder of marks is no link.
func (d Dir) marks(checksum string) ([]byte, error) {
	path := d.mark(checksum)
	if err := regular.Folder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return regular.ReadFile(path)
}

// Model is an opened model file, mapped into memory.
type Model struct {
	*modelfile.File
	mapping *mapped.File
	file    *os.File
	opened  fs.FileInfo // of the file
}

// Open opens the model file at a path and checks its structure; the weights
// are not read. The caller closes it, or keeps it for as long as the process
// lives. A file that is not there gives [fs.ErrNotExist], one that is damaged
// [modelfile.ErrDamaged], one of another kind [modelfile.ErrForeign]; a symbolic
// link and what else is no ordinary file give [regular.ErrKind].
func Open(path string) (*Model, error) { return open(regular.Open(path)) }

// Follow is [Open] for a path that a person names, which may be a link.
func Follow(path string) (*Model, error) { return open(regular.Follow(path)) }

func open(file *os.File, err error) (*Model, error) {
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	m, err := mapped.Of(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := modelfile.Parse(m.Bytes())
	if err != nil {
		return nil, errors.Join(err, m.Close(), file.Close())
	}
	return &Model{f, m, file, info}, nil
}

// Changed returns [ErrWritten] when the file was written to since it was opened. Another
// file in its place is no change: this one is there as long as it is open.
func (m *Model) Changed() error {
	info, err := m.file.Stat()
	if err == nil && !same(info, m.opened) {
		err = ErrWritten
	}
	return err
}

func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// A Place is where a model was opened. It is safe for concurrent use.
type Place struct {
	Model *Model
	Path  string

	mu    sync.Mutex  // guards the fields below
	seen  fs.FileInfo // of the file that stood there at the last look
	newer bool
}

// Newer reports whether another whole model stands there by now. It opens a file that it has
// not seen yet.
func (p *Place) Newer() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(p.Path)
	if err != nil {
		return false
	}
	if p.seen == nil {
		p.seen = p.Model.opened
	}
	if same(info, p.seen) {
		return p.newer
	}
	p.seen, p.newer = info, false
	if other, err := Follow(p.Path); err == nil {
		p.newer = other.Checksum() != p.Model.Checksum()
		_ = other.Close() // it was only read
	}
	return p.newer
}

// Bytes returns the file as memory, which nobody may use after Close.
func (m *Model) Bytes() []byte { return m.mapping.Bytes() }

// Close gives the memory back.
func (m *Model) Close() error { return errors.Join(m.mapping.Close(), m.file.Close()) }
