//go:build !amd64 && !arm64

package vecmath

// archKernels returns nothing: plain Go is all there is here.
func archKernels() []*Kernels { return nil }
