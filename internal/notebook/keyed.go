package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/memoir-ai/memoir/internal/regular"
)

// Keyed returns the change that bears a key and was carried out, and whether
// there is one. What the history has dropped is not known by its key either.
func (n *Notebook) Keyed(key string) (Change, bool, error) {
	all, err := regular.ReadFile(n.historyPath())
	if errors.Is(err, fs.ErrNotExist) || key == "" {
		return Change{}, false, nil
	}
	if err != nil {
		return Change{}, false, fmt.Errorf("read the history: %w", err)
	}
	// Inside of what a change says quotes are escaped, so that this stands
	// nowhere else.
	needle := fmt.Appendf(nil, `"key":%q`, key)
	for at := 0; ; {
		i := bytes.Index(all[at:], needle)
		if i < 0 {
			return Change{}, false, nil
		}
		at += i
		start := bytes.LastIndexByte(all[:at], '\n') + 1
		line, _, whole := bytes.Cut(all[start:], []byte{'\n'})
		at = start + len(line)
		var c Change
		if !whole || json.Unmarshal(line, &c) != nil || c.Key != key {
			continue
		}
		c.done = bytes.Contains(all[at:], fmt.Appendf(nil, "{\"done\":%q}\n", c.ID))
		if c.done || n.happened(c) {
			return c, true, nil
		}
	}
}
