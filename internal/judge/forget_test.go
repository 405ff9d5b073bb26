package judge_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/judge"
)

// TestToForget: a wish to have something forgotten is no fact, and what only sounds like one
// is kept.
func TestToForget(t *testing.T) {
	j := judge.For(judge.Model)
	for _, text := range []string{
		"Forget that Rosa moved to Porto.", "please forget my birthday", "Can you forget what I told you about Ines?", "FORGET ABOUT THE BOAT, please!", "Delete what I said about Tomas",
		"Erase everything about my knee.", "You can forget our old phone number now", "忘掉我以前在深圳上班", "请忘记我的手机号。", "麻烦你忘了刚才那件事，谢谢", "把小林的电话删掉", "别记了", "删掉和体检有关的内容",
		"さっきの話は忘れてください。", "私の住所は忘れて", "その件を記憶から削除して",
	} {
		if v := j.Gate(text, judge.User, nil); !v.Refuse || v.Code != judge.ToForget {
			t.Errorf("%q: got %+v", text, v)
		}
	}
	for _, text := range []string{
		"Don't forget that the boiler is serviced in May", "I always forget my umbrella on Mondays", "Forget-me-nots grow behind the shed", "Forget about tabs, we indent with spaces now",
		"Forget what I said about Bo: he lives in Ghent", "Delete everything in /tmp/build before a release", "忘了带钥匙的时候找门卫", "别忘了周五交水费", "忘掉上海吧，我们已经搬到苏州了", "他把测试分支删了",
		"小林は傘をよく忘れている", "鍵を忘れないで",
	} {
		if v := j.Gate(text, judge.User, nil); v.Code == judge.ToForget {
			t.Errorf("%q: got %+v", text, v)
		}
	}
}
