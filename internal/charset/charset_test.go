package charset_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/charset"
)

func TestGuess(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"你好", "\xc4\xe3\xba\xc3\n", charset.GBK},
		{"- 张伟的电话是 555-0199。", "- \xd5\xc5\xce\xb0\xb5\xc4\xb5\xe7\xbb\xb0\xca\xc7 555-0199\xa1\xa3\n", charset.GBK},
		{"café", "un caf\xe9 noir\n", charset.Latin1},
		{"Größe", "Gr\xf6\xdfe und Stra\xdfe", charset.Latin1},
		{"über alles", "\xfcber alles", charset.Latin1},
		{"at the end", "caf\xe9", charset.Latin1},
		{"cut off in UTF-8", "日\xe6\x97", ""},
		{"张伟的电话", "\xd5\xc5\xce\xb0\xb5\xc4\xb5\xe7\xbb\xb0\n", charset.GBK},
		{"a byte lost in UTF-8", "un caf\xc3\xa9, un th\xc3, \xc3\xa0 bient\xc3\xb4t", ""},
		{"bytes", "\x80\x81\xff\xfe\xff", ""},
	} {
		if got := charset.Guess([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
