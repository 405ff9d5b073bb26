//go:build !linux

package vecmath

// amxGranted returns false: memoir knows no way to ask other systems for the tile
// registers.
func amxGranted() bool { return false }
