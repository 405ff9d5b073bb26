package querylang_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/querylang"
)

func TestAsksWhenTold(t *testing.T) {
	for _, text := range []string{
		"when did I tell you that Anna is my sister?", "When did I first mention my dentist", "when did I last say that I prefer tea?", "what day did I tell you about the boiler", "when have I told you my address",
		"when did you learn that I moved?", "since when do you know my birthday", "when did I ask you to use tabs?", "When did I mention to you that I like jazz?", "when did I note the new address",
		"我什么时候跟你说过我的会计", "我是什么时候告诉你我搬家的", "我哪天提到过牙医", "什么时候说过我对花生过敏", "我几号让你记下这个地址的", "我什麼時候告訴過你我的生日",
		"アンナが妹だといつ言いましたか", "歯医者のことをいつ教えたっけ", "いつあなたに伝えた？", "住所をいつ話した",
	} {
		if !querylang.Parse(text, today).AsksWhenTold() {
			t.Errorf("%q: asks not when it was told", text)
		}
	}
	for _, text := range []string{
		"", "when did I visit Anna?", "when did Anna tell me about the job", "when did I tell Mia about the trip", "what did I tell you about Mia", "when did I say goodbye to Mia?", "when did I say it to my boss", "tell me when the train leaves",
		"我什么时候跟小李说过这件事", "什么时候出发", "我什么时候去的银行", "哪天和老王见面", "小李什么时候告诉我的", "いつ出発しますか", "母にいつ会った", "いつ引っ越しましたか",
	} {
		if querylang.Parse(text, today).AsksWhenTold() {
			t.Errorf("%q: asks when it was told", text)
		}
	}
}
