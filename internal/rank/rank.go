// Package rank turns counts and similarities into one order: BM25 over the
// occurrences that a store found, and the fusion of a text list with a vector
// list. It knows ids and numbers only; every store and the engine use the same
// code, so that all rank alike.
package rank
