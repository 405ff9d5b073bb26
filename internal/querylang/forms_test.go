package querylang

import "testing"

// TestForms: every form of the data files is a regular expression. Each is compiled when a
// text holds its words.
func TestForms(t *testing.T) {
	o := readOccasions()
	o.not()
	for _, c := range o.cues {
		if c.form().NumSubexp() != 1 {
			t.Errorf("%s has %d groups, want one", c.form(), c.form().NumSubexp())
		}
	}
	for _, form := range readKinds().asks {
		form()
	}
}
