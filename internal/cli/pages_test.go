package cli_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/app"
)

// notRun is how many blocks of commands of a page are not run. Each says why, in
// a comment before it: <!-- not run: it downloads a model -->. A block that is not
// run for a new reason has to be counted here.
var notRun = map[string]int{
	"docs/guide/install.md":               1,
	"docs/guide/install.zh-CN.md":         1,
	"docs/guide/models.md":                2,
	"docs/guide/models.zh-CN.md":          2,
	"docs/guide/bucket.md":                2,
	"docs/guide/bucket.zh-CN.md":          2,
	"docs/guide/weaviate.md":              4,
	"docs/guide/weaviate.zh-CN.md":        4,
	"docs/guide/server.md":                3,
	"docs/guide/server.zh-CN.md":          3,
	"docs/http.md":                        2,
	"docs/http.zh-CN.md":                  2,
	"docs/page.md":                        1,
	"docs/page.zh-CN.md":                  1,
	"docs/agents/openclaw.md":             1,
	"docs/agents/openclaw.zh-CN.md":       1,
	"docs/agents/plugin.md":               1,
	"docs/agents/plugin.zh-CN.md":         1,
	"docs/guide/from-claude-mem.md":       1,
	"docs/guide/from-claude-mem.zh-CN.md": 1,
	"docs/guide/from-engram.md":           1,
	"docs/guide/from-engram.zh-CN.md":     1,
}

// Every command that a page shows is run, and prints what the page says. A page is
// one shell from its first block to its last, in ~/notes, a copy of examples/notes in
// a home folder of its own whose memory it is, with the model inside and without a network. A block
// without a language right after one of commands is what they print, to standard
// output and standard error:
//
//   - … stands for any text within a line, a line of … alone for any lines;
//   - five dots of a hit stand for any five, which differ between processors, and two
//     blanks or more for any number of them;
//   - the home folder is /home/me, the program /usr/local/bin/memoir.
//
// Comments of HTML, which readers do not see, tell the test more:
//
//   - <!-- not run: REASON --> the next block of commands is not run;
//   - <!-- exit 1 --> its last command fails with this code;
//   - <!-- given: COMMANDS --> run here and shown to nobody: what a reader has already;
//   - <!-- from an empty home --> anywhere: there is no ~/notes.
//
// Blocks of TOML are settings that memoir config takes. After a change that is
// meant, run
//
//	go test ./internal/cli -run Pages -update
//
// which writes what commands print where a page says something else, and look at
// the difference.
func TestPages(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for another shell")
	}
	if testing.Short() {
		t.Skip("it takes long")
	}
	if app.About().Model == "" {
		t.Skip("needs the model inside")
	}
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	known := exampleVectors(t, repository)
	counted := maps.Clone(notRun)
	for _, name := range pageNames(t, repository) {
		file := filepath.Join(repository, filepath.FromSlash(name))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := parsePage(strings.ReplaceAll(string(data), "\r\n", "\n"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.notRun != counted[name] {
			t.Errorf("%s has %d blocks that are not run, notRun says %d", name, p.notRun, counted[name])
		}
		delete(counted, name)
		if !slices.ContainsFunc(p.blocks, func(b block) bool { return b.kind != "text" }) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.run(t, repository, file, known)
		})
	}
	for name := range counted {
		t.Errorf("notRun counts blocks of %s, which is no page", name)
	}
}

// pageNames returns the pages whose commands are run, below the repository.
func pageNames(t *testing.T, repository string) (names []string) {
	t.Helper()
	// Pages for whoever works on memoir.
	exempt := []string{"ARCHITECTURE.md", "GLOSSARY.md", "performance.md", "quality.md", "release.md"}
	for _, pattern := range []string{"docs/*.md", "docs/guide/*.md", "docs/agents/*.md"} {
		found, err := filepath.Glob(filepath.Join(repository, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			if pattern == "docs/*.md" && slices.Contains(exempt, filepath.Base(file)) {
				continue
			}
			name, err := filepath.Rel(repository, file)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	if len(names) < 10 {
		t.Fatalf("found only the pages %q", names)
	}
	return names
}

// A page is a document with what of it is run.
type page struct {
	text   string
	blocks []block
	notRun int
	empty  bool // the home folder is empty
}

// A block is code of a page that the test does something with.
type block struct {
	kind     string // sh, given, toml, or text for one that only ends what was before it
	code     string
	line     int // of its first line of code
	exit     int // code with which it ends
	printed  bool
	from, to int // where in the page it says what is printed, if it does
}

var (
	fence   = regexp.MustCompile("(?ms)^<!--(.*?)-->\n?|^```([a-z]*)\n(.*?)^```$\n?")
	failing = regexp.MustCompile(`^exit (\d+)$`)
)

// parsePage finds the blocks of a page.
func parsePage(text string) (p page, err error) {
	p.text = text
	why, exit, end := "", 0, -1
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		line := strings.Count(text[:m[0]], "\n") + 1
		if m[2] >= 0 {
			comment := strings.TrimSpace(text[m[2]:m[3]])
			word, rest, _ := strings.Cut(comment, ":")
			switch code := failing.FindStringSubmatch(comment); {
			case code != nil:
				fmt.Sscan(code[1], &exit)
			case comment == "from an empty home":
				p.empty = true
			case word == "not run" && strings.TrimSpace(rest) != "":
				why = strings.TrimSpace(rest)
			case word == "given" && strings.TrimSpace(rest) != "":
				p.blocks = append(p.blocks, block{kind: "given", code: strings.TrimSpace(rest) + "\n", line: line})
			default:
				return p, fmt.Errorf("line %d: the comment %q says nothing that the test knows", line, comment)
			}
			continue
		}
		language, code := text[m[4]:m[5]], text[m[6]:m[7]]
		b := block{kind: language, code: code, line: line + 1, exit: exit}
		last := len(p.blocks) - 1
		switch {
		case language == "sh" && why != "":
			p.notRun++
			b.kind = "text"
			p.blocks = append(p.blocks, b)
		case language == "sh" || language == "toml":
			p.blocks = append(p.blocks, b)
		case language == "" && last >= 0 && p.blocks[last].kind == "sh" && strings.TrimSpace(text[end:m[0]]) == "":
			p.blocks[last].printed, p.blocks[last].from, p.blocks[last].to = true, m[6], m[7]
		default:
			p.blocks = append(p.blocks, block{kind: "text", line: line + 1})
		}
		if (why != "" || exit != 0) && language != "sh" {
			return p, fmt.Errorf("line %d: a comment about commands stands before a block of %q", line, language)
		}
		why, exit, end = "", 0, m[1]
	}
	return p, nil
}

// exampleVectors returns a folder .local of somebody who has indexed the example notes
// elsewhere: memoir takes their vectors from there, and no page has to wait for them.
func exampleVectors(t *testing.T, repository string) string {
	t.Helper()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "memoir-real", "index")
	cmd.Dir = filepath.Join(home, "elsewhere")
	if err := os.CopyFS(cmd.Dir, os.DirFS(filepath.Join(repository, "examples", "notes"))); err != nil {
		t.Fatal(err)
	}
	cmd.Env = []string{"HOME=" + home}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(home, ".local")
}

// ownNotes makes ~/notes the memory of the person whose home folder it is.
func ownNotes(home string) error {
	dir := filepath.Join(home, ".config", "memoir")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), []byte("workspace = \"~/notes\"\n"), 0o600)
}

// run runs what a page shows and compares.
func (p page) run(t *testing.T, repository, file, known string) {
	curl := slices.ContainsFunc(p.blocks, func(b block) bool { return b.kind == "sh" && strings.Contains(b.code, "curl ") })
	if _, err := exec.LookPath("curl"); curl && err != nil {
		if os.Getenv("MEMOIR_TEST_DISALLOW_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip("needs curl")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program := pageProgram(t, home)
	start := filepath.Join(home, "notes")
	if p.empty {
		start = home
	} else if err := os.CopyFS(start, os.DirFS(filepath.Join(repository, "examples", "notes"))); err != nil {
		t.Fatal(err)
	} else if err := os.CopyFS(filepath.Join(home, ".local"), os.DirFS(known)); err != nil {
		t.Fatal(err)
	} else if err := ownNotes(home); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	script.WriteString("set -e\n")
	for i, b := range p.blocks {
		mark := fmt.Sprintf("%s\n", pageMark(i))
		switch {
		case b.kind != "sh" && b.kind != "given":
			continue
		case b.exit != 0: // in a shell of its own, for the page goes on
			fmt.Fprintf(&script, "printf '%%s' '%s'\n( set -e\n%s) && exit 99 || test $? = %d || exit 98\n", mark, b.code, b.exit)
		default:
			fmt.Fprintf(&script, "printf '%%s' '%s'\n%s", mark, b.code)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script.String())
	cmd.Dir = start
	cmd.Env = []string{"HOME=" + home, "PATH=" + filepath.Join(home, ".bin"), "LC_ALL=C.UTF-8", "TERM=dumb",
		"MEMOIR_QUERY_EMBED_TIMEOUT=" + patience, "MEMOIR_QUERY_SYNC_BUDGET=" + patience, "MEMOIR_HOOK_SEARCH_TIME=" + patience}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ended := cmd.Run()
	printed := strings.NewReplacer(program, "/usr/local/bin/memoir", home, "/home/me").Replace(out.String())
	last, text := 0, p.text
	for i, b := range slices.Backward(p.blocks) {
		_, rest, ok := strings.Cut(printed, pageMark(i)+"\n")
		if !ok {
			continue
		}
		last = max(last, i)
		printed = strings.TrimSuffix(printed, pageMark(i)+"\n"+rest)
		if !b.printed || samePrinted(p.text[b.from:b.to], rest) || ended != nil {
			continue
		}
		if *update {
			text = text[:b.from] + veiled(rest) + text[b.to:]
			continue
		}
		t.Errorf("%s:%d prints something else; go test ./internal/cli -run Pages -update renews the page. Got:\n%s\nwant:\n%s", filepath.Base(file), b.line, rest, p.text[b.from:b.to])
	}
	if ended != nil {
		t.Fatalf("%s:%d: %v\n%s\nprinted\n%s", filepath.Base(file), p.blocks[last].line, ended, p.blocks[last].code, tailOf(out.String(), pageMark(last)))
	}
	if text != p.text {
		writeFile(t, file, text)
	}
	for _, b := range p.blocks {
		if b.kind == "toml" {
			takesSettings(t, b, filepath.Base(file))
		}
	}
}

// pageMark is printed before the output of a block.
func pageMark(block int) string { return fmt.Sprintf("\x1e%d\x1e", block) }

// tailOf returns what stands behind a mark.
func tailOf(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	return rest
}

// pageProgram puts a program memoir into a folder of the home and returns what it
// starts: the parts that are configured, which the kernel kills for a connection
// where it can. What is there for connections over loopback has no such guard.
func pageProgram(t *testing.T, home string) string {
	t.Helper()
	real, err := exec.LookPath("memoir-real")
	if err != nil {
		t.Fatal(err)
	}
	guarded := real
	if runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") {
		if probe := exec.CommandContext(t.Context(), "memoir-offline", "version"); probe.Run() == nil {
			guarded = filepath.Join(filepath.Dir(real), "memoir-offline")
		}
	}
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in\n*doctor* | serve* | ui*) exec '%s' \"$@\" ;;\nesac\nexec '%s' \"$@\"\n", real, guarded)
	if err := os.Mkdir(filepath.Join(home, ".bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".bin", "memoir"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	// Nothing else is there: memoir setup looks for the programs of agents.
	for _, tool := range []string{"sh", "cat", "cp", "curl", "grep", "head", "ls", "mkdir", "mkfifo", "mv", "rm", "sed", "tail", "tr"} {
		found, err := exec.LookPath(tool)
		if err != nil && tool == "curl" {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(found, filepath.Join(home, ".bin", tool)); err != nil {
			t.Fatal(err)
		}
	}
	return guarded
}

var (
	dots   = regexp.MustCompile(`[●○]{5}`)
	blanks = regexp.MustCompile(`  +`)
	hitOf  = regexp.MustCompile(`(it is hit \d+ of )\d+`)
)

// samePrinted reports whether a text is what a page says. How likely a passage answers, and
// how many are near at all, differ a little between processors: by one dot at most.
func samePrinted(want, got string) bool {
	want, got = hitOf.ReplaceAllString(want, "$1"), hitOf.ReplaceAllString(got, "$1")
	want, got = blanks.ReplaceAllString(want, "  "), blanks.ReplaceAllString(got, "  ")
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for line := range strings.Lines(want) {
		if line == "…\n" {
			pattern.WriteString(`(?s:.*?)`)
			continue
		}
		pattern.WriteString(dots.ReplaceAllStringFunc(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*?"), nearDots))
	}
	pattern.WriteString(`\z`)
	return regexp.MustCompile(pattern.String()).MatchString(got)
}

// nearDots returns a pattern of the dots that may stand in the place of some.
func nearDots(shown string) string {
	var near []string
	for n := range 6 {
		if d := n - strings.Count(shown, "●"); -1 <= d && d <= 1 {
			near = append(near, strings.Repeat("●", n)+strings.Repeat("○", 5-n))
		}
	}
	return "(?:" + strings.Join(near, "|") + ")"
}

// veiled writes … for what differs from one run to the next.
func veiled(printed string) string {
	for _, x := range []struct{ pattern, by string }{
		{`\b(in|after) [0-9.]+(ms|s)\b`, "$1 …"},
		{`"tookMs":[0-9]+`, `"tookMs":…`},
		{`(memoir/[^/ ]+)-[0-9a-f]{12}\b`, "$1-…"},
		{`\b(undo|took back|id:|by:|replaces:) [a-z0-9]{8,12}\b`, "$1 …"},
		{`(?m)^[a-z0-9]{12}  `, "…  "},
		{`(would be forgotten  \S+  )[a-z0-9]{8}  `, "${1}…  "},
		{`(?m)^([!?]|memoir: not done:) [0-9a-f]{8}\b`, "$1 …"},
		{`\b` + time.Now().Format(time.DateOnly) + `( [0-9:]{8})?\b`, "…"},
		{`(?m)^( +(?:this one|last hit)  ).*$`, "$1…"},
		{`\bkernels( +)[a-z0-9]+`, "kernels$1…"},
		{`(?m)^(ok +watch +).*$`, "$1…"},
	} {
		printed = regexp.MustCompile(x.pattern).ReplaceAllString(printed, x.by)
	}
	return printed
}

// takesSettings checks that settings of a page are settings.
func takesSettings(t *testing.T, b block, name string) {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, ".config", "memoir", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.code), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "memoir-real", "config")
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s:%d: %v\n%s", name, b.line, err, out)
	}
}

// What a page says of the output is compared, and what a test does not know is an
// error and not passed over.
func TestPageParts(t *testing.T) {
	for _, x := range []struct {
		want, got string
		same      bool
	}{
		{"a\n", "a\n", true},
		{"a\n", "a\nb\n", false},
		{"a … c\n", "a b c\n", true},
		{"a … c\n", "a b\nc\n", false},
		{"a\n…\nc\n", "a\nb\nb\nc\n", true},
		{"a\n…\nc\n", "a\nb\nb\n", false},
		{"●●●○○  x\n", "●●○○○  x\n", true},
		{"●●●●●  x\n", "●●●●○  x\n", true},
		{"●●●○○  x\n", "●○○○○  x\n", false},
		{"1.5\n", "125\n", false},
	} {
		if got := samePrinted(x.want, x.got); got != x.same {
			t.Errorf("%q for %q: got %v", x.got, x.want, got)
		}
	}
	for _, text := range []string{"<!-- not run: -->\n```sh\nx\n```\n", "<!-- notrun: x -->\n", "<!-- exit 1 -->\n```toml\na = 1\n```\n"} {
		if _, err := parsePage(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	p, err := parsePage("```sh\na\n```\n\n```\nb\n```\n<!-- not run: why -->\n```sh\nc\n```\n<!-- exit 2 -->\n```sh\nd\n```\n")
	if err != nil || p.notRun != 1 || len(p.blocks) != 3 || !p.blocks[0].printed || p.blocks[2].exit != 2 {
		t.Errorf("got %+v, %v", p, err)
	}
}

// What docs/troubleshooting.md calls a message is one: each part of it, between …,
// stands in the code. The page in Chinese has it in Chinese, too, as the catalogue has it.
func TestTroubleshooting(t *testing.T) {
	var code strings.Builder
	for _, folder := range []string{"internal", "engine", "embed", "rerank", "source", "store"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			code.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	errs, err := os.ReadFile(filepath.Join(root, "errors.go"))
	if err != nil {
		t.Fatal(err)
	}
	code.Write(errs)
	catalogue, err := os.ReadFile(filepath.Join(root, "internal", "wording", "zh.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for _, name := range []string{"troubleshooting.md", "troubleshooting.zh-CN.md"} {
		text, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|(?: `([^`]+)` \\|)?").FindAllSubmatch(text, -1) {
			if name == "troubleshooting.md" {
				messages = append(messages, string(m[1]))
				continue
			}
			messages = append(messages, string(m[2]))
			for part := range strings.SplitSeq(string(m[1]), "…") {
				if part = strings.TrimSpace(part); !strings.Contains(string(catalogue), part) {
					t.Errorf("no Chinese says %q", part)
				}
			}
		}
		if len(messages) < 30 {
			t.Fatalf("found only %d messages in %s", len(messages), name)
		}
		all = append(all, messages)
	}
	if diff := cmp.Diff(all[0], all[1]); diff != "" {
		t.Errorf("the messages of the two languages differ (-English +Chinese):\n%s", diff)
	}
	for _, m := range all[0] {
		for part := range strings.SplitSeq(m, "…") {
			if part = strings.TrimSpace(part); !strings.Contains(code.String(), part) {
				t.Errorf("no code says %q", part)
			}
		}
	}
}

// Links between pages lead to a file that is there, and to a heading of it.
func TestPageLinks(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 50 {
		t.Fatalf("found only %d pages", len(pages))
	}
	code := regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`|<!--.*?-->")
	link := regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headings := map[string][]string{}
	for _, file := range pages {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(code.ReplaceAll(data, nil), -1) {
			target, heading, _ := strings.Cut(string(m[1]), "#")
			if strings.Contains(target, ":") {
				continue
			}
			to := file
			if target != "" {
				to = filepath.Join(filepath.Dir(file), filepath.FromSlash(target))
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: the link %s leads nowhere", file, m[1])
				continue
			}
			if heading != "" && headings[to] == nil {
				headings[to] = anchors(t, to)
			}
			if heading != "" && !slices.Contains(headings[to], heading) {
				t.Errorf("%s: %s has no heading for the link %s", file, to, m[1])
			}
		}
	}
}

// anchors returns what links to the headings of a page are called, as GitHub makes them.
func anchors(t *testing.T, file string) (names []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	drop := regexp.MustCompile(`[^\p{L}\p{N}\p{M}_\- ]+`)
	for _, m := range regexp.MustCompile(`(?m)^#+ +(.*)$`).FindAllSubmatch(data, -1) {
		names = append(names, strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(string(m[1]))), ""), " ", "-"))
	}
	return names
}
