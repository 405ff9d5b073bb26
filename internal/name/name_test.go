package name

import (
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/link"
)

// What a link to a file that is no note shows is no name of a note: [main](../main.go) does not
// lead to the note with the title main.
func TestForLink(t *testing.T) {
	for _, x := range []struct {
		target, label string
		want          []string
	}{
		{"plan.md", "The plan", []string{"/memory/plan", "/plan", "*/plan", "=plan", "=the plan"}},
		{"../people/mia", "Mia", []string{"/people/mia", "*/people/mia", "=../people/mia", "=mia"}},
		{"../main.go", "main", []string{"/main.go", "*/main.go", "=../main.go"}},
		{"../../deploy.YAML", "deploy", []string{"/deploy.yaml", "*/deploy.yaml", "=../../deploy.yaml"}},
		{"Node.js", "Node.js", []string{"/memory/node.js", "/node.js", "*/node.js", "=node.js"}},
		{"release 1.2", "The release", []string{"/memory/release 1.2", "/release 1.2", "*/release 1.2", "=release 1.2", "=the release"}},
		{"Dr. Who", "the doctor", []string{"/memory/dr. who", "/dr. who", "*/dr. who", "=dr. who", "=the doctor"}},
	} {
		if got := ForLink("memory/a.md", link.Link{Target: x.target, Label: x.label}); !slices.Equal(got, x.want) {
			t.Errorf("[%s](%s): got %q, want %q", x.label, x.target, got, x.want)
		}
	}
}
