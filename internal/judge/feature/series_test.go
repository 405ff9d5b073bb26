package feature

import "testing"

// TestOtherOfSeries: a number that names a thing, with the word for a number before it or
// without, tells it from another one; a number that is said of something does not.
func TestOtherOfSeries(t *testing.T) {
	for _, test := range []struct {
		older, newer string
		want         bool
	}{
		{"Phase 1 is done", "Phase 2 is done", true},
		{"Sensor number 18 measures 126 lux", "Sensor number 38 measures 266 lux", true},
		{"The pump no. 4 leaks", "The pump no. 5 leaks", true},
		{"Pump nr 4 leaks", "Pump Nr. 5 leaks", true},
		{"Halle Nummer 3 hat Strom", "Halle Nummer 4 hat Strom", true},
		{"Salle numéro 3 est froide", "Salle numéro 4 est froide", true},
		{"Sensor number 18 measures 126 lux", "Sensor number 18 measures 266 lux", false},
		{"Sensor number 18 measures 126 lux", "Pump number 38 measures 266 lux", false},
		{"My locker is number 17", "My locker is number 18", false},
		{"My phone number is 5550", "My phone number is 5551", false},
		{"We use port number 8080", "We use port number 9090", false},
	} {
		if got := otherOfSeries(fold(test.older), fold(test.newer)); got != test.want {
			t.Errorf("%q, %q: got %t", test.older, test.newer, got)
		}
	}
}
