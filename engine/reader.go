package engine

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/reader"
)

// reader returns what reads texts, or nil when nothing does.
func (e *Engine) reader() judge.Reader {
	for _, from := range []memoir.Embedder{e.embedder, e.reads} {
		if r := readerOf(from); r != nil {
			return r
		}
	}
	return nil
}

// readerOf returns what reads texts with an embedding model, or nil when nothing was learned
// for that model.
func readerOf(e memoir.Embedder) judge.Reader {
	inside, ok := memoir.As[interface {
		Reads() bool
		Reader() (*reader.Reader, error)
	}](e)
	if !ok || !inside.Reads() {
		return nil
	}
	return lazyReader{inside.Reader}
}

// A lazyReader opens the reader when the first text is read.
type lazyReader struct {
	open func() (*reader.Reader, error)
}

func (l lazyReader) Pairs(ctx context.Context, older []string, newer string) ([]reader.Pair, error) {
	r, err := l.open()
	if err != nil {
		return nil, err
	}
	return r.Pairs(ctx, older, newer)
}

func (l lazyReader) Answers(ctx context.Context, question string, entries []string) ([]reader.Answer, error) {
	r, err := l.open()
	if err != nil {
		return nil, err
	}
	return r.Answers(ctx, question, entries)
}

func (l lazyReader) Texts(ctx context.Context, texts []string) ([]reader.Text, error) {
	r, err := l.open()
	if err != nil {
		return nil, err
	}
	return r.Texts(ctx, texts)
}
