// Package rank turns counts and similarities into one order: it computes BM25
// from the occurrences that a store found, and fuses a text list with a vector
// list. It knows only ids and numbers. All stores and the engine use it, so
// that all rank alike.
package rank
