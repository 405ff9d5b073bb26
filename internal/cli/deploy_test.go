package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/cli"
	"github.com/memoir-ai/memoir/internal/config"
)

// What deploys memoir sets variables that it reads, and starts it with flags that it has.
func TestDeployed(t *testing.T) {
	var known []string
	for _, k := range config.Keys() {
		known = append(known, k.Env())
	}
	compose := []string{"MEMOIR_NOTES", "MEMOIR_HOME", "MEMOIR_USER", "MEMOIR_PORT"} // of compose.yaml; and what a cluster would set
	serve, _, err := cli.Commands().Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	variable, flag := regexp.MustCompile(`MEMOIR_[A-Z_]+`), regexp.MustCompile(`(?m)^\s+- --([a-z-]+)$|serve, --([a-z]+)|, --(behind-[a-z]+)`)
	variables, flags := 0, 0
	err = filepath.WalkDir(filepath.Join("..", "..", "release"), func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".yaml" && ext != ".tpl" && d.Name() != "Dockerfile" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range variable.FindAllString(string(text), -1) {
			if variables++; !slices.Contains(known, name) && !slices.Contains(compose, name) {
				t.Errorf("%s sets %s, which nothing reads", path, name)
			}
		}
		for _, groups := range flag.FindAllStringSubmatch(string(text), -1) {
			name := groups[1] + groups[2] + groups[3]
			if flags++; serve.Flags().Lookup(name) == nil {
				t.Errorf("%s starts memoir serve with --%s, which it does not have", path, name)
			}
		}
		return err
	})
	if err != nil || variables < 10 || flags < 5 {
		t.Errorf("%d variables and %d flags were looked at, %v", variables, flags, err)
	}
}
