package feature

import "testing"

func TestOfTeller(t *testing.T) {
	for text, want := range map[string]bool{
		"My name is Lin, I am a backend engineer": true,
		"I live in Oslo":                        true,
		"I work with my brother at the harbour": true,
		"Call me on 555 0100":                   true,
		"我叫林晓峰,是后端工程师":                          true,
		"我住在余杭区":                                true,
		"我的生日是五月三日":                             true,
		"老家在绍兴":                                 true,
		"私の名前は林です":                              true,
		"僕は横浜出身です":                              true,
		"自分はエンジニアです":                            true,
		"京都出身です":                                true,
		"杭州に住んでいます":                             true,
		"誕生日は5月3日です":                            true,
		"林と申します":                                true,

		"":                               false,
		"Ann lives in Bergen":            false,
		"My boss is Ann":                 false,
		"my wife's birthday is in May":   false,
		"We moved to Hven":               false,
		"Our landlord is Mr Berg":        false,
		"我老婆叫小梅":                         false,
		"我的老板姓方":                         false,
		"我们的客户在上海":                       false,
		"张伟老家在绍兴":                        false,
		"方总的电话是 555 0100":                false,
		"私の上司は佐藤さんです":                    false,
		"田中さんは大阪出身です":                    false,
		"佐藤さんが横浜に住んでいます":                 false,
		"田中の誕生日は5月3日です":                  false,
		"妻は看護師です":                        false,
		"Vitamin D is what Bo takes now": false,
	} {
		if got := Read(text).OfTeller(); got != want {
			t.Errorf("OfTeller(%q) = %v, want %v", text, got, want)
		}
	}
}

// TestOfUserAlone: an agent says "the user" where the user says "I".
func TestOfUserAlone(t *testing.T) {
	for text, want := range map[string]bool{
		"The user's name is Lin":               true,
		"User lives in Oslo":                   true,
		"The user is allergic to peanuts":      true,
		"The user works at Siemens as a nurse": true,
		"The user has two cats":                true,
		"用户叫林晓峰":                               true,
		"用户的生日是五月三日":                           true,
		"用户对花生过敏":                              true,
		"ユーザーの名前は林です":                          true,
		"ユーザーは横浜に住んでいる":                        true,

		"The user's boss is Ann":                 false,
		"The user's wife is called Mei":          false,
		"the user's sister Anna lives in Bergen": false,
		"The user wants me to run the tests":     false,
		"The user is asking about the weather":   false,
		"User accounts are kept for a year":      false,
		"Users live in Oslo":                     false,
		"Ann is a user of harbour":               false,
		"用户的老板姓方":                                false,
		"用户的妻子叫小梅":                               false,
		"用户问现在几点":                                false,
		"用户数据保存一年":                               false,
		"ユーザーの上司は佐藤さんです":                         false,
	} {
		if got := Read(text).OfUserAlone(); got != want {
			t.Errorf("OfUserAlone(%q) = %v, want %v", text, got, want)
		}
	}
}
