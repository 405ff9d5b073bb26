// Package typo measures how far apart two spellings are.
package typo

// Distance is Levenshtein's ("Binary codes capable of correcting deletions,
// insertions, and reversals", 1966): the least number of characters to insert,
// delete and replace that makes one of the other.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			cost := diagonal
			if r != s {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}
