// Package citation reads where a passage stands, as answers write it and as people
// type it: a path with lines behind it.
package citation

import (
	"strconv"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

var form = lazyregexp.New(`(?s)^(.+)(?:#L?|:L?)([0-9]+)(?:-L?([0-9]+))?$`)

// Parse splits "path#L3-L9" or "path:3-9" into the path, 3 and 9; where one line
// is named, from and to are the same. A number that is no number of a line, 0 or one
// beyond what an int holds, is 0. It is not ok when no line stands behind the path.
func Parse(s string) (path string, from, to int, ok bool) {
	m := form().FindStringSubmatch(s)
	if m == nil {
		return "", 0, 0, false
	}
	from = number(m[2])
	if to = from; m[3] != "" {
		to = number(m[3])
	}
	return m[1], from, to, true
}

func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
