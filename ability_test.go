package memoir_test

import (
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

type packer int

func (p packer) Texts() int { return int(p) }

// wrapper stands before another part, or before none.
type wrapper struct{ part any }

func (w *wrapper) Unwrap() any { return w.part }

// packingWrapper has the ability of its own.
type packingWrapper struct {
	*wrapper
	packer
}

// TestAs checks that As finds the ability of a part, and that of the part which
// a wrapper stands before, even one that it gets later.
func TestAs(t *testing.T) {
	later := &wrapper{}
	for name, tt := range map[string]struct {
		part any
		want int // 0: none
	}{
		"none":               {nil, 0},
		"no part of ours":    {"a text", 0},
		"its own":            {packer(1), 1},
		"behind one":         {&wrapper{packer(2)}, 2},
		"behind two":         {&wrapper{&wrapper{packer(3)}}, 3},
		"the outer one's":    {packingWrapper{&wrapper{packer(4)}, 5}, 5},
		"behind what is not": {later, 0},
	} {
		p, ok := memoir.As[ability.Packer](tt.part)
		if ok != (tt.want > 0) || ok && p.Texts() != tt.want {
			t.Errorf("%s: As = %v, %v; want %d", name, p, ok, tt.want)
		}
	}
	later.part = packer(6)
	if p, ok := memoir.As[ability.Packer](later); !ok || p.Texts() != 6 {
		t.Errorf("once it is there: As = %v, %v; want 6", p, ok)
	}
}
