package judge_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestFact: the wish that something be remembered is no part of what is told. Where it may
// be, no word goes.
func TestFact(t *testing.T) {
	for text, want := range map[string]string{
		"Remember that the alarm panel is in the cellar":           "the alarm panel is in the cellar",
		"please remember: my sister is called Anna":                "my sister is called Anna",
		"Please remember that: Anna’s birthday is in May.":         "Anna’s birthday is in May.",
		"Remember, I'm vegetarian":                                 "I'm vegetarian",
		"I need you to remember that I am allergic to nuts.":       "I am allergic to nuts.",
		"Please keep in mind that we deploy on Fridays":            "we deploy on Fridays",
		"don’t forget that the bins go out on Tuesday":             "the bins go out on Tuesday",
		"Note to self: the boiler is serviced in May":              "the boiler is serviced in May",
		"Remember this: size 43 fits":                              "size 43 fits",
		"The boiler is serviced in May, please remember that.":     "The boiler is serviced in May",
		"remember I do not eat pork":                               "I do not eat pork",
		"Please remember we're closed on Mondays.":                 "we're closed on Mondays.",
		"don't forget she hates coriander":                         "she hates coriander",
		"Remember it’s the blue key":                               "it’s the blue key",
		"Keep in mind there are two Annas":                         "there are two Annas",
		"Remember my brother Jonas is allergic to bees":            "my brother Jonas is allergic to bees",
		"Remember Anna can't eat nuts":                             "Anna can't eat nuts",
		"Remember the milk is in the other fridge on Fridays":      "the milk is in the other fridge on Fridays",
		"Remember the man who was here":                            "",
		"Remember the day we were in Kiel":                         "",
		"Remember what Anna said is wrong":                         "",
		"Remember when it was cold":                                "",
		"Remember me as a friend":                                  "",
		"Remember her birthday on Friday":                          "",
		"Remember Anna and the people at work are waiting":         "",
		"Remember how he is":                                       "",
		"Remember I do not eat pork?":                              "",
		"请记住不要给我点猪肉":                                               "不要给我点猪肉",
		"记住不要给我点猪肉":                                                "不要给我点猪肉",
		"请你记住我不吃辣":                                                 "我不吃辣",
		"帮我记住不吃香菜的是小王":                                             "不吃香菜的是小王",
		"记住不等于理解":                                                  "",
		"请记住我住在上海":                                                 "我住在上海",
		"请记住：服务器在法兰克福。":                                            "服务器在法兰克福。",
		"請幫我記住，我吃素":                                                "我吃素",
		"记一下 我的车牌是沪A12345":                                         "我的车牌是沪A12345",
		"别忘了我对花生过敏":                                                "我对花生过敏",
		"我对花生过敏，请记住。":                                              "我对花生过敏",
		"覚えておいて、猫の名前はタマ":                                           "猫の名前はタマ",
		"覚えておいてください：私は左利きです":                                       "私は左利きです",
		"覚えておいて私は左利きです":                                            "私は左利きです",
		"妻の誕生日は5月3日だと覚えておいてください":                                   "妻の誕生日は5月3日だ",
		"私は左利きです。覚えておいてね":                                          "私は左利きです",
		"Merk dir, dass ich Vegetarier bin":                        "ich Vegetarier bin",
		"Bitte merken: Anna wohnt in Kiel":                         "Anna wohnt in Kiel",
		"Vergiss nicht, dass der Server in Frankfurt steht":        "der Server in Frankfurt steht",
		"Retiens que j'habite à Lyon":                              "j'habite à Lyon",
		"N’oublie pas qu’Anna est allergique aux noix":             "Anna est allergique aux noix",
		"Souviens-toi que je suis végétarien":                      "je suis végétarien",
		"Recuerda que vivo en Madrid":                              "vivo en Madrid",
		"Por favor, recuerda: soy alérgico a las nueces":           "soy alérgico a las nueces",
		"Ricordati che abito a Torino":                             "abito a Torino",
		"Lembra-te que sou alérgico a nozes":                       "sou alérgico a nozes",
		"Запомни, что я живу в Казани":                             "я живу в Казани",
		"기억해 줘: 나는 서울에 살아":                                         "나는 서울에 살아",
		"REMEMBER THAT WE SHIP ON MONDAY":                          "WE SHIP ON MONDAY",
		"Remember to water the plants":                             "",
		"Remember the milk":                                        "",
		"Remember that?":                                           "",
		"Remember that restaurant in Kiel?":                        "",
		"Please remember the following:\n- I like tea\n- I like A": "",
		"Remember:\nI live in Kiel":                                "",
		"I remember that the door was open":                        "",
		"Rememberance day is in May":                               "",
		"remember that":                                            "",
		"请记住":                                                      "",
		"请记住这个号码":                                                  "",
		"记住了我的生日":                                                  "",
		"记住密码":                                                     "",
		"覚えておいてよかった":                                               "",
		"妻の誕生日をちゃんと覚えておいて":                                         "",
		"大事なことを覚えておいて":                                             "",
		"Merk dir die Nummer":                                      "",
		"Recuerda comprar pan":                                     "",
		"기억해":                                                      "",
		"":                                                         "",
		"Remember that \xff\xfe":                                   "",
	} {
		if want == "" {
			want = text
		}
		if got := judge.Fact(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestHeading: a heading that only announces a list says nothing of its items. Others stay.
func TestHeading(t *testing.T) {
	for _, head := range []string{
		"Please remember the following", "Remember", "the following things", "Don't forget these", "Keep in mind these points",
		"请记住以下几点", "以下几点", "请帮我记住这些", "请记住", "下面三件事", "请记住这3点", "次のことを覚えておいてください", "以下の点",
		"Merk dir Folgendes", "Retiens ceci", "Recuerda lo siguiente", "Ricorda quanto segue", "Lembra o seguinte", "Запомни следующее", "",
	} {
		if got := judge.Heading(head); got != "" {
			t.Errorf("%q: got %q", head, got)
		}
	}
	for head, want := range map[string]string{
		"Please remember Anna's allergies":      "Anna's allergies",
		"Remember the following about the boat": "the following about the boat",
		"Remember these allergies":              "these allergies",
		"请记住安娜的过敏":                              "安娜的过敏",
		"Anna's allergies":                      "Anna's allergies",
		"Remember to buy":                       "Remember to buy",
		"关于我的几件事":                               "关于我的几件事",
		"露营要点":                                  "露营要点",
		"What is at these":                      "What is at these",
		"Wifi at the cabin":                     "Wifi at the cabin",
	} {
		if got := judge.Heading(head); got != want {
			t.Errorf("%q: got %q, want %q", head, got, want)
		}
	}
}

// FuzzFact: what is left is one piece of the text, and never nothing.
func FuzzFact(f *testing.F) {
	f.Add("please remember that: 我住在上海、覚えておいて")
	f.Add("Merk dir, dass \x00\xff, merk dir das")
	f.Fuzz(func(t *testing.T, text string) {
		if got := judge.Fact(text); !strings.Contains(text, got) || got == "" && text != "" {
			t.Errorf("%q became %q", text, got)
		}
	})
}
