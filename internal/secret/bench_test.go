package secret_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/secret"
)

// texts are built up to a megabyte: ordinary texts, and texts made to be slow.
var texts = []struct{ name, unit string }{
	{"english", "We walked to the old harbour after lunch, and Lena said that the ferry to the islands leaves every second hour in winter. The bakery near the station has bread with walnuts again, so the plan for Sunday is breakfast there.\n"},
	{"chinese", "午饭以后我们走到老港口，莉娜说冬天去岛上的渡轮每两个小时一班。车站旁边的面包房又有核桃面包了，所以周日的计划是去那里吃早饭，然后沿着海边走一圈再回来。\n"},
	{"japanese", "昼食のあと古い港まで歩いた。冬は島へのフェリーが二時間ごとに出るそうだ。駅の近くのパン屋にくるみパンがまたあるので、日曜の朝はそこで食べるつもりだ。\n"},
	{"code", "func (s *Store) Put(ctx context.Context, id int64, name string) error {\n\trow := s.db.QueryRowContext(ctx, insertStatement, id, name)\n\treturn row.Err()\n}\n"},
	{"labels", "The password policy of the token service says that every account key is rotated, see https://example.com/security/login?page=2 for the code.\n"},
	{"secrets", "The password is Herring!Fjord8 and the gate code 4471# for now.\n"},
	{"digits", "7"},
	{"spaced digits", "4111 "},
	{"equals", "="},
	{"base64", "QmFzZTY0IGlzIG5vdCBhIHNlY3JldCBidXQgbG9va3M"},
	{"han", "密"},
	{"password", "password "},
	{"密码", "密码"},
	{"password is", "password is: "},
	{"pem", "-----BEGIN PRIVATE KEY-----"},
	{"sk-", " sk-aaaaaaaaaaaaaaaaaaaaaaaa"},
	{"urls", "http://a:b"},
	{"quotes", "password: \""},
	{"seeds", "abandon ability able "},
	{"table", "| password | password |\n|---|---|\n"},
	{"cookies", "cookie: a=b;"},
	{"pairs", "a: b / c / "},
	{"codes", "codes: 1 2 3 4, "},
	{"marks", "[secret: password] "},
	{"full width", "ｐａｓｓｗｏｒｄ：Herring!Fjord8，"},
	{"invisible", "pass\u00adword \u200b"},
	{"replaced", "密码从 Salmon!Bay7 改成 "},
	{"arrows", "password Salmon!Bay7 → "},
	{"jwt", " eyJhbGciOiJIUzI1NiJ9.eyJhbGciOiJIUzI1NiJ9"},
}

func text(unit string) string { return strings.Repeat(unit, 1<<20/len(unit)) }

func BenchmarkFind(b *testing.B) {
	for _, t := range texts {
		b.Run(t.name, func(b *testing.B) {
			long := text(t.unit)
			b.SetBytes(int64(len(long)))
			b.ReportAllocs()
			for b.Loop() {
				secret.Find(long)
			}
		})
	}
}
