package remember

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
)

// marks knows texts by digests that tell nothing of them: a salt that is made
// once and stays in the folder goes into each.
type marks struct {
	dir  string
	mu   sync.Mutex // guards salt
	salt []byte
}

// saltSize is how long a salt is, in bytes.
const saltSize = 32

// digest returns the digest of a text, "" when there is no salt and none can be
// made.
func (m *marks) digest(text string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.salt == nil {
		salt, err := m.readSalt()
		if err != nil {
			return ""
		}
		m.salt = salt
	}
	mac := hmac.New(sha256.New, m.salt)
	mac.Write([]byte(text)) // never fails
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// readSalt reads the salt and makes it where there is none. Of several processes
// that do so at once one is first, and all get its salt.
func (m *marks) readSalt() ([]byte, error) {
	if err := makeFolder(m.dir); err != nil {
		return nil, err
	}
	path := filepath.Join(m.dir, "salt")
	salt, err := regular.ReadFile(path)
	if err == nil && len(salt) == saltSize {
		return salt, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	salt = make([]byte, saltSize)
	rand.Read(salt) // never fails
	fresh := filepath.Join(m.dir, "salt."+rand.Text()[:8])
	if err := os.WriteFile(fresh, salt, 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(fresh)
	switch err := os.Link(fresh, path); {
	case err == nil:
		return salt, nil
	case errors.Is(err, fs.ErrExist):
		salt, err := regular.ReadFile(path)
		if err != nil || len(salt) != saltSize {
			return nil, fmt.Errorf("%s is no salt: %w", path, err)
		}
		return salt, nil
	default: // a file system without links
		return salt, os.Rename(fresh, path)
	}
}

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
