package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
)

// maxDepth is how many levels of objects and lists JSON from outside may have.
const maxDepth = 32

// CheckObject returns an error when data is not one JSON object that everybody reads
// alike. It finds what a decoder passes over: bytes that are no text in UTF-8; a name that comes twice in an object, in
// whatever case, for two readers may take different ones; something behind the object;
// and more than 32 levels. The error wraps [memoir.ErrInvalid] and has a hint.
func CheckObject(data []byte) error {
	if !utf8.Valid(data) {
		return invalid("send text in UTF-8", "the JSON is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	type level struct {
		names map[string]bool // nil: a list
		value bool            // the next token is a value, not a name
	}
	var open []level
	for {
		tok, err := dec.Token()
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return invalid("send one object of JSON", "the JSON ends in the middle, after %d bytes", len(data))
			}
			return invalid("send one object of JSON", "no JSON after byte %d", dec.InputOffset())
		}
		top := len(open) - 1
		isName := top >= 0 && open[top].names != nil && !open[top].value
		if top >= 0 {
			open[top].value = isName
		}
		switch t := tok.(type) {
		case json.Delim:
			switch t {
			case '{', '[':
				if len(open) == maxDepth {
					return invalid("send less deep JSON", "the JSON is more than %d levels deep", maxDepth)
				}
				var names map[string]bool
				if t == '{' {
					names = map[string]bool{}
				} else if len(open) == 0 {
					return invalid("send one object of JSON", "the JSON is a list")
				}
				open = append(open, level{names: names})
			default:
				if open = open[:top]; len(open) == 0 {
					if _, err := dec.Token(); !errors.Is(err, io.EOF) {
						return invalid("send one object of JSON", "something follows the object")
					}
					return nil
				}
			}
		case string:
			if isName {
				name := strings.ToLower(t) // as the decoder compares them
				if open[top].names[name] {
					return invalid("give each name once", "%q comes twice", t)
				}
				open[top].names[name] = true
			}
		}
		if len(open) == 0 {
			return invalid("send one object of JSON", "the JSON is no object")
		}
	}
}

func invalid(hint, format string, args ...any) error {
	return memoir.WithHint(fmt.Errorf(format+": %w", append(args, memoir.ErrInvalid)...), hint)
}
