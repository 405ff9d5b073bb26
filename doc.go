// Package memoir is long-term memory for AI agents that people can read: its words
// and its ports.
//
// Markdown files are the truth. An index beside them, which may be deleted at any
// moment, makes them searchable by word and by meaning. Package engine puts the
// parts together and answers. The parts stand behind three ports, and package ability
// has what only some of them can do:
//
//   - a [Source] lists and reads documents (package source/mdfile: a folder of notes),
//   - a [Store] keeps chunks, their terms and their vectors (store/sqlite on disk,
//     store/memstore in memory),
//   - an [Embedder] turns text into vectors (embed/local: a model inside the binary;
//     embed/openai and others: servers).
//
// A [Query] is asked and [Results] come back. What could not take part is named in
// [Results.Degraded], with what to do about it.
package memoir
