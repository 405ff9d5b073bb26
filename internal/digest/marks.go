package digest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/memoir-ai/memoir/internal/lines"
	"github.com/memoir-ai/memoir/internal/regular"
)

// Marks are digests in a file, which say of texts that they were forgotten, say. The file
// and its folder are made when the first text is marked.
type Marks struct {
	File string
	*Digests
}

// ErrSaltLost means that no text can be compared with the marks any more.
var ErrSaltLost = errors.New("the salt is lost")

// saltMark begins the line that says which salt the marks were made with, by
// the digest of the empty text. Older files have no such line.
const saltMark = "salt "

// maxMark is more than the length of a line of the file.
const maxMark = 128

// All returns the digests of the texts that are marked; nil when there are none. An error
// wraps [ErrSaltLost] when there are marks but no text can be compared with them.
func (m *Marks) All() (map[string]bool, error) {
	f, err := regular.Open(m.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // of a file that was only read
	empty := m.Of("")
	salted, right, marked := false, false, map[string]bool{}
	for all := lines.New(f, maxMark); ; {
		line, err := all.Next()
		mark := strings.TrimSpace(string(line))
		switch {
		case errors.Is(err, lines.ErrTooLong), err == nil && mark == "": // the file is not memoir's
		case errors.Is(err, io.EOF):
			if len(marked) > 0 && empty == "" || salted && !right {
				return nil, fmt.Errorf("%s: %w", m.Dir, ErrSaltLost)
			}
			return marked, nil
		case err != nil:
			return nil, err
		case strings.HasPrefix(mark, saltMark):
			salted, right = true, right || mark == saltMark+empty
		default:
			marked[mark] = true
		}
	}
}

// Add marks texts; only their digests are kept. It writes them all at once, so that
// several processes can add marks. An empty line comes first, because the line before may
// have been cut short.
func (m *Marks) Add(texts []string) error {
	if err := regular.Folder(m.Dir); err != nil {
		return err
	}
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return err
	}
	var fresh strings.Builder
	if _, err := os.Lstat(m.File); errors.Is(err, fs.ErrNotExist) {
		fresh.WriteString(saltMark + m.Of(""))
	}
	marked, err := m.All()
	if err != nil {
		return err
	}
	for _, text := range texts {
		digest, err := m.of(text)
		if err != nil {
			return fmt.Errorf("there is no salt in %s: %w", m.Dir, err)
		}
		if !marked[digest] {
			fresh.WriteString("\n" + digest)
		}
	}
	if fresh.Len() == 0 {
		return nil
	}
	f, err := regular.OpenFile(m.File, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, fresh.String()+"\n")
	return errors.Join(err, f.Sync(), f.Close())
}
