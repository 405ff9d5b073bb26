package querylang

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// keys are the names of filters. Those for dates are in bounds.
var keys = map[string]Key{
	"path": Path, "路径": Path, "路徑": Path, "パス": Path,
	"tag": Tag, "tags": Tag, "标签": Tag, "標籤": Tag, "タグ": Tag,
	"type": Type, "source": Type, "类型": Type, "類型": Type,
	"heading": Heading, "标题": Heading, "標題": Heading, "見出し": Heading,
	"session": Session, "agent": Agent,
	"status": Status, "状态": Status, "狀態": Status, "状態": Status,
}

// IsFilter reports whether a word before a colon begins a filter.
func IsFilter(word string) bool { return keys[word] != "" || bounds[word] != nil }

// statuses are the values of status:, in Chinese as the page says them.
var statuses = map[string]string{
	"active": "active", "有效": "active",
	"superseded": "superseded", "已取代": "superseded", "已被取代": "superseded",
	"all": "all", "全部": "all",
}

// kinds are the values of type: and source: that name a kind of document. Any other value
// of type: is a type of note. Any other value of source: makes no filter.
var kinds = map[string]string{
	"note": "note", "notes": "note", "memory": "note", "session": "session", "sessions": "session",
	"collection": "collection", "collections": "collection",
}

// bounds turn the days that a value names into the days that pass.
var bounds = map[string]func(Range) Range{
	"since":  func(r Range) Range { return Range{From: r.From} },
	"until":  func(r Range) Range { return Range{To: r.To} },
	"on":     func(r Range) Range { return r },
	"date":   func(r Range) Range { return r },
	"before": func(r Range) Range { return Range{To: r.From.AddDate(0, 0, -1)} },
	"after":  func(r Range) Range { return Range{From: r.To.AddDate(0, 0, 1)} },
}

// maxKey is the length of the longest filter name, in bytes.
const maxKey = 12

// filter reads the filter at the start of a text and returns its length.
func (p *parser) filter(text string) (f Filter, length int, ok bool) {
	end := strings.IndexFunc(text[:min(len(text), maxKey+1)], func(r rune) bool { return r != utf8.RuneError && !unicode.IsLetter(r) })
	if end <= 0 {
		return Filter{}, 0, false
	}
	colon, n := utf8.DecodeRuneInString(text[end:])
	if colon != ':' && colon != '：' {
		return Filter{}, 0, false
	}
	value, length, ok := valueOf(text[end+n:])
	if !ok {
		return Filter{}, 0, false
	}
	f, ok = p.filterOf(strings.ToLower(text[:end]), value)
	return f, end + n + length, ok
}

// valueOf reads the value of a filter: a word, or a phrase in quotes.
func valueOf(text string) (value string, length int, ok bool) {
	first, _ := utf8.DecodeRuneInString(text)
	if _, quote := quotes[first]; quote {
		return quoted(text)
	}
	value = trimEnd(firstWord(text))
	return value, len(value), value != "" && !strings.HasPrefix(value, "//")
}

// PathFilter returns the filter that path: makes of a value. The value must not be empty.
func PathFilter(value string) Filter {
	text := string(Path) + ":" + value
	if strings.ContainsAny(value, " \t\u3000") {
		text = string(Path) + `:"` + value + `"`
	}
	return Filter{Key: Path, Value: pathValue(value), Text: text}
}

// SinceFilter returns the filter that since: makes of a value. ok is false where the value
// names no day. today is a time in the user's own location.
func SinceFilter(value string, today time.Time) (f Filter, ok bool) {
	days, ok := Days(value, today)
	text := "since:" + value
	if strings.ContainsAny(value, " \t\u3000") {
		text = `since:"` + value + `"`
	}
	return Filter{Key: Date, Value: value, Days: bounds["since"](days), Text: text}, ok
}

// pathValue returns a part of a path in the form that paths in the index have.
func pathValue(value string) string {
	return strings.TrimPrefix(strings.ReplaceAll(value, `\`, "/"), "./")
}

// filterOf makes a filter of a name and a value. ok is false if they make none.
func (p *parser) filterOf(name, value string) (Filter, bool) {
	if bound, ok := bounds[name]; ok {
		days, ok := p.dates.value(value)
		return Filter{Key: Date, Value: value, Days: bound(days)}, ok
	}
	f := Filter{Key: keys[name], Value: value}
	switch f.Key {
	case "":
		return f, false
	case Path:
		f.Value = pathValue(value)
	case Tag:
		f.Value = strings.TrimLeft(value, "#＃")
	case Status:
		f.Value = statuses[strings.ToLower(value)]
		return f, f.Value != ""
	case Type:
		f.Value = kinds[strings.ToLower(value)]
		if f.Value == "" && name != "source" {
			f.Value = value
		}
	}
	return f, f.Value != ""
}
