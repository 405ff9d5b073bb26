package querylang_test

import (
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/querylang"
)

// A named is a question and the days that it names.
type named struct{ text, from, to string }

// checkDays checks that questions ask for all of the days that they name, that others ask for
// something of one day, and that others name none.
func checkDays(t *testing.T, all []named, some, none []string) {
	t.Helper()
	for _, tt := range all {
		q := querylang.Parse(tt.text, today)
		if len(q.When) != 1 || q.When[0].From.Format(time.DateOnly) != tt.from || q.When[0].To.Format(time.DateOnly) != tt.to || !q.All {
			t.Errorf("%q: got %v, all %t; want %s to %s, all", tt.text, q.When, q.All, tt.from, tt.to)
		}
	}
	for _, text := range some {
		if q := querylang.Parse(text, today); len(q.When) != 1 || q.All {
			t.Errorf("%q: got %v, all %t; want one day and not all", text, q.When, q.All)
		}
	}
	for _, text := range none {
		if q := querylang.Parse(text, today); len(q.When) > 0 || q.All {
			t.Errorf("%q: got %v, all %t; want no day", text, q.When, q.All)
		}
	}
}

// TestOtherDays: questions in French, Spanish, Italian, Portuguese and Korean name days as
// those in English do. Today is Friday, 20 March 2026.
func TestOtherDays(t *testing.T) {
	checkDays(t, []named{
		{"Qu'est-ce que j'ai fait hier ?", "2026-03-19", "2026-03-19"},
		{"qu'est-ce qu'on a fait avant-hier", "2026-03-18", "2026-03-18"},
		{"Que s'est-il passé aujourd’hui ?", "2026-03-20", "2026-03-20"},
		{"Qu'est-ce qui s'est passé mardi dernier ?", "2026-03-17", "2026-03-17"},
		{"qu'est-ce que j'ai fait le 8 novembre ?", "2025-11-08", "2025-11-08"},
		{"Qu'ai-je fait le 1er mars ?", "2026-03-01", "2026-03-01"},
		{"Qu'avons-nous fait le 7 mai 2025 ?", "2025-05-07", "2025-05-07"},
		{"il s'est passé quoi le mercredi 4 mars", "2026-03-04", "2026-03-04"},
		{"Qu'est-ce qui s'est passé la semaine dernière ?", "2026-03-09", "2026-03-15"},
		{"Qu'est-ce qui s'est passé mercredi de la semaine dernière ?", "2026-03-11", "2026-03-11"},
		{"Qu'est-ce qu'on a fait ce week-end ?", "2026-03-21", "2026-03-22"},
		{"Résumé de la semaine passée", "2026-03-09", "2026-03-15"},
		{"mes notes d'hier", "2026-03-19", "2026-03-19"},
		{"qu'est-ce que j'ai fait il y a trois jours ?", "2026-03-17", "2026-03-17"},
		{"qu'est-ce que j'ai fait il y a une semaine", "2026-03-09", "2026-03-15"},
		{"qu'est-ce que j'ai fait le mois dernier", "2026-02-01", "2026-02-28"},
		{"Qu'est-ce qu'on a fait en février ?", "2026-02-01", "2026-02-28"},

		{"¿Qué hice ayer?", "2026-03-19", "2026-03-19"},
		{"que paso anteayer", "2026-03-18", "2026-03-18"},
		{"¿qué hicimos el 8 de noviembre?", "2025-11-08", "2025-11-08"},
		{"¿Qué pasó el martes pasado?", "2026-03-17", "2026-03-17"},
		{"¿Qué pasó el miércoles de la semana pasada?", "2026-03-11", "2026-03-11"},
		{"¿Qué hicimos la semana pasada?", "2026-03-09", "2026-03-15"},
		{"¿Qué hice el pasado viernes?", "2026-03-13", "2026-03-13"},
		{"¿Qué hicimos el fin de semana pasado?", "2026-03-14", "2026-03-15"},
		{"¿Qué he hecho esta semana?", "2026-03-16", "2026-03-22"},
		{"¿Qué hice hace dos días?", "2026-03-18", "2026-03-18"},
		{"resumen del 5 de marzo de 2026", "2026-03-05", "2026-03-05"},
		{"¿Qué hicimos en febrero?", "2026-02-01", "2026-02-28"},
		{"¿Qué pasó el mes pasado?", "2026-02-01", "2026-02-28"},

		{"Cosa ho fatto ieri?", "2026-03-19", "2026-03-19"},
		{"Che cosa è successo martedì scorso?", "2026-03-17", "2026-03-17"},
		{"cosa abbiamo fatto l'8 novembre", "2025-11-08", "2025-11-08"},
		{"Cosa abbiamo fatto la settimana scorsa?", "2026-03-09", "2026-03-15"},
		{"cosa ho fatto tre giorni fa", "2026-03-17", "2026-03-17"},
		{"O que fiz ontem?", "2026-03-19", "2026-03-19"},
		{"O que aconteceu na semana passada?", "2026-03-09", "2026-03-15"},
		{"o que fizemos no dia 8 de novembro", "2025-11-08", "2025-11-08"},
		{"o que fiz na terça-feira passada?", "2026-03-17", "2026-03-17"},

		{"어제 뭐 했어?", "2026-03-19", "2026-03-19"},
		{"그저께 무슨 일이 있었지?", "2026-03-18", "2026-03-18"},
		{"11월 8일에 뭐 했어?", "2025-11-08", "2025-11-08"},
		{"지난주 화요일에 뭐 했지", "2026-03-10", "2026-03-10"},
		{"지난주에 무슨 일 있었어?", "2026-03-09", "2026-03-15"},
		{"이번 주에 내가 뭘 했지?", "2026-03-16", "2026-03-22"},
		{"3일 전에 뭐 했어?", "2026-03-17", "2026-03-17"},
		{"이틀 전에 뭐 했더라", "2026-03-18", "2026-03-18"},
		{"2025년 5월 7일에 뭐 했어?", "2025-05-07", "2025-05-07"},
		{"지난달에 있었던 일 알려줘", "2026-02-01", "2026-02-28"},
		{"어제 기록 보여줘", "2026-03-19", "2026-03-19"},
	}, []string{
		"qui a appelé hier ?", "Qu'est-ce que j'ai dit hier sur le toit ?", "¿Quién llamó ayer?", "¿qué dijo Ana la semana pasada?", "Chi ha chiamato ieri?", "Quem ligou ontem?", "어제 누가 전화했어?",
		"qu'est-ce que Léo a fait hier ?", "지난주에 민재가 뭐라고 했어?",
	}, []string{
		"Was ist hier passiert?", "wat gebeurt hier", "le foot du mercredi", "nado los lunes", "mes dernières notes", "l'année scolaire", "il bambino ha 8 anni", "est-ce que Léo a foot mercredi ?",
		"숙제는 국어제출", "2주 코스", "the best test", "a 2nd of maize", "¿puedo reunirme el viernes?", "questa quarta edizione", "월급은 언제 나와?", "전화번호",
	})
}
