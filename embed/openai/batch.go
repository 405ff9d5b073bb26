package openai

import (
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
)

// maxRequestTokens bounds the estimated tokens of one request; OpenAI takes
// 300,000, small servers far fewer at a tolerable speed.
const maxRequestTokens = 100_000

// input is a text on its way out with its place in the answer.
type input struct {
	position int
	text     string // with its prefix, cut
}

// batches packs the texts that are not blank in order.
func (e *Embedder) batches(task memoir.Task, texts []string) [][]input {
	prefix := e.opts.DocumentPrefix
	if task == memoir.TaskQuery {
		prefix = e.opts.QueryPrefix
	}
	var (
		out    [][]input
		batch  []input
		tokens int
	)
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue // servers refuse them, and they mean nothing
		}
		text, n := cut(prefix+text, e.opts.MaxTokens)
		if len(batch) == e.opts.MaxBatch || len(batch) > 0 && tokens+n > maxRequestTokens {
			out = append(out, batch)
			batch, tokens = nil, 0
		}
		batch = append(batch, input{i, text})
		tokens += n
	}
	if len(batch) > 0 {
		out = append(out, batch)
	}
	return out
}

// cut shortens a text to a number of tokens and returns how many it has. The
// estimate is on the safe side for byte-pair vocabularies: three ASCII
// characters to a token, and two tokens to any other character.
func cut(text string, maxTokens int) (string, int) {
	const ascii, other = 1, 6 // in thirds of a token
	thirds := 0
	for i, r := range text {
		cost := ascii
		if r >= utf8.RuneSelf {
			cost = other
		}
		if thirds+cost > 3*maxTokens {
			return text[:i], maxTokens
		}
		thirds += cost
	}
	return text, (thirds + 2) / 3
}
