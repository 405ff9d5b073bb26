// Package memoir is long-term memory for AI agents that people can read.
//
// Markdown files are the truth; an index beside them, which may be deleted at
// any moment, makes them searchable by word and by meaning. An [Engine] joins
// three ports:
//
//   - a [Source] lists and reads documents (package source/mdfile: a folder of notes),
//   - a [Store] keeps chunks, their terms and their vectors, and ranks them
//     (store/sqlite on disk, store/memstore in memory),
//   - an [Embedder] turns text into vectors (embed/local: a model of 100
//     languages inside the binary; embed/openai: any compatible server).
//
// Data goes down one stair: [Engine.Sync] reads what changed, cuts it into
// chunks, analyses them and commits them, so that words are searchable at
// once; [Engine.EmbedPending] then computes the missing vectors, keyed by the
// hash of the text and the embedding [Space]. [Engine.Search] comes back up:
// it ranks words by BM25 and vectors by cosine, fuses both, and says in
// [Results.Degraded] what could not take part and what to do about it.
//
// No call to a language model, no network and no download happen unless an
// Embedder that needs them was configured.
package memoir
