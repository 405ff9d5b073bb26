package querylang

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// These are parts of the forms of French, Spanish, Italian and Portuguese.
const (
	roMonth = `(janvier|f[ée]vrier|mars|avril|mai|juin|juillet|ao[ûu]t|septembre|octobre|novembre|d[ée]cembre` +
		`|enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre` +
		`|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre` +
		`|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro)`
	roWeekday = `(lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche` +
		`|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo` +
		`|luned[ìi]|marted[ìi]|mercoled[ìi]|gioved[ìi]|venerd[ìi]|sabato|domenica` +
		`|segunda-feira|terça-feira|quarta-feira|quinta-feira|sexta-feira)`
	roUnit  = `(semaines?|mois|week-ends?|ann[ée]es?|ans?|jours?|semanas?|mes(?:es)?|fin de semana|fim de semana|años?|anos?|d[íi]as?|settiman[ae]|mes[ei]|fine settimana|weekend|ann[oi]|giorn[oi]|m[êe]s)`
	roCount = `(\d{1,3}|une?|una|un[oa]?|uma?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|dois|duas|três|quatro|sete|oito|dez)`
	roLast  = `(?:dernier|derni[èe]re|pass[ée]e?|pasad[oa]|[úu]ltim[oa]|scors[oa]|passat[oa]|passad[oa])`
	// roThis stands before a unit or a day of the current week.
	roThis = `(?:ce|cet|cette|est[ea]|ess[ea]|quest[oa]|nest[ea]|ness[ea])`
	// roOn may stand before a day, and what belongs to the date of it.
	roOn = `(?:(?:le|du|au|el|del|al|il|dal|o|em|no|do)(?: d[íi]a)? |l['’])?(?:` + roWeekday + `,? )?`
	roOf = `(?: d[ei]l?)? `
	roIn = `(?:(?:en|in|em|de|du|del|della|da|do|la|le|el|il|lo|no|na|nel|nella|au|au cours de|durante|pendant) )*(?:l['’])?`
)

// romance are the French, Spanish, Italian and Portuguese ways of writing one day, week,
// month or year. "Mañana" and "domani mattina" are left out, and so is a day of the week by
// itself: "le lundi" is each Monday, and "el viernes" as often the next Friday as the last.
var romance = []pattern{
	{form: lazyregexp.New(`\b` + roOn + `(\d{1,2})(?:er|º|°)?` + roOf + roMonth + roOf + `(\d{4})`), needs: roMonths, days: func(c calendar, m []string) (Range, bool) { return c.day(m[3], roName(m[2]), m[1]) }},
	{yearless: true, form: lazyregexp.New(`\b` + roOn + `(\d{1,2})(?:er|º|°)?` + roOf + roMonth), needs: roMonths, days: func(c calendar, m []string) (Range, bool) { return c.day("", roName(m[2]), m[1]) }},
	{form: lazyregexp.New(`\b(?:(?:en|in|em|a|au mois de|de|di|del) |d['’])` + roMonth + roOf + `(\d{4})`), needs: roMonths, days: func(c calendar, m []string) (Range, bool) { return c.month(m[1], roName(m[0])) }},
	{yearless: true, form: lazyregexp.New(`\b(?:en|em|au mois de|en el mes de|a|nel mese di|no mês de) ` + roMonth), needs: roMonths, days: func(c calendar, m []string) (Range, bool) { return c.month("", roName(m[0])) }},

	{form: lazyregexp.New(`\b(avant-hier|hier|aujourd['’]hui|anteayer|antes de ayer|ayer|hoy|l['’]altro ieri|altroieri|ieri|oggi|anteontem|ontem|hoje)(?: (?:soir|matin|noche|sera|mattina|à noite|de manhã))?`),
		needs: []string{"hier", "hui", "ayer", "hoy", "ieri", "oggi", "ontem", "hoje"}, days: func(c calendar, m []string) (Range, bool) { return c.ago(roAgo(m[0])), true }},
	{form: lazyregexp.New(`\b(?:le |el |il |lo |na |no )?` + roWeekday + ` (?:de |d')?(?:la |della |da )?(?:semaine|semana|settimana) ` + roLast), needs: roWeeks, days: func(c calendar, m []string) (Range, bool) {
		return weekdayIn(c.unit("week", 1), roName(m[0])), true
	}},
	{form: lazyregexp.New(`\b(?:le |el |il |lo |na |no )?` + roWeekday + ` ` + roLast), needs: roLasts, days: func(c calendar, m []string) (Range, bool) { return c.lastNamed(roName(m[0]), 1), true }},
	{form: lazyregexp.New(`\b(?:el |la |lo |il |na |no )?` + roLast + ` ` + roWeekday), needs: roLasts, days: func(c calendar, m []string) (Range, bool) { return c.lastNamed(roName(m[0]), 1), true }},
	{form: lazyregexp.New(`\b` + roThis + ` ` + roWeekday), needs: roThese, days: func(c calendar, m []string) (Range, bool) {
		return weekdayIn(c.unit("week", 0), roName(m[0])), true
	}},
	{form: lazyregexp.New(`\b` + roIn + roUnit + ` ` + roLast), needs: roLasts, days: func(c calendar, m []string) (Range, bool) { return roUnitAgo(c, m[0], 1) }},
	{form: lazyregexp.New(`\b` + roIn + roLast + ` ` + roUnit), needs: roLasts, days: func(c calendar, m []string) (Range, bool) { return roUnitAgo(c, m[0], 1) }},
	{form: lazyregexp.New(`\b(?:(?:en|in|em|de|di|durante|pendant) )?` + roThis + ` ` + roUnit + `(?:-ci)?`), needs: roThese, days: func(c calendar, m []string) (Range, bool) { return roUnitAgo(c, m[0], 0) }},
	{form: lazyregexp.New(`\b(?:il y a|hace|há) ` + roCount + ` ` + roUnit), needs: []string{"il y a", "hace", "há"}, days: func(c calendar, m []string) (Range, bool) {
		return before(c, []string{roName(m[0]), roName(m[1])})
	}},
	{form: lazyregexp.New(`\b` + roCount + ` ` + roUnit + ` (?:fa|atrás)`), needs: []string{" fa", "atrás"}, days: func(c calendar, m []string) (Range, bool) {
		return before(c, []string{roName(m[0]), roName(m[1])})
	}},
}

// Each match of a form holds one of these.
var (
	roMonths = []string{"janv", "vrier", "mars", "avril", "mai", "juin", "juil", "août", "aout", "bre", "enero", "febr", "marz", "abril", "mayo", "junio", "juli", "agosto", "genn", "febb", "aprile", "maggio", "giugno", "luglio", "embr", "janeiro", "fever", "março", "junho", "julho", "setemb", "outub", "dezemb"}
	roWeeks  = []string{"semaine", "semana", "settimana"}
	roLasts  = []string{"derni", "pass", "pasad", "ltim", "scors"}
	roThese  = []string{"ce ", "cet", "este ", "esta ", "esto ", "esse ", "essa "}
)

// roAgo returns how many days ago a word means.
func roAgo(word string) int {
	switch strings.ReplaceAll(word, "’", "'") {
	case "avant-hier", "anteayer", "antes de ayer", "l'altro ieri", "altroieri", "anteontem":
		return 2
	case "hier", "ayer", "ieri", "ontem":
		return 1
	}
	return 0 // aujourd'hui, hoy, oggi, hoje
}

// roUnitAgo returns a week, weekend, month or year.
func roUnitAgo(c calendar, unit string, ago int) (Range, bool) {
	unit = roName(unit)
	return c.unit(unit, ago), unit != "day"
}

// roMeans are what begins the names of months, days, units and numbers, those that begin like
// another one first, and what each means: its name in English, or a number in digits.
var roMeans = []struct{ means, begins string }{
	{"january", "janv enero genn jane"}, {"february", "fevr févr febr febb fever"}, {"march", "mars marz març"}, {"april", "avril abril aprile"},
	{"may", "mai mayo magg"}, {"june", "juin junio giugno junho"}, {"july", "juil julio lugl julh"}, {"august", "août aout agosto"},
	{"september", "septem sept-iem septiem setiem settem setem"}, {"october", "octo octu otto-bre ottob outub"}, {"november", "novem noviem"}, {"december", "decem décem diciem dicem dezem"},
	{"monday", "lundi lunes luned segunda"}, {"tuesday", "mardi martes marted terça"}, {"wednesday", "mercred miérc mierc mercol quarta"},
	{"thursday", "jeudi jueves gioved quinta"}, {"friday", "vendredi viernes venerd sexta"}, {"saturday", "samedi sábado sabado sabato"}, {"sunday", "dimanche doming domenica"},
	{"weekend", "week-end weekend fin fim"}, {"week", "semaine semana settiman"}, {"month", "mois mes mês"}, {"year", "an año"}, {"day", "jour día dia giorn"},
	{"7", "sept siete sette"}, {"8", "huit ocho otto oito"}, {"9", "neuf nueve nove"}, {"10", "dix diez dieci dez"},
	{"2", "deux dos due dois duas"}, {"3", "trois tre três"}, {"4", "quatr cuatro quattro"}, {"5", "cinq cinc"}, {"6", "six sei"}, {"1", "un um"},
}

// roName returns what a word of these languages means, and any other text as it is.
func roName(s string) string {
	for _, n := range roMeans {
		if slices.ContainsFunc(strings.Fields(n.begins), func(begins string) bool { return strings.HasPrefix(s, begins) }) {
			return n.means
		}
	}
	return s
}

// These are parts of the form everything.
const (
	allFrench = `(?:(?:dis-moi|rappelle-moi|alors|et|sais-tu|tu te souviens de|peux-tu me dire|je veux savoir)[, ]+)*(?:` +
		`(?:qu['’]est-ce (?:que?|qu['’]) ?|ce (?:que?|qu['’]) ?)(?:(?:j['’]|on |nous |tu |moi )*(?:ai|a|avons|as|avais|avait|avions) (?:(?:bien|tout|pu|te|t['’]|vous|me|m['’]|nous) ?)*(?:fait|dit|raconté|noté|vu|appris|discuté|terminé)|(?:je |on |nous )(?:t['’]|te )(?:ai|a|avons) (?:dit|raconté|demandé))` +
		`|(?:qu['’]est-ce qui|ce qui) (?:s['’](?:est|était) passé|est arrivé|a été fait|se passait)` +
		`|que s['’]est-il passé|qu['’]est-il arrivé|il s['’]est passé quoi|qu['’](?:ai-je|avons-nous|a-t-on) (?:fait|dit|noté|appris)` +
		`|(?:j['’]ai|on a|nous avons) fait quoi|quoi de neuf` +
		`|(?:(?:montre|montre-moi|donne-moi|fais|fais-moi) )?(?:(?:un|le|la|les|mes|mon|nos|toutes) )*(?:résumé|bilan|notes|journal|récapitulatif)` +
		`|résume(?:-moi)?)(?:[ ,]+(?:de|du|des|la|le|les|en|au|pour|pendant|l['’]|d['’]|exactement|déjà|stp))*(?: ?[ld]['’])?`

	allSpanish = `(?:(?:dime|recuérdame|sabes|recuerdas|y|quiero saber|me dices)[, ]+)*(?:` +
		`(?:qué|que|lo que)(?: más| cosas)? (?:hice|hicimos|hiciste|pas[óo]|ha pasado|pasaba|ocurri[óo]|sucedi[óo]|hubo|hemos hecho|he hecho|hab[íi]a hecho|estuve haciendo|estuvimos haciendo|apunté|anoté|te cont[ée]|te dije|te ped[íi]|aprend[íi]|hablamos)(?: (?:yo|nosotros))?` +
		`|(?:(?:mu[ée]strame|ens[ée]ñame|dame|hazme) )?(?:(?:un|el|la|las|los|mis|todas) )*(?:resumen|notas|diario|repaso)` +
		`|resume|resúmeme)(?:[ ,]+(?:en|de|del|el|la|los|las|por|para|durante|exactamente))*`

	allItalian = `(?:(?:dimmi|ricordami|sai|e|ricordi)[, ]+)*(?:` +
		`(?:che cosa|cosa|che|quello che) (?:ho|abbiamo|avevo|avevamo|ti ho) (?:fatto|detto|raccontato|imparato|annotato|scritto)` +
		`|(?:che cosa|cosa|che) (?:è|era) (?:successo|accaduto)|(?:cos['’]|che cos['’])(?:è|era) (?:successo|accaduto)` +
		`|(?:(?:mostrami|dammi|fammi) )?(?:(?:un|il|le|la|i|mie|miei|tutte) )*(?:riassunto|note|appunti|diario|riepilogo)` +
		`|riassumi(?:mi)?)(?:[ ,]+(?:di|del|della|dello|il|la|lo|in|nel|nella|per|durante|l['’]|dell['’]))*`

	allPortuguese = `(?:(?:diz-me|me diga|me diz|lembra-me|e|sabes|você sabe)[, ]+)*(?:` +
		`o que(?: é que)? (?:(?:eu|nós|a gente|que) )*(?:fiz|fizemos|fez|aconteceu|houve|se passou|tenho feito|te disse|te contei|anotei|aprendi)(?: (?:eu|nós))?` +
		`|(?:(?:mostra-me|mostre|me mostra|me dá|faz) )?(?:(?:um|o|a|as|os|minhas|meus|todas) )*(?:resumo|notas|anotações|diário)` +
		`|resuma|resume)(?:[ ,]+(?:em|de|do|da|no|na|o|a|para|durante))*`

	allRomance = allFrench + `|[¿¡]?` + allSpanish + `|` + allItalian + `|` + allPortuguese
)

// french matches words that show that "hier" is French, and not German or Dutch for "here".
var french = lazyregexp.New(`(?:^|[^\p{L}])(?:qu['’]|s['’]|j['’]|(?:ai|est|avons|fait|dit|nous|les|où|qui|quoi|que|mon|mes|notes|tu|il|elle)(?:[^\p{L}]|$))`)

// germanHere reports whether text[start:end] is German or Dutch for "here".
func (s sentence) germanHere(start, end int) bool {
	return s.text[start:end] == "hier" && !french().MatchString(s.text)
}
