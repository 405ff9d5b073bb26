package notebook

// A Bundle joins several changes, for example those of an import. The history
// shows them as one change, and they are taken back together.
type Bundle struct {
	ID       string
	Who, Why string // as in [Change]
}

// NewBundle returns a bundle that has no changes yet.
func NewBundle(who, why string) Bundle { return Bundle{newID(), who, why} }

// Join makes the change a part of a bundle. A bundle without an id changes
// nothing.
func (d *Draft) Join(b Bundle) { d.bundle = b }

// together replaces the changes of each bundle with one, at the place of the
// first. It leaves out a part that may not have been carried out and of which
// the notes hold nothing.
func (n *Notebook) together(all []Change) []Change {
	places := map[string]int{} // index in out of each bundle
	out := make([]Change, 0, len(all))
	for _, c := range all {
		if c.Bundle == "" {
			out = append(out, c)
			continue
		}
		if !c.done && !n.happened(c) {
			continue
		}
		c.ID, c.Key, c.Answer, c.done = c.Bundle, "", nil, true
		at, ok := places[c.Bundle]
		if !ok {
			places[c.Bundle] = len(out)
			out = append(out, c)
			continue
		}
		whole := &out[at]
		whole.Edits, whole.Time = append(whole.Edits, c.Edits...), c.Time
	}
	return out
}
