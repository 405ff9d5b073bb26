package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/cli"
)

// patience is how long tests wait for a query's vector: a machine under load
// takes longer than a person would.
const patience = "1m"

// notes makes a workspace with one note and points memoir at it.
func notes(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	t.Setenv("MEMOIR_WORKSPACE", filepath.Join(dir, "notes"))
	t.Setenv("MEMOIR_STATE_DIR", filepath.Join(dir, "state"))
	t.Setenv("MEMOIR_QUERY_EMBED_TIMEOUT", patience)
	if err := os.Mkdir(filepath.Join(dir, "notes"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes", "MEMORY.md"), []byte("- We use SQLite.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

func run(ctx context.Context, in io.Reader, embedder func(context.Context) (memoir.Embedder, error), args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = cli.Run(ctx, args, cli.Options{Stdin: in, Stdout: &out, Stderr: &errs, Embedder: embedder})
	return code, out.String(), errs.String()
}

// canceling stops the run when the first text is embedded.
type canceling struct {
	memoir.Embedder
	cancel context.CancelFunc
}

func (c canceling) Embed(ctx context.Context, _ memoir.Task, _ []string) ([][]float32, error) {
	c.cancel()
	return nil, ctx.Err()
}

// An interrupted run says that nothing is lost, and what it did can be searched.
func TestInterruptedIndex(t *testing.T) {
	notes(t)
	ctx, cancel := context.WithCancel(t.Context())
	code, out, errs := run(ctx, nil, func(ctx context.Context) (memoir.Embedder, error) {
		e, err := testEmbedder(ctx)
		return canceling{e, cancel}, err
	}, "index")
	if code != 1 || out != "" || !strings.Contains(errs, "the next run goes on from there") {
		t.Errorf("got code %d, output %q, errors %q", code, out, errs)
	}
	code, out, _ = run(t.Context(), nil, testEmbedder, "search", "--mode", "text", "sqlite")
	if code != 0 || !strings.Contains(out, "MEMORY.md") {
		t.Errorf("afterwards: got code %d, output %q", code, out)
	}
}

// stopping is a screen on which a person sees the first progress, and stops it.
type stopping struct {
	text   bytes.Buffer
	cancel context.CancelFunc
}

func (s *stopping) Write(p []byte) (int, error) {
	s.cancel()
	return s.text.Write(p)
}

// An interrupted rebuild says that a later one begins anew.
func TestInterruptedRebuild(t *testing.T) {
	notes(t)
	if code, _, errs := run(t.Context(), nil, testEmbedder, "index", "--text-only"); code != 0 {
		t.Fatal(errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	screen := &stopping{cancel: cancel}
	code := cli.Run(ctx, []string{"rebuild"}, cli.Options{Stdout: io.Discard, Stderr: screen, Embedder: testEmbedder, IsTerminal: func(stream any) bool { return stream == screen }})
	if errs := screen.text.String(); code != 1 || !strings.Contains(errs, "stopped before every note was read again\n  try: memoir rebuild, which begins anew, or memoir index") {
		t.Errorf("got code %d, errors %q", code, errs)
	}
	code, out, _ := run(t.Context(), nil, testEmbedder, "search", "--mode", "text", "sqlite")
	if code != 0 || !strings.Contains(out, "MEMORY.md") {
		t.Errorf("afterwards: got code %d, output %q", code, out)
	}
}

// A command that waits for standard input ends when it is stopped.
func TestInterruptedInput(t *testing.T) {
	for _, command := range []string{"search", "embed", "scan"} {
		t.Run(command, func(t *testing.T) {
			notes(t)
			in, keyboard := io.Pipe() // a person who types nothing more
			defer keyboard.Close()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				// The write returns when the line is read: the command is at work.
				if _, err := io.WriteString(keyboard, "sqlite\n"); err != nil {
					t.Error(err)
				}
				cancel()
			}()
			code, out, _ := run(ctx, in, testEmbedder, command, "--stdin", "--json")
			if code != 1 || !strings.HasSuffix(out, `{"error":{"message":"interrupted","action":""}}`+"\n") {
				t.Errorf("got code %d, output %q", code, out)
			}
		})
	}
}

// A note is printed with its line ends, and without what could steer a terminal,
// in a pipe, too; JSON has all of it, escaped.
func TestGetOfHostileNote(t *testing.T) {
	notes(t)
	const text = "\x1b[2Jfirst\r\n\u009b2Jsecond\rthird\u202e\tend\x7f\r\n"
	file := filepath.Join(os.Getenv("MEMOIR_WORKSPACE"), "hostile.md")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run(t.Context(), strings.NewReader(""), testEmbedder, "get", "hostile.md")
	if want := "\ufffd[2Jfirst\r\n\ufffd2Jsecondthird\ufffd\tend\ufffd\r\n"; code != 0 || out != want {
		t.Errorf("got code %d, %q, want %q; errors %q", code, out, want, errs)
	}
	code, out, errs = run(t.Context(), strings.NewReader(""), testEmbedder, "get", "--json", "hostile.md")
	var x struct{ Text string }
	if err := json.Unmarshal([]byte(out), &x); code != 0 || err != nil || x.Text != text || strings.ContainsAny(out, "\x1b\u009b\u202e\x7f\r") {
		t.Errorf("got code %d, %q, %v; errors %q", code, out, err, errs)
	}
}

// Hostile lines are answered one by one, and the rest goes on.
func TestHostileLines(t *testing.T) {
	notes(t)
	lines := []string{
		"sqlite",
		strings.Repeat("sqlite ", 200_000), // above the limit of a line
		strings.Repeat("sqlite 数据库 ", 100_000/15), // 100 kB
		"nul \x00 sqlite", "\xff\xfe sqlite", `"`, "*", "NEAR(sqlite", "a AND OR NOT ^ -",
		"   ", "sqlite\r",
	}
	code, out, errs := run(t.Context(), strings.NewReader(strings.Join(lines, "\n")), testEmbedder, "search", "--stdin")
	if code != 0 {
		t.Fatalf("got code %d, errors %q", code, errs)
	}
	wantError := map[int]bool{1: true, 9: true}
	answers := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("got %d answers for %d lines", len(answers), len(lines))
	}
	for i, a := range answers {
		var parsed struct {
			Results []json.RawMessage
			Error   *struct{ Message string }
		}
		if err := json.Unmarshal([]byte(a), &parsed); err != nil {
			t.Errorf("line %d: %v in %.200q", i, err, a)
		}
		if (parsed.Error != nil) != wantError[i] {
			t.Errorf("line %d (%.40q): got %.200q", i, lines[i], a)
		}
		if parsed.Error == nil && parsed.Results == nil {
			t.Errorf("line %d: results are null, want a list", i)
		}
	}
}

// Lines that are no texts are answered with their number, not with what they
// hold, and the rest goes on.
func TestScanHostileLines(t *testing.T) {
	lines := []string{
		"the password is Herring!Fjord8",
		"\xff\xfe the password is Herring!Fjord8",
		"the password is Herring!Fjord8 " + strings.Repeat("sqlite ", 200_000), // above the limit of a line
		"nul \x00 PIN: 4821\r",
		strings.Repeat("password ", 2_000),
	}
	code, out, errs := run(t.Context(), strings.NewReader(strings.Join(lines, "\n")), nil, "scan", "--stdin")
	want := `{"secret":true,"spans":[{"start":16,"end":30,"kind":"password"}]}
{"error":{"message":"line 2 is not UTF-8","action":"memoir help scan"}}
{"error":{"message":"line 3 is longer than 1048576 bytes","action":"memoir help scan"}}
{"secret":true,"spans":[{"start":11,"end":15,"kind":"pin"}]}
{"secret":false,"spans":[]}
`
	if code != 0 || out != want {
		t.Errorf("got code %d, errors %q, output\n%s\nwant\n%s", code, errs, out, want)
	}
}

// Files that no run would index are known as that, and nobody is asked for a run.
func TestBinaryFilesAreSkipped(t *testing.T) {
	notes(t)
	for _, name := range []string{"a.md", "b.md"} {
		if err := os.WriteFile(filepath.Join(os.Getenv("MEMOIR_WORKSPACE"), name), []byte("a\x00b"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, errs := run(t.Context(), nil, testEmbedder, "index"); code != 0 {
		t.Fatalf("index: %d, %s", code, errs)
	}
	_, out, _ := run(t.Context(), nil, testEmbedder, "status", "--json")
	var st struct {
		Files    struct{ Listed, New int }
		Degraded []any
	}
	if err := json.Unmarshal([]byte(out), &st); err != nil || st.Files.Listed != 1 || st.Files.New != 0 || len(st.Degraded) > 0 {
		t.Errorf("status: %v, %s", err, out)
	}
	if _, out, errs := run(t.Context(), nil, testEmbedder, "status"); errs != "" || !strings.Contains(out, "a.md: binary file with a zero byte at line 1 (byte 1)") {
		t.Errorf("status says %s%s", out, errs)
	}
	if _, out, _ := run(t.Context(), nil, testEmbedder, "doctor"); !strings.Contains(out, "1 note, 1 passage; 2 files skipped\n") || strings.Contains(out, "not indexed yet") {
		t.Errorf("doctor says %s", out)
	}
	// A new note is asked for, however many such files stand before it.
	if err := os.WriteFile(filepath.Join(os.Getenv("MEMOIR_WORKSPACE"), "c.md"), []byte("New."), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, errs := run(t.Context(), nil, testEmbedder, "status"); !strings.Contains(errs, "1 note not indexed yet") {
		t.Errorf("status says %s", errs)
	}
}
