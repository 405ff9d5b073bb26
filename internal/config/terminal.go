package config

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// Terminal says how answers look to a person.
type Terminal struct {
	// Links are [LinksFile], [LinksNone], or the form of an address: its {path}, {line}
	// and {host} stand for those of a passage.
	Links string
}

// The values of the setting terminal.links that are no form of an address.
const (
	LinksFile = "file" // the address of the note's file, as the desktop opens it
	LinksNone = "none"
)

// linkForm matches the form of an address: a scheme, then characters that an address may
// have (https://www.rfc-editor.org/rfc/rfc3986#section-2), nothing that a terminal obeys,
// and what stands for something else. linkPath must be in it.
var linkForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]|\{(?:path|line|host)\})*$`)

const linkPath = "{path}"

func terminalKeys() []Key {
	return []Key{
		{Name: "terminal.links", Default: LinksFile, Doc: "Where a citation leads on a terminal: file is the address of the note's file, none is no link, and else it is the form of an address, for an editor that goes to the line, as vscode://file{path}:{line}. {path} is the absolute path, with a / before it, percent-encoded, {line} the first line of the passage, {host} the name of this machine. No program is started by memoir for it.", yours: never,
			at: func(s *Settings) any { return &s.Terminal.Links }, want: "file, none, or an address with {path} such as vscode://file{path}:{line}",
			ok: func(s *Settings) bool {
				links := s.Terminal.Links
				return links == LinksFile || links == LinksNone || linkForm().MatchString(links) && strings.Contains(links, linkPath)
			}},
	}
}
