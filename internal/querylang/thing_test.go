package querylang_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/querylang"
)

func TestAsksThing(t *testing.T) {
	for text, want := range map[string]string{
		"What is the DHL tracking number of the samples?":  "code, DHL samples",
		"what's our landlord’s name?":                      "name, landlord’s",
		"Which model is the saw?":                          "model, saw",
		"phone number of the dentist":                      "phone, dentist",
		"Wie lautet die Seriennummer der Therme?":          "code, Therme",
		"Wie ist die Telefonnummer vom Zahnarzt?":          "phone, Zahnarzt",
		"¿De qué color es el Skoda?":                       "colour, Skoda",
		"Quelle est l'adresse de la Maison des Bruyères ?": "address, l' Maison Bruyères",
		"备份机的 IP 地址是什么？":                                   "ip, 备份机的 是什么？",
		"样品的快递单号是多少？":                                      "code, 样品的 是多少？",
		"牙医叫什么名字":                                          "", // without a mark it may be anything
		"牙医叫什么名字？":                                         "name, 牙医 ？",
		"サンプルの追跡番号を教えて":                                    "code, サンプルの を教えて",
		"数学课的时间是几点？":                                       "clock, 数学课的 ？",
		"潘先生搬家的时间？":                                        "when, 潘先生搬家的 ？",
		"粽叶要泡多长时间？":                                        "",
		"哪位先生定下了这个名称？":                                     "",
		"文庫の特色は？":                                          "",
		"what does --slot-c-model do":                      "",
		"which version control do we use":                  "",
		"what email address validation does the form have": "",
		"number of standard deviations from a fit":         "",
		"price":                             "",
		"":                                  "",
		"What is the capital of Mongolia?":  "",
		"İstanbul: what is the price of it": "",
	} {
		of, rest := querylang.Query{Text: text}.AsksThing()
		got := ""
		if of != "" {
			got = string(of) + ", " + strings.Trim(strings.Join(strings.Fields(rest), " "), " ?¿")
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestThingIn(t *testing.T) {
	const sure, may, no = "surely", "perhaps", "no"
	for _, c := range []struct{ question, text, want string }{
		{"What is the tracking number of the lens?", "The lens is with the post, 99.00.123456.78901234", sure},
		{"What is the tracking number of the lens?", "DHL 4413-2208-7751 for the lens", sure},
		{"What is the tracking number of the lens?", "lens, 1Z 999 AA1 01 2345", sure},
		{"What is the tracking number of the lens?", "The lens costs 1,250,000 yen", no},
		{"What is the tracking number of the lens?", "The lens came on 2026-03-04 at 10:15", no},
		{"What is the tracking number of the lens?", "The lens has 12 parts", may},
		{"What is the account number of the club?", "DE44 2050 0550 1234", sure},
		{"What is the order number 559012 of the desk?", "the desk, 559012", no},
		{"What is the room number of the class?", "It is in C 214 now", sure},
		{"What is the licence plate of the car?", "The car, HH-KP 2207", sure},
		{"What is the licence plate of the car?", "The car is blue", no},
		{"What version is the wiki on?", "it runs 1.39.4", sure},
		{"What is the IP address of the printer?", "the printer, 10.4.0.17", sure},
		{"What is the phone number of the vet?", "Vet: 02 97 86 11 18", sure},
		{"What is the phone number of the vet?", "the vet opens at 21:00 on 2008-07-14", no},
		{"What is the email address of the vet?", "vet@harbour.example", sure},
		{"What is the email address of the vet?", "the vet is on Elm Road 3", no},
		{"What is the website of the campsite?", "see www.fjordcamp.example", sure},
		{"What is the website of the campsite?", "the campsite is small", no},
		{"What is the price of the boiler?", "The boiler is of 2018, 21183900 stands on it", no},
		{"What is the price of the boiler?", "The boiler was £900", sure},
		{"What is the price of the boiler?", "The boiler was 900", may},
		{"What is the price of the boiler?", "The boiler was free", sure},
		{"锅炉的价格是多少？", "锅炉八百块", sure},
		{"锅炉的价格是多少？", "锅炉三月十二号送到", no},
		{"What is the size of the rug?", "The rug is 200 x 300 cm", sure},
		{"What is the size of the rug?", "The rug is from Nordhem", no},
		{"What is the capacity of the stick?", "the stick has 64gb", sure},
		{"冰柜的宽度是多少？", "冰柜宽 62 厘米", sure},
		{"What colour is the rug?", "a teal rug", sure},
		{"What colour is the rug?", "a rug of wool", no},
		{"What is the delivery date of the desk?", "It comes on 12 March", sure},
		{"What is the delivery date of the desk?", "on 29 de mayo", sure},
		{"What time is the class?", "the class is at five", sure},
		{"What time is the class?", "the class is in the morning", may},
		{"What time is the class?", "the class has moved", no},
		{"数学课的时间是几点？", "数学课改到三号楼", no},
		{"数学课的时间是几点？", "数学课早上上", may},
		{"What is the dentist's address?", "The dentist is on Quay Street 8", sure},
		{"牙医的地址是什么？", "和平路 18 号", sure},
		{"What is the name of the vet?", "The vet is Dr Keller", sure},
		{"What is the name of the vet?", "the vet is closed on Wednesday", may},
		{"Wie ist der Name des Dachdeckers?", "Der Dachdecker will 2.400 Euro für die Rinne", may},
		{"Wie ist der Name des Vermieters?", "Vermieter: Oskar Lindner", sure},
		{"牙医叫什么名字？", "牙医：方晓梅，和平路", sure},
	} {
		of, _ := querylang.Query{Text: c.question}.AsksThing()
		isSure, isPerhaps := of.In(c.question, c.text)
		got := map[bool]string{true: sure, false: may}[isSure]
		if !isPerhaps {
			got = no
		}
		if got != c.want {
			t.Errorf("%s, %q, %q: got %q, want %q", of, c.question, c.text, got, c.want)
		}
	}
}

func BenchmarkAsksThing(b *testing.B) {
	for name, text := range map[string]string{
		"none":  "why did we choose SQLite over Postgres for the index?",
		"en":    "What is the DHL tracking number of the samples?",
		"zh":    "样品的快递单号是多少？",
		"plain": "那个仓库的规则为什么要改",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				querylang.Query{Text: text}.AsksThing()
			}
		})
	}
}

func BenchmarkThingIn(b *testing.B) {
	text := strings.Repeat("Peanuts make Tomas swell up, and the ramp at the side entrance is 12 m. ", 10)
	of, _ := querylang.Query{Text: "What is the email address of the vet?"}.AsksThing()
	for b.Loop() {
		of.In("What is the email address of the vet?", text)
	}
}

func FuzzThing(f *testing.F) {
	f.Add("What is the price of the boiler?", "£900, 1.250,50 v2.3 12月3日 三百块 a@b.example 21:4")
	f.Add("锅炉的价格是多少？", "İ 10.4.0.17 ½ ١٢٣ l'adresse 29. Mai")
	f.Fuzz(func(t *testing.T, question, text string) {
		of, rest := querylang.Query{Text: question}.AsksThing()
		if of == "" && rest != "" {
			t.Errorf("%q: %q is left of no thing", question, rest)
		}
		for _, of := range []querylang.Thing{of, "email", "name", "clock", "address", "price"} {
			if sure, may := of.In(question, text); sure && !may {
				t.Errorf("%q in %q: surely and not perhaps", of, text)
			}
		}
	})
}
