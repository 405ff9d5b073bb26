package search

import (
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
)

// clearMargin is by how much the passage that is nearest to a question in meaning has to
// be nearer than any of another note, on the scale of scores.
const clearMargin = .05

// nearestPlace is the last place that such a passage takes: an answer of which nothing is
// confident shows as many.
const nearestPlace = unsureHits

// nearlyFilled is the share of the texts that have a vector at least: of fewer, one that
// has none yet may be nearer.
const nearlyFilled = .9

// placeNearest raises the passage that is nearest in meaning by a clear margin to the
// third place, if it and its note stand lower. Passages that share a common word with the
// question would hide it, and a question need not share a word with its answer. One that
// holds an identifier names what it wants. placeNearest orders the candidates anew.
func (s *search) placeNearest(all []*candidate) {
	if s.mode() != memoir.ModeHybrid || s.filled < nearlyFilled || s.namesIdentifier() {
		return
	}
	var nearest, next *candidate
	for _, f := range all {
		if f.lists.VectorRank == 1 {
			nearest = f
		}
	}
	if nearest == nil || nearest.score == 0 || isScrap(nearest) {
		return
	}
	for _, f := range all { // of the list as far as every search reads it
		if r := f.lists.VectorRank; r > 0 && r <= minCandidates && noteOf(f.ChunkID) != noteOf(nearest.ChunkID) && f.Digest != nearest.Digest &&
			(next == nil || r < next.lists.VectorRank) {
			next = f
		}
	}
	if next != nil && nearest.lists.Vector-next.lists.Vector >= clearMargin {
		raiseNearest(all, nearest)
	}
}

// raiseNearest raises a passage to the last place that the nearest takes, unless its note
// stands there or above. It orders the candidates anew.
func raiseNearest(all []*candidate, nearest *candidate) {
	sortFound(all)
	if len(all) < nearestPlace || slices.ContainsFunc(all[:nearestPlace], func(f *candidate) bool { return noteOf(f.ChunkID) == noteOf(nearest.ChunkID) }) {
		return
	}
	nearest.setScore(explain.SignalMeaning, nearest.lists.Vector, min(1, all[nearestPlace-1].score+1e-6))
	sortFound(all)
}
