package app

import "testing"

// SetBattery makes the machine run on its battery, or not, until the test ends.
func SetBattery(t *testing.T, on bool) {
	system := onBattery
	onBattery = func() bool { return on }
	t.Cleanup(func() { onBattery = system })
}
