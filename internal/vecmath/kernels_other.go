//go:build !amd64 && !arm64

package vecmath

// archKernels returns nothing: this architecture has plain Go only.
func archKernels() []*Kernels { return nil }
