package notebook

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEditOfAddition: an addition is described as any other change of the same bytes.
func TestEditOfAddition(t *testing.T) {
	for _, old := range []string{"", "\n", "a\n", "# A\n\n- b\n", "没有\r\n", "no end", "a\n a"} {
		for _, addition := range []string{"a\n", "\n", "\na\n", "- 加的\n- 两行\n", "a"} {
			note := &draftNote{held: new(heldNote), old: old, exists: true, addition: addition}
			if diff := cmp.Diff(difference(old, old+addition), note.edit(old)); diff != "" {
				t.Errorf("%q and %q (-want +got):\n%s", old, addition, diff)
			}
		}
	}
	note := &draftNote{old: "code 1234\n", exists: true, addition: "a\n"}
	if diff := cmp.Diff(difference("code ****\n", note.now()), note.edit("code ****\n")); diff != "" {
		t.Errorf("of a masked note (-want +got):\n%s", diff)
	}
}
