package querylang_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/querylang"
)

func TestKind(t *testing.T) {
	for text, want := range map[string]querylang.Kind{
		"When is Tomas's birthday?": querylang.Time, "陈总的生日是哪天？": querylang.Time, "前回会ったのはいつ": querylang.Time, "How long is the lease?": querylang.Time,
		"How much did the oak floor cost?": querylang.Amount, "what does Yusuf charge a day?": querylang.Amount, "洗碗机多少钱": querylang.Amount, "家賃はいくら？": querylang.Amount,
		"What is Berit's phone number?": querylang.Phone, "大家さんの電話番号は？": querylang.Phone,
		"一个手机号码可以注册几个群": querylang.Amount, "how many phone numbers has the office": querylang.Amount,
		"": "", "where do I live": "", "the price of fame": "", "when it rains": "", "谁来了": "", "誰が来た": "",
	} {
		if got := querylang.Parse(text, today).AsksKind(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, c := range []struct {
		kind querylang.Kind
		text string
		want bool
	}{
		{querylang.Time, "Tomas is on call in even weeks.", true},
		{querylang.Time, "Peanuts make Tomas swell up.", false},
		{querylang.Time, "周老师的生日在腊月", true},
		{querylang.Time, "彼は猫が好き", false},
		{querylang.Time, "Mayor Marchbanks", false},
		{querylang.Amount, "The ramp at the side entrance", false},
		{querylang.Amount, "The ramp takes a dozen bags", true},
		{querylang.Amount, "on Monday", false},
		{querylang.Amount, "三只鹦鹉", true},
		{querylang.Amount, "costs 13", true},
		{querylang.Phone, "He lives on floor 12", false},
		{querylang.Phone, "mobile 0790 555 0112", true},
		{querylang.Amount, "二手车是陈总卖的", false},
		{querylang.Amount, "room 12 and the two others", false},
		{querylang.Amount, "room １２ costs ３０", true},
		{querylang.Amount, "room 12 is 12 francs", true},
		{querylang.Amount, "room 12 is by the sea; room 12 is loud", false},
		{querylang.Amount, "дверь новая", true},
		{querylang.Amount, "the ratio is ½", true},
		{querylang.Amount, "la clôture a coûté deux sous", true},
		{querylang.Amount, "siebenhundertachtzig Franken", true},
		{querylang.Amount, "am Montagabend", false},
		{querylang.Time, "am Montagabend", true},
		{querylang.Time, "la veille de noël", true},
		{querylang.Time, "旦那は猫が好き", false},
		{querylang.Time, "元旦に会う", true},
		{querylang.Phone, "dentist on 12 November at 2:40pm (until 2026-11-10)", false},
		{querylang.Phone, "弟弟12月5号结婚", false},
		{querylang.Phone, "tel. (0341) 5 - 12", true},
		{querylang.Phone, "дверь новая", false},
		{querylang.Phone, "हेल्पलाइन ०१२ ३४५", true},
		{querylang.Phone, "电话二二三三", true},
		{querylang.Phone, "第一, 然后第二, 第三", false},
		{querylang.Phone, "dial nine, double eight, nine", true},
		{"", "anything", true},
	} {
		if got := c.kind.MayTell("how much is room 12 of the two, 二手车", c.text); got != c.want {
			t.Errorf("%s, %q: got %v", c.kind, c.text, got)
		}
	}
}

func BenchmarkMayTell(b *testing.B) {
	for name, text := range map[string]string{
		"en": strings.Repeat("Peanuts make Tomas swell up, and the ramp at the side entrance is wet. ", 24),
		"zh": strings.Repeat("彼は猫が好き，网关由平台组用语言写。", 30),
	} {
		for _, kind := range []querylang.Kind{querylang.Time, querylang.Amount, querylang.Phone} {
			b.Run(name+"/"+string(kind), func(b *testing.B) {
				for b.Loop() {
					kind.MayTell("When did Tobias sell us the boat?", text)
				}
			})
		}
	}
}
