package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
)

func TestRestrict(t *testing.T) {
	notes := []memoir.Kind{memoir.KindNote}
	tests := map[string]struct {
		filter     memoir.Filter
		conditions []condition
		want       memoir.Filter
	}{
		"nothing": {},
		"days get fewer": {
			memoir.Filter{From: "2026-01-01", To: "2026-12-31"},
			[]condition{{filter: memoir.Filter{From: "2026-03-01", To: "2027-01-01"}}, {filter: memoir.Filter{From: "2025-01-01", To: "2026-06-30"}}},
			memoir.Filter{From: "2026-03-01", To: "2026-06-30"},
		},
		"paths add up": {
			memoir.Filter{Paths: []string{"a"}},
			[]condition{{filter: memoir.Filter{Paths: []string{"b"}}}},
			memoir.Filter{Paths: []string{"a", "b"}},
		},
		"what is left out": {
			memoir.Filter{},
			[]condition{{filter: memoir.Filter{Paths: []string{"b"}}, not: true}},
			memoir.Filter{Without: []memoir.Filter{{Paths: []string{"b"}}}},
		},
		"kinds of both": {
			memoir.Filter{Kinds: []memoir.Kind{memoir.KindNote, memoir.KindSession}},
			[]condition{{filter: memoir.Filter{Kinds: []memoir.Kind{memoir.KindCollection, memoir.KindNote}}}},
			memoir.Filter{Kinds: notes},
		},
		"any kind before": {
			memoir.Filter{},
			[]condition{{filter: memoir.Filter{Kinds: notes}}},
			memoir.Filter{Kinds: notes},
		},
		"no kind of both": {
			memoir.Filter{Kinds: notes},
			[]condition{{filter: memoir.Filter{Kinds: []memoir.Kind{memoir.KindSession}}}},
			memoir.NoChunk(),
		},
		"two memories": {
			memoir.Filter{Scope: memoir.ScopeUser},
			[]condition{{filter: memoir.Filter{Scope: memoir.ScopeProject}}},
			memoir.NoChunk(),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, restrict(tt.filter, tt.conditions)); diff != "" {
				t.Errorf("restrict (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRestrictKeepsFilter: a search that begins again has the filter that it had.
func TestRestrictKeepsFilter(t *testing.T) {
	f := memoir.Filter{Kinds: []memoir.Kind{memoir.KindNote, memoir.KindSession}, Paths: make([]string, 0, 4), Without: make([]memoir.Filter, 0, 4)}
	restrict(f, []condition{
		{filter: memoir.Filter{Kinds: []memoir.Kind{memoir.KindSession}, Paths: []string{"b"}}},
		{filter: memoir.Filter{Paths: []string{"c"}}, not: true},
	})
	want := memoir.Filter{Kinds: []memoir.Kind{memoir.KindNote, memoir.KindSession}, Paths: []string{""}, Without: []memoir.Filter{{}}}
	f.Paths, f.Without = f.Paths[:1], f.Without[:1]
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("the filter has changed (-want +got):\n%s", diff)
	}
}
