package unigram

import "unicode/utf8"

// node is the best way, among those found so far, to reach a position of a
// word.
type node struct {
	score float64 // sum of the pieces' scores since the word's beginning
	start int32   // the node that the last piece starts at; -1 if none ends here
	id    int32   // the last piece
}

// encodeWord appends the ids of the word in s, until dst has limit ids.
//
// Where no piece reaches across a position, every path goes through it. What
// lies before is then decided: it is appended, and the nodes start anew. So the
// memory depends on the longest stretch of overlapping pieces, not on the word.
// The score carries on, because other implementations add up from the beginning
// of the word, and rounding decides between paths of equal score.
func (t *Tokenizer) encodeWord(dst []int32, s *scratch, limit int) []int32 {
	word, first := s.word, len(dst)
	base, reach := 0, 0                            // where nodes[0] stands; the furthest end of a piece
	s.nodes = append(s.nodes[:0], node{start: -1}) // nodes[i] is the position base+i
	for at := 0; at < len(word); {
		_, width := utf8.DecodeRune(word[at:])
		reach = max(reach, t.extend(s, base, at, width))
		at += width
		if at < reach {
			continue
		}
		dst = t.appendPath(dst, s, first)
		if len(dst) >= limit {
			return dst[:limit]
		}
		s.nodes = append(s.nodes[:0], node{score: s.nodes[at-base].score, start: -1})
		base = at
	}
	return dst
}

// extend tries every piece that starts at position at of the word, and returns
// the end of the longest one. A character of the given width begins there. It
// is unknown if it is no piece.
func (t *Tokenizer) extend(s *scratch, base, at, width int) (reach int) {
	from, score := int32(at-base), s.nodes[at-base].score
	reach = at
	known := false
	word := s.word[at:min(len(s.word), at+t.longest)]
	n := t.trie.Root()
	for i, c := range word {
		var ok bool
		if n, ok = t.trie.Child(n, c); !ok {
			break
		}
		if !n.Ends() {
			continue
		}
		if id := t.trie.ID(n); int(id) < t.pieces {
			reach = at + i + 1
			known = known || i+1 == width
			s.relax(reach-base, node{score + t.score(int32(id)), from, int32(id)})
		}
		if n.IsLeaf() {
			break
		}
	}
	if !known {
		reach = max(reach, at+width)
		s.relax(at+width-base, node{score + t.unknown, from, t.unk})
	}
	return reach
}

// relax takes n as the way to reach node i if it is better than the one found
// before. Of two equal ways the first stays.
func (s *scratch) relax(i int, n node) {
	for i >= len(s.nodes) {
		s.nodes = append(s.nodes, node{start: -1})
	}
	if best := &s.nodes[i]; best.start < 0 || n.score > best.score {
		*best = n
	}
}

// appendPath appends the ids on the best path to the last node. Unknown
// characters in a row become one id; first is where the ids of the word begin.
func (t *Tokenizer) appendPath(dst []int32, s *scratch, first int) []int32 {
	s.path = s.path[:0]
	for i := int32(len(s.nodes) - 1); i > 0; i = s.nodes[i].start {
		s.path = append(s.path, s.nodes[i].id)
	}
	for i := len(s.path) - 1; i >= 0; i-- {
		id := s.path[i]
		if id == t.unk && len(dst) > first && dst[len(dst)-1] == t.unk {
			continue
		}
		dst = append(dst, id)
	}
	return dst
}
