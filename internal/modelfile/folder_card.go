package modelfile

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"
)

const maxLicence = 1 << 18 // bytes

// readCard reads languages and licence from the front matter of README.md and
// the file LICENSE. The languages in the table of known models were checked, so
// they take precedence.
func (i *Info) readCard(folder fs.FS, known knownModel) error {
	text, err := readOptional(folder, "README.md", maxConfig*4)
	if err != nil {
		return err
	}
	card := frontMatter(string(text))
	i.Languages = known.languages
	if i.Languages == nil {
		for _, l := range card["language"] {
			if l != "multilingual" {
				i.Languages = append(i.Languages, l)
			}
		}
	}
	i.Scripts = scriptsOf(i.Languages)
	if licence := card["license"]; len(licence) == 1 {
		i.Licence = cmp.Or(spdx[strings.ToLower(licence[0])], licence[0])
	}
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md"} {
		text, err := readOptional(folder, name, maxLicence)
		if err != nil {
			return err
		}
		if text != nil {
			i.LicenceText = strings.ReplaceAll(string(text), "\r\n", "\n")
			break
		}
	}
	if i.LicenceText == "" && i.Licence != "" {
		i.LicenceText = fmt.Sprintf("The model was published under the licence %s (https://spdx.org/licenses/%[1]s.html).\n", i.Licence)
	}
	return nil
}

// spdx has the SPDX identifiers of licences that the hub spells differently.
var spdx = map[string]string{
	"mit": "MIT", "apache-2.0": "Apache-2.0", "bsd-3-clause": "BSD-3-Clause", "bsd-2-clause": "BSD-2-Clause",
	"cc-by-4.0": "CC-BY-4.0", "cc-by-sa-4.0": "CC-BY-SA-4.0", "cc-by-nc-4.0": "CC-BY-NC-4.0", "cc0-1.0": "CC0-1.0",
	"gpl-3.0": "GPL-3.0-only", "agpl-3.0": "AGPL-3.0-only", "lgpl-3.0": "LGPL-3.0-only",
}

// frontMatter returns the values of the keys at the top of a model's card, each
// as a list. If they are not YAML, it returns none.
func frontMatter(card string) map[string][]string {
	_, rest, ok := strings.Cut(strings.ReplaceAll(card, "\r\n", "\n"), "---\n")
	head, _, closed := strings.Cut(rest, "\n---")
	var fields map[string]yaml.Node
	if !ok || !closed || yaml.Unmarshal([]byte(head), &fields) != nil {
		return nil
	}
	values := make(map[string][]string)
	for key, node := range fields {
		nodes := []*yaml.Node{&node}
		if node.Kind == yaml.SequenceNode {
			nodes = node.Content
		}
		for _, n := range nodes {
			if n.Kind == yaml.ScalarNode {
				values[key] = append(values[key], n.Value) // also "no", which is Norwegian
			}
		}
	}
	return values
}
