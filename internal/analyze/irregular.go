package analyze

import (
	"strings"
	"sync"
)

// A form is a form of an English word that no ending gives.
type form struct {
	plain string // go of went
	stem  string // that of the plain form; "" for a form that is oftener another word
}

// forms has each form of the list, plain ones among them.
var forms = sync.OnceValue(func() map[string]form {
	all := make(map[string]form, 1<<9)
	for line := range strings.Lines(list("irregular.en")) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		plain := words[0]
		all[plain] = form{plain, stem(plain)}
		for _, w := range words[1:] {
			if w, another := strings.CutPrefix(w, "?"); another {
				all[w] = form{plain, ""}
			} else {
				all[w] = form{plain, stem(plain)}
			}
		}
	}
	return all
})

// formsOf has for each stem the forms that have it: went, gone and goes for go.
var formsOf = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for w, f := range forms() {
		if f.stem != "" && w != f.plain {
			all[f.stem] = append(all[f.stem], w)
		}
	}
	return all
})

// Plain returns the plain form of a form of an English word in small letters that no ending
// gives, as leave of left and child of children, also of the plain form itself; "" for any
// other word.
func Plain(word string) string { return forms()[word].plain }

// mainForm returns the form under which the forms of an English word are found: its stem, or
// that of its plain form.
func mainForm(word string) string {
	if f := forms()[word]; f.stem != "" {
		return f.stem
	}
	return stem(word)
}
