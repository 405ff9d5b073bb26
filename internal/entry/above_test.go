package entry

import "testing"

// An entry that is removed takes the comment above it along: it must not become that of the
// next one.
func TestRemoveWithCommentAbove(t *testing.T) {
	src := "# User\n\n<!-- id: bbbb1111 | status: superseded | by: aaaa1111 -->\n- Ann likes coffee\n\n- Ann lives in Kiel\n"
	for _, e := range Parse(Remove(src, Parse(src)[0])) {
		if e.Fields.Get(ID) != "" || e.Superseded() {
			t.Errorf("%q has %v", e.Text, e.Fields)
		}
	}
}

// What is added at the end takes no comment that stands alone there.
func TestAdditionBelowComment(t *testing.T) {
	src := "# User\n\n- Ann lives in Kiel\n<!-- id: bbbb1111 | status: superseded | by: aaaa1111 -->\n"
	added := (*Reading)(nil).Addition(src, Item("told", Fields{{Key: ID, Value: "zzzzzzzz"}}, false))
	all := Parse(src + added)
	if e := all[len(all)-1]; e.Text != "told" || e.Superseded() || e.Fields.Get(ID) != "zzzzzzzz" {
		t.Errorf("%q has %v", e.Text, e.Fields)
	}
}

// A fence that is indented by four spaces closes no block of code.
func TestAdditionBehindFence(t *testing.T) {
	src := "```\n- Ada\n    ```\n"
	added := (*Reading)(nil).Addition(src, Item("told", Fields{{Key: ID, Value: "zzzzzzzz"}}, false))
	if all := Parse(src + added); len(all) == 0 {
		t.Errorf("%q holds no entry", src+added)
	}
}
