package browse

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A key is what a person pressed: a name, or the character of "text".
type key struct {
	name string
	text rune
}

// named are the sequences that terminals send for keys (ECMA-48, and xterm's control
// sequences, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html).
var named = map[string]string{
	"[A": "up", "[B": "down", "[C": "right", "[D": "left", "OA": "up", "OB": "down", "OC": "right", "OD": "left",
	"[H": "home", "[F": "end", "OH": "home", "OF": "end", "[1~": "home", "[4~": "end", "[7~": "home", "[8~": "end",
	"[5~": "page up", "[6~": "page down", "[200~": "paste", "[201~": "pasted",
}

// controls are the keys that are one byte.
var controls = map[byte]string{
	'\r': "enter", '\n': "enter", '\t': "tab", 0x7f: "backspace", 0x08: "backspace",
	0x03: "leave", 0x04: "page down", 0x15: "clear", 0x17: "word", 0x0c: "redraw", 0x0e: "down", 0x10: "up",
}

// maxSequence is how long a sequence of a key can be; a longer one is none.
const maxSequence = 32

// read returns the first key of what a terminal sent and how many bytes it took. The
// name is "" for what means nothing here. It takes 0 bytes when the rest of the key has
// not come yet.
func read(sent []byte) (key, int) {
	switch b := sent[0]; {
	case b == 0x1b:
		return readEscape(sent)
	case b < 0x20 || b == 0x7f:
		return key{name: controls[b]}, 1
	case !utf8.FullRune(sent):
		return key{}, 0
	}
	r, n := utf8.DecodeRune(sent)
	if r == utf8.RuneError && n == 1 || !unicode.IsGraphic(r) && r != '\u200d' && r != '\u200c' {
		return key{}, n
	}
	return key{"text", r}, n
}

// readEscape reads a sequence. An escape alone is the key, as terminals send a sequence
// at once.
func readEscape(sent []byte) (key, int) {
	if len(sent) == 1 {
		return key{name: "escape"}, 1
	}
	switch sent[1] {
	case 'O':
		if len(sent) < 3 {
			return key{}, len(sent)
		}
		return key{name: named[string(sent[1:3])]}, 3
	case '[':
		// Parameters and intermediate bytes, then a final one.
		for i := 2; i < len(sent); i++ {
			if sent[i] >= 0x40 && sent[i] <= 0x7e {
				return key{name: named[string(sent[1:i+1])]}, i + 1
			}
			if sent[i] < 0x20 || sent[i] > 0x7e || i > maxSequence {
				return key{}, i
			}
		}
		return key{}, 0
	case 0x1b:
		return key{name: "escape"}, 1
	}
	return key{}, 2 // with the key Alt
}

// keys reads all keys of what a terminal sent, and returns what is left of one that has
// not come whole.
func keys(sent []byte) (all []key, rest []byte) {
	for len(sent) > 0 {
		k, n := read(sent)
		if n == 0 {
			if len(sent) > maxSequence {
				n = 1
			} else {
				return all, bytes.Clone(sent)
			}
		}
		if k.name != "" {
			all = append(all, k)
		}
		sent = sent[n:]
	}
	return all, nil
}
