//go:build !nomodel

// Package weights holds what the reader has learned: adapters of the model that
// is inside the binary (package embed/local/weights), as lab/reader makes them.
// The build tag nomodel leaves them out.
package weights

import _ "embed"

//go:embed reader.memoir
var file []byte

// File returns the file, in place; nobody may change it. It is empty when memoir
// was built with the tag nomodel.
func File() []byte { return file }
