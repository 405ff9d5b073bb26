package power

import (
	"os"
	"path/filepath"
	"strings"
)

// supplies is where Linux has a folder for each battery and each charger.
const supplies = "/sys/class/power_supply"

func onBattery() bool { return discharging(supplies) }

// discharging reports whether a battery of the machine itself is being used up and no
// charger is at work. The battery of a mouse has the scope Device.
func discharging(dir string) bool {
	all, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	used := false
	for _, supply := range all {
		value := func(name string) string {
			data, _ := os.ReadFile(filepath.Join(dir, supply.Name(), name)) // "" where there is none
			return strings.TrimSpace(string(data))
		}
		switch kind := value("type"); {
		case value("scope") == "Device":
		case kind == "Battery":
			used = used || value("status") == "Discharging"
		case kind != "UPS" && value("online") == "1": // Mains, USB, Wireless
			return false
		}
	}
	return used
}
