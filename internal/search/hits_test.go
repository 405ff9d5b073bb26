package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
)

// candidateOf makes a candidate of a document, with words that have a digest.
func candidateOf(doc string, kind memoir.Kind, digest uint64, score float64) *candidate {
	return &candidate{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: memoir.DocID(doc)}, Kind: kind, Digest: digest}, score: score}
}

func docs(all []*candidate) (out []string) {
	for _, f := range all {
		out = append(out, string(f.Doc))
	}
	return out
}

func TestCollapse(t *testing.T) {
	const note, book, talk = memoir.KindNote, memoir.KindCollection, memoir.KindSession
	tests := map[string]struct {
		all  []*candidate
		want []string
	}{
		"none": {nil, nil},
		"the better of two": {
			[]*candidate{candidateOf("a", note, 1, .9), candidateOf("b", note, 1, .8), candidateOf("c", note, 2, .7)},
			[]string{"a", "c"},
		},
		"a note before a better session": {
			[]*candidate{candidateOf("talk", talk, 1, .9), candidateOf("a", note, 1, .8)},
			[]string{"a"},
		},
		"a document before a better session": {
			[]*candidate{candidateOf("talk", talk, 1, .9), candidateOf("book", book, 1, .8), candidateOf("talk2", talk, 2, .7)},
			[]string{"book", "talk2"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, docs(collapse(tt.all))); diff != "" {
				t.Errorf("collapse (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLift: more phrases come before fewer, and a note by its name before all, with scores
// that still fall and lie within 1.
func TestLift(t *testing.T) {
	all := []*candidate{
		candidateOf("best", memoir.KindNote, 1, .9),
		candidateOf("one phrase", memoir.KindNote, 2, .5),
		candidateOf("two phrases", memoir.KindNote, 3, .4),
		candidateOf("named", memoir.KindNote, 4, .1),
		candidateOf("rest", memoir.KindNote, 5, 0),
	}
	s := search{asked: understood{phrases: make([]quotedPhrase, 2)}}
	s.exact = exact{
		holders: map[memoir.ChunkID]int{all[1].ChunkID: 1, all[2].ChunkID: 2},
		named:   map[note]bool{noteOf(all[3].ChunkID): true},
		chunks:  []memoir.ChunkID{all[1].ChunkID, all[2].ChunkID, all[3].ChunkID},
	}
	s.lift(all)
	if diff := cmp.Diff([]string{"named", "two phrases", "one phrase", "best", "rest"}, docs(all)); diff != "" {
		t.Errorf("lift (-want +got):\n%s", diff)
	}
	for i, f := range all {
		if f.score < 0 || f.score > 1 || i > 0 && f.score >= all[i-1].score {
			t.Errorf("score %d is %v behind %v; want less, within 0 and 1", i, f.score, all[max(i-1, 0)].score)
		}
	}
	if !all[0].exact.Name || all[1].exact.Phrases != 2 || all[3].exact.Above != 0 {
		t.Errorf("explained as %+v, %+v, %+v", all[0].exact, all[1].exact, all[3].exact)
	}
}
