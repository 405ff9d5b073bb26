package secret_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir/internal/secret"
)

func TestMask(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"The Wi-Fi password is Herring!Fjord8.", "The Wi-Fi password is [secret: password]."},
		{"密码是shuimo2019，别外传", "密码是[secret: password]，别外传"},
		{"パスワードは「kaze-22」です", "パスワードは「[secret: password]」です"},
		{norm.NFD.String("パスワードは「kaze-22」です"), norm.NFD.String("パスワードは「[secret: password]」です")},
		{"backup codes: 1f9a-77c2, b03d-91ee", "backup codes: [secret: code], [secret: code]"},
		{"Das Passwort lautet Tr0ub4dor&3, mein Kennwort ist geheim123", "Das Passwort lautet [secret: password], mein Kennwort ist [secret: password]"},
		{"Le mot de passe est Tr0ub4dor&3; la contraseña es Tr0ub4dor&4", "Le mot de passe est [secret: password]; la contraseña es [secret: password]"},
		{"Passwort: hunter2", "Passwort: [secret: password]"},
		{"Das Passwort ist falsch, le mot de passe est obligatoire, la contraseña es necesaria", "Das Passwort ist falsch, le mot de passe est obligatoire, la contraseña es necesaria"},
		{"The ｐａｓｓｗｏｒｄ：Ｈｅｒｒｉｎｇ！Ｆｊｏｒｄ９ of the ｐｒｉｎｔｅｒ", "The ｐａｓｓｗｏｒｄ：[secret: password] of the ｐｒｉｎｔｅｒ"},
		{"a pass\u00adword: \u200bTern\u200b!Quay31\u200b \ufeff", "a pass\u00adword: \u200b[secret: password]\u200b \ufeff"},
		{"Mot de passe\u00a0: cigale-7712", "Mot de passe\u00a0: [secret: password]"},
		{"密码：abc1234，ＰＩＮ：４４７１，谢谢", "密码：[secret: password]，ＰＩＮ：[secret: pin]，谢谢"},
		{"金庫のパスは Herring!Fjord8 だよ", "金庫のパスは [secret: password] だよ"},
		{"서버 비밀번호는 Cheong!Fjord8 입니다", "서버 비밀번호는 [secret: password] 입니다"},
		{norm.NFD.String("서버 비밀번호는 Cheong!Fjord8 입니다"), norm.NFD.String("서버 비밀번호는 [secret: password] 입니다")},
		{norm.NFD.String("현관 비밀번호가 namu#4417이에요"), norm.NFD.String("현관 비밀번호가 [secret: password]이에요")},
		{"Пароль от сервера — Seld!Fjord8", "Пароль от сервера — [secret: password]"},
		{"The password changed from Salmon!Bay7 to Herring!Fjord8 and back", "The password changed from [secret: password] to [secret: password] and back"},
		{"The password changed from Salmon!Bay7 to something else", "The password changed from [secret: password] to something else"},
		{"We cut failed password logins from 1200 a day", "We cut failed password logins from 1200 a day"},
		{"postgres://app:q9Zt_vv81@db/main", "postgres://app:[secret: password]@db/main"},
		{"PIN 3391, PUK 48210773", "PIN [secret: pin], PUK [secret: pin]"},
		{
			"key:\r\n-----BEGIN PRIVATE KEY-----\r\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\r\n-----END PRIVATE KEY-----\r\nend",
			"key:\r\n[secret: private-key]\r\n[secret: private-key]\r\n[secret: private-key]\r\nend",
		},
		{"The password is [secret: password].", "The password is [secret: password]."},
		{"password: [secret: nothing]", "password: [secret: nothing]"},
		{"- The password is in the safe <!-- id: k3ynap4r | by: owaigiy6 -->\n", "- The password is in the safe <!-- id: k3ynap4r | by: owaigiy6 -->\n"},
		{"- 我的银行密码是 [secret: password]，别告诉别人 <!-- id: wuynap4r | observed: 2026-11-23 | replaces: k3ynap4r -->", "- 我的银行密码是 [secret: password]，别告诉别人 <!-- id: wuynap4r | observed: 2026-11-23 | replaces: k3ynap4r -->"},
		{"- 密码在保险箱 <!-- id: k3ynap4r | session: 8f3c2f4e-0d55-4d5e-9c1f-51a0d2c4b6e7 | key: 9b2f0c44d1a7e6b39b2f0c44d1a7e6b3 | origin: user -->", "- 密码在保险箱 <!-- id: k3ynap4r | session: 8f3c2f4e-0d55-4d5e-9c1f-51a0d2c4b6e7 | key: 9b2f0c44d1a7e6b39b2f0c44d1a7e6b3 | origin: user -->"},
		{"<!-- the password: k3ynap4r -->", "<!-- the password: [secret: password] -->"},
		{"<!-- a | b --> the password: k3ynap4r", "<!-- a | b --> the password: [secret: password]"},
		// What a format gives a label.
		{"| setting | value |\n|---|---|\n| user | admin |\n| password | u8jzPde0IgxL |\n", "| setting | value |\n|---|---|\n| user | admin |\n| password | [secret: password] |\n"},
		{"| **Wi-Fi password** | `u8jzPde0IgxL` |", "| **Wi-Fi password** | `[secret: password]` |"},
		{"| 密码 | u8jzPde0IgxL | 路由器 |", "| 密码 | [secret: password] | 路由器 |"},
		{"The router has: | password | u8jzPde0IgxL | and stands on floor two", "The router has: | password | [secret: password] | and stands on floor two"},
		{"| PIN | 4821 |", "| PIN | [secret: pin] |"},
		{"<server><username>deploy</username><password>u8jzPde0IgxL</password></server>", "<server><username>deploy</username><password>[secret: password]</password></server>"},
		{"<db:userPassword type=\"text\">\n  u8jzPde0IgxL\n</db:userPassword>", "<db:userPassword type=\"text\">\n  [secret: password]\n</db:userPassword>"},
		{"<password><![CDATA[u8jz&Pde0]]></password>", "<password><![CDATA[[secret: password]]]></password>"},
		{"<add key=\"Password\" value=\"u8jzPde0IgxL\"/>", "<add key=\"Password\" value=\"[secret: password]\"/>"},
		{"<property name='db.password' value='u8jzPde0IgxL'/>", "<property name='db.password' value='[secret: password]'/>"},
		{"<property name=\"password\">u8jzPde0IgxL</property>", "<property name=\"password\">[secret: password]</property>"},
		{"**Password**\n\nu8jzPde0IgxL\n", "**Password**\n\n[secret: password]\n"},
		{"## Password\r\n\r\n    u8jzPde0IgxL\r\n", "## Password\r\n\r\n    [secret: password]\r\n"},
		{"## 密码\n\nu8jzPde0IgxL", "## 密码\n\n[secret: password]"},
		{"api key\n\nZx81kQ9wLm20pRt7Vb3N", "api key\n\n[secret: key]"},
		{"Password\n: u8jzPde0IgxL\n", "Password\n: [secret: password]\n"},
		{"password: !vault |\n  u8jzPde0IgxL\n", "password: !vault |\n  [secret: password]\n"},
		{"db_password: >-\n  u8jzPde0IgxL", "db_password: >-\n  [secret: password]"},
		{"WIFI:T:WPA;S:HomeNet;P:u8jzPde0IgxL;;", "WIFI:T:WPA;S:HomeNet;P:[secret: password];;"},
		{"My passphrase is correct horse battery staple", "My passphrase is [secret: passphrase]"},
		{"talks to mem0 with m0-mZp0zVZomHFwUbbYrEqmSM9wCZ7Uw9xfogoEmvQx since March", "talks to mem0 with [secret: key] since March"},
		{"tvly-dev-8Jq2Lk0wXz7Rb4Nc1Vt9Ys", "[secret: key]"},
		// Formats that give none.
		{"| `openai` | `OPENAI_API_KEY` | `text-embedding-3-small` | OpenAI |", "| `openai` | `OPENAI_API_KEY` | `text-embedding-3-small` | OpenAI |"},
		{"| `DB_PASSWORD` | `postgres-15` |\n| api key | model-7b-instruct |", "| `DB_PASSWORD` | `postgres-15` |\n| api key | model-7b-instruct |"},
		{"| `api key` | Zx81kQ9wLm20pRt7Vb3N |", "| `api key` | [secret: key] |"},
		{"| password | required | yes |\n| tokens | 880 |\n| password | 1204 |", "| password | required | yes |\n| tokens | 880 |\n| password | 1204 |"},
		{"| password | The password of the user2 |", "| password | The password of the user2 |"},
		{"| user | password |\n|---|---|\n", "| user | password |\n|---|---|\n"},
		{"<input type=\"password\" id=\"pw1\" name=\"password\" placeholder=\"Kennwort2\">", "<input type=\"password\" id=\"pw1\" name=\"password\" placeholder=\"Kennwort2\">"},
		{"<password>${DB_PASSWORD}</password> <password/> <password></password> <token>string</token>", "<password>${DB_PASSWORD}</password> <password/> <password></password> <token>string</token>"},
		{"## Password\n\nIt is kept in the vault of team2.\n", "## Password\n\nIt is kept in the vault of team2.\n"},
		{"## Tokens\n\n- step1\n- step2\n", "## Tokens\n\n- step1\n- step2\n"},
		{"The passphrase is wrong since last night", "The passphrase is wrong since last night"},
		{"The passphrase is broken since last night", "The passphrase is broken since last night"},
		{"The passphrase is wrong since yesterday evening", "The passphrase is wrong since yesterday evening"},
		{"The passphrase is missing sometimes after reboots", "The passphrase is missing sometimes after reboots"},
		{"The passphrase is required during system startup", "The passphrase is required during system startup"},
		{"hsk-4-vocabulary-list-for-the-exam, m0-branch", "hsk-4-vocabulary-list-for-the-exam, m0-branch"},
		{"", ""},
		{"no secret at all\n", "no secret at all\n"},
	} {
		got, spans := secret.Mask(test.text)
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
		if again, more := secret.Mask(got); again != got || len(more) > 0 {
			t.Errorf("%q masked again: got %q", got, again)
		}
		if strings.Count(got, "\n") != strings.Count(test.text, "\n") {
			t.Errorf("%q: the masked text has other lines: %q", test.text, got)
		}
		if (len(spans) > 0) != (got != test.text) {
			t.Errorf("%q: got spans %v", test.text, spans)
		}
	}
}

func TestCharacters(t *testing.T) {
	text := "😀 密码是shuimo2019，PIN 是 4821"
	got := secret.Characters(text, secret.Find(text))
	want := []secret.Span{{Start: 5, End: 15, Kind: secret.Password}, {Start: 22, End: 26, Kind: secret.PIN}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRest(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  []string
		small int
	}{
		{"my password is Herring!Fjord8", nil, 0},
		{"The Wi-Fi password is Herring!Fjord8", []string{"Wi-Fi"}, 1},
		{"Lena moved to Bergen in May; the gate code there is 4471#.", []string{"Lena", "moved", "Bergen", "May"}, 4},
		{"密码是shuimo2019", nil, 0},
		{"莉娜搬家了，门禁密码是shuimo2019", []string{"莉", "娜", "搬", "家", "门", "禁"}, 0},
	} {
		got, small := secret.Rest(test.text, secret.Find(test.text))
		if diff := cmp.Diff(test.want, got); diff != "" || small != test.small {
			t.Errorf("%q: %d small words, want %d (-want +got):\n%s", test.text, small, test.small, diff)
		}
	}
}

// check tests what holds for every text.
func check(t *testing.T, text string) {
	t.Helper()
	at := 0
	spans := secret.Find(text)
	for _, s := range spans {
		if s.Start < at || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("%q: spans %v are out of order or of bounds", text, spans)
		}
		for _, i := range []int{s.Start, s.End} {
			if i < len(text) && utf8.ValidString(text) && !utf8.RuneStart(text[i]) {
				t.Fatalf("%q: %v cuts a character", text, s)
			}
		}
		at = s.End
	}
	masked, _ := secret.Mask(text)
	if again, more := secret.Mask(masked); again != masked {
		t.Errorf("%q: masked %q, masked again %q %v", text, masked, again, more)
	}
	if strings.Count(masked, "\n") != strings.Count(text, "\n") {
		t.Errorf("%q: masked %q has other lines", text, masked)
	}
	secret.Characters(text, spans)
	secret.Rest(text, spans)
}

func FuzzFind(f *testing.F) {
	for _, s := range golden(f) {
		f.Add(s.text)
	}
	for _, t := range texts {
		f.Add(t.unit + t.unit)
	}
	f.Add("password: \xff\xfe12ab [secret: pin] codes 12 34\n12 34")
	f.Fuzz(check)
}

// TestHostile: texts made to be slow come to an end, and keep the rules that every text
// keeps.
func TestHostile(t *testing.T) {
	for _, x := range texts {
		check(t, strings.Repeat(x.unit, 1<<13/len(x.unit)))
	}
}
