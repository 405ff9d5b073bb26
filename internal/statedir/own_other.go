//go:build !unix

package statedir

import "io/fs"

// OwnFile does what [Own] does, for a file or folder that was looked at. Here
// the folder is among the user's own files, to which others cannot write.
func OwnFile(string, fs.FileInfo) error { return nil }
