package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/cli"
)

// testEmbedder knows a few synonyms, so that scripts can find a note by a word
// that is not in it.
func testEmbedder(context.Context) (memoir.Embedder, error) {
	return &embedtest.Embedder{Synonyms: map[string]string{"taxi": "cab", "database": "sqlite"}}, nil
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		// memoir with a deterministic embedder in place of the model.
		"memoir": func() {
			os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Options{Embedder: testEmbedder}))
		},
		// memoir-screen believes that it writes to a terminal.
		"memoir-screen": func() {
			os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Options{
				Embedder: testEmbedder, IsTerminal: func(any) bool { return true },
			}))
		},
		// memoir-real has the parts that are configured.
		"memoir-real": func() {
			os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Options{}))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("LocalAppData", filepath.Join(home, "local"))
			env.Setenv("AppData", filepath.Join(home, "roaming"))
			env.Setenv("TERM", "xterm")
			return os.MkdirAll(home, 0o777)
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root": // to whom nothing is unreadable
				return os.Getuid() == 0, nil
			}
			return false, nil
		},
	})
}
