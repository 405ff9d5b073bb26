package config

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A Mapping says where things stand in the transcripts of an agent that memoir
// does not know. There is a file for each session, and a JSON record a line.
// Places are dotted: "body.text" is the field text of the field body,
// "parts.0.text" that of the first item of a list.
type Mapping struct {
	Name      string   `toml:"name"`      // of the agent, in ids
	Folder    string   `toml:"folder"`    // absolute, once loaded
	Files     string   `toml:"files"`     // a pattern of the paths below it, as "*/*.jsonl"; * stands for a part of one name
	Role      string   `toml:"role"`      // place of the speaker
	Text      string   `toml:"text"`      // place of the words: a text, or a list of parts with type and text
	Time      string   `toml:"time"`      // place of the time: RFC 3339, seconds or milliseconds since 1970; "": there is none
	Session   string   `toml:"session"`   // place of the session's id; "": the file's name
	User      []string `toml:"user"`      // roles of the user; none: user and human
	Assistant []string `toml:"assistant"` // roles of the assistant; none: assistant
}

// mappings reads the files that the setting sessions.custom names.
func (l *loader) mappings() error {
	names := map[string]bool{Yours: true}
	for _, name := range sessionAgents {
		names[name] = true
	}
	for _, file := range l.out.Sessions.Custom {
		m, err := l.mapping(file)
		if err != nil {
			return err
		}
		if names[m.Name] {
			return &Error{File: file, Message: fmt.Sprintf("name: %q is taken", m.Name), Hint: "choose a name that no other agent has"}
		}
		names[m.Name] = true
		l.out.Sessions.Mappings = append(l.out.Sessions.Mappings, m)
	}
	return nil
}

func (l *loader) mapping(file string) (Mapping, error) {
	data, err := readFile(file, LayerUser)
	if err != nil {
		e := unreadable(file, LayerUser, err).(*Error)
		e.Hint = "write it, or remove it from the setting sessions.custom"
		return Mapping{}, e
	}
	_, data = cutMark(data)
	m := Mapping{User: []string{"user", "human"}, Assistant: []string{"assistant"}}
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&m); err != nil {
		e := syntaxError(file, err).(*Error)
		var strange *toml.StrictMissingError
		if errors.As(err, &strange) && len(strange.Errors) > 0 {
			e.Line, _ = strange.Errors[0].Position()
			e.Message = fmt.Sprintf("%q is not known in a mapping", strings.Join(strange.Errors[0].Key(), "."))
		}
		e.Hint = "it may have name, folder, files, role, text, time, session, user and assistant"
		return Mapping{}, e
	}
	if wrong := m.wrong(); wrong != "" {
		return Mapping{}, &Error{File: file, Message: wrong, Hint: "it needs name, folder, files, role and text"}
	}
	m.Folder = l.env.absolute(m.Folder, filepath.Dir(file))
	if filepath.Dir(m.Folder) == m.Folder {
		return Mapping{}, &Error{File: file, Message: "folder: it is a whole disk", Hint: "name the folder that holds the transcripts"}
	}
	return m, nil
}

// wrong says what is wrong with a mapping; "" when nothing is.
func (m *Mapping) wrong() string {
	if !isName(m.Name, 64) {
		return fmt.Sprintf("name is %q; expected are letters, digits, - _ and . (64 at most)", m.Name)
	}
	if m.Folder == "" {
		return "folder is missing"
	}
	if _, err := path.Match(m.Files, ""); err != nil || m.Files == "" || path.Clean(m.Files) != m.Files || path.IsAbs(m.Files) || strings.Contains(m.Files, "..") || strings.Count(m.Files, "/") > 8 {
		return fmt.Sprintf(`files is %q and must be a pattern of paths below the folder, as "*/*.jsonl"`, m.Files)
	}
	for name, place := range map[string]string{"role": m.Role, "text": m.Text} {
		if place == "" {
			return name + " is missing"
		}
	}
	for _, place := range []string{m.Role, m.Text, m.Time, m.Session} {
		if place != "" && slices.Contains(strings.Split(place, "."), "") {
			return fmt.Sprintf("%q is no place in a record; fields are joined by one dot", place)
		}
	}
	return ""
}
