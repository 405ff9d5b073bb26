package charset_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/memoir-ai/memoir/internal/charset"
)

func TestGuess(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"- 张伟的电话是 555-0199。", "- \xd5\xc5\xce\xb0\xb5\xc4\xb5\xe7\xbb\xb0\xca\xc7 555-0199\xa1\xa3\n", charset.GBK},
		{"张伟的电话", "\xd5\xc5\xce\xb0\xb5\xc4\xb5\xe7\xbb\xb0\n", charset.GBK},
		{"你好, and 콱봤 just as well", "\xc4\xe3\xba\xc3\n", ""},
		{"café", "un caf\xe9 noir\n", charset.Latin1},
		{"été", "\xe9t\xe9", charset.Latin1},
		{"été with its article", "l\x92\xe9t\xe9\n", charset.Latin1},
		{"Größe", "Gr\xf6\xdfe und Stra\xdfe", charset.Latin1},
		{"über alles", "\xfcber alles", charset.Latin1},
		{"at the end", "caf\xe9", charset.Latin1},
		{"lunedì, and lunedě in Prague", "luned\xec", ""},
		{"A형, and AÇü in Latin-1", "A\xc7\xfc", ""},
		{"a mark alone", "5 \xb0", ""},
		{"cut off in UTF-8", "日\xe6\x97", ""},
		{"a byte lost in UTF-8", "un caf\xc3\xa9, un th\xc3, \xc3\xa0 bient\xc3\xb4t", ""},
		{"bytes", "\x80\x81\xff\xfe\xff", ""},
		{"nothing", "", ""},
	} {
		if got := charset.Guess([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// named are the encodings that Guess names.
var named = map[string]encoding.Encoding{charset.GBK: simplifiedchinese.GBK, charset.EUCJP: japanese.EUCJP, charset.Latin1: charmap.Windows1252}

type encodings map[string]encoding.Encoding

// written are notes of many languages, in the encodings that they had before UTF-8. want is
// what is said of all lines of one together.
var written = []struct {
	language string
	in       encodings
	want     map[string]string
	lines    []string
}{
	{"Chinese", encodings{"GBK": simplifiedchinese.GBK}, map[string]string{"GBK": charset.GBK}, []string{
		"妈妈的生日是三月五日，要记得买蛋糕", "我们决定用 SQLite，因为只有一个文件", "下周一上午十点和王芳开会讨论预算", "医生说每天要吃两次药", "备用钥匙在门口的花盆下面",
		"爸爸不喜欢吃辣", "笔记", "会议", "服务器密码每三个月换一次", "周末带孩子去动物园",
	}},
	{"Chinese of Taiwan", encodings{"Big5": traditionalchinese.Big5}, nil, []string{
		"媽媽的生日是三月五日，要記得買蛋糕", "我們決定用這個資料庫，因為只有一個檔案", "下週一上午十點和王芳開會討論預算", "醫生說每天要吃兩次藥", "中文", "太少了",
	}},
	{"Japanese", encodings{"EUC-JP": japanese.EUCJP, "Shift_JIS": japanese.ShiftJIS}, map[string]string{"EUC-JP": charset.EUCJP}, []string{
		"母の誕生日は三月五日、ケーキを買うこと", "データベースは SQLite に決めた。ファイルが一つだから", "来週の月曜日の十時に田中さんと予算の会議", "薬は一日に二回飲む", "スペアキーは玄関の鉢の下",
		"会議", "東京都港区六本木", "予算確認済", "日記", "會議", "齋藤澤田學", "ありがとう",
	}},
	{"Japanese of half width", encodings{"EUC-JP": japanese.EUCJP, "Shift_JIS": japanese.ShiftJIS}, nil, []string{"ｶﾀｶﾅ", "ﾐﾑﾒﾓﾔﾕﾖﾗ"}},
	{"Korean", encodings{"EUC-KR": korean.EUCKR}, nil, []string{
		"어머니 생신은 삼월 오일이고 케이크를 사야 한다", "우리는 파일이 하나라서 이 데이터베이스를 쓰기로 했다", "다음 주 월요일 열 시에 김 과장과 예산 회의", "약은 하루에 두 번 먹는다",
		"ㅋㅋㅋㅋ ㅠㅠㅠㅠ 안녕", "안녕", "회의", "가", "大韓民國 서울特別市",
	}},
	{"Russian", encodings{"windows-1251": charmap.Windows1251, "KOI8-R": charmap.KOI8R, "ISO-8859-5": charmap.ISO8859_5}, nil, []string{
		"День рождения мамы пятого марта, купить торт", "привет друг", "мама мыла раму", "Запасной ключ под горшком у двери", "дела", "Мы решили взять одну базу, потому что это один файл",
	}},
	{"Greek", encodings{"windows-1253": charmap.Windows1253}, nil, []string{"Τα γενέθλια της μαμάς είναι στις πέντε Μαρτίου", "καλημέρα φίλε"}},
	{"Thai", encodings{"windows-874": charmap.Windows874}, nil, []string{"วันเกิดของแม่คือวันที่ห้ามีนาคม", "กุญแจสำรองอยู่ใต้กระถาง", "ประชุมวันจันทร์ สิบโมง"}},
	{"Arabic", encodings{"windows-1256": charmap.Windows1256, "ISO-8859-6": charmap.ISO8859_6}, nil, []string{"عيد ميلاد أمي في الخامس من مارس", "المفتاح تحت الباب"}},
	{"Hebrew", encodings{"windows-1255": charmap.Windows1255}, nil, []string{"יום ההולדת של אמא בחמישה במרץ", "המפתח מתחת לדלת"}},
	{"Polish", encodings{"windows-1250": charmap.Windows1250, "ISO-8859-2": charmap.ISO8859_2}, nil, []string{
		"Urodziny mamy są piątego marca, trzeba kupić tort", "Zapasowy klucz leży pod doniczką", "że też", "można", "Wybraliśmy jeden plik, bo tak jest prościej", "później", "się",
	}},
	{"Czech", encodings{"windows-1250": charmap.Windows1250, "ISO-8859-2": charmap.ISO8859_2}, nil, []string{
		"Maminka má narozeniny pátého března, koupit dort", "děkuji", "Náhradní klíč je pod květináčem", "Lékař říká, že léky se berou dvakrát denně", "mléko", "večeře",
	}},
	{"Hungarian", encodings{"windows-1250": charmap.Windows1250}, nil, []string{"Anya születésnapja március ötödikén van, tortát kell venni", "nő", "A pótkulcs a virágcserép alatt van", "idő"}},
	{"Romanian", encodings{"windows-1250": charmap.Windows1250}, nil, []string{"Ziua mamei este pe cinci martie, să cumpăr tort", "Cheia de rezervă e sub ghiveci, lângă uşă", "fără"}},
	{"Turkish", encodings{"windows-1254": charmap.Windows1254}, nil, []string{"Annemin doğum günü beş martta, pasta alınacak", "kız", "Yedek anahtar saksının altında", "çoğu"}},
	{"Latvian", encodings{"windows-1257": charmap.Windows1257}, nil, []string{"Mammas dzimšanas diena ir piektajā martā, jānopērk torte", "māja", "Rezerves atslēga ir zem puķu poda", "kafejnīca", "vēl"}},
	{"Mac", encodings{"macintosh": charmap.Macintosh}, nil, []string{"un café noir", "È caffè", "perché", "Größe", "señor", "à bientôt"}},
	{"DOS", encodings{"IBM850": charmap.CodePage850}, nil, []string{"un café noir", "déjà vu", "señor", "à bientôt"}},
	{"French", encodings{"windows-1252": charmap.Windows1252}, map[string]string{"windows-1252": charset.Latin1}, []string{
		"L’anniversaire de maman est le cinq mars, à fêter avec un gâteau", "La clé de secours est sous le pot, près de la porte", "été", "créée", "à bientôt",
	}},
	{"German", encodings{"windows-1252": charmap.Windows1252}, map[string]string{"windows-1252": charset.Latin1}, []string{"Mama hat am fünften März Geburtstag", "Größe", "Die Schlüssel liegen unter dem Topf – „vor der Tür“"}},
	{"Spanish", encodings{"windows-1252": charmap.Windows1252}, map[string]string{"windows-1252": charset.Latin1}, []string{"El cumpleaños de mamá es el cinco de marzo", "La reunión será el próximo sábado", "mañana", "también"}},
	{"Portuguese", encodings{"windows-1252": charmap.Windows1252}, map[string]string{"windows-1252": charset.Latin1}, []string{"O aniversário da mamãe é no dia cinco de março", "A chave está debaixo do vaso, não esqueça", "São Paulo", "amanhã"}},
	{"Swedish", encodings{"windows-1252": charmap.Windows1252}, map[string]string{"windows-1252": charset.Latin1}, []string{
		"Mammas födelsedag är den femte mars", "Nyckeln ligger under krukan på trappan", "på", "Vi bestämde oss för en fil, eftersom det är enklare",
	}},
}

// TestNamed: what is named is right, of each line and of all lines of a language together.
// Somebody who follows the advice gets the text.
func TestNamed(t *testing.T) {
	for _, w := range written {
		for name, enc := range w.in {
			all := strings.Join(w.lines, "\n")
			for _, text := range append(w.lines, all) {
				coded, err := enc.NewEncoder().String(text)
				if err != nil {
					t.Fatalf("%s in %s: %v", w.language, name, err)
				}
				if utf8.ValidString(coded) {
					continue
				}
				got := charset.Guess([]byte(coded))
				if got != "" {
					if back, err := named[got].NewDecoder().String(coded); err != nil || back != text {
						t.Errorf("%s in %s: %q is taken for %s, and comes out as %q", w.language, name, text, got, back)
					}
				}
				if text == all && got != w.want[name] {
					t.Errorf("%s in %s: got %q, want %q", w.language, name, got, w.want[name])
				}
			}
		}
	}
}

func FuzzGuess(f *testing.F) {
	for _, w := range written {
		for _, enc := range w.in {
			for _, line := range w.lines {
				if coded, err := enc.NewEncoder().String(line); err == nil {
					f.Add([]byte(coded))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := charset.Guess(text); got != "" && named[got] == nil {
			t.Errorf("it names %q", got)
		}
	})
}
