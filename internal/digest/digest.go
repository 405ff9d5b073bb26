// Package digest knows texts by digests that tell nothing of them: a salt that is
// made once and stays in a folder goes into each, so that nobody who has the
// digests alone can try what they are of.
package digest

import (
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

// Digests are those of one folder, which is made when the first text comes. It is
// safe for concurrent use, by several processes too.
type Digests struct {
	Dir  string
	mu   sync.Mutex // guards salt
	salt []byte
}

// saltSize is how long a salt is, in bytes.
const saltSize = 32

// Of returns the digest of a text, 32 hexadecimal digits, "" when there is no salt
// and none can be made.
func (d *Digests) Of(text string) string {
	digest, err := d.of(text)
	if err != nil {
		return ""
	}
	return digest
}

// of is [Digests.Of] with the reason why there is no salt.
func (d *Digests) of(text string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.salt == nil {
		salt, err := d.readSalt()
		if err != nil {
			return "", err
		}
		d.salt = salt
	}
	mac := hmac.New(sha256.New, d.salt)
	mac.Write([]byte(text)) // never fails
	return hex.EncodeToString(mac.Sum(nil)[:16]), nil
}

// readSalt reads the salt and makes it where there is none. Of several processes
// that do so at once one is first, and all get its salt.
func (d *Digests) readSalt() ([]byte, error) {
	if err := regular.Folder(d.Dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(d.Dir, "salt")
	salt, err := regular.ReadFile(path)
	if err == nil && len(salt) == saltSize {
		return salt, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	torn := err == nil // by a crash: no digest was made with it
	salt = make([]byte, saltSize)
	rand.Read(salt) // never fails
	fresh := filepath.Join(d.Dir, "salt."+rand.Text()[:8])
	defer os.Remove(fresh)
	if err := atomicfile.Write(fresh, 0o600, func(w io.Writer) error { _, err := w.Write(salt); return err }); err != nil {
		return nil, err
	}
	if torn {
		return salt, os.Rename(fresh, path)
	}
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
