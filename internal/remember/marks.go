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

// marks records which texts were forgotten, as digests that reveal nothing of
// them.
type marks struct {
	dir string
	digest.Digests
}

// digest returns the digest of a text, or "" when there is no salt and none can
// be made.
func (m *marks) digest(text string) string { return m.Of(text) }

// makeFolder makes a folder if there is none. It refuses a path that is
// something else.
func makeFolder(dir string) error {
	if err := regular.Folder(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o700)
}

func (m *marks) tombs() string { return filepath.Join(m.dir, "forgotten") }

// saltMark begins the line that says which salt the marks were made with, by
// the digest of the empty text. Older files have no such line.
const saltMark = "salt "

// forgotten reports whether a text was forgotten on purpose; normal is the text
// as texts are compared. It is an error if there are marks but the text cannot
// be compared with them.
func (m *marks) forgotten(normal string) (bool, error) {
	buried, err := m.buried()
	return len(buried) > 0 && buried[m.digest(normal)], err
}

// buried returns the digests of all texts that were forgotten; nil when there are
// none. Its error is that of forgotten.
func (m *marks) buried() (map[string]bool, error) {
	f, err := regular.Open(m.tombs())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, memoir.WithHint(fmt.Errorf("read what was forgotten: %w", err), "move "+m.tombs()+" away; "+unmarked)
	}
	defer f.Close() // of a file that was only read
	empty := m.digest("")
	salted, right, buried := false, false, map[string]bool{}
	for all := lines.New(f, maxTomb); ; {
		line, err := all.Next()
		mark := strings.TrimSpace(string(line))
		switch {
		case errors.Is(err, lines.ErrTooLong), err == nil && mark == "": // the file is not memoir's
		case errors.Is(err, io.EOF):
			if len(buried) > 0 && empty == "" || salted && !right {
				return nil, m.saltLost()
			}
			return buried, nil
		case err != nil:
			return nil, fmt.Errorf("read what was forgotten: %w", err)
		case strings.HasPrefix(mark, saltMark):
			salted, right = true, right || mark == saltMark+empty
		default:
			buried[mark] = true
		}
	}
}

// saltLost says that the marks have become useless.
func (m *marks) saltLost() error {
	return memoir.WithHint(fmt.Errorf("memoir can no longer tell what was forgotten, because the salt in %s is lost: %w", m.dir, memoir.ErrUnavailable),
		"move "+m.tombs()+" away; "+unmarked)
}

// unmarked is the consequence of that, for people.
const unmarked = "then agents and imports may bring back what was forgotten"

// maxTomb is more than the length of a line of the file.
const maxTomb = 128

// bury adds marks for texts that are forgotten; only their digests are kept. It
// writes them all at once, so that several processes can add marks. An empty
// line comes first, because the line before may have been cut short.
func (m *marks) bury(normals []string) error {
	if err := makeFolder(m.dir); err != nil {
		return fmt.Errorf("note what is forgotten: %w", err)
	}
	var fresh strings.Builder
	if _, err := os.Lstat(m.tombs()); errors.Is(err, fs.ErrNotExist) {
		fresh.WriteString(saltMark + m.digest(""))
	}
	buried, err := m.buried()
	if err != nil {
		return err
	}
	for _, normal := range normals {
		digest := m.digest(normal)
		if digest == "" {
			return fmt.Errorf("note what is forgotten: there is no salt in %s", m.dir)
		}
		if !buried[digest] {
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
