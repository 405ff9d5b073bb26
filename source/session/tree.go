package session

// A tree is the records of a session in which each record names the previous
// one. Somebody may go back and continue from an earlier record. What is left
// behind then is a branch that nothing newer continues.
type tree struct {
	parent map[string]string // by id; "": no parent
	order  []string          // ids of records with talk, in order of arrival
}

func (t *tree) add(id, parent string, talks bool) {
	if id == "" {
		return
	}
	if t.parent == nil {
		t.parent = map[string]string{}
	}
	if parent != id {
		t.parent[id] = parent // a record that is written again has a new place
	} else if _, ok := t.parent[id]; !ok {
		t.parent[id] = ""
	}
	if talks {
		t.order = append(t.order, id)
	}
}

// kept returns the ids on the path from each root to the newest record with
// talk below it. If records form a circle, the path ends there.
func (t *tree) kept() map[string]bool {
	root := make(map[string]string, len(t.parent)) // root of each id seen so far
	ended := map[string]bool{}                     // roots whose newest record was seen
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
