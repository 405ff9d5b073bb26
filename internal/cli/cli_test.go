package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/cli"
)

// testEmbedder knows a few synonyms, so that scripts can find a note by a word
// that is not in it. The variable TEST_MODEL changes the model, TEST_REFUSED is
// a word whose texts it cannot take, TEST_STUCK lets it wait until it is stopped,
// TEST_SEEN is a file for the hashes of the documents that it is given, which wait for
// the file TEST_GATE, and take TEST_PAUSE a batch.
func testEmbedder(context.Context) (memoir.Embedder, error) {
	e := &embedtest.Embedder{Model: os.Getenv("TEST_MODEL"), Synonyms: map[string]string{"taxi": "cab", "database": "sqlite"}}
	if word := os.Getenv("TEST_REFUSED"); word != "" {
		return refusing{e, word}, nil
	}
	if how := os.Getenv("TEST_STUCK"); how != "" {
		return stuck{e, how == "deaf"}, nil
	}
	if file := os.Getenv("TEST_SEEN"); file != "" {
		return seen{e, file}, nil
	}
	return e, nil
}

// seen writes a line for each document.
type seen struct {
	memoir.Embedder
	file string
}

func (s seen) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	for gate := os.Getenv("TEST_GATE"); task == memoir.TaskDocument && gate != "" && ctx.Err() == nil; {
		if _, err := os.Stat(gate); err == nil {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	if task != memoir.TaskDocument || ctx.Err() != nil {
		return s.Embedder.Embed(ctx, task, texts)
	}
	var lines strings.Builder
	for _, text := range texts {
		fmt.Fprintln(&lines, memoir.HashText(text))
	}
	f, err := os.OpenFile(s.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(lines.String())
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if pause, err := time.ParseDuration(os.Getenv("TEST_PAUSE")); err == nil {
		<-time.After(pause)
	}
	return s.Embedder.Embed(ctx, task, texts)
}

// stuck says that it embeds and waits until it is stopped; with deaf it waits
// on, as what cannot be interrupted does.
type stuck struct {
	memoir.Embedder
	deaf bool
}

func (s stuck) Embed(ctx context.Context, _ memoir.Task, _ []string) ([][]float32, error) {
	fmt.Fprintln(os.Stderr, "embedding")
	<-ctx.Done()
	if s.deaf {
		fmt.Fprintln(os.Stderr, "deaf")
		select {}
	}
	return nil, ctx.Err()
}

// refusing gives no vector for texts with a word.
type refusing struct {
	memoir.Embedder
	word string
}

func (r refusing) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	vectors, err := r.Embedder.Embed(ctx, task, texts)
	for i := range vectors {
		if strings.Contains(texts[i], r.word) {
			vectors[i] = nil
		}
	}
	return vectors, err
}

// inEnglish runs the tests with messages in English, whoever runs them.
type inEnglish struct{ *testing.M }

func (m inEnglish) Run() int {
	os.Setenv("LC_ALL", "C")
	return m.M.Run()
}

func TestMain(m *testing.M) {
	*cli.HookPatience = time.Hour // a machine under load takes longer than an agent waits
	testscript.Main(inEnglish{m}, map[string]func(){
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
		// parent-fake starts memoir and waits for it.
		"parent-fake": parentFake,
		// editor-fake is an editor that writes down what it was started with.
		"editor-fake": editorFake,
		"nano":        editorFake,
		// pager-fake is a pager that writes down what it was started with and is shown.
		"pager-fake": pagerFake,
		// memoir-left fails when something of it goes on after its end.
		"memoir-left": left,
		// memoir-offline is memoir-real, killed by the kernel for a connection.
		"memoir-offline": offline,
	})
}

// together are scripts in which a process does several things at once that no test of a
// package does. With -short these alone run: the detector of races makes each start of a
// process ten times as slow.
var together = []string{"embed", "index", "live", "lock", "mcp", "model", "remember", "sessions", "writers"}

func TestScripts(t *testing.T) {
	dir, files := cmp.Or(os.Getenv("MEMOIR_TEST_SCRIPTS"), "testdata"), []string(nil) // the variable: those of an earlier version
	if testing.Short() {
		for _, name := range together {
			files = append(files, filepath.Join(dir, name+".txtar"))
		}
		dir = ""
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("LocalAppData", filepath.Join(home, "local"))
			env.Setenv("AppData", filepath.Join(home, "roaming"))
			env.Setenv("TERM", "xterm")
			env.Setenv("LANG", "C") // or Windows would be asked
			repository, err := filepath.Abs(root)
			if err != nil {
				return err
			}
			env.Setenv("ROOT", repository)
			env.Setenv("MEMOIR_QUERY_EMBED_TIMEOUT", patience)
			env.Setenv("MEMOIR_QUERY_SYNC_BUDGET", patience)
			env.Setenv("MEMOIR_HOOK_SEARCH_TIME", patience)
			env.Defer(func() { allListed(t, env.WorkDir) })
			return os.MkdirAll(home, 0o777)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"putindex": putIndex, "damageindex": damageIndex, "nowhere": nowhere, "readme": readme, "database": database, "longnote": longNote},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root": // to whom nothing is unreadable
				return os.Getuid() == 0, nil
			}
			return false, nil
		},
	})
}

// stateFolder matches the name of a workspace's folder in the folder of state.
var stateFolder = regexp.MustCompile(`-[0-9a-f]{12}$`)

// allListed fails when a script has left a file in a folder of state of which nobody has said
// whether it holds words of the user's, and how these are forgotten, found and masked there.
func allListed(t *testing.T, dir string) {
	states := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && stateFolder.MatchString(d.Name()) && !slices.Contains([]string{"copies", "cache"}, filepath.Base(filepath.Dir(path))) {
			states[filepath.Dir(path)] = true
		}
		return err
	})
	if err != nil {
		t.Log(err) // a script may have made a folder that cannot be read
	}
	delete(states, dir) // there the script has its notes, too
	for state := range states {
		strange, err := app.Unlisted(state, state)
		for _, file := range strange {
			t.Errorf("no kind of package app is for the file %s", file)
		}
		if err != nil {
			t.Log(err)
		}
	}
}

// database runs the statements of a file in a database, which it makes if need be:
// database FILE STATEMENTS...
func database(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: database FILE STATEMENTS...")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { ts.Check(db.Close()) }()
	for _, file := range args[1:] {
		_, err := db.Exec(ts.ReadFile(file))
		ts.Check(err)
	}
}

// nowhere fails when a file below a folder holds one of the words:
// nowhere DIR WORD...
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: nowhere DIR WORD...")
	}
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, word := range args[1:] {
			if bytes.Contains(data, []byte(word)) {
				ts.Fatalf("%s holds %q", path, word)
			}
		}
		return err
	}))
	if files == 0 {
		ts.Fatalf("there is no file below %s", args[0])
	}
}

// damageIndex writes noise over all pages but the first of the one index below
// the state folder, or over one of them: damageindex STATE-DIR [PAGE].
func damageIndex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: damageindex STATE-DIR [PAGE]")
	}
	found, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "cache", "*", "main.sqlite"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%d indexes below %s, want 1", len(found), args[0])
	}
	data, err := os.ReadFile(found[0])
	ts.Check(err)
	before, err := os.Stat(found[0])
	ts.Check(err)
	const size = 8192
	from, to := size, len(data)
	if len(args) == 2 {
		page, err := strconv.Atoi(args[1])
		ts.Check(err)
		from, to = (page-1)*size, page*size
	}
	for i := range data[from:to] {
		data[from+i] = byte(i*i>>7) | 0x40
	}
	for after := before; after.ModTime().Equal(before.ModTime()); { // within one tick of the clock nobody could tell
		ts.Check(os.WriteFile(found[0], data, 0o600))
		after, err = os.Stat(found[0])
		ts.Check(err)
	}
}

// putIndex overwrites the one index below the state folder with a file:
// putindex STATE-DIR FILE.
func putIndex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: putindex STATE-DIR FILE")
	}
	found, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "cache", "*", "main.sqlite"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%d indexes below %s, want 1", len(found), args[0])
	}
	for _, beside := range []string{"-wal", "-shm"} {
		if err := os.Remove(found[0] + beside); err != nil && !os.IsNotExist(err) {
			ts.Fatalf("%v", err)
		}
	}
	ts.Check(os.WriteFile(found[0], []byte(ts.ReadFile(args[1])), 0o600))
}
