package notebook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Keyed returns the change that has a key and was carried out, and whether
// there is one. A change that the history has dropped is not found. One that was
// taken back, alone or with its bundle, does not count, so that the same request
// can make it again; back says that there is such a one.
func (n *Notebook) Keyed(key string) (c Change, ok, back bool, err error) {
	if key == "" {
		return Change{}, false, false, nil
	}
	all, err := n.historyText()
	if err != nil {
		return Change{}, false, false, fmt.Errorf("read the history: %w", err)
	}
	// Quotes within a change's texts are escaped, so these bytes can only be its
	// key.
	needle := fmt.Appendf(nil, `"key":%q`, key)
	for at := 0; ; {
		i := bytes.Index(all[at:], needle)
		if i < 0 {
			return Change{}, false, back, nil
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
		if takenBack(all[at:], cmp.Or(c.Bundle, c.ID)) {
			back = true
			continue
		}
		if c.done || n.happened(c) {
			return c, true, back, nil
		}
	}
}

// takenBack reports whether later lines of the history take back the change
// with an id. A change that takes it back does not count if it was taken back
// itself.
func takenBack(later []byte, id string) bool {
	if !bytes.Contains(later, fmt.Appendf(nil, `"undoes":%q`, id)) {
		return false
	}
	var undos []Change
	for line := range bytes.Lines(later) {
		var c Change
		if bytes.Contains(line, []byte(`"undoes":`)) && json.Unmarshal(line, &c) == nil && c.Undoes != "" {
			undos = append(undos, c)
		}
	}
	undone := map[string]bool{}
	for _, c := range slices.Backward(undos) {
		if !undone[c.ID] {
			undone[c.Undoes] = true
		}
	}
	return undone[id]
}
