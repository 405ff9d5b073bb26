package notebook

// A Bundle is what several changes are together: an import, say. The history shows
// them as one, and they are taken back as one.
type Bundle struct {
	ID       string
	Who, Why string // as in [Change]
}

// NewBundle returns a bundle that has no changes yet.
func NewBundle(who, why string) Bundle { return Bundle{newID(), who, why} }

// Join makes the change a part of a bundle; one without an id is none.
func (d *Draft) Join(b Bundle) { d.bundle = b }

// together makes one change of those of a bundle, where the first of them stands.
// A part that is not known to have been carried out, and of which the notes hold
// nothing, is left out.
func (n *Notebook) together(all []Change) []Change {
	places := map[string]int{} // of bundles, in out
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
