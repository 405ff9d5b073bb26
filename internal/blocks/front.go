package blocks

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// MaxFront is how long front matter may be, in bytes. What is longer is text.
const MaxFront = 64 << 10

// maxNesting is how deep brackets in front matter may be nested. Deeper ones make it text.
const maxNesting = 64

// FrontMatter is what [ReadFront] read. Its zero value is that of a text without any.
type FrontMatter struct {
	// Values are what the front matter says, by name. They are nil when there is none that
	// can be read.
	Values map[string]any
	Body   int // where what follows it begins; 0 without Values
	// Broken is text at the start of a note that looks like front matter and is none, such
	// as YAML that is not valid.
	Broken string
	Reason string // why Broken is taken for text, for people; "" when it only does not end
}

// ReadFront reads the front matter of a text: a mapping in YAML or TOML, where [Front]
// finds it. A mapping without names has Values, too. It is the only reader of front
// matter, so that what a note says of itself means the same everywhere.
func ReadFront(src string) FrontMatter {
	begin, end, body := Front(src)
	if begin == 0 {
		return FrontMatter{}
	}
	if body == 0 {
		return unfinished(src, begin)
	}
	decode, name := decodeYAML, "YAML"
	if strings.Contains(src[:begin], "+") {
		decode, name = decodeTOML, "TOML"
	}
	values, err := map[string]any(nil), errors.New("it is nested too deeply")
	if !tooDeep(src[begin:end]) {
		values, err = decode("\n" + src[begin:end]) // lines are counted as in the file
	}
	switch {
	case err == nil:
		return FrontMatter{Values: values, Body: body}
	case !hasName().MatchString(src[begin:end]):
		return FrontMatter{} // text between two rules
	}
	return FrontMatter{Broken: src[begin:end], Reason: "is not valid " + name + " and taken for text: " + err.Error()}
}

// unfinished returns what front matter without an end, or with one that is too far away,
// looks like.
func unfinished(src string, begin int) FrontMatter {
	first, _ := Line(strings.TrimLeft(src[begin:], " \t\r\n"), 0)
	if !hasName().MatchString(first[:min(len(first), maxName)]) {
		return FrontMatter{} // text below a rule
	}
	_, end, body := front(src, len(src))
	if body == 0 {
		end = len(src)
	}
	broken := FrontMatter{Broken: src[begin:end]}
	if len(src)-begin > MaxFront {
		broken.Reason = "is larger than 64 KiB and taken for text"
	}
	return broken
}

// maxName is how many bytes of a line are looked at for a name.
const maxName = 1 << 10

// hasName matches a line of front matter that has a name, and rarely one of a text.
var hasName = lazyregexp.New(`(?m)^\s*([\[{]|[-? ]*["']?[\pL_][\pL\pN_.-]*["']?\s*(:(\s|$)|：|=))`)

// tooDeep reports whether brackets are nested too deep to be parsed. Parsers recurse for
// each level.
func tooDeep(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			if depth++; depth > maxNesting {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// decodeYAML decodes a mapping; an empty text is an empty one.
func decodeYAML(text string) (map[string]any, error) {
	values := map[string]any{}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if node.Kind == 0 {
		return values, nil
	}
	switch err := node.Decode(&values); {
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	case values == nil:
		return nil, errors.New("it has no names with values")
	}
	return values, nil
}

func decodeTOML(text string) (map[string]any, error) {
	values := map[string]any{}
	err := toml.Unmarshal([]byte(text), &values)
	if broken := (*toml.DecodeError)(nil); errors.As(err, &broken) {
		line, _ := broken.Position()
		return nil, fmt.Errorf("line %d: %s", line, strings.TrimPrefix(broken.Error(), "toml: "))
	}
	return values, err
}

// Front returns where the lines of front matter begin and end, and where what follows
// begins: YAML between lines of three dashes, or TOML between lines of three plus
// signs, as Hugo writes it, at the very start of a text, a byte order mark aside. All
// are 0 without such lines; end and body are 0 when only the first mark is there, or
// the second is too far away. Whether the lines are valid it does not say.
func Front(src string) (begin, end, body int) { return front(src, MaxFront) }

// front does what Front does, with another bound of the lines between the marks.
func front(src string, most int) (begin, end, body int) {
	mark, begin := Line(src, len(src)-len(strings.TrimPrefix(src, "\ufeff")))
	if mark != "---" && mark != "+++" {
		return 0, 0, 0
	}
	for at := begin; at < len(src) && at-begin <= most; {
		line, next := Line(src, at)
		if line == mark || line == "..." && mark == "---" {
			return begin, at, next
		}
		at = next
	}
	return begin, 0, 0
}
