package feature

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxUnits bounds the words of a side that are aligned.
const maxUnits = 48

// A unit is what is aligned: a word in a script with blanks, or a token in one
// without.
type unit struct {
	text   string // in lower case
	latin  bool
	name   bool    // written as a name
	weight float64 // how much it says
	part   int     // of the text, which marks cut into parts
	vector []float32
}

// units joins tokens into words.
func units(tokens []Token, mean []float64) []unit {
	type run struct {
		text  string
		from  int
		to    int
		score float64
		latin bool
	}
	var runs []run
	for i, token := range tokens {
		text, begins := strings.CutPrefix(token.Text, "\u2581")
		first, _ := utf8.DecodeRuneInString(text)
		isLatin := first == '\'' || first < 0x250 && letter(first)
		if last := len(runs) - 1; last >= 0 && !begins && isLatin && runs[last].latin {
			runs[last].text += text
			runs[last].to = i + 1
			runs[last].score -= token.Score
		} else if text != "" {
			runs = append(runs, run{text, i, i + 1, -token.Score, isLatin})
		}
		if len(runs) > maxUnits {
			runs = runs[:maxUnits]
			break
		}
	}
	var all []unit
	part := 0
	for i, r := range runs {
		if !strings.ContainsFunc(r.text, func(r rune) bool { return letter(r) || r == '_' }) {
			if strings.ContainsAny(r.text, partMarks) {
				part++
			}
			continue
		}
		u := unit{text: strings.ToLower(r.text), latin: r.latin, weight: 1, part: part}
		switch {
		case stopWord(u.text):
			u.weight = 0
		case r.score > 5:
			u.weight = min(r.score, 16) - 4
		}
		first, _ := utf8.DecodeRuneInString(r.text)
		_, weekday := weekdays[u.text]
		whole := r.text == strings.ToUpper(r.text) && utf8.RuneCountInString(r.text) > 1
		u.name = r.latin && (unicode.IsUpper(first) && i > 0 && !weekday && u.text != "i" && !strings.HasPrefix(u.text, "i'") || whole && unicode.IsUpper(first))
		u.vector = meanOf(tokens[r.from:r.to], mean)
		all = append(all, u)
	}
	return all
}

// stopWord reports whether a word says nothing by itself.
func stopWord(word string) bool {
	return cues().stops[strings.Trim(fold(word), "'")]
}

// meanOf returns the direction of the tokens' mean vector, after subtracting
// the mean of all tokens.
func meanOf(tokens []Token, mean []float64) []float32 {
	v := make([]float32, len(mean))
	var squares float64
	sum := make([]float64, len(mean))
	for _, t := range tokens {
		for d := range sum {
			if d < len(t.Vector) {
				sum[d] += float64(t.Vector[d])
			}
		}
	}
	for d := range sum {
		sum[d] = sum[d]/float64(len(tokens)) - mean[d]
		squares += float64(sum[d] * sum[d])
	}
	if squares == 0 || math.IsNaN(squares) || math.IsInf(squares, 0) {
		return v
	}
	length := math.Sqrt(squares)
	for d := range sum {
		v[d] = float32(sum[d] / length)
	}
	return v
}

var alignedNames = []string{
	"names new", "names gone", "names common", "names exchanged", "precision", "recall", "weakest in new", "weakest in old",
	"unmatched in new 1", "unmatched in old 1", "unmatched in new 2", "unmatched in old 2", "unmatched in new 3", "unmatched in old 3",
	"assigned", "exchanged", "likeness of exchanged", "weight unmatched in new", "weight unmatched in old", "weight matched",
	"last to last", "last in new", "words of old", "words of new", "words of new to old", "first equal", "last equal",
	"first said in old", "first said in new", "first said to first", "unmatched early in old", "unmatched early in new", "unmatched late in old", "unmatched late in new",
	"unmatched words in old", "unmatched words in new",
}

// words puts the features that alignedNames names.
func (m *Meeting) words(r *Row) {
	x := make([]float64, 0, len(alignedNames))
	if m.likeness != nil {
		x = m.aligned()
	}
	for i, name := range alignedNames {
		if i < len(x) {
			r.put(name, x[i])
		} else {
			r.put(name, 0)
		}
	}
}

// aligned returns the features that alignedNames names.
func (m *Meeting) aligned() []float64 {
	ua, ub := m.older.units, m.newer.units
	likeness, bestA, bestB := m.likeness, m.bestA, m.bestB
	x := names(m.older, m.newer)
	wa, wb := weights(ua), weights(ub)
	x = append(x, weighted(bestB, wb), weighted(bestA, wa), weakest(bestB, wb), weakest(bestA, wa))
	db, da := lacks(bestB, wb), lacks(bestA, wa)
	for i := range 3 {
		x = append(x, db[i], da[i])
	}
	x = append(x, assigned(likeness, bestA, bestB, wa, wb)...)
	x = append(x, below(bestB, wb), below(bestA, wa))
	matched := 0.0
	for j, s := range bestB {
		if s > .8 {
			matched += wb[j]
		}
	}
	last, lastB := likeness[len(ua)-1], bestB[len(ub)-1]
	x = append(x, matched, slices.Max(last), lastB, float64(len(ua)), float64(len(ub)), float64(len(ub))/float64(len(ua)))
	x = append(x, number(ua[0].text == ub[0].text), number(ua[len(ua)-1].text == ub[len(ub)-1].text))
	fa, fb := firstSaid(wa), firstSaid(wb)
	x = append(x, bestA[fa], bestB[fb], likeness[fa][fb])
	ea, la, xa := halves(ua, bestA, wa)
	eb, lb, xb := halves(ub, bestB, wb)
	return append(x, ea, eb, la, lb, xa, xb)
}

// firstSaid returns the first word that carries meaning.
func firstSaid(weight []float64) int {
	for i, w := range weight {
		if w > .5 {
			return i
		}
	}
	return 0
}

// halves returns how much of the first half of the words is unmatched, how much
// of the second half, and how much of all words that are not numbers.
func halves(units []unit, best, weight []float64) (early, late, words float64) {
	var all [3]float64
	for i, s := range best {
		lack := min(max(1-s, 0), 1) * weight[i]
		if 2*i < len(best) {
			early, all[0] = early+lack, all[0]+weight[i]
		} else {
			late, all[1] = late+lack, all[1]+weight[i]
		}
		if !strings.ContainsFunc(units[i].text, unicode.IsNumber) {
			words, all[2] = words+lack, all[2]+weight[i]
		}
	}
	return early / max(all[0], .1), late / max(all[1], .1), words / max(all[2], .1)
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// names counts the names that only one side holds, and those that both hold.
func names(a, b *Side) []float64 {
	var fresh, gone, common float64
	seen := map[string]bool{}
	for _, u := range b.units {
		if u.name && !seen[u.text] {
			seen[u.text] = true
			if strings.Contains(a.text.folded, fold(u.text)) {
				common++
			} else {
				fresh++
			}
		}
	}
	clear(seen)
	for _, u := range a.units {
		if u.name && !seen[u.text] {
			seen[u.text] = true
			if !strings.Contains(b.text.folded, fold(u.text)) {
				gone++
			}
		}
	}
	return []float64{fresh, gone, common, number(fresh > 0 && gone > 0)}
}

func weights(units []unit) []float64 {
	w := make([]float64, len(units))
	for i, u := range units {
		w[i] = u.weight + .05
	}
	return w
}

func weighted(best, weight []float64) float64 {
	var sum, all float64
	for i, s := range best {
		sum, all = sum+float64(s*weight[i]), all+weight[i]
	}
	return sum / all
}

// partMarks are the marks between two parts of a text.
const partMarks = "。！？!?；;.，,、"

// fewestUnits is how many words that carry meaning a part has at least that is looked at by
// itself.
const fewestUnits = 2

// addsPart reports whether the newer text has a part with words that are unlike all of the
// older text. Texts of several parts are alike as a whole when one part is, or only what they
// are about; and of a text with more words than are aligned nobody knows the rest.
func (m *Meeting) addsPart() bool {
	if len(m.newer.units) >= maxUnits {
		return true
	}
	held := parts(m.newer.units, m.bestB)
	least := leastHeldPart
	if len(held) == 1 {
		least = leastHeldAlone
	}
	return slices.ContainsFunc(held, func(p part) bool { return p.held < least })
}

// keepsPart reports whether the older text has several parts, and one of them is unlike all of
// the newer text, so that it may still hold: who has moved may have the job that was told with
// the old address. A newer text of one part is about one thing, and what it says of that says
// nothing of another one of a list: of "shoe size 39, ring size 54" a new size of shoes leaves
// the ring. In languages whose small words are not known each of them is near to some other.
func (m *Meeting) keepsPart() bool {
	units := m.older.units
	held := parts(units, m.bestA)
	if len(held) > 1 && m.newer.units[len(m.newer.units)-1].part == 0 && language(m.newer.text.raw) != "" {
		nearest := slices.MaxFunc(held, func(a, b part) int { return cmp.Compare(a.held, b.held) })
		held = parts(units, m.besides(nearest))
	}
	return len(held) > 1 && slices.ContainsFunc(held, func(p part) bool { return p.held < leastMetPart })
}

// besides returns the likeness of each word of the older text to the nearest word of the newer,
// where what is as near or nearer to a word of one part counts for that part alone.
func (m *Meeting) besides(of part) []float64 {
	best := slices.Clone(m.bestA)
	for i := range best {
		if i >= of.from && i < of.to {
			continue
		}
		best[i] = 0
		for j, s := range m.likeness[i] {
			if s > best[i] && !slices.ContainsFunc(m.likeness[of.from:of.to], func(l []float64) bool { return l[j] >= s }) {
				best[i] = s
			}
		}
	}
	return best
}

// A part is what stands between two marks of a text and says something.
type part struct {
	from, to int     // of its words
	held     float64 // how well it is matched, from -1 to 1
}

// parts returns the parts of a text: the mean likeness of their words to the nearest ones of
// the other text, weighed by what they say.
func parts(units []unit, best []float64) (held []part) {
	weight := weights(units)
	for from := 0; from < len(units); {
		to, says := from, 0
		for ; to < len(units) && units[to].part == units[from].part; to++ {
			if units[to].weight >= 1 {
				says++
			}
		}
		if says >= fewestUnits {
			held = append(held, part{from, to, weighted(best[from:to], weight[from:to])})
		}
		from = to
	}
	return held
}

// weakest returns the weakest match of a word that carries meaning.
func weakest(best, weight []float64) float64 {
	least := 1.0
	for i, s := range best {
		if weight[i] > .5 {
			least = min(least, s)
		}
	}
	return least
}

// lacks returns how much is unmatched of the three heaviest words that match
// least.
func lacks(best, weight []float64) [3]float64 {
	all := make([]float64, 0, len(best)+3)
	for i, s := range best {
		all = append(all, min(max(1-s, 0), 2)*weight[i])
	}
	slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(b, a) })
	all = append(all, 0, 0, 0)
	return [3]float64(all[:3])
}

func below(best, weight []float64) float64 {
	var sum, all float64
	for i, s := range best {
		if s < .5 {
			sum += weight[i]
		}
		all += weight[i]
	}
	return sum / all
}

// assigned pairs words so that the sum of their likeness is highest. It returns
// how alike the pairs are, how many look like one word replaced by another, and
// the likeness of the best of those.
func assigned(likeness [][]float64, bestA, bestB, wa, wb []float64) []float64 {
	var sum, all, exchanged, most float64
	for i, j := range assign(likeness) {
		if j < 0 {
			continue
		}
		s, w := likeness[i][j], math.Sqrt(wa[i]*wb[j])
		sum, all = sum+float64(s*w), all+w
		if wa[i] > .5 && wb[j] > .5 && bestA[i] < .8 && bestB[j] < .8 && s > .15 {
			exchanged++
			most = max(most, s)
		}
	}
	return []float64{sum / max(all, .1), exchanged, most}
}

// assign returns for each row the column that it is paired with, or -1, so that
// the sum is highest (Kuhn 1955, in the form with shortest paths of Jonker and
// Volgenant 1987).
func assign(likeness [][]float64) []int {
	rows, columns := len(likeness), len(likeness[0])
	if rows > columns {
		of := make([]int, rows)
		for i := range of {
			of[i] = -1
		}
		for j, i := range assign(turned(likeness)) {
			of[i] = j
		}
		return of
	}
	u, v := make([]float64, rows+1), make([]float64, columns+1)
	owner, way := make([]int, columns+1), make([]int, columns+1)
	for i := 1; i <= rows; i++ {
		owner[0] = i
		column := 0
		least, used := make([]float64, columns+1), make([]bool, columns+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		for owner[column] != 0 {
			used[column] = true
			row, next, delta := owner[column], 0, math.Inf(1)
			for j := 1; j <= columns; j++ {
				if used[j] {
					continue
				}
				if cost := -likeness[row-1][j-1] - u[row] - v[j]; cost < least[j] {
					least[j], way[j] = cost, column
				}
				if least[j] < delta {
					delta, next = least[j], j
				}
			}
			for j := range used {
				if used[j] {
					u[owner[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			column = next
		}
		for column != 0 {
			owner[column] = owner[way[column]]
			column = way[column]
		}
	}
	of := make([]int, rows)
	for j := 1; j <= columns; j++ {
		if owner[j] > 0 {
			of[owner[j]-1] = j - 1
		}
	}
	return of
}

// turned returns the transpose of a matrix.
func turned(m [][]float64) [][]float64 {
	t := make([][]float64, len(m[0]))
	for j := range t {
		for i := range m {
			t[j] = append(t[j], m[i][j])
		}
	}
	return t
}

// Lacking returns the sum of the vectors of the words that the other side
// lacks, weighted by how much each is lacking: first for the newer side, then
// for the older.
func (m *Meeting) Lacking() []float64 {
	n := len(m.older.vector)
	out := make([]float64, 2*n)
	lack(out[:n], m.newer.units, m.bestB)
	lack(out[n:], m.older.units, m.bestA)
	return out
}

func lack(sum []float64, units []unit, best []float64) {
	if len(best) == 0 {
		return
	}
	for i, u := range units {
		by := 20 * min(max(1-best[i], 0), 1) / float64(len(units))
		for d, v := range u.vector {
			sum[d] += float64(by * float64(v))
		}
	}
}

// A Meeting is a comparison of two sides, word by word.
type Meeting struct {
	older, newer *Side
	likeness     [][]float64 // of each word of the older side to each of the newer
	bestA, bestB []float64   // for each word of the older side, and of the newer: likeness of the nearest word of the other
}

// Meet compares two sides.
func Meet(older, newer *Side) *Meeting {
	m := &Meeting{older: older, newer: newer}
	if len(older.units) == 0 || len(newer.units) == 0 {
		return m
	}
	m.bestA, m.bestB = make([]float64, len(older.units)), make([]float64, len(newer.units))
	for j := range m.bestB {
		m.bestB[j] = -1
	}
	for i := range older.units {
		row := make([]float64, len(newer.units))
		m.bestA[i] = -1
		for j := range row {
			row[j] = dot(older.units[i].vector, newer.units[j].vector)
			m.bestA[i], m.bestB[j] = max(m.bestA[i], row[j]), max(m.bestB[j], row[j])
		}
		m.likeness = append(m.likeness, row)
	}
	return m
}
