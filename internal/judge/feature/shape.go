package feature

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// A shape is what a text shows without looking at its words.
type shape struct {
	size          float64 // words, where 1.7 characters of Chinese are one
	words         float64 // as size, with those of other scripts, which the models were not fitted to
	empty         bool    // no letter and no digit
	single        bool    // one word
	repeat        bool
	path, url     bool
	json, symbols bool
	code, trace   bool
	log, progress bool
	tool          bool
	placeholder   bool
	comment       bool
	question      bool // ends in a question mark
	asks          bool // is worded as a question
	colon, shout  bool // ends in a colon, in an exclamation mark
	lines         int
	hasDigit      bool
	me, you       bool
	name          bool // a capital inside a sentence
	list          bool
	quote         bool
	polite        bool // particles of talk at the end
	personal      bool
}

// A pattern is a regular expression with what a text that it matches has at least, which
// is quick to see: most texts have it of few patterns.
type pattern struct {
	expr  func() *regexp.Regexp
	least func(string) bool
}

// in reports whether the pattern matches a text.
func (p pattern) in(s string) bool { return p.least(s) && p.expr().MatchString(s) }

var (
	pathPattern     = pattern{lazyregexp.New(`^(?:[A-Za-z]:\\|[~.]{0,2}/)?(?:[\w.@\p{Han}\p{Hiragana}\p{Katakana}-]+[\\/])+[\w.@\p{Han}\p{Hiragana}\p{Katakana}-]*(?::\d+)*$`), hasSlash}
	filePattern     = pattern{lazyregexp.New(`^[\w.-]+\.(?:go|py|js|ts|tsx|jsx|java|c|h|cpp|rs|rb|php|md|txt|json|ya?ml|toml|sql|sh|html|css|csv|log|lock|xml|ini|cfg|png|jpg|pdf)(?::\d+)*$`), hasDot}
	urlPattern      = pattern{lazyregexp.New(`^(?:https?|ftp|ssh|git)://\S+$|^www\.\S+$|^git@\S+:\S+$`), oneOf("://", "www.", "git@")}
	codePattern     = pattern{lazyregexp.New(`(?m)^\s*(?:def|return|for|if|elif|else|while|import|from|const|let|var|export|func|fn|class|public|private|static|#include|package|struct|type|async|await|try|catch|except|with|SELECT|UPDATE|INSERT|DELETE|CREATE|ALTER|DROP)\b.*[({=;:\]]\s*$|^\s*(?:def|func|fn|class)\s+\w+\s*[({:]|^\s*(?:SELECT|UPDATE|INSERT|DELETE|CREATE|ALTER|DROP)\s.*;?\s*$|=>|^\s*</?\w+[ >/]|[;{}]\s*$|^\s*\}|^\s*(?:const|let|var|export|import|from|return|print|console\.log)\b.*[;()={}'"]|^\s*\w+(?:\.\w+)*\([^()]*\);?\s*$|^@\w+(?:\(|$)|^\s*#\[\w+|^\s*\w+ *:?= *[\w.]+\(|^[.#][\w-]+ *\{`), hasCodeMark}
	tracePattern    = pattern{lazyregexp.New(`(?m)Traceback \(most|^\s+at \S+[ (].*:\d+|^panic: |goroutine \d+|\bFile "[^"]+", line \d+|(?:Exception|Error|TypeError)\b.*\n|thread .* panicked|Segmentation fault|Caused by:|Uncaught \w*Error|^\w*(?:Error|Exception): |^[\w./-]+:\d+(?::\d+)?: (?:error|warning|undefined|fatal)|core dumped|^fatal: |^FAIL\b|^--- FAIL|^E\s{2,}\w`), hasTraceMark}
	logPattern      = pattern{lazyregexp.New(`^\s*[\[<]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\d\d:\d\d:\d\d|INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|信息|警告|错误|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d)`), beginsLog}
	logWordPattern  = pattern{lazyregexp.New(`\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|ok|failed|started|stopped|GET|POST|PUT|DELETE|level)\b|=\S|正常|异常|超时|成功|失败|\w\[\d+\]:|使用率`), anything}
	progressPattern = pattern{lazyregexp.New(`\[\d+/\d+\]|\b\d+/\d+\b.*(?:eta|loss|done|it/s|files?|objects)|\d{1,3}(?:\.\d+)?%.*\|?[█#=>]|[█▓░▏▎▍▌▋▊▉]{2,}|[=#]{4,}>?|\beta:? ?\d|已完成 ?\d+/\d+|\d+(?:\.\d+)? ?[kmg]i?b/s|epoch \d+(?:/\d+)?|downloading|uploading|installing|please wait|请稍候|请稍等|安装中|加载中|下载中|上传中|(?:正在|共)\S{1,8} ?\d+ ?/ ?\d+|\bit/s\b|\d+ of \d+ (?:files|items|packages)|(?:compiling|building|fetching|resolving|unpacking) \S+|読み込み中|ダウンロード中|処理中|進捗 ?\d+%|bytes? received|received \d+ bytes|\d+%\s*$`), hasProgressMark}
	toolPattern     = pattern{lazyregexp.New(`(?im)^[$#>] \S|^npm (?:WARN|ERR)|^exit (?:code|status)|^total \d+$|drwx|^-rw|^\s*\d+ (?:passed|failed)|\d+ passed|no output|^共找到|用时 ?[\d.]+ ?秒|^Found \d+|^\S+: (?:\S+: )*command not found|^On branch|^\+\+\+ |^@@ |^--- a/|^diff --git|^warning:|^error\[|^BUILD (?:SUCCESS|FAIL)(?:FUL|URE|ED)?\b(?: in\b|[^\w ]|$)|^Total time|^ok\s+\S+\s+[\d.]+s|^added \d+ packages|nothing to commit|^up to date|(?:already|is|are|everything|:) up to date|^\(\d+ rows?|\d+ rows? (?:affected|in set)|^Query OK|^Process finished|^0 errors?\b|^HTTP/\d(?:\.\d)? \d{3}\b|^< HTTP|^total size is|^real\s+\d|^permission denied[^\w ]|^permission denied$|: permission denied|permission denied \(|^no such file or directory|: no such file|^Tests?:? +\d|^Finished in|^Successfully|^Already (?:up|on|exists|installed|a)\b|^Everything up|^Switched to (?:a new )?branch|^Cloning into|^Listening on|^退出码|^(?:编译|构建)(?:成功|失败|完成|通过|中|错误|出错|警告|结束|输出|信息|日志|耗时|用时|任务)|^执行完成|^返回 ?\d+ ?条|^\d+ files? changed|^(?-i:PASS|SKIP)\b|件見つかりました|^終了コード|^\|.*\|.*\|`), hasToolWord}
	placePattern    = pattern{lazyregexp.New(`(?i)\{\{.*?\}\}|lorem|ipsum|^asdf|asdf[a-z]|asdf asdf|qwert|foo ?bar|test test|测试测试|测试文本|示例文本|占位|quick brown fox|一二三四五|\b12345\b|abc ?123|テストテスト|あいうえお|\bxxx+\b|todo: ?$|tbd$|你的名字|your[ _-]name here|insert .{1,20} here|此处填写|hello,? world`), hasPlaceholder}
	questionWord    = pattern{lazyregexp.New(`^(?:(?:so|and|ok|hey|um|well|but),? )?(?:what|why|how|which|who|when|where|can you|could you|would you|do you|does|did|is there|are there|is it|is this|are you|should|shall|may i|can i|any idea|anyone|what's|who's|how's|where's)\b`), beginsQuestion}
	questionEnd     = pattern{lazyregexp.New(`(?:吗|呢|什么|怎么|啥|哪个|哪里|哪儿|多少|为什么|是不是|怎么办|怎么样|如何|对吧|好不好|行不行|ですか|ますか|でしょうか|ませんか|かな|なの)[呀啊吧哦呢]?[?。!~]*$`), beyondASCII}
	questionIn      = pattern{lazyregexp.New(`什么|怎么|为什么|怎样|如何|多少|哪个|哪些|谁|是否|有没有|能不能|何|どう|なぜ|どこ|いつ|どれ|誰`), beyondASCII}
)

// maxShape is how many bytes at the beginning or the end of a text are searched
// for patterns.
const maxShape = 512

// look reads the shape of a text whose folded form and values are known.
func look(t *Text) shape {
	s, low := t.raw, t.folded
	var l shape
	head, lowEnd := s, low
	if len(head) > maxShape {
		head = strings.ToValidUTF8(head[:maxShape], "")
	}
	if len(lowEnd) > maxShape {
		lowEnd = strings.ToValidUTF8(lowEnd[len(lowEnd)-maxShape:], "")
	}
	lowHead := strings.ToLower(head)
	words := latinWords(low)
	l.size = float64(t.latin) + float64(t.cjk)/1.7
	l.empty = !strings.ContainsFunc(s, letter)
	l.words = l.size + otherWords(low)
	l.single = l.words <= 1.3 && !strings.ContainsFunc(s, unicode.IsSpace)
	l.repeat = repeats(low) || t.latin > 3 && distinct(words) < .6
	l.path, l.url = len(s) <= maxShape && (pathPattern.in(s) || filePattern.in(s)), len(s) <= maxShape && urlPattern.in(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	l.json = beginsJSON(head) && (last == ']' || last == '}')
	symbols := 0
	for _, r := range s {
		if strings.ContainsRune("{}()[];=<>|&$", r) {
			symbols++
		}
	}
	l.symbols = len(s) > 12 && float64(symbols) > .06*float64(utf8.RuneCountInString(s))
	l.code, l.trace = codePattern.in(head), tracePattern.in(head)
	l.log = logPattern.in(head) && logWordPattern.in(head)
	l.progress, l.tool = progressPattern.in(lowHead), toolPattern.in(head)
	l.placeholder, l.comment = placePattern.in(head), beginsComment(head)
	l.question = last == '?' || last == '？'
	l.asks = questionWord.in(low) || questionEnd.in(lowEnd) || l.question && questionIn.in(lowEnd)
	l.colon, l.shout = last == ':' || last == '：', strings.ContainsRune("!！~～", last)
	l.lines = strings.Count(s, "\n")
	l.hasDigit = strings.ContainsFunc(s, unicode.IsDigit)
	l.me, l.you = holdsWord(low, ofMe) || strings.ContainsAny(low, "我咱俺私僕"), holdsWord(low, ofYou) || strings.ContainsAny(low, "你您") || strings.Contains(low, "あなた")
	l.name = holdsName(head)
	l.list, l.quote = holdsList(head), strings.ContainsAny(s, "“”\"「」『』")
	l.polite = endsPolite(lowEnd)
	l.personal = t.has("personal")
	return l
}

// strong reports whether the shape alone shows that the text states nothing, though it may be
// more than a word or a path.
func (l *shape) strong() bool {
	return l.empty || l.url || l.json || l.trace || l.log || l.comment || l.code && l.symbols ||
		(l.tool || l.placeholder) && !l.personal
}

// latinWords returns the words of Latin letters in a folded text.
func latinWords(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return r > 0x7f || !latin(byte(r)) && r != '\'' })
}

// charactersAWord is how many characters count as a word in scripts whose words hold what
// English says in several, or that write them without spaces.
var charactersAWord = map[*unicode.RangeTable]float64{unicode.Hangul: 2, unicode.Thai: 4, unicode.Lao: 4, unicode.Khmer: 4, unicode.Myanmar: 4}

// otherWords returns how many words a folded text has in scripts other than the Latin one and
// those of Chinese and Japanese.
func otherWords(folded string) (n float64) {
	within := false
	for _, r := range folded {
		if r < utf8.RuneSelf || !unicode.In(r, unicode.L, unicode.M) || unicode.In(r, unicode.Latin, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Common, unicode.Inherited) {
			within = within && unicode.Is(unicode.M, r)
			continue
		}
		dense := false
		for script, each := range charactersAWord {
			if dense = unicode.Is(script, r); dense {
				n += 1 / each
				break
			}
		}
		if !dense && !within {
			n++
		}
		within = !dense
	}
	return n
}

// repeats reports whether a text repeats the same few characters.
func repeats(low string) bool {
	runes := []rune(strings.TrimRight(low, "。.!~ "))
	for width := 1; width <= 4; width++ {
		if len(runes) < 3*width || len(runes)%width != 0 {
			continue
		}
		same := true
		for i := width; i < len(runes) && same; i++ {
			same = runes[i] == runes[i-width]
		}
		if same {
			return true
		}
	}
	return false
}

// distinct returns the share of words that differ.
func distinct(words []string) float64 {
	seen := map[string]bool{}
	for _, w := range words {
		seen[w] = true
	}
	return float64(len(seen)) / float64(len(words))
}
