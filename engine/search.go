package engine

import (
	"context"
	"log/slog"

	"github.com/memoir-ai/memoir"
)

// Search answers a query. First it indexes changed files, within the engine's
// time budget. A part that cannot take part is left out and named in
// [memoir.Results.Degraded]. An error means that no part could answer. A larger
// limit appends hits and never changes their order.
func (e *Engine) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	if err := e.calls.begin("search"); err != nil {
		return memoir.Results{}, err
	}
	defer e.calls.end()
	res, err := e.searcher.Search(ctx, q)
	if err == nil {
		logAnswer(e.asking.Logger, res)
	}
	if err == nil && e.answered != nil {
		e.answered(q, res)
	}
	return res, err
}

// logAnswer logs that a search was answered, without a word of it.
func logAnswer(log *slog.Logger, res memoir.Results) {
	log.Debug("search", "mode", res.Mode, "hits", len(res.Hits), "degraded", len(res.Degraded), "ms", res.Took.Milliseconds())
}

// Why explains why the passage that holds a line of a document was or was not
// found. Lines count from 1; line 0 asks for the best passage of the document.
// Why runs the query as [Engine.Search] does, and like it indexes changed files
// first. An error means that the question makes no sense, for example because
// there is no such line, or that no part could answer.
func (e *Engine) Why(ctx context.Context, q memoir.Query, id memoir.DocID, line int) (memoir.Why, error) {
	if err := e.calls.begin("search"); err != nil {
		return memoir.Why{}, err
	}
	defer e.calls.end()
	return e.searcher.Why(ctx, q, id, line)
}
