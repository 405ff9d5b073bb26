package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Keyed returns the change that bears a key and was carried out, and whether
// there is one. What the history has dropped is not known by its key either. A
// bundle that was taken back is as if it had never been: what brought it can bring
// it again.
func (n *Notebook) Keyed(key string) (Change, bool, error) {
	if key == "" {
		return Change{}, false, nil
	}
	all, err := n.historyText()
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
		if c.Bundle != "" && takenBack(all[at:], c.Bundle) {
			continue
		}
		if c.done || n.happened(c) {
			return c, true, nil
		}
	}
}

// takenBack reports whether the change of an id is taken back by one of later
// lines of the history that is not taken back itself.
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
