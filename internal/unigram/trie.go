package unigram

import "encoding/binary"

// A unit of the trie is 4 bytes. A node at index i whose offset is o has its
// child for byte c at index o XOR c; no two nodes share an offset, so the
// child's label alone proves whose child it is. What a node says about itself:
//
//	bits  0-7   label: the byte that leads to it
//	bits  8-29  payload: the offset of its children, or the id of its piece
//	bits 30-31  how to read it
//
// A node that ends a piece and has children keeps the piece's id in a unit of
// its own, at its offset (as if the byte 0 led to it, which no piece holds).
type unit uint32

const (
	unitInner  unit = iota << 30 // has children, ends no piece
	unitPiece                    // has children and ends a piece
	unitLeaf                     // has no children and ends a piece: the payload is its id
	unitNoNode                   // the id of a unitPiece, or an unused place

	unitKinds = unit(3) << 30
)

const (
	maxUnits    = 1 << 22
	payloadMask = maxUnits - 1
	unusedUnit  = ^uint32(0)
)

// label returns the byte that leads to u, with a bit set that no byte has if
// no byte does.
func (u unit) label() uint32 {
	if u&unitKinds == unitNoNode {
		return 1 << 8
	}
	return uint32(u & 0xff)
}

func (u unit) payload() uint32 { return uint32(u>>8) & payloadMask }

// trie is a double array read in place. The root is at index 0.
type trie struct {
	units []byte
}

// at returns unit i; one outside of the array is a unit that nothing leads to.
func (t trie) at(i uint32) unit {
	if uint64(i)*4+4 > uint64(len(t.units)) {
		return unit(unusedUnit)
	}
	return unit(binary.LittleEndian.Uint32(t.units[i*4:]))
}
