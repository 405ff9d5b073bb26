package querylang_test

import "testing"

// TestGermanDays: questions in German name days as those in English do. Today is Friday, 20 March 2026.
func TestGermanDays(t *testing.T) {
	checkDays(t, []named{
		{"Was habe ich gestern gemacht?", "2026-03-19", "2026-03-19"},
		{"Was war vorgestern los?", "2026-03-18", "2026-03-18"},
		{"Was ist heute passiert?", "2026-03-20", "2026-03-20"},
		{"Was war letzten Dienstag?", "2026-03-17", "2026-03-17"},
		{"Was hab ich am Dienstag gemacht", "2026-03-17", "2026-03-17"},
		{"Was haben wir vorletzten Freitag gemacht?", "2026-03-06", "2026-03-06"},
		{"Was war am Dienstagabend?", "2026-03-17", "2026-03-17"},
		{"Was war diesen Mittwoch", "2026-03-18", "2026-03-18"},
		{"Was war am Dienstag letzter Woche?", "2026-03-10", "2026-03-10"},
		{"Was war letzte Woche Dienstag?", "2026-03-10", "2026-03-10"},
		{"Was ist letzte Woche passiert?", "2026-03-09", "2026-03-15"},
		{"Was haben wir in dieser Woche gemacht?", "2026-03-16", "2026-03-22"},
		{"Was war letztes Wochenende?", "2026-03-14", "2026-03-15"},
		{"Was geschah im letzten Monat", "2026-02-01", "2026-02-28"},
		{"Was war vor drei Tagen?", "2026-03-17", "2026-03-17"},
		{"Was habe ich vor einer Woche gemacht?", "2026-03-09", "2026-03-15"},
		{"Was ist am 5. März passiert?", "2026-03-05", "2026-03-05"},
		{"Was war am 30. Oktober?", "2025-10-30", "2025-10-30"},
		{"Was war am 7. Mai 2025?", "2025-05-07", "2025-05-07"},
		{"Was war am 17.11.?", "2025-11-17", "2025-11-17"},
		{"Was war am Montag, den 5.1.2026?", "2026-01-05", "2026-01-05"},
		{"Was haben wir im Februar gemacht?", "2026-02-01", "2026-02-28"},
		{"Zeig mir meine Notizen von gestern", "2026-03-19", "2026-03-19"},
		{"Fass bitte die letzte Woche zusammen", "2026-03-09", "2026-03-15"},
	}, []string{
		"Was habe ich gestern über das Dach gesagt?", "Wer hat gestern angerufen?", "Was hat Mia gestern gemacht?", "Was ist seit gestern passiert?", "Was war vor dem 5. März?",
		"Was ist seit letzter Woche passiert?", "Was haben wir gestern beschlossen?", "Was war bis letzten Dienstag los?",
	}, []string{"Guten Morgen, wer kommt?", "Was war der Grund?", "gesternabend", "Version 17.11.", "sonntags im Park", "was ist passiert"})
}
