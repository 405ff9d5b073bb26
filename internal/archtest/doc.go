// Package archtest holds the layers of memoir as a test: which package may
// import which, where a technology may be named, and that nothing happens
// behind a reader's back. docs/ARCHITECTURE.md draws the same picture.
package archtest
