package app

import (
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/power"
)

// onBattery asks the system; a test sets another.
var onBattery = power.OnBattery

// savesPower reports whether vectors of many notes wait because the machine runs on its
// battery. What another machine computes costs this one little and does not wait.
func (a *App) savesPower() bool {
	return !a.Settings.Embed.OnBattery && !a.Settings.LeavesMachine(config.Choose(a.Settings).Provider) && onBattery()
}
