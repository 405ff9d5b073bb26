package feature

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// What follows is told without a regular expression: what a text has at least that a
// pattern matches, and shapes that are simple enough. TestLeast and TestSimpleShapes hold
// it against the expressions.

func anything(string) bool { return true }

// oneOf returns what reports whether a text holds one of some words.
func oneOf(words ...string) func(string) bool {
	return func(s string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
	}
}

func hasSlash(s string) bool { return strings.ContainsAny(s, `/\`) && !strings.Contains(s, " ") }

func hasDot(s string) bool { return strings.Contains(s, ".") && !strings.Contains(s, " ") }

func beyondASCII(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

var statements = oneOf("SELECT", "UPDATE", "INSERT", "DELETE", "CREATE", "ALTER", "DROP")

func hasCodeMark(s string) bool { return strings.ContainsAny(s, "({=;:]<}'\")@[") || statements(s) }

var traceWords = oneOf("Traceback", "goroutine ", "File \"", "Error", "Exception", "panicked", "Segmentation fault", "core dumped", "FAIL", "E ", "E\t", "E\n", "E\r", "E\f")

func hasTraceMark(s string) bool { return strings.Contains(s, ":") || traceWords(s) }

const spaces = " \t\n\f\r" // what \s is

// beginsLog tells of the time or the level at the beginning of a line of a log.
func beginsLog(s string) bool {
	s = strings.TrimLeft(s, spaces)
	if s != "" && (s[0] == '[' || s[0] == '<') {
		s = s[1:]
	}
	if s == "" {
		return false
	}
	if digit(s[0]) || s[0] >= utf8.RuneSelf {
		return true
	}
	if 'A' > s[0] || s[0] > 'Z' {
		return false
	}
	return len(s) > 4 && s[3] == ' ' && (digit(s[4]) || s[4] == ' ') ||
		slices.ContainsFunc([]string{"INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL"}, func(w string) bool { return strings.HasPrefix(s, w) })
}

var progressWords = oneOf("eta", "epoch", "downloading", "uploading", "installing", "please wait", "请稍", "安装中", "加载中", "下载中", "上传中", " of ",
	"compiling", "building", "fetching", "resolving", "unpacking", "読み込み中", "ダウンロード中", "処理中", "進捗", "received")

func hasProgressMark(s string) bool {
	return strings.ContainsAny(s, "/%=#█▓░▏▎▍▌▋▊▉") || progressWords(s)
}

// strange are the letters beyond ASCII that count as k and s where case does not.
const strange = "\u212a\u017f"

var toolWords = oneOf("$", "#", ">", "npm ", "exit ", "total", "drwx", "-rw", "passed", "failed", "no output", "共找到", "用时", "found", "on branch", "+++ ", "@@ ", "--- ",
	"diff --git", "warning:", "error[", "build ", "ok", "added ", "nothing to commit", "up to date", "row", "query ok", "process finished", "0 error", "http", "real",
	"permission denied", "no such file", "test", "finished in", "successfully", "already ", "everything up", "switched to", "cloning into", "listening on",
	"退出码", "编译", "构建", "执行完成", "返回", "changed", "pass", "skip", "件見つかりました", "終了コード", "|")

func hasToolWord(s string) bool {
	return toolWords(strings.ToLower(s)) || strings.ContainsAny(s, strange)
}

var placeholderWords = oneOf("{{", "lorem", "ipsum", "asdf", "qwert", "foo", "test test", "测试", "示例文本", "占位", "quick brown fox", "一二三四五", "12345", "abc",
	"テストテスト", "あいうえお", "xxx", "todo:", "tbd", "你的名字", "your", "insert ", "此处填写", "hello")

func hasPlaceholder(s string) bool {
	return placeholderWords(strings.ToLower(s)) || strings.ContainsAny(s, strange)
}

// beginsQuestion tells of the first letters of the words that begin questions.
func beginsQuestion(s string) bool { return s != "" && strings.IndexByte("acdhimosuwb", s[0]) >= 0 }

func beginsJSON(s string) bool {
	if s == "" || s[0] != '[' && s[0] != '{' {
		return false
	}
	s = strings.TrimLeft(s[1:], spaces)
	return s != "" && (digit(s[0]) || strings.IndexByte(`"[{]}`, s[0]) >= 0)
}

func beginsComment(s string) bool {
	s = strings.TrimLeft(s, spaces)
	return slices.ContainsFunc([]string{"<!--", "//", "/*", "#!", "# -", "# ="}, func(mark string) bool { return strings.HasPrefix(s, mark) })
}

// beginsPast reports whether a text begins with a word such as Walked.
func beginsPast(s string) bool {
	if s == "" || 'A' > s[0] || s[0] > 'Z' {
		return false
	}
	end := 1
	for end < len(s) && 'a' <= s[end] && s[end] <= 'z' {
		end++
	}
	return end > 3 && s[end-2:end] == "ed" && (end == len(s) || !inWord(s[end]))
}

// beginsWord reports whether a text begins with a word and a comma or a colon.
func beginsWord(s string) bool {
	end := 0
	for end < len(s) && ('a' <= s[end] && s[end] <= 'z' || end == 0 && 'A' <= s[0] && s[0] <= 'Z') {
		end++
	}
	return end > 0 && 'a' <= s[end-1] && s[end-1] <= 'z' && end < len(s) && (s[end] == ',' || s[end] == ':')
}

// inWord reports whether a byte is of a word, as \w is.
func inWord(b byte) bool { return latin(b) || digit(b) || b == '_' }

func ofMe(w string) bool {
	return w == "i" || w == "my" || w == "me" || w == "we" || w == "our" || w == "us"
}

func ofYou(w string) bool { return w == "you" || w == "your" || w == "u" }

// holdsWord reports whether a text has a word of ASCII letters and digits that is wanted.
func holdsWord(s string, wanted func(string) bool) bool {
	for at := 0; at < len(s); at++ {
		end := at
		for end < len(s) && inWord(s[end]) {
			end++
		}
		if end > at && wanted(s[at:end]) {
			return true
		}
		at = end
	}
	return false
}

// holdsName reports whether a word within a text begins with a capital, and no sentence
// does there.
func holdsName(s string) bool {
	for at := 1; at+2 < len(s); at++ {
		if s[at] == ' ' && 'A' <= s[at+1] && s[at+1] <= 'Z' && 'a' <= s[at+2] && s[at+2] <= 'z' &&
			('a' <= s[at-1] && s[at-1] <= 'z' || s[at-1] == ',' || s[at-1] == '\'' || strings.HasSuffix(s[:at], "’")) {
			return true
		}
	}
	return false
}

// holdsList reports whether a line of a text begins as an item of a list.
func holdsList(s string) bool {
	for line := range strings.SplitAfterSeq(s, "\n") {
		line = strings.TrimLeft(line, spaces)
		rest := strings.TrimLeft(line, "0123456789")
		switch {
		case line == "":
		case rest != line && rest != "" && (rest[0] == '.' || rest[0] == ')'):
			rest = rest[1:]
		case line[0] == '-', line[0] == '*':
			rest = line[1:]
		case strings.HasPrefix(line, "•"):
			rest = line[len("•"):]
		default:
			continue
		}
		if rest != "" && strings.IndexByte(spaces, rest[0]) >= 0 {
			return true
		}
	}
	return false
}

// endsPolite reports whether a text ends in a particle of talk.
func endsPolite(s string) bool {
	s = strings.TrimRight(s, "!~。.")
	return slices.ContainsFunc([]string{"啊", "呀", "哦", "哈", "啦", "嘛", "喽", "呗", "嘞", "诶", "欸", "よ", "ね", "な", "わ", "笑", "ww", "lol", ":)", ";)", "^^", "x"},
		func(end string) bool { return strings.HasSuffix(s, end) })
}
