// Package locale gives the words of the command line in the language of its
// user. English stands in the code and is the key; another language has a
// catalogue of messages beside this file. What programs and agents read (JSON,
// logs, hooks, prime, MCP, HTTP) does not go through here and stays English.
//
// All functions may be called at the same time. For English they return what
// they are given, and no catalogue is read.
package locale

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
)

// The languages.
const (
	English = "en"
	Chinese = "zh" // simplified
)

// Language returns the language of this process: that of MEMOIR_LANG, else of
// the first of LC_ALL, LC_MESSAGES and LANG that is set (POSIX, Base
// Definitions, 8.2), else of the system where it has one for its user. A
// language that there is no catalogue for is English.
var Language = sync.OnceValue(func() string { return choose(systemLanguage) })

func choose(system func() string) string {
	name := cmp.Or(os.Getenv("MEMOIR_LANG"), os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
	if name == "" {
		name = system()
	}
	return language(name)
}

// language returns the language of a locale's name, such as zh_CN.UTF-8 or zh-Hans.
func language(name string) string {
	first := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_-.@", r) })
	if len(first) > 0 && first[0] == Chinese {
		return Chinese
	}
	return English
}

//go:embed zh/*.json
var files embed.FS

// catalogue maps English messages and formats to those of the language; nil for English.
var catalogue = sync.OnceValue(func() map[string]string {
	if Language() == English {
		return nil
	}
	return Catalogue(Language())
})

// Catalogue returns all messages of a language by the English ones.
func Catalogue(language string) map[string]string {
	all := map[string]string{}
	names, _ := fs.Glob(files, language+"/*.json")
	for _, name := range names {
		part := map[string]string{}
		data, err := files.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(data, &part)
		}
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err)) // it is in the binary, and a test reads it
		}
		maps.Copy(all, part)
	}
	return all
}

// T returns a message or a format in the language, and as it is where the
// catalogue does not have it.
func T(english string) string {
	if s, ok := catalogue()[english]; ok {
		return s
	}
	return english
}

// Sprintf is [fmt.Sprintf] with the format of the language.
func Sprintf(format string, args ...any) string { return fmt.Sprintf(T(format), args...) }

// Fprintf is [fmt.Fprintf] with the format of the language.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	return fmt.Fprintf(w, T(format), args...)
}

// Fprintln writes a line with a message of the language.
func Fprintln(w io.Writer, english string) (int, error) { return fmt.Fprintln(w, T(english)) }

// Text returns a message that was made elsewhere, perhaps of a format with
// values in it, in the language. The values stay as they are. What the catalogue
// does not have stays English.
func Text(english string) string {
	if catalogue() == nil {
		return english
	}
	return templates().text(english)
}

// Error does for an error what [Text] does for a message: each error of a chain
// says its own part in the language if the catalogue has it.
func Error(err error) string {
	if catalogue() == nil {
		return err.Error()
	}
	return templates().err(err)
}

var templates = sync.OnceValue(func() templateSet { return newTemplates(catalogue()) })
