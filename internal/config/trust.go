package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// maxConsent bounds the file of one consent, in bytes. It holds a path.
const maxConsent = 64 << 10

// consents returns the folder in which the user's consents are kept, one file for
// each folder of notes, named by the SHA-256 of its real path; "" without a home folder.
// MEMOIR_CONFIG does not move it, because it may name a file that came with a clone.
func (e Environment) consents() string {
	dir := e.userFolder()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "trusted")
}

// consent returns the file of the consent to a folder of notes, and the real path
// of that folder.
func (e Environment) consent(workspace string) (file, real string) {
	real = followed(workspace)
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(e.consents(), hex.EncodeToString(sum[:])), real
}

// Trusts reports whether the user has agreed on this machine that the notes of a
// folder are given to agents and written to. A consent that cannot be read is none.
func (e Environment) Trusts(workspace string) bool {
	file, real := e.consent(workspace)
	return e.consents() != "" && readConsent(file) == real
}

// Trust records the consent of the user to the notes of a folder.
func (e Environment) Trust(workspace string) error {
	if e.consents() == "" {
		return &Error{Message: "there is no home folder to keep the consent in", Hint: "set HOME, or XDG_CONFIG_HOME"}
	}
	if e.Trusts(workspace) {
		return nil
	}
	file, real := e.consent(workspace)
	err := os.MkdirAll(e.consents(), 0o700)
	if err == nil {
		err = atomicfile.Write(file, 0o600, func(w io.Writer) error {
			_, err := io.WriteString(w, real)
			return err
		})
	}
	if err != nil {
		message := fmt.Sprintf("the consent cannot be kept in %s: %v", e.consents(), syserr.Reason(err))
		return &Error{Message: message, Hint: "make that folder writable", Err: err}
	}
	return nil
}

// Distrust takes the consent to the notes of a folder back. It reports whether
// there was one.
func (e Environment) Distrust(workspace string) (was bool, err error) {
	if e.consents() == "" {
		return false, nil
	}
	file, _ := e.consent(workspace)
	switch err := os.Remove(file); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		message := fmt.Sprintf("the consent in %s cannot be removed: %v", e.consents(), syserr.Reason(err))
		return false, &Error{Message: message, Hint: "remove " + file, Err: err}
	}
	return true, nil
}

// ProjectOf returns the place of the notes of the project in which the current folder of
// env lies, whatever the settings there say. Mistakes are *[Error].
func ProjectOf(env Environment) (Place, error) {
	l := newLoader(env, Flags{"scope": ScopeProject})
	if err := l.places(); err != nil {
		return Place{}, err
	}
	return *l.found.Project, nil
}

// Trusted returns the real paths of the folders to whose notes the user has agreed,
// sorted.
func (e Environment) Trusted() (all []string, err error) {
	if e.consents() == "" {
		return nil, nil
	}
	files, err := os.ReadDir(e.consents())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		message := fmt.Sprintf("the consents in %s cannot be read: %v", e.consents(), syserr.Reason(err))
		return nil, &Error{Message: message, Hint: "make that folder readable", Err: err}
	}
	for _, f := range files {
		real := readConsent(filepath.Join(e.consents(), f.Name()))
		if file, _ := e.consent(real); filepath.Base(file) == f.Name() {
			all = append(all, real)
		}
	}
	slices.Sort(all)
	return all, nil
}

// readConsent returns the path that a consent is for, "" where there is none.
func readConsent(file string) string {
	f, err := regular.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close() // of a file that was only read
	data, err := io.ReadAll(io.LimitReader(f, maxConsent))
	if err != nil {
		return ""
	}
	return string(data)
}

// Trusted reports whether the notes may be given to agents and written to: those of
// a project only with the consent of the user. It looks for the consent at each call.
func (l *Loaded) Trusted() bool {
	return l.loader == nil || l.loader.at.trusted(&l.loader.env)
}

// trusted reports whether the user trusts the place. It looks for the consent at each call;
// [Place.Trusted] is what was found before.
func (p *Place) trusted(env *Environment) bool {
	return p.Scope != ScopeProject || env.Trusts(p.Workspace)
}

// Whose says whose notes these are, for a reader who must not take those of a project
// for the user's.
func (l *Loaded) Whose() string {
	if l.loader == nil || l.loader.at.Scope != ScopeProject {
		return "the user's own notes"
	}
	if r := l.Repository(); r != "" {
		return "the notes of the repository " + r
	}
	return "the notes of the folder " + l.Workspace
}

// Repository returns the root of the repository whose notes these are, "" for none.
func (l *Loaded) Repository() string {
	if l.loader == nil {
		return ""
	}
	return l.loader.at.repository
}
