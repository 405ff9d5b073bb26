package remember

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/digest"
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

// forgotten reports whether a text, in the form in which texts are compared, was
// forgotten on purpose.
func (m *marks) forgotten(normal string) (bool, error) {
	f, err := regular.Open(m.tombs())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read what was forgotten: %w", err)
	}
	defer f.Close() // of a file that was only read
	digest := []byte(m.digest(normal))
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if len(digest) > 0 && bytes.Equal(lines.Bytes(), digest) {
			return true, nil
		}
	}
	if err := lines.Err(); err != nil {
		return false, fmt.Errorf("read what was forgotten: %w", err)
	}
	return false, nil
}

// bury notes that texts are forgotten, of which nothing but a digest stays.
func (m *marks) bury(normals []string) error {
	if err := makeFolder(m.dir); err != nil {
		return fmt.Errorf("note what is forgotten: %w", err)
	}
	before, err := regular.ReadFile(m.tombs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note what is forgotten: %w", err)
	}
	all := bytes.NewBuffer(before)
	for _, normal := range normals {
		digest := m.digest(normal)
		if digest == "" {
			return fmt.Errorf("note what is forgotten: there is no salt in %s", m.dir)
		}
		if !bytes.Contains(before, []byte(digest+"\n")) {
			all.WriteString(digest + "\n")
		}
	}
	err = atomicfile.Write(m.tombs(), 0o600, func(w io.Writer) error {
		_, err := w.Write(all.Bytes())
		return err
	})
	if err != nil {
		return fmt.Errorf("note what is forgotten: %w", err)
	}
	return nil
}
