package session

// A tree is the records of a session in which each record names the previous
// one. Somebody may go back and continue from an earlier record. What is left
// behind then is a branch that nothing newer continues.
type tree struct {
	number map[idSum]int32 // of each record, also of one that only another one has named
	nodes  []node
	order  []int32 // records with talk, in order of arrival
}

type node struct {
	parent int32 // -1: none
	there  bool  // it was read
	spoke  bool  // see [tree.said]
	kept   bool  // see [tree.keep]
}

// none is the number of no record.
const none = int32(-1)

// of returns the number of a record, by its id; none for "".
func (t *tree) of(id string) int32 {
	if id == "" {
		return none
	}
	sum := sumOf(id)
	n, ok := t.number[sum]
	if !ok {
		if t.number == nil {
			t.number = map[idSum]int32{}
		}
		n = int32(len(t.nodes))
		t.number[sum] = n
		t.nodes = append(t.nodes, node{parent: none})
	}
	return n
}

// add adds a record, and returns its number.
func (t *tree) add(id, parent string, talks bool) int32 {
	n := t.of(id)
	if n == none {
		return none
	}
	if parent != id {
		p := t.of(parent)
		t.nodes[n].parent = p // a record that is written again has a new place
	}
	t.nodes[n].there = true
	if talks {
		t.order = append(t.order, n)
	}
	return n
}

// said reports whether a record was asked for before: a transcript may have it twice.
func (t *tree) said(n int32) bool {
	was := t.nodes[n].spoke
	t.nodes[n].spoke = true
	return was
}

// keep marks the records on the path from each root to the newest record with
// talk below it. If records form a circle, the path ends there.
func (t *tree) keep() {
	t.number = nil                      // nobody asks for a number any more
	root := make([]int32, len(t.nodes)) // of each record seen so far, and one more: 0 for none
	ended := make([]bool, len(t.nodes)) // roots whose newest record was seen
	on := make([]int32, len(t.nodes))   // the last way that a record was on, and one more
	var way []int32
	for i := len(t.order) - 1; i >= 0; i-- {
		leaf := t.order[i]
		way = way[:0]
		id, end := leaf, none
		for {
			if root[id] != 0 {
				end = root[id] - 1
				break
			}
			if on[id] == int32(i)+1 {
				end = id
				break
			}
			on[id] = int32(i) + 1
			way = append(way, id)
			parent := t.nodes[id].parent
			if parent == none || !t.nodes[parent].there {
				end = id
				break
			}
			id = parent
		}
		for _, id := range way {
			root[id] = end + 1
		}
		if ended[end] {
			continue
		}
		ended[end] = true
		for id := leaf; id != none && t.nodes[id].there && !t.nodes[id].kept; id = t.nodes[id].parent {
			t.nodes[id].kept = true
		}
	}
}

// kept reports whether a record is kept, once [tree.keep] has marked those. What has no id
// is.
func (t *tree) kept(n int32) bool { return n == none || t.nodes[n].kept }
