package wire

import "github.com/memoir-ai/memoir"

// AllSources limits a question to no kind of documents.
const AllSources = "all"

// KindsOf returns the kinds of documents that a question is limited to by a source, which
// is [AllSources], "" for the same, or one of the names that answers give
// ([memoir.Kind.Origin]). They are nil where it is not limited. ok is false for any other word.
func KindsOf(source string) (kinds []memoir.Kind, ok bool) {
	if source == "" || source == AllSources {
		return nil, true
	}
	for _, kind := range []memoir.Kind{memoir.KindNote, memoir.KindSession, memoir.KindCollection} {
		if source == kind.Origin() {
			return []memoir.Kind{kind}, true
		}
	}
	return nil, false
}
