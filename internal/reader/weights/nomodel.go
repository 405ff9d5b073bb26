//go:build nomodel

// Package weights is empty in a build with the tag nomodel.
package weights

// File returns nothing: this build has no model inside.
func File() []byte { return nil }
