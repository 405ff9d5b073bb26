package analyze

// stopWord reports whether an English word of a query asks and does not tell.
func stopWord(w string) bool {
	if len(w) > 10 {
		return false
	}
	_, ok := stopWords[w]
	return ok
}

var stopWords = set("the a an")

var stopPhrases = set("什么")

func set(s string) map[string]struct{} { m := map[string]struct{}{s: {}}; return m }

// untilStop returns where the stop phrase at or after x begins, and where the
// text goes on after it; both are end when there is none.
func (s *scanner) untilStop(x, end int) (stop, next int) {
	return end, end
}
