//go:build !race

package bert

// raceEnabled tells that the race detector slows everything down.
const raceEnabled = false
