package session

// A tree is the records of a session that goes back and on from an earlier place:
// each names the one before it. What was left behind is on a branch that nothing
// newer goes on from.
type tree struct {
	parent map[string]string // by id; "" is none
	order  []string          // ids of those that talk, as they came
}

func (t *tree) add(id, parent string, talks bool) {
	if id == "" {
		return
	}
	if t.parent == nil {
		t.parent = map[string]string{}
	}
	if parent != id {
		t.parent[id] = parent // one that is written again has a new place
	} else if _, ok := t.parent[id]; !ok {
		t.parent[id] = ""
	}
	if talks {
		t.order = append(t.order, id)
	}
}

// kept returns the ids on the way from a root to the newest record that talks, for
// each root. Where records lead in a circle the way ends.
func (t *tree) kept() map[string]bool {
	root := make(map[string]string, len(t.parent)) // of ids that were looked at
	ended := map[string]bool{}                     // roots whose newest record was met
	kept := map[string]bool{}
	for i := len(t.order) - 1; i >= 0; i-- {
		leaf := t.order[i]
		var way []string
		on := map[string]bool{}
		id, end := leaf, ""
		for {
			if r, ok := root[id]; ok {
				end = r
				break
			}
			if on[id] {
				end = id
				break
			}
			on[id] = true
			way = append(way, id)
			parent := t.parent[id]
			if _, ok := t.parent[parent]; parent == "" || !ok {
				end = id
				break
			}
			id = parent
		}
		for _, id := range way {
			root[id] = end
		}
		if ended[end] {
			continue
		}
		ended[end] = true
		for id, seen := leaf, map[string]bool{}; id != "" && !seen[id]; id = t.parent[id] {
			seen[id], kept[id] = true, true
		}
	}
	return kept
}
