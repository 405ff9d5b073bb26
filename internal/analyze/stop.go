package analyze

import (
	"strings"
	"unicode/utf8"
)

// The words of a question that say nothing about its subject. They are taken
// out of queries only: a document keeps every word, and a query that consists
// of nothing else keeps them too.
const (
	englishStops = `
		a an the this that these those
		i me my mine myself we us our ours ourselves you your yours yourself yourselves
		he him his himself she her hers herself it its itself they them their theirs themselves
		who whom whose which what when where why how whatever whoever whichever
		am is are was were be been being isnt arent wasnt werent aint
		do does did doing done dont doesnt didnt
		have has had having havent hasnt hadnt
		will would shall should can could might must wont wouldnt shouldnt cant cannot couldnt mustnt
		and or but if than then so nor not no
		of in on at to for from by with about into onto as
		there here any some please tell lets`

	chineseStops = `
		什么 甚么 为什么 怎么 怎样 怎么样 如何 为何 多少
		哪里 哪儿 哪个 哪些 哪种 哪位 哪几 哪
		谁 是谁 吗 呢
		请问 告诉我 是什么 是多少 有哪些 有什么 是不是 有没有`
	japaneseStops = `
		何 何か なに なん なんと 何と どこ どれ どの どう どんな だれ 誰 いつ なぜ いくつ いくら どのような どのように
		ですか ますか でしょうか ましたか でしたか のか 教えて ください という といいますか いう どちら`

	// Characters that mean little, though not nothing.
	chineseWeak = `的 了 是 在 我 你 他 她 它 这 那 就 都 也 很 和 有 请 么 几 吧 啊 呀`
	// Words that are made with them all the same, as far as the pair seldom
	// stands at a border: 和服 is not among them, for 数据库和服务器.
	chineseWords = `
		目的 的士 标的 了解 明了 了结 了断 存在 内在 潜在 在线 在职 在校 自我 他人 吉他
		京都 首都 成都 古都 帝都 迁都 都市 都城 昌都 都江 都督
		就业 就医 就诊 就职 就读 就餐 就任 成就 迁就
		有限 有效 有毒 有害 有氧 拥有 持有 占有 私有 特有 稀有 固有 享有
		和谐 和弦 和尚 饱和 共和 总和 温和 缓和 柔和 调和 昭和 令和
		请假 请求 请客 请柬 申请 邀请 聘请 几何 几率 茶几 酒吧 网吧 贴吧 维也 也纳 也门`
	japaneseWeak = `は が を に の と で も か へ や`
)

var (
	englishStopWords  = set(englishStops)
	chinesePhrases    = set(chineseStops)
	japanesePhrases   = set(fold(japaneseStops).text) // 誰 is folded as in Chinese
	chineseParticles  = set(chineseWeak)
	particleWords     = set(chineseWords)
	japaneseParticles = set(japaneseWeak)
)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// stopWord reports whether a folded word is an English stop word.
func stopWord(w string) bool { return englishStopWords[w] }

// japanese reports whether a query is written in Japanese: kana tell.
func japanese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x3041 && r <= 0x30ff })
}

// maxStopRunes is the length of the longest stop phrase.
const maxStopRunes = 6

// untilStop returns where the first stop phrase in text[x:end] begins, and
// where it ends; both are end when there is none. Of phrases that begin at the
// same place the longest counts.
func (s *scanner) untilStop(x, end int) (stop, next int) {
	for x < end {
		longest, y := 0, x
		for range maxStopRunes {
			if y >= end {
				break
			}
			_, w := utf8.DecodeRuneInString(s.text[y:end])
			y += w
			if s.phrases[s.text[x:y]] {
				longest = y
			}
		}
		if longest > 0 {
			return x, longest
		}
		_, w := utf8.DecodeRuneInString(s.text[x:end])
		x += w
	}
	return end, end
}
