package memoir

// maxAlsoIn is how many passages with the same text a hit names.
const maxAlsoIn = 10

// collapse leaves out the candidates whose text a better one has, and names
// them with that one.
func collapse(all []*found) []*found {
	at := make(map[uint64]int, len(all))
	kept := make([]*found, 0, len(all))
	for _, f := range all {
		i, known := at[f.Digest]
		switch {
		case !known:
			at[f.Digest], f.alsoIn = len(kept), nil
			kept = append(kept, f)
		case f.score > 0 && len(kept[i].alsoIn) < maxAlsoIn:
			kept[i].alsoIn = append(kept[i].alsoIn, Chunk{ChunkMeta: f.ChunkMeta})
		}
	}
	return kept
}

// fusion names what made the order, "" for a list.
func (s *searcher) fusion() string {
	if s.asked.text == "" {
		return ""
	}
	return s.engine.ranking.Fusion
}

// hits makes the answer of the candidates; what scores nothing is no hit.
func (s *searcher) hits(all []*found) []Hit {
	hits := []Hit{}
	for _, f := range all {
		if len(hits) == s.query.Limit || f.score < s.query.MinScore || f.score == 0 {
			break
		}
		h := Hit{
			Chunk: f.chunk, Score: f.score, TextScore: round(f.lists.Text), VectorScore: round(f.lists.Vector),
			AlsoIn: f.alsoIn,
		}
		if s.query.Explain {
			h.Explain = &Explain{
				Fusion: s.fusion(),
				Text:   Part{f.lists.TextRank, f.share, f.lists.Text, f.weights.Text},
				Vector: Part{f.lists.VectorRank, f.cosine, f.lists.Vector, f.weights.Vector},
				Link:   f.link, Signals: f.signals, Exact: f.exact, Rerank: f.rerank,
			}
		}
		hits = append(hits, h)
	}
	return hits
}
