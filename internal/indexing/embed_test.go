package indexing_test

import (
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/indexing"
	"github.com/memoir-ai/memoir/store/memstore"
)

// TestTextOfAnotherHash: the vector of a text is not kept under the hash of another one, which the
// chunk had in an index that is damaged.
func TestTextOfAnotherHash(t *testing.T) {
	store, embedder := memstore.New(), &embedtest.Embedder{}
	c := memoir.IndexedChunk{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: "a.md"}, Kind: memoir.KindNote}, Text: "what there is"}}
	c.EmbedHashes = []memoir.Hash{memoir.HashText("what there was"), memoir.HashText("what there is")}
	if err := store.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{{DocumentMeta: memoir.DocumentMeta{ID: "a.md", Kind: memoir.KindNote}, Chunks: []memoir.IndexedChunk{c}}}}); err != nil {
		t.Fatal(err)
	}
	x, err := indexing.New(indexing.Config{Store: store, Embedder: embedder, Closing: t.Context()})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := x.EmbedPending(t.Context(), nil)
	if err != nil || stats.Embedded != 1 || stats.Failed != 1 {
		t.Errorf("got %+v, %v; want one vector and one failure", stats, err)
	}
	counts, err := store.Stats(t.Context(), embedder.Space())
	if err != nil || counts.Pending != 0 || counts.Failed != 1 {
		t.Errorf("got %+v, %v; want one that failed", counts, err)
	}
	left, err := store.PendingTexts(t.Context(), embedder.Space(), time.Now().Add(1000*time.Hour), "", 9)
	if err != nil || len(left) != 1 || left[0].Hash != c.EmbedHashes[0] {
		t.Errorf("got %v, %v; want the text that there was", left, err)
	}
}
