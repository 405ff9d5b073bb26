package bert

import "slices"

const (
	// batchTokens is how many tokens a batch may have, unless a single text has
	// more. Unpacking the weights once costs as much as computing a few tokens,
	// which is little in a batch of this size. Its rows still fit into the
	// cache.
	batchTokens = 512
	// leastTokens keeps small calls from being divided among too many
	// goroutines.
	leastTokens = 64
)

// pack divides texts, by their indices, into batches of about equal numbers of
// tokens, a multiple of the workers where there is work for all. The longest
// texts come first, so that the workers finish at about the same time.
func pack(texts [][]int32, workers int) [][]int {
	total := 0
	order := make([]int, len(texts))
	for i, ids := range texts {
		order[i] = i
		total += len(ids)
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(texts[b]) - len(texts[a]) })

	rounds := (total + workers*batchTokens - 1) / (workers * batchTokens)
	limit := batchTokens
	if rounds > 0 {
		each := (total + workers*rounds - 1) / (workers * rounds)
		limit = min(batchTokens, max(leastTokens, each))
	}
	var batches [][]int
	first, tokens := 0, 0
	for i, text := range order {
		n := len(texts[text])
		if i > first && tokens+n > limit {
			batches = append(batches, order[first:i])
			first, tokens = i, 0
		}
		tokens += n
	}
	if first < len(order) {
		batches = append(batches, order[first:])
	}
	return batches
}
