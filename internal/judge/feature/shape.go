package feature

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// A shape is what a text shows without looking at its words.
type shape struct {
	size          float64 // words, where 1.7 characters of Chinese are one
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

var (
	pathPattern     = lazyregexp.New(`^(?:[A-Za-z]:\\|[~.]{0,2}/)?(?:[\w.@\p{Han}\p{Hiragana}\p{Katakana}-]+[\\/])+[\w.@\p{Han}\p{Hiragana}\p{Katakana}-]*(?::\d+)*$`)
	filePattern     = lazyregexp.New(`^[\w.-]+\.(?:go|py|js|ts|tsx|jsx|java|c|h|cpp|rs|rb|php|md|txt|json|ya?ml|toml|sql|sh|html|css|csv|log|lock|xml|ini|cfg|png|jpg|pdf)(?::\d+)*$`)
	urlPattern      = lazyregexp.New(`^(?:https?|ftp|ssh|git)://\S+$|^www\.\S+$|^git@\S+:\S+$`)
	jsonPattern     = lazyregexp.New(`^[\[{]\s*["\[{\d\]}]`)
	codePattern     = lazyregexp.New(`(?m)^\s*(?:def|return|for|if|elif|else|while|import|from|const|let|var|export|func|fn|class|public|private|static|#include|package|struct|type|async|await|try|catch|except|with|SELECT|UPDATE|INSERT|DELETE|CREATE|ALTER|DROP)\b.*[({=;:\]]\s*$|^\s*(?:def|func|fn|class)\s+\w+\s*[({:]|^\s*(?:SELECT|UPDATE|INSERT|DELETE|CREATE|ALTER|DROP)\s.*;?\s*$|=>|^\s*</?\w+[ >/]|[;{}]\s*$|^\s*\}|^\s*(?:const|let|var|export|import|from|return|print|console\.log)\b.*[;()={}'"]|^\s*\w+(?:\.\w+)*\([^()]*\);?\s*$|^@\w+(?:\(|$)|^\s*#\[\w+|^\s*\w+ *:?= *[\w.]+\(|^[.#][\w-]+ *\{`)
	tracePattern    = lazyregexp.New(`(?m)Traceback \(most|^\s+at \S+[ (].*:\d+|^panic: |goroutine \d+|\bFile "[^"]+", line \d+|(?:Exception|Error|TypeError)\b.*\n|thread .* panicked|Segmentation fault|Caused by:|Uncaught \w*Error|^\w*(?:Error|Exception): |^[\w./-]+:\d+(?::\d+)?: (?:error|warning|undefined|fatal)|core dumped|^fatal: |^FAIL\b|^--- FAIL|^E\s{2,}\w`)
	logPattern      = lazyregexp.New(`^\s*[\[<]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\d\d:\d\d:\d\d|INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|信息|警告|错误|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d)`)
	logWordPattern  = lazyregexp.New(`\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|ok|failed|started|stopped|GET|POST|PUT|DELETE|level)\b|=\S|正常|异常|超时|成功|失败|\w\[\d+\]:|使用率`)
	progressPattern = lazyregexp.New(`\[\d+/\d+\]|\b\d+/\d+\b.*(?:eta|loss|done|it/s|files?|objects)|\d{1,3}(?:\.\d+)?%.*\|?[█#=>]|[█▓░▏▎▍▌▋▊▉]{2,}|[=#]{4,}>?|\beta:? ?\d|已完成 ?\d+/\d+|\d+(?:\.\d+)? ?[kmg]i?b/s|epoch \d+(?:/\d+)?|downloading|uploading|installing|please wait|请稍候|请稍等|安装中|加载中|下载中|上传中|(?:正在|共)\S{1,8} ?\d+ ?/ ?\d+|\bit/s\b|\d+ of \d+ (?:files|items|packages)|(?:compiling|building|fetching|resolving|unpacking) \S+|読み込み中|ダウンロード中|処理中|進捗 ?\d+%|bytes? received|received \d+ bytes|\d+%\s*$`) // in lower case
	toolPattern     = lazyregexp.New(`(?im)^[$#>] \S|^npm (?:WARN|ERR)|^exit (?:code|status)|^total \d+$|drwx|^-rw|^\s*\d+ (?:passed|failed)|\d+ passed|no output|^共找到|用时 ?[\d.]+ ?秒|^Found \d+|command not found|^On branch|^\+\+\+ |^@@ |^--- a/|^diff --git|^warning:|^error\[|^BUILD (?:SUCCESS|FAIL)|^Total time|^ok\s+\S+\s+[\d.]+s|^added \d+ packages|nothing to commit|up to date|^\(\d+ rows?|\d+ rows? (?:affected|in set)|^Query OK|^Process finished|^0 errors?\b|^HTTP/\d|^< HTTP|^total size is|^real\s+\d|permission denied|no such file|^Tests?:? +\d|^Finished in|^Successfully|^Already |^Everything up|^Switched to|^Cloning into|^Listening on|^退出码|^编译|^构建|^执行完成|^返回 ?\d+ ?条|^\d+ files? changed|^(?:PASS|SKIP)\b|件見つかりました|^終了コード|^\|.*\|.*\|`)
	placePattern    = lazyregexp.New(`(?i)\{\{.*?\}\}|lorem|ipsum|asdf|qwert|foo ?bar|test test|测试测试|测试文本|示例文本|占位|quick brown fox|一二三四五|12345|abc ?123|テストテスト|あいうえお|xxx+|todo: ?$|tbd$|你的名字|your[ _-]name here|insert .{1,20} here|此处填写|hello,? world`)
	commentPattern  = lazyregexp.New(`^\s*(?:<!--|//|/\*|#!|# [-=])`)
	questionWord    = lazyregexp.New(`^(?:(?:so|and|ok|hey|um|well|but),? )?(?:what|why|how|which|who|when|where|can you|could you|would you|do you|does|did|is there|are there|is it|is this|are you|should|shall|may i|can i|any idea|anyone|what's|who's|how's|where's)\b`)
	questionEnd     = lazyregexp.New(`(?:吗|呢|什么|怎么|啥|哪个|哪里|哪儿|多少|为什么|是不是|怎么办|怎么样|如何|对吧|好不好|行不行|ですか|ますか|でしょうか|ませんか|かな|なの)[呀啊吧哦呢]?[?。!~]*$`)
	questionIn      = lazyregexp.New(`什么|怎么|为什么|怎样|如何|多少|哪个|哪些|谁|是否|有没有|能不能|何|どう|なぜ|どこ|いつ|どれ|誰`)
	nameInside      = lazyregexp.New(`[a-z,'’] [A-Z][a-z]+`)
	listPattern     = lazyregexp.New(`(?m)^\s*(?:[-*•]|\d+[.)])\s`)
	politeEnd       = lazyregexp.New(`(?:啊|呀|哦|哈|啦|嘛|喽|呗|嘞|诶|欸|よ|ね|な|わ|笑|www?|lol|:\)|;\)|\^\^|xx?)[!~。.]*$`)
	pastFirst       = lazyregexp.New(`^[A-Z][a-z]+ed\b`)
	meWord          = lazyregexp.New(`\b(?:i|my|me|we|our|i'm|i've|us)\b|[我咱俺私僕]`)
	youWord         = lazyregexp.New(`\b(?:you|your|u)\b|[你您]|あなた`)
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
	l.single = l.size <= 1.3 && !strings.ContainsFunc(s, unicode.IsSpace)
	l.repeat = repeats(low) || t.latin > 3 && distinct(words) < .6
	l.path, l.url = len(s) <= maxShape && (pathPattern().MatchString(s) || filePattern().MatchString(s)), len(s) <= maxShape && urlPattern().MatchString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	l.json = jsonPattern().MatchString(head) && (last == ']' || last == '}')
	symbols := 0
	for _, r := range s {
		if strings.ContainsRune("{}()[];=<>|&$", r) {
			symbols++
		}
	}
	l.symbols = len(s) > 12 && float64(symbols) > .06*float64(utf8.RuneCountInString(s))
	l.code, l.trace = codePattern().MatchString(head), tracePattern().MatchString(head)
	l.log = logPattern().MatchString(head) && logWordPattern().MatchString(head)
	l.progress, l.tool = progressPattern().MatchString(lowHead), toolPattern().MatchString(head)
	l.placeholder, l.comment = placePattern().MatchString(head), commentPattern().MatchString(head)
	l.question = last == '?' || last == '？'
	l.asks = questionWord().MatchString(low) || questionEnd().MatchString(lowEnd) || l.question && questionIn().MatchString(lowEnd)
	l.colon, l.shout = last == ':' || last == '：', strings.ContainsRune("!！~～", last)
	l.lines = strings.Count(s, "\n")
	l.hasDigit = strings.ContainsFunc(s, unicode.IsDigit)
	l.me, l.you = meWord().MatchString(low), youWord().MatchString(low)
	l.name = nameInside().MatchString(head)
	l.list, l.quote = listPattern().MatchString(head), strings.ContainsAny(s, "“”\"「」『』")
	l.polite = politeEnd().MatchString(lowEnd)
	l.personal = t.has("personal")
	return l
}

// strong reports whether the shape alone shows that the text states nothing.
func (l *shape) strong() bool {
	return l.empty || l.path || l.url || l.json || l.trace || l.log || l.comment || l.single || l.code && l.symbols ||
		(l.progress || l.tool || l.placeholder) && !l.personal
}

// latinWords returns the words of Latin letters in a folded text.
func latinWords(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return r > 0x7f || !latin(byte(r)) && r != '\'' })
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
