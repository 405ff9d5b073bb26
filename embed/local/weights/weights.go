//go:build !nomodel

// Package weights holds the model inside the binary: multilingual-e5-small
// (Wang et al., "Multilingual E5 Text Embeddings", arXiv 2402.05672; MIT
// licence, see NOTICE), as memoir model convert --embedding-bits 2 makes it.
// No other package embeds it, so that what does not need it stays small. The
// build tag nomodel leaves it out.
package weights

import _ "embed"

//go:embed multilingual-e5-small.memoir
var file []byte

// File returns the model file, in place; nobody may change it. It is empty
// when memoir was built with the tag nomodel.
func File() []byte { return file }
