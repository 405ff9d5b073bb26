package remember

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/digest"
	"github.com/memoir-ai/memoir/internal/lines"
	"github.com/memoir-ai/memoir/internal/regular"
)

// marks knows which texts were forgotten, by digests that tell nothing of them.
type marks struct {
	dir string
	digest.Digests
}

// digest returns the digest of a text, "" when there is no salt and none can be
// made.
func (m *marks) digest(text string) string { return m.Of(text) }

// makeFolder makes a folder that is not there, and refuses what is none.
func makeFolder(dir string) error {
	if err := regular.Folder(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o700)
}

func (m *marks) tombs() string { return filepath.Join(m.dir, "forgotten") }

// saltMark begins the line that says of what salt the marks are, which is the digest of
// nothing. Files of before have none.
const saltMark = "salt "

// forgotten reports whether a text, in the form in which texts are compared, was
// forgotten on purpose. Where there are marks and nothing can be compared with them,
// that is an error.
func (m *marks) forgotten(normal string) (bool, error) {
	f, err := regular.Open(m.tombs())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, memoir.WithHint(fmt.Errorf("read what was forgotten: %w", err), "move "+m.tombs()+" away; "+unmarked)
	}
	defer f.Close() // of a file that was only read
	digest, salt := m.digest(normal), saltMark+m.digest("")
	salted, right, some := false, false, false
	for all := lines.New(f, maxTomb); ; {
		line, err := all.Next()
		mark := strings.TrimSpace(string(line))
		switch {
		case errors.Is(err, lines.ErrTooLong), err == nil && mark == "": // it is none of memoir's
		case errors.Is(err, io.EOF):
			if some && digest == "" || salted && !right {
				return false, m.saltLost()
			}
			return false, nil
		case err != nil:
			return false, fmt.Errorf("read what was forgotten: %w", err)
		case mark == digest:
			return true, nil
		case strings.HasPrefix(mark, saltMark):
			salted, right = true, right || mark == salt
		default:
			some = true
		}
	}
}

// saltLost says that the marks tell nothing any more.
func (m *marks) saltLost() error {
	return memoir.WithHint(fmt.Errorf("what was forgotten cannot be known again: the salt in %s is lost: %w", m.dir, memoir.ErrUnavailable),
		"move "+m.tombs()+" away; "+unmarked)
}

// unmarked is what comes of it.
const unmarked = "agents and imports may bring back then what was forgotten"

// maxTomb is more than a line of the file has.
const maxTomb = 128

// bury notes that texts are forgotten, of which nothing but a digest stays. It adds to
// the file in one write, so that several processes may; an empty line comes first, for
// the one before may have been cut short.
func (m *marks) bury(normals []string) error {
	if err := makeFolder(m.dir); err != nil {
		return fmt.Errorf("note what is forgotten: %w", err)
	}
	var fresh strings.Builder
	if _, err := os.Lstat(m.tombs()); errors.Is(err, fs.ErrNotExist) {
		fresh.WriteString(saltMark + m.digest(""))
	}
	for _, normal := range normals {
		digest := m.digest(normal)
		if digest == "" {
			return fmt.Errorf("note what is forgotten: there is no salt in %s", m.dir)
		}
		if known, err := m.forgotten(normal); err != nil {
			return err
		} else if !known {
			fresh.WriteString("\n" + digest)
		}
	}
	if fresh.Len() == 0 {
		return nil
	}
	f, err := regular.OpenFile(m.tombs(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("note what is forgotten: %w", err)
	}
	_, err = io.WriteString(f, fresh.String()+"\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("note what is forgotten: %w", err)
	}
	return nil
}
