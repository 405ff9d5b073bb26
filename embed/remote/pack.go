package remote

import (
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
)

// smallRequest is the number of texts below which a request is not split just
// to send more requests at a time.
const smallRequest = 32

// input is a text to be sent, with its place in the answer.
type input struct {
	position int
	text     string // with its prefix, cut
}

// pack makes requests of the texts that are not blank, in order. It makes as
// many as may be sent at a time, if each still has a fair number of texts.
func (e *Embedder) pack(task memoir.Task, texts []string) [][]input {
	prefix := e.cfg.DocumentPrefix
	if task == memoir.TaskQuery {
		prefix = e.cfg.QueryPrefix
	}
	limits := e.limits(len(texts))
	var (
		out           [][]input
		batch         []input
		tokens, bytes int
	)
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue // servers refuse blank texts, and they mean nothing
		}
		text, n := cut(prefix+text, limits.TextTokens)
		if len(batch) > 0 && (len(batch) >= limits.Texts || over(tokens+n, limits.Tokens) || over(bytes+len(text), limits.Bytes)) {
			out = append(out, batch)
			batch, tokens, bytes = nil, 0, 0
		}
		batch = append(batch, input{i, text})
		tokens += n
		bytes += len(text)
	}
	if len(batch) > 0 {
		out = append(out, batch)
	}
	return out
}

func over(n, limit int) bool { return limit > 0 && n > limit }

// limits returns those for a call with n texts.
func (e *Embedder) limits(n int) Limits {
	l := e.cfg.Limits
	fair := max(smallRequest, (n+e.cfg.Concurrency-1)/e.cfg.Concurrency)
	if l.Texts == 0 || l.Texts > fair {
		l.Texts = fair
	}
	if learnt := int(e.maxTexts.Load()); learnt > 0 {
		l.Texts = min(l.Texts, learnt)
	}
	return l
}

// learnMaxTexts records that a request of n texts was too large.
func (e *Embedder) learnMaxTexts(n int) {
	for {
		learnt := e.maxTexts.Load()
		if learnt > 0 && learnt <= int64(n/2) || e.maxTexts.CompareAndSwap(learnt, int64(max(1, n/2))) {
			return
		}
	}
}

// cut shortens a text to a number of tokens and returns how many it has; 0 cuts
// nothing. The estimate is on the safe side for byte-pair vocabularies: a token
// for three ASCII characters, and two tokens for any other character.
func cut(text string, maxTokens int) (string, int) {
	const ascii, other = 1, 6 // in thirds of a token
	thirds := 0
	for i, r := range text {
		cost := ascii
		if r >= utf8.RuneSelf {
			cost = other
		}
		if maxTokens > 0 && thirds+cost > 3*maxTokens {
			return text[:i], maxTokens
		}
		thirds += cost
	}
	return text, (thirds + 2) / 3
}

// half returns the first half of a text, whole characters.
func half(text string) string {
	i := len(text) / 2
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return text[:i]
}
