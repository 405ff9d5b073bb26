// Package trie looks up strings in a double array (Aoe 1989, in the 4-byte form
// of Yata's darts-clone) that is read in place: opening it costs no time and no
// memory. It needs neither the strings' text nor offsets into it, and finds all
// that begin at a position of a text in one walk.
//
// Its bytes come from [Build]. Damaged bytes make wrong walks, never a panic:
// whoever reads an id checks that it is one of his own.
package trie

import "encoding/binary"

// A unit of the array is 4 little-endian bytes. A node at index i whose offset
// is o has its child for byte c at index o XOR c; no two nodes share an offset,
// so the child's label alone proves whose child it is. What a node says about
// itself:
//
//	bits  0-7   label: the byte that leads to it
//	bits  8-29  payload: the offset of its children, or the id of its key
//	bits 30-31  how to read it
//
// A node that ends a key and has children keeps the key's id in a unit of its
// own, at its offset (as if the byte 0 led to it, which no key holds).
type unit = uint32

const (
	unitInner  unit = iota << 30 // has children, ends no key
	unitKey                      // has children and ends a key
	unitLeaf                     // has no children and ends a key: the payload is its id
	unitNoNode                   // the id of a unitKey, or an unused place

	unitKinds = unit(3) << 30
)

const (
	// MaxUnits bounds the units of a trie, and so the ids.
	MaxUnits = 1 << 22
	// UnitSize is the length of a unit in bytes.
	UnitSize = 4

	payloadMask = MaxUnits - 1
	unusedUnit  = ^uint32(0)
)

// Trie is a double array read in place. It is safe for concurrent use.
type Trie struct {
	units []byte
}

// Open returns the trie that [Build] wrote. It refers to units, which must not
// change.
func Open(units []byte) Trie { return Trie{units} }

// A Node is where a walk stands.
type Node uint32

// Root returns where every walk begins. It ends no key.
func (t Trie) Root() Node { return Node(t.at(0)) }

// Child returns where byte c leads from n; ok is false if it leads nowhere.
func (t Trie) Child(n Node, c byte) (child Node, ok bool) {
	child = Node(t.at(uint32(n)>>8&payloadMask ^ uint32(c)))
	return child, uint32(child)&0xff == uint32(c) && uint32(child)&unitKinds != unitNoNode
}

// Ends reports whether n ends a key, whose id [Trie.ID] returns.
func (n Node) Ends() bool { return uint32(n)&unitKinds != unitInner }

// IsLeaf reports whether nothing leads on from n. The walk ends there: what
// Child returns for a leaf means nothing.
func (n Node) IsLeaf() bool { return uint32(n)&unitKinds == unitLeaf }

// ID returns the id of the key that ends at n, which must end one.
func (t Trie) ID(n Node) uint32 {
	payload := uint32(n) >> 8 & payloadMask
	if n.IsLeaf() {
		return payload
	}
	return t.at(payload) >> 8 & payloadMask
}

// at returns unit i; one outside of the array is a unit that nothing leads to.
func (t Trie) at(i uint32) unit {
	if uint64(i)*UnitSize+UnitSize > uint64(len(t.units)) {
		return unusedUnit
	}
	return binary.LittleEndian.Uint32(t.units[i*UnitSize:])
}
