// Package power tells whether this machine runs on its battery, as far as its system
// says so. A machine without a battery never does, nor one whose system says nothing.
package power

import (
	"sync"
	"time"
)

// believed is how long an answer of the system holds.
const believed = 10 * time.Second

var last struct {
	sync.Mutex // guards the fields below
	asked      time.Time
	on         bool
}

// OnBattery reports whether the machine runs on its battery. The system is asked at most
// every ten seconds: on Linux that reads a few small files, on Windows it is one system
// call, and on macOS pmset runs, for two seconds at most. It is safe for concurrent use.
func OnBattery() bool {
	last.Lock()
	defer last.Unlock()
	if last.asked.IsZero() || time.Since(last.asked) > believed {
		last.on, last.asked = onBattery(), time.Now()
	}
	return last.on
}
