package judge_test

import "testing"

// TestOneValue: who tells the same but for the number that is said of something takes the
// older number back. A number that names something, or of what happened once, does not.
func TestOneValue(t *testing.T) {
	for _, b := range []bounds{{"testdata/value.tsv", 0, 1, 50, 0}, {"testdata/value-unseen.tsv", 0, 0, 20, 0}} {
		b.hold(t)
	}
}

// TestLanguage: another language for answers takes the place of the one before. What is known
// of the user is neither changed nor repeated by it.
func TestLanguage(t *testing.T) {
	bounds{"testdata/language.tsv", 2, 0, 10, 0}.hold(t)
}

// TestStage: what says that something has come to another stage is never taken for the same,
// and is a change where it is of one thing.
func TestStage(t *testing.T) {
	for _, b := range []bounds{{"testdata/stage.tsv", 0, 0, 23, 0}, {"testdata/stage-unseen.tsv", 0, 0, 28, 0}} {
		b.hold(t)
	}
}

// TestOtherOfKind: what is told of another one of a kind takes nothing back, though the text
// tells of a change.
func TestOtherOfKind(t *testing.T) {
	for _, b := range []bounds{{"testdata/kind.tsv", 0, 2, 11, 0}, {"testdata/kind-unseen.tsv", 0, 0, 11, 0}} {
		b.hold(t)
	}
}

// TestOtherLanguages: corrections are told in German, French, Spanish, Italian and Portuguese,
// too, though no model was fitted to them.
func TestOtherLanguages(t *testing.T) {
	bounds{"testdata/changes-other.tsv", 0, 5, 75, 2}.hold(t)
}

// TestOtherPredicate: what else is told of somebody or something takes nothing back, though
// the text tells of a change.
func TestOtherPredicate(t *testing.T) {
	for _, b := range []bounds{{"testdata/predicate.tsv", 0, 27, 49, 0}, {"testdata/predicate-unseen.tsv", 0, 8, 12, 0}} {
		b.hold(t)
	}
}

// TestOtherValueNow: the same said of the same with another value that holds now takes the
// older one back; what is said of another thing, or holds beside it, does not.
func TestOtherValueNow(t *testing.T) {
	for _, b := range []bounds{{"testdata/frame.tsv", 0, 13, 56, 0}, {"testdata/frame-unseen.tsv", 0, 4, 18, 0}} {
		b.hold(t)
	}
}

// TestKorean: corrections are told in Korean, too, and what is told of something else takes
// nothing back.
func TestKorean(t *testing.T) {
	bounds{"testdata/korean.tsv", 0, 1, 16, 0}.hold(t)
	bounds{"testdata/korean-unseen.tsv", 0, 2, 14, 0}.hold(t)
}

// TestRussian: as TestKorean, in Russian.
func TestRussian(t *testing.T) {
	bounds{"testdata/russian.tsv", 0, 3, 17, 2}.hold(t)
	bounds{"testdata/russian-unseen.tsv", 0, 2, 26, 2}.hold(t)
}
