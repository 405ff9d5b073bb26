//go:build !unix

package regular

// NonBlock is a flag for opening without waiting for the other end of a pipe.
// Pipes have no place among files here.
const NonBlock = 0

// noFollow refuses a link in the place of the file; 0 where that cannot be said.
const noFollow = 0
