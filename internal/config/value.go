package config

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// assign puts a value that TOML has decoded into the field. It returns false if
// the field has another type.
func assign(field, value any) bool {
	switch f := field.(type) {
	case *string:
		s, ok := value.(string)
		if ok {
			*f = s
		}
		return ok
	case *int:
		n, ok := value.(int64)
		if !ok || n > math.MaxInt32 || n < math.MinInt32 {
			return false
		}
		*f = int(n)
		return true
	case *int64:
		n, ok := value.(int64)
		if ok {
			*f = n
		}
		return ok
	case *float64:
		switch n := value.(type) {
		case float64:
			*f = n
		case int64:
			*f = float64(n)
		default:
			return false
		}
		return true
	case *time.Duration:
		s, ok := value.(string)
		return ok && assignText(f, s)
	case *bool:
		b, ok := value.(bool)
		if ok {
			*f = b
		}
		return ok
	case *[]string:
		list, ok := value.([]any)
		return ok && assignList(f, list)
	case *[]Collection:
		list, ok := value.([]any)
		return ok && assignCollections(f, list)
	}
	return false
}

func assignList(f *[]string, list []any) bool {
	out := make([]string, 0, len(list))
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			return false
		}
		out = append(out, s)
	}
	*f = out
	return true
}

// assignText puts a value written as text, as in a variable, into the field. It
// returns false if the text is not valid. Lists are separated by commas.
func assignText(field any, text string) bool {
	var err error
	switch f := field.(type) {
	case *string:
		*f = text
	case *int:
		var n int64
		n, err = strconv.ParseInt(text, 10, 32)
		*f = int(n)
	case *int64:
		*f, err = strconv.ParseInt(text, 10, 64)
	case *float64:
		*f, err = strconv.ParseFloat(text, 64)
	case *time.Duration:
		*f, err = time.ParseDuration(text)
	case *bool:
		*f, err = strconv.ParseBool(text)
	case *[]string:
		*f = nil
		for _, s := range strings.Split(text, ",") {
			if s = strings.TrimSpace(s); s != "" {
				*f = append(*f, s)
			}
		}
	case *[]Collection:
		var ok bool
		*f, ok = parseCollections(text)
		return ok
	}
	return err == nil
}

// format is the reverse of assignText.
func format(field any) string {
	switch f := field.(type) {
	case *string:
		return *f
	case *int:
		return strconv.Itoa(*f)
	case *int64:
		return strconv.FormatInt(*f, 10)
	case *float64:
		return strconv.FormatFloat(*f, 'g', -1, 64)
	case *time.Duration:
		return f.String()
	case *bool:
		return strconv.FormatBool(*f)
	case *[]string:
		return strings.Join(*f, ",")
	case *[]Collection:
		return formatCollections(*f)
	}
	return ""
}

// typeName says what a field takes, in the terms of TOML.
func typeName(field any) string {
	switch field.(type) {
	case *int, *int64:
		return "a whole number"
	case *float64:
		return "a number"
	case *time.Duration:
		return `a duration such as "500ms" or "2s"`
	case *bool:
		return "true or false"
	case *[]string:
		return `a list of strings such as ["a", "b"]`
	case *[]Collection:
		return "tables [[collections]] with name and path, and context if you like, all strings"
	}
	return "a string in quotes"
}

// expected says what the key takes.
func (k Key) expected() string {
	if len(k.OneOf) > 0 {
		return "one of " + strings.Join(k.OneOf, ", ")
	}
	name := typeName(k.at(&Settings{}))
	if k.want == "" {
		return name
	}
	return name + ", " + k.want
}

// typedAs says what the value must be where quotation marks are the shell's.
func (k Key) typedAs() string { return strings.TrimPrefix(k.expected(), "a string in quotes, ") }

// valid reports whether the value in s is one that the key allows.
func (k Key) valid(s *Settings) bool {
	if len(k.OneOf) > 0 && !slices.Contains(k.OneOf, format(k.at(s))) {
		return false
	}
	return k.ok == nil || k.ok(s)
}

// shown returns a wrong value in a form that a message may repeat.
func (k Key) shown(value any) string {
	if k.Secret {
		return "the value"
	}
	text := fmt.Sprintf("%v", value)
	if s, ok := value.(string); ok {
		text = strconv.Quote(s)
	}
	if r := []rune(text); len(r) > 80 {
		text = string(r[:80]) + "…"
	}
	return text
}

// reference matches a value that stands for a variable's.
var reference = lazyregexp.New(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != ""
}

// IsThisMachine reports whether the address leads to the loopback interface.
func IsThisMachine(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
