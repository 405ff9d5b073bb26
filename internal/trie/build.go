package trie

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/order"
)

// Key is a string with its id.
type Key struct {
	Text string // without the byte 0
	ID   uint32 // below [MaxUnits]
}

// builder arranges the nodes of a trie as a double array.
type builder struct {
	nodes []buildNode // breadth first, so that siblings are neighbours

	units []unit
	free  []link // of each unit
	used  []bool // of each offset: it belongs to a node

	cursor uint32 // where to look for room for a single child
}

// buildNode is a node and where its children go.
type buildNode struct {
	first, keys int    // the keys that start with this node's path
	depth       int    // length of the path
	label       byte   // its last byte
	id          int32  // the key that ends here, or -1
	child       int    // its first child
	children    int    // how many it has
	offset      uint32 // where they are
}

// link joins the free units to a ring; unit 0, the root's, is its anchor.
type link struct{ prev, next uint32 }

// blockUnits is what the array grows by. A child's place differs from its
// parent's offset in the low eight bits only, so it stays within a block.
const blockUnits = 256

var errTooLarge = errors.New("trie: the keys need more than 4 million nodes")

// Build returns the bytes of a trie that holds the keys, in any order. The same
// keys always make the same bytes.
//
// Nodes with the most children find their place first. The many with a single
// child come last, along each path in turn, and fill what is left.
func Build(keys []Key) ([]byte, error) {
	keys, err := sorted(keys)
	if err != nil {
		return nil, err
	}
	b := new(builder)
	b.addNodes(keys)
	order := make([]int, 0, len(b.nodes))
	for i := range b.nodes {
		if b.nodes[i].children > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		n, m := &b.nodes[i], &b.nodes[j]
		if n.places() == 1 && m.places() == 1 {
			return cmp.Or(cmp.Compare(n.first, m.first), cmp.Compare(n.depth, m.depth))
		}
		return cmp.Compare(m.places(), n.places())
	})
	b.grow()
	b.take(0)
	for _, i := range order {
		if err := b.place(i); err != nil {
			return nil, err
		}
	}
	b.write()
	out := make([]byte, 0, len(b.units)*UnitSize)
	for _, u := range b.units {
		out = binary.LittleEndian.AppendUint32(out, u)
	}
	return out, nil
}

// sorted returns the keys by their bytes.
func sorted(keys []Key) ([]Key, error) {
	keys = slices.Clone(keys)
	order.By(keys, func(a, b Key) int { return strings.Compare(a.Text, b.Text) })
	for i, k := range keys {
		if k.Text == "" || strings.Contains(k.Text, "\x00") || k.ID >= MaxUnits {
			return nil, fmt.Errorf("trie: the key %.40q with id %d is empty, holds the byte 0 or has too large an id", k.Text, k.ID)
		}
		if i > 0 && k.Text == keys[i-1].Text {
			return nil, fmt.Errorf("trie: keys %d and %d are both %q", keys[i-1].ID, k.ID, k.Text)
		}
	}
	return keys, nil
}

// places returns how many units a node's offset must offer.
func (n *buildNode) places() int {
	if n.id >= 0 {
		return n.children + 1
	}
	return n.children
}

// addNodes makes the nodes of all keys.
func (b *builder) addNodes(keys []Key) {
	b.nodes = append(b.nodes, buildNode{keys: len(keys), id: -1})
	for i := 0; i < len(b.nodes); i++ {
		n := b.nodes[i]
		own := keys[n.first : n.first+n.keys]
		if n.depth > 0 && len(own[0].Text) == n.depth {
			n.id = int32(own[0].ID)
			own = own[1:]
		}
		n.child = len(b.nodes)
		for start := 0; start < len(own); {
			end, label := start+1, own[start].Text[n.depth]
			for end < len(own) && own[end].Text[n.depth] == label {
				end++
			}
			first := n.first + n.keys - len(own) + start
			b.nodes = append(b.nodes, buildNode{first: first, keys: end - start, depth: n.depth + 1, label: label, id: -1})
			start = end
		}
		n.children = len(b.nodes) - n.child
		b.nodes[i] = n
	}
}

// place chooses the offset of node i.
func (b *builder) place(i int) error {
	n := &b.nodes[i]
	labels := make([]uint32, 0, blockUnits)
	if n.id >= 0 {
		labels = append(labels, 0)
	}
	for _, c := range b.nodes[n.child : n.child+n.children] {
		labels = append(labels, uint32(c.label))
	}
	for {
		if offset, ok := b.find(labels); ok {
			n.offset = offset
			b.used[offset] = true
			for _, c := range labels {
				b.take(offset ^ c)
			}
			return nil
		}
		if len(b.units)+blockUnits > MaxUnits {
			return errTooLarge
		}
		b.grow()
	}
}

// find returns an unused offset at which all labels have free units. For
// several labels it looks at the newest block only; for a single one it goes round
// where it left off, because what it passed will hardly fit the next one.
func (b *builder) find(labels []uint32) (offset uint32, ok bool) {
	if len(labels) > 1 {
		oldest := uint32(max(1, len(b.units)-blockUnits))
		for at := b.free[0].prev; at >= oldest; at = b.free[at].prev {
			if offset = at ^ labels[0]; b.fits(offset, labels) {
				return offset, true
			}
		}
		return 0, false
	}
	for at, turned := b.cursor, false; ; at = b.free[at].next {
		if at == 0 {
			if turned {
				return 0, false
			}
			at, turned = b.free[0].next, true
		}
		if offset = at ^ labels[0]; b.fits(offset, labels) {
			b.cursor = b.free[at].next
			return offset, true
		}
	}
}

func (b *builder) fits(offset uint32, labels []uint32) bool {
	if b.used[offset] {
		return false
	}
	for _, c := range labels {
		if at := offset ^ c; at == 0 || b.units[at] != unitNoNode {
			return false
		}
	}
	return true
}

// grow adds a block of free units.
func (b *builder) grow() {
	for range blockUnits {
		at := uint32(len(b.units))
		b.units = append(b.units, unitNoNode)
		b.used = append(b.used, false)
		b.free = append(b.free, link{})
		last := b.free[0].prev
		b.free[at] = link{prev: last, next: 0}
		b.free[last].next = at
		b.free[0].prev = at
	}
}

// take removes a unit from the free ones.
func (b *builder) take(at uint32) {
	b.units[at] = 0
	if at == 0 {
		return
	}
	l := b.free[at]
	b.free[l.prev].next = l.next
	b.free[l.next].prev = l.prev
}

// write fills in the units, now that every node has its place.
func (b *builder) write() {
	for i, u := range b.units {
		if u == unitNoNode {
			b.units[i] = unusedUnit
		}
	}
	b.units[0] = unitInner | unit(b.nodes[0].offset)<<8
	for _, n := range b.nodes {
		if n.id >= 0 && n.children > 0 {
			b.units[n.offset] = unitNoNode | unit(n.id)<<8
		}
		for _, c := range b.nodes[n.child : n.child+n.children] {
			u := unit(c.label)
			switch {
			case c.children == 0:
				u |= unitLeaf | unit(c.id)<<8
			case c.id >= 0:
				u |= unitKey | unit(c.offset)<<8
			default:
				u |= unitInner | unit(c.offset)<<8
			}
			b.units[n.offset^uint32(c.label)] = u
		}
	}
}
