package querylang_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/querylang"
)

// spelled writes ranges as "2026-03-02..2026-03-05".
func spelled(all ...querylang.Range) string {
	var out []string
	for _, r := range all {
		out = append(out, r.From.Format(time.DateOnly)+".."+r.To.Format(time.DateOnly))
	}
	return strings.Join(out, " ")
}

func TestRangesOfDays(t *testing.T) {
	autumn := time.Date(2026, 11, 25, 20, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		text, want string
		all        bool
	}{
		{"10月1日到10月7日做了什么", "2026-10-01..2026-10-07", true},
		{"10月1日到7日做了什么", "2026-10-01..2026-10-07", true},
		{"从10月1号到7号发生了什么", "2026-10-01..2026-10-07", true},
		{"10月1-7日做了什么", "2026-10-01..2026-10-07", true},
		{"2025年10月1日至7日", "2025-10-01..2025-10-07", true},
		{"去年十月三日到九日的会议", "2025-10-03..2025-10-09", false},
		{"上个月5号到9号之间做了什么", "2026-10-05..2026-10-09", true},
		{"10/15-10/22做了什么", "2026-10-15..2026-10-22", true},
		{"28/9から3/10まで何をした", "2026-09-28..2026-10-03", true},
		{"what happened from march 3 to 9?", "2026-03-03..2026-03-09", true},
		{"from march 3 to 9 in Rome", "2026-03-03..2026-03-09", false},
		{"the fair of March 3-5 in Rome", "2026-03-03..2026-03-05", false},
		{"march 3-5, 2025", "2025-03-03..2025-03-05", true},
		{"the hexagon of Dec 1-7", "2025-12-01..2025-12-07", false},
		{"10月1日から7日まで", "2026-10-01..2026-10-07", true},
		{"10月1日から7日まで何をした", "2026-10-01..2026-10-07", true},
		{"10月1日から10月7日まで何をした", "2026-10-01..2026-10-07", true},
		{"先月5日から9日の会議", "2026-10-05..2026-10-09", false},
		{"去年10月到12月", "2025-10-01..2025-12-31", false},
		{"what did I do between 1 and 7 October", "2026-10-01..2026-10-07", true},
		{"what did I do between the 1st and the 7th of October?", "2026-10-01..2026-10-07", true},
		{"what happened between October 1 and 7", "2026-10-01..2026-10-07", true},
		{"what did I do from 3 to 9 March", "2026-03-03..2026-03-09", true},
		{"from 3 to 9 March", "2026-03-03..2026-03-09", true},
		{"the trip of 3-9 May, in the rain", "2026-05-03..2026-05-09", false},
		{"Oct 1-7", "2026-10-01..2026-10-07", true},
		{"what happened Oct 1 to 7?", "2026-10-01..2026-10-07", true},
		{"Oct. 1–7, 2025", "2025-10-01..2025-10-07", true},
		{"1-7 October last year", "2025-10-01..2025-10-07", true},
		{"October 28 to November 3", "2026-10-28..2026-11-03", true},
		{"Oct 1 to Oct 7, 2025", "2025-10-01..2025-10-07", true},
		{"10/15-10/22", "2026-10-15..2026-10-22", true},
		{"between March and May", "2026-03-01..2026-05-31", false},
		{"from March to May", "2026-03-01..2026-05-31", false},
		{"March to May 2025", "2025-03-01..2025-05-31", false},
		{"between March and May last year", "2025-03-01..2025-05-31", false},
		{"between December and February 2026", "2025-12-01..2026-02-28", false},
		{"from Dec to Feb", "2025-12-01..2026-02-28", false},
		{"what happened from December to March last year", "2024-12-01..2025-03-31", false},
		{"November to January 2026", "2025-11-01..2026-01-31", false},
		{"10月28日-11月3日做了什么", "2026-10-28..2026-11-03", true},
		{"Oct 28-Nov 3", "2026-10-28..2026-11-03", true},
		{"what did I do Oct 28-Nov 3, 2025", "2025-10-28..2025-11-03", true},
		{"上周一到周五做了什么", "2026-11-16..2026-11-20", true},
		{"上周三到周日的会议", "2026-11-18..2026-11-22", false},
		{"20 to 28 November", "2026-11-20..2026-11-28", true}, // it has begun
		{"26 to 28 November", "2025-11-26..2025-11-28", true},
		{"12月28日到1月3日", "2025-12-28..2026-01-03", true},
		{"10月1日到3日, 10月5日到7日", "2026-10-01..2026-10-03 2026-10-05..2026-10-07", true},

		{text: "比例 1/2-2/3 的人"}, {text: "4/5-5/6的人同意"}, {text: "满减 10/2-12/3"}, {text: "10/1-10/7做了什么"}, {text: "4/5-5/2"}, {text: "Dec 1-7 hex"}, {text: "hex to dec 10 to 16"},
		{text: "convert from oct to dec"}, {text: "dec 10 in binary"}, {text: "may 3-5 workers help"}, {text: "May 3-5 workers help"}, {text: "march 3 to 5 abreast"}, {text: "chapter 3 to 5 sept"},
		{text: "sections 1-3 Mar"}, {text: "pages 3-9 Oct"}, {text: "1/4-1/16 inch"}, {text: "上周五到周一"}, {text: "logs/oct 28-nov 3.md"}, {text: "v2-Nov 3"},
		{text: "between 1 and 7 servers"}, {text: "from 3 to 9 replicas"}, {text: "between 7 and 1 October"}, {text: "Oct 7-1"}, {text: "10月7日到1日"}, {text: "10/27-10/21有什么"},
		{text: "between May and March"}, {text: "from November to February"}, {text: "between May and March 2026"}, {text: "from December to February 2027"}, {text: "1-7 October 2027"}, {text: "2027年10月1日到7日"}, {text: "from March to May 2027"}, {text: "10/1-10/7"}, {text: "3/4-1/2 cup"},
		{text: "steps 3 to 9 may fail"}, {text: "from 30 to 40 October"}, {text: "31-32 October"}, {text: "March 5-10 miles"}, {text: "a/10/1-10/7"}, {text: "ratio 16/9-4/3"}, {text: "v1-7 october"},
		{text: "下个月5号到9号"}, {text: "1-1 October"}, {text: "pages 1-7"}, {text: "10:1-7"},
	} {
		q := querylang.Parse(c.text, autumn)
		if got := spelled(q.When...); got != c.want || q.All != c.all {
			t.Errorf("%q: got %q, all %v; want %q, %v", c.text, got, q.All, c.want, c.all)
		}
	}
}

func TestRangesAsValues(t *testing.T) {
	autumn := time.Date(2026, 11, 25, 20, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"Oct 1-7": "2026-10-01..2026-10-07", "10月1日到7日": "2026-10-01..2026-10-07", "10月1日到10月7日": "2026-10-01..2026-10-07", "10月1日から10月7日まで": "2026-10-01..2026-10-07",
		"2026-10-01..2026-10-07": "2026-10-01..2026-10-07", "2026-10-01 to 2026-10-07": "2026-10-01..2026-10-07", "2024-2025": "2024-01-01..2025-12-31", "from 28 October to 3 November": "2026-10-28..2026-11-03",
		"between 1 and 7 October": "2026-10-01..2026-10-07", "mar-may": "2026-03-01..2026-05-31", "去年10月到12月": "2025-10-01..2025-12-31", "last week to yesterday": "2026-11-16..2026-11-24",
		"from 3 to 9 March": "2026-03-03..2026-03-09", "10月1日から7日まで": "2026-10-01..2026-10-07", "从10月1日到7日": "2026-10-01..2026-10-07", "from Oct 1-7": "2026-10-01..2026-10-07",
		"from 1 to 7 October 2025": "2025-10-01..2025-10-07", "從去年十月三日到九日": "2025-10-03..2025-10-09",
		"2026-10-01": "2026-10-01..2026-10-01", "2026-10": "2026-10-01..2026-10-31",
	} {
		if got, ok := querylang.Days(text, autumn); !ok || spelled(got) != want {
			t.Errorf("%q: got %s, %v; want %s", text, spelled(got), ok, want)
		}
		for _, key := range []string{"on", "since", "until"} {
			q := querylang.Parse(key+`:"`+text+`"`, autumn)
			if len(q.Filters) != 1 || q.Filters[0].Key != querylang.Date {
				t.Errorf("%s:%q is no filter: %+v", key, text, q)
			}
		}
	}
	for _, text := range []string{"1 to 7", "2026-10-07..2026-10-01", "10/1-10/7", "between 1 and 7 servers", "to", "..", "-", "Oct 7-1", "1..7", "from 3 to 9", "从5", "from 9 to 3 March"} {
		if got, ok := querylang.Days(text, autumn); ok {
			t.Errorf("%q: got %s", text, spelled(got))
		}
	}
}

// Every range of days of a month that has begun is understood in each way of writing it,
// and none where its ends are exchanged.
func TestRangesOfAnyDays(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	r := rand.New(rand.NewPCG(3, 7))
	for range 3000 {
		now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(800))
		first := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC).AddDate(0, 0, -r.IntN(360))
		last := first.AddDate(0, 0, 1+r.IntN(27))
		if last.Month() != first.Month() {
			continue
		}
		y, a, b := first.Year(), first.Day(), last.Day()
		name, month := first.Month().String(), int(first.Month())
		want := spelled(querylang.Range{From: first, To: last})
		for _, form := range []string{
			"from %[1]d to %[2]d %[3]s", "between %[1]d and %[2]d %[3]s", "%[3]s %[1]d-%[2]d", "between %[3]s %[1]d and %[2]d", "%[3]s %[1]d to %[2]d, %[5]d", "%[1]d-%[2]d %[3]s %[5]d",
			"%[3]s %[1]d to %[3]s %[2]d", "%[4]d月%[1]d日到%[2]d日做了什么", "%[4]d月%[1]d日到%[4]d月%[2]d日", "%[5]d年%[4]d月%[1]d-%[2]d日", "%[4]d月%[1]d日から%[2]d日まで",
		} {
			text := fmt.Sprintf(form, a, b, name, month, y)
			if got := spelled(querylang.Parse(text, now).When...); got != want {
				t.Fatalf("%q on %s: got %q, want %q", text, now.Format(time.DateOnly), got, want)
			}
			back := fmt.Sprintf(form, b, a, name, month, y)
			for _, days := range querylang.Parse(back, now).When {
				if days.To.After(days.From) {
					t.Fatalf("%q on %s: got %s", back, now.Format(time.DateOnly), spelled(days))
				}
			}
		}
	}
}

// No range is backwards, and what holds no date is left alone, whatever the text.
func FuzzRanges(f *testing.F) {
	for _, s := range []string{"from 3 to 9 March", "10月1日到10月7日", "Oct 1-7, 2025", "10/1-10/7 有", "between March and May last year", "0-0 may", "99月99日到99日", "1-7 oct to 9 nov", "..", "到到10月1日到7日到8日"} {
		f.Add(s, int64(20_000))
	}
	f.Fuzz(func(t *testing.T, text string, day int64) {
		now := time.Unix(0, 0).UTC().AddDate(0, 0, int(day%60_000))
		text = strings.ToValidUTF8(text, "")
		q := querylang.Parse(text, now)
		for _, r := range q.When {
			if r.From.IsZero() || r.To.Before(r.From) {
				t.Errorf("%q: from %v to %v", text, r.From, r.To)
			}
		}
		if r, ok := querylang.Days(text, now); ok && r.To.Before(r.From) {
			t.Errorf("Days(%q): from %v to %v", text, r.From, r.To)
		}
		if len(q.When) > 0 && !strings.ContainsAny(strings.ToLower(text), "0123456789０１２３４５６７８９abcdefghijklmnopqrstuvwxyz") && !strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f }) {
			t.Errorf("%q: holds a date", text)
		}
	})
}
