package notebook

import "testing"

// What a draft only adds to stays as it was read; what it writes anew does not.
func TestDraftStart(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "a\n", "b.md": "b\n"})
	do(t, n, func(d *Draft) error {
		if err := d.Append("a.md", "more\n"); err != nil {
			return err
		}
		if err := d.Write("b.md", "b\nelse\n"); err != nil {
			return err
		}
		for id, want := range map[string]string{"a.md": "a\n", "b.md": "", "new.md": ""} {
			if got, err := d.Start(id); got != want || err != nil {
				t.Errorf("%s: got %q, %v, want %q", id, got, err, want)
			}
		}
		return nil
	})
}
