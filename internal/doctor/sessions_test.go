package doctor

import "testing"

// TestVersions: what is said of the versions of transcripts, also where a format states none.
func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		read int
		of   map[string]int
		want string
	}{
		{3, nil, "none states one"},
		{3, map[string]int{"2.1": 1, "2.2": 2}, "2 of 2.2, 1 of 2.1"},
		{5, map[string]int{"1.18.33": 2}, "2 of 1.18.33, 3 without one"},
		{7, map[string]int{"1": 1, "2": 1, "3": 1, "4": 1, "5": 1, "6": 1, "7": 1}, "1 of 1, 1 of 2, 1 of 3, 1 of 4, 1 of 5, 2 more versions"},
	} {
		if got := versions(tt.read, tt.of); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
