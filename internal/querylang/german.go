package querylang

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// These are parts of the German forms.
const (
	deMonth   = `(januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)`
	deWeekday = `(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)(?:früh|vormittag|mittag|nachmittag|abend|nacht)?`
	deWhich   = `(vorletzte|letzte|vorige|vergangene|diese|nächste)[nmrs]?`
	deUnit    = `(tag|wochenende|woche|monat|jahr)(?:e?s|e?n|e)?`
	deCount   = `(\d{1,3}|einer|einem|ein paar|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)`
	// deOn stands before a day in digits. Without it 17.11. may be the number of a version.
	deOn = `(?:am|vom|den) (?:` + deWeekday + `,? (?:den |dem )?)?`
)

// german are the German ways of writing one day, week, month or year. "Morgen" is left
// out: it is mostly the morning.
var german = []pattern{
	{form: lazyregexp.New(deOn + `(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})`), needs: []string{"."}, days: func(c calendar, m []string) (Range, bool) { return c.day(m[3], m[2], m[1]) }},
	{yearless: true, form: lazyregexp.New(deOn + `(\d{1,2})\. ?(\d{1,2})\.`), needs: []string{"."}, days: func(c calendar, m []string) (Range, bool) { return c.day("", m[2], m[1]) }},
	{form: lazyregexp.New(`(?:am |vom |den |dem )?(\d{1,2})\. ?` + deMonth + ` (\d{4})`), needs: []string{"."}, days: func(c calendar, m []string) (Range, bool) { return c.day(m[2], deName(m[1]), m[0]) }},
	{yearless: true, form: lazyregexp.New(`(?:am |vom |den |dem )?(\d{1,2})\. ?` + deMonth), needs: []string{"."}, days: func(c calendar, m []string) (Range, bool) { return c.day("", deName(m[1]), m[0]) }},
	{form: lazyregexp.New(`(?:im )?` + deMonth + ` (\d{4})`), needs: digits, days: func(c calendar, m []string) (Range, bool) { return c.month(m[1], deName(m[0])) }},
	{yearless: true, form: lazyregexp.New(`im ` + deMonth), needs: []string{"im "}, days: func(c calendar, m []string) (Range, bool) { return c.month("", deName(m[0])) }},

	{form: lazyregexp.New(`(vorgestern|gestern|heute|übermorgen)`), needs: []string{"gestern", "heute", "übermorgen"}, days: func(c calendar, m []string) (Range, bool) { return c.ago(deAgo(m[0])), true }},
	{form: lazyregexp.New(deWhich + ` woche (?:am )?` + deWeekday), needs: []string{"woche"}, days: func(c calendar, m []string) (Range, bool) {
		return weekdayIn(c.unit("week", deAgo(m[0])), deName(m[1])), true
	}},
	{form: lazyregexp.New(`(?:am )?` + deWeekday + ` ` + deWhich + ` woche`), needs: []string{"woche"}, days: func(c calendar, m []string) (Range, bool) {
		return weekdayIn(c.unit("week", deAgo(m[1])), deName(m[0])), true
	}},
	{form: lazyregexp.New(`(?:am )?` + deWhich + ` ` + deWeekday), needs: []string{"tag", "mittwoch", "abend"}, days: deWeekdayNamed},
	{form: lazyregexp.New(`am ()` + deWeekday), needs: []string{"am "}, days: deWeekdayNamed},
	{form: lazyregexp.New(`(?:im |in der |in |am )?` + deWhich + ` (wochenende|woche|monat|jahr)(?:e?s)?`), needs: []string{"woche", "monat", "jahr"}, days: func(c calendar, m []string) (Range, bool) {
		return c.unit(deName(m[1]), deAgo(m[0])), true
	}},
	{form: lazyregexp.New(`vor ` + deCount + ` ` + deUnit), needs: []string{"vor "}, days: func(c calendar, m []string) (Range, bool) {
		return before(c, []string{deName(m[0]), deName(m[1])})
	}},
}

// deAgo returns how many days, weeks, months or years ago a German word means.
func deAgo(word string) int {
	switch word {
	case "vorgestern", "vorletzte":
		return 2
	case "gestern", "letzte", "vorige", "vergangene":
		return 1
	case "nächste":
		return -1
	case "übermorgen":
		return -2
	}
	return 0 // heute, diese
}

// deNames are German words, and deMeans what each means: the name of a day or unit in
// English, or a number in digits.
const (
	deNames = " montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag tag woche wochenende monat jahr " +
		"januar jänner februar märz april mai juni juli august september oktober november dezember " +
		"einer einem zwei drei vier fünf sechs sieben acht neun zehn elf zwölf "
	deMeans = " monday tuesday wednesday thursday friday saturday saturday sunday day week weekend month year " +
		"1 1 2 3 4 5 6 7 8 9 10 11 12 1 1 2 3 4 5 6 7 8 9 10 11 12 "
)

// deName returns what a German word means, and any other text as it is.
func deName(s string) string {
	if s == "ein paar" {
		return "3"
	}
	i := slices.Index(strings.Fields(deNames), s)
	if i < 0 {
		return s
	}
	return strings.Fields(deMeans)[i]
}

// deWeekdayNamed does what weekdayNamed does.
func deWeekdayNamed(c calendar, m []string) (Range, bool) {
	day := deName(m[1])
	switch m[0] {
	case "vorletzte":
		return c.lastNamed(day, 2), true
	case "diese", "nächste":
		return weekdayIn(c.unit("week", deAgo(m[0])), day), true
	}
	return c.lastNamed(day, 1), true
}

// allGerman is a part of the form everything.
const allGerman = `(?:(?:also|und|bitte|sag mir|weißt du(?: noch)?)[, ]+)*(?:` +
	`was (?:ist|war)(?: (?:alles|so|denn|da|noch|mir|uns|bei (?:mir|uns)))*(?: (?:passiert|geschehen|los|gewesen))?|` +
	`was (?:passierte|geschah)(?: alles)?|` +
	`was (?:hab|habe|haben|hatte|hatten) (?:ich|wir)(?: (?:alles|so|denn|da|noch|dir))*(?: (?:gemacht|getan|erledigt|geschafft|besprochen|gelernt|erzählt|gesagt|mitgeteilt|notiert|aufgeschrieben))?|` +
	`was (?:machte|tat|machten|taten) (?:ich|wir)(?: alles)?|` +
	`(?:zeig mir |zeige mir |gib mir )?(?:(?:eine?n?|die|den|alle|meine|unsere|kurze) )*(?:zusammenfassung|überblick|rückblick|notizen|einträge)|` +
	`fasse?(?: (?:bitte|alles|mir|uns|es|die|den|das))* zusammen` +
	`)(?:[ ,]+(?:am|im|in|an|von|vom|für|der|die|das|den|dem|alles|so|denn|noch|nochmal|eigentlich|zusammen|bitte))*`
