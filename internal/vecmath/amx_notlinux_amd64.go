//go:build !linux

package vecmath

// amxGranted: other systems' ways to the tile registers are not known here.
func amxGranted() bool { return false }
