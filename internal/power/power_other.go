//go:build !linux && !darwin && !windows

package power

func onBattery() bool { return false }
