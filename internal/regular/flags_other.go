//go:build !unix

package regular

// NonBlock is a flag for opening without waiting for the other end of a pipe.
// Pipes have no place among files here.
const NonBlock = 0

// NoFollow is a flag for opening no link in the place of the file; 0 where that
// cannot be said.
const NoFollow = 0

// Writable returns why this user may not write to a file or make one in a folder, nil where
// nothing is known against it. Nothing is changed to find out.
func Writable(path string) error { return nil }
