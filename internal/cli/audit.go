package cli

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/regular"
)

// audit appends a line for each writing request to a file that only this user
// can read.
type audit struct {
	path string
	log  *slog.Logger
	mu   sync.Mutex
}

// maxAudit is how large the file may grow, in bytes, before it is set aside.
const maxAudit = 4 << 20

func (a *audit) add(done httpapi.Written) {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.write(done)
	if err != nil && a.log != nil {
		a.log.Error("audit", "err", err)
	}
}

func (a *audit) write(line httpapi.Written) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	dir := filepath.Dir(a.path) // somebody may have removed it since
	if err := errors.Join(regular.Folder(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return err
	}
	if info, err := os.Lstat(a.path); err == nil && info.Mode().IsRegular() && info.Size() > maxAudit {
		if err := os.Rename(a.path, a.path+".1"); err != nil {
			return err
		}
	}
	f, err := regular.OpenFile(a.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	return errors.Join(err, f.Close())
}
