//go:build race

package cli_test

// raceEnabled tells that the race detector slows everything down.
const raceEnabled = true
