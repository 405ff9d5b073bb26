package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
)

func TestKindsOf(t *testing.T) {
	tests := map[string]struct {
		kinds []memoir.Kind
		ok    bool
	}{
		"":            {nil, true},
		"all":         {nil, true},
		"memory":      {[]memoir.Kind{memoir.KindNote}, true},
		"sessions":    {[]memoir.Kind{memoir.KindSession}, true},
		"collections": {[]memoir.Kind{memoir.KindCollection}, true},
		"session":     {nil, false},
		"wiki":        {nil, false},
	}
	for source, want := range tests {
		kinds, ok := KindsOf(source)
		if diff := cmp.Diff(want.kinds, kinds); diff != "" || ok != want.ok {
			t.Errorf("KindsOf(%q) = %v, %v; want %v, %v", source, kinds, ok, want.kinds, want.ok)
		}
	}
}
