// Package mounttest gives tests disks that are full, small or taken away: on Linux, in a
// process whose mounts are its own.
package mounttest
