package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/setup"
)

// LiveOptions say what [Diagnosis.Live] works with.
type LiveOptions struct {
	Place    setup.Place
	StateDir string // where hooks record problems
	// Shelf returns the file below a workspace that a learning is written to.
	Shelf func(workspace string) (string, error)
	Now   time.Time
	// Number tells one canary from another.
	Number int
}

const (
	startPatience = time.Minute      // a server may have to load a model
	callPatience  = 30 * time.Second // for a tool or a hook
	closePatience = 5 * time.Second  // then a server that does not end is killed
	hookTries     = 3                // the first call finds nothing in memory and has little time
	maxSaid       = 400              // how many bytes of a program's output are shown
)

// canaryType is a type whose entries have a file of their own.
const canaryType = "learning"

// Live does what an agent does. It starts the server that the agent's settings name,
// remembers a statement, searches for it, calls the hooks with what the agent sends them,
// and forgets the statement. Each step is a check. After a broken step, the steps that
// need it are left out. No model is called. Afterwards the notes are as they were before,
// and a check says so.
func (d *Diagnosis) Live(ctx context.Context, a setup.Agent, opts LiveOptions) {
	l := live{d: d, agent: a, LiveOptions: opts, again: "memoir setup " + a.Name}
	l.session = fmt.Sprintf("memoir-doctor-%d", opts.Number)
	l.canary = fmt.Sprintf("The canary that memoir doctor sent on %s is number %d.", opts.Now.Format(time.DateOnly), opts.Number)
	dir, err := os.MkdirTemp("", "memoir-doctor-")
	if err != nil {
		d.failed("settings", Broken, err, "make room for temporary files")
		return
	}
	defer os.RemoveAll(dir) // an empty folder, in which the agent would work
	l.dir = dir
	if !l.settings() {
		return
	}
	if !l.connect(ctx) {
		return
	}
	defer l.client.Close() // the server ends with it
	if !l.tools(ctx) {
		return
	}
	if l.server.URL != "" {
		l.writes = false // where the notes are is not known, so they could not be compared
		l.search(ctx)
		return
	}
	if !l.where(ctx) {
		return
	}
	if l.writes && !l.remember(ctx) {
		return
	}
	l.search(ctx)
	l.hooks(ctx)
	if l.writes {
		l.forget(context.WithoutCancel(ctx))
	}
}

type live struct {
	LiveOptions
	d       *Diagnosis
	agent   setup.Agent
	again   string // the command that connects the agent again
	dir     string
	session string
	canary  string

	server setup.Start
	starts []setup.Start // the hooks
	client *mcp.ClientSession
	said   *bytes.Buffer // what the server wrote to standard error
	writes bool          // the server offers the tools that write

	workspace, hookDir string
	shelf              string // its absolute path
	before             []byte // the content of the shelf before
	beforeErr          error
	folder             bool   // the folder of the shelf existed before
	entry              string // the id of the canary
}

// settings reads from the agent's settings what the agent starts.
func (l *live) settings() bool {
	w, err := l.agent.Wiring(l.Place)
	if err != nil {
		l.d.failed("settings", Broken, err, l.again)
		return false
	}
	off := slices.ContainsFunc(w.Servers, func(s setup.Start) bool { return s.Off })
	w.Servers = slices.DeleteFunc(w.Servers, func(s setup.Start) bool { return s.Off || len(s.Words) == 0 && s.URL == "" })
	switch {
	case len(w.Servers) == 0 && off:
		l.d.add("settings", Broken, "switch the server memoir on in "+l.agent.Title, "%s has a server memoir that is switched off", l.agent.Title)
		return false
	case len(w.Servers) == 0:
		l.d.add("settings", Broken, l.again, "%s has no server memoir in %s", l.agent.Title, strings.Join(w.Files, ", "))
		return false
	}
	l.server, l.starts = w.Servers[0], w.Hooks
	if l.server.URL != "" {
		l.d.add("settings", Healthy, "", "%s asks %s (%s)", l.agent.Title, address(l.server.URL), l.server.File)
	} else {
		l.d.add("settings", Healthy, "", "%s starts %s (%s)", l.agent.Title, strings.Join(l.server.Words, " "), l.server.File)
	}
	if len(w.Servers) > 1 {
		l.d.add("settings", Warning, "take one of them out: the plugin, or memoir setup --undo "+l.agent.Name, "%s starts memoir twice, also by %s", l.agent.Title, w.Servers[1].File)
	}
	return true
}

// program makes a command that runs as the agent would run it.
func (l *live) program(ctx context.Context, words []string, env map[string]string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = l.dir, os.Environ(), closePatience
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

// connect starts the server, or calls it at its address.
func (l *live) connect(ctx context.Context) bool {
	if l.server.URL != "" {
		return l.reach(ctx)
	}
	if _, err := exec.LookPath(l.server.Words[0]); err != nil {
		l.d.add("server", Broken, l.again, "%s is not there, or is no program", l.server.Words[0])
		return false
	}
	if at := slices.Index(l.server.Words, "--workspace") + 1; at > 0 && at < len(l.server.Words) {
		if dir := l.server.Words[at]; filepath.IsAbs(dir) && !there(dir) {
			l.d.add("notes", Warning, "bring the notes back, or mount their disk", "%s was not there; the server makes it, without notes", dir)
		}
	}
	l.said = &bytes.Buffer{}
	cmd := l.program(context.WithoutCancel(ctx), l.server.Words, l.server.Env) // the canary has to be forgotten even when ctx is done
	cmd.Stderr = l.said
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "memoir-doctor", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: closePatience}, nil)
	if err != nil {
		if cmd.Process != nil {
			_ = cmd.Process.Kill() // it may have ended by itself
		}
		l.d.add("server", Broken, "run it by hand: "+strings.Join(l.server.Words, " "), "it does not answer: %s", said(err, l.said.Bytes()))
		return false
	}
	l.client = session
	if info := session.InitializeResult().ServerInfo; info != nil {
		l.d.add("server", Healthy, "", "%s %s answers", info.Name, info.Version)
	}
	return true
}

// said joins an error with the end of a program's output.
func said(err error, text []byte) string {
	text = bytes.TrimSpace(text)
	return strings.TrimSpace(fmt.Sprintf("%v %s", err, text[max(0, len(text)-maxSaid):]))
}

// tools checks that the server offers the tools that the steps need.
func (l *live) tools(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	list, err := l.client.ListTools(ctx, nil)
	if err != nil {
		l.d.add("tools", Broken, l.again, "%s", said(err, l.said.Bytes()))
		return false
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	if !slices.Contains(names, "memory_search") {
		l.d.add("tools", Broken, l.again, "there is no memory_search among %s", strings.Join(names, ", "))
		return false
	}
	if l.writes = slices.Contains(names, "memory_remember") && slices.Contains(names, "memory_forget"); !l.writes {
		action := "take --read-only out of " + l.server.File
		if l.server.URL != "" {
			action = "memoir token create --allow read,write"
		}
		l.d.add("tools", Warning, action, "the agent can search, and not remember: %s", strings.Join(names, ", "))
		return true
	}
	l.d.add("tools", Healthy, "", "%s", strings.Join(names, ", "))
	return true
}

// where asks the program which notes it serves, and keeps the content of the note that
// will change.
func (l *live) where(ctx context.Context) bool {
	at := slices.Index(l.server.Words, "mcp")
	if at < 0 {
		l.d.add("notes", Broken, l.again, "the command of %s is none of memoir mcp", l.server.File)
		return false
	}
	words := slices.Concat(l.server.Words[:at], []string{"status", "--json"}, l.location(at))
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	cmd := l.program(ctx, words, l.server.Env)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var status struct{ Workspace, Kept, Index string }
	if err == nil {
		err = json.Unmarshal(out, &status)
	}
	kept := cmp.Or(status.Kept, filepath.Dir(status.Index)) // earlier versions had both in one folder
	if err == nil && (!filepath.IsAbs(status.Workspace) && !config.IsBucket(status.Workspace) || !filepath.IsAbs(kept)) {
		err = errors.New("it does not say where they are")
	}
	if err != nil {
		l.d.add("notes", Broken, l.again, "which notes it serves is not known: %s", said(err, errs.Bytes()))
		return false
	}
	l.workspace, l.hookDir = status.Workspace, hook.Dir(kept)
	shelf, err := l.Shelf(status.Workspace)
	if err != nil {
		l.d.failed("notes", Broken, err, "memoir config")
		return false
	}
	l.shelf = filepath.Join(status.Workspace, filepath.FromSlash(shelf))
	l.before, l.beforeErr = regular.ReadFile(l.shelf)
	l.folder = there(filepath.Dir(l.shelf))
	return true
}

// location returns the flags of the server that name the notes.
func (l *live) location(at int) []string {
	return slices.DeleteFunc(slices.Clone(l.server.Words[at+1:]), func(w string) bool { return w == "--read-only" })
}

// call calls a tool and returns its structured answer and its text.
func (l *live) call(ctx context.Context, tool string, arguments map[string]any, answer any) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	res, err := l.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", errors.New(said(err, l.said.Bytes()))
	}
	text := ""
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	if res.IsError {
		return "", errors.New(text)
	}
	data, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, answer)
	}
	return text, err
}

func (l *live) remember(ctx context.Context) bool {
	var kept struct{ Outcome, ID, Path string }
	text, err := l.call(ctx, "memory_remember", map[string]any{"text": l.canary, "type": canaryType}, &kept)
	switch {
	case err != nil:
		l.d.add("memory_remember", Broken, "memoir doctor", "%s", err)
	case kept.Outcome != "added" || kept.ID == "":
		l.d.add("memory_remember", Broken, "memoir doctor", "a statement was not added: %s", text)
	default:
		l.d.add("memory_remember", Healthy, "", "a statement was added to %s", filepath.Join(l.workspace, filepath.FromSlash(kept.Path)))
	}
	l.entry = kept.ID
	return l.entry != ""
}

func (l *live) search(ctx context.Context) {
	var found struct {
		Results []struct{ Snippet, Path string }
	}
	query := l.canary
	if !l.writes {
		query = "memoir"
	}
	_, err := l.call(ctx, "memory_search", map[string]any{"query": query}, &found)
	if err != nil {
		l.d.add("memory_search", Broken, "memoir index", "%s", err)
		return
	}
	if !l.writes {
		l.d.add("memory_search", Healthy, "", "a search was answered")
		return
	}
	for i, r := range found.Results {
		if strings.Contains(r.Snippet, fmt.Sprint(l.Number)) {
			l.d.add("memory_search", Healthy, "", "it was found, as number %d", i+1)
			return
		}
	}
	l.d.add("memory_search", Broken, "memoir index", "the statement was not found, among %d passages", len(found.Results))
}

// hooks calls the hooks that the agent calls in a session.
func (l *live) hooks(ctx context.Context) {
	if !slices.Contains(hook.Agents(), l.agent.Name) {
		l.d.add("hooks", Healthy, "", "%s has none: its model has to search", l.agent.Title)
		return
	}
	defer func() {
		if err := hook.Forget(l.hookDir, l.agent.Name, l.session); err != nil {
			l.d.failed("hooks", Warning, err, "")
		}
	}()
	if os.Getenv("MEMOIR_HOOKS") == "off" {
		l.d.add("hooks", Broken, "unset MEMOIR_HOOKS", "MEMOIR_HOOKS=off keeps them silent")
		return
	}
	for _, event := range []string{hook.SessionStart, hook.Prompt, hook.Stop} {
		if event == hook.Prompt && !hook.Takes(l.agent.Name, event) {
			continue
		}
		at := slices.IndexFunc(l.starts, func(s setup.Start) bool { return s.Event == event })
		if at < 0 {
			l.d.add(event, Broken, l.again, "%s has no hook of memoir's for it", l.agent.Title)
			continue
		}
		l.hook(ctx, l.starts[at], event)
	}
}

// hook calls one hook. It calls it again when the first call only loaded what the hook
// needs.
func (l *live) hook(ctx context.Context, start setup.Start, event string) {
	for try := 1; ; try++ {
		health, detail, action := l.hookOnce(ctx, start, event)
		if health == Healthy || try == hookTries {
			if try > 1 && health == Healthy {
				detail += fmt.Sprintf(", at try %d", try)
			}
			l.d.add(event, health, action, "%s", detail)
			return
		}
	}
}

func (l *live) hookOnce(ctx context.Context, start setup.Start, event string) (health Health, detail, action string) {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	words := start.Shell(runtime.GOOS)
	cmd := l.program(ctx, words, start.Env)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(hook.Input(l.agent.Name, event, l.session, l.dir, l.canary)), &errs
	before, err := hook.Problems(l.StateDir)
	if err != nil {
		return Broken, err.Error(), "memoir doctor"
	}
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began).Round(time.Millisecond)
	shown := cmp.Or(start.Line, strings.Join(start.Words, " "))
	if err != nil {
		return Broken, fmt.Sprintf("%s: %s", shown, said(err, errs.Bytes())), l.again
	}
	text, err := hook.Given(l.agent.Name, event, out)
	if err != nil {
		return Broken, fmt.Sprintf("%s: %v", shown, err), l.again
	}
	problems, err := hook.Problems(l.StateDir)
	if err != nil {
		return Broken, err.Error(), "memoir doctor"
	}
	if last := latest(problems); last != latest(before) && last.Event == event { // whatever the clock says
		return Broken, last.Message, last.Action
	}
	switch {
	case event == hook.Stop && !hook.Waits(l.hookDir, l.agent.Name, l.session):
		return Broken, fmt.Sprintf("%s left nothing in %s: it may be for other notes than the tools are", shown, l.hookDir), l.again
	case event == hook.Stop:
		detail = "what the session changed waits for the next memoir index"
	case event == hook.Prompt && l.writes && !strings.Contains(text, fmt.Sprint(l.Number)):
		return Broken, fmt.Sprintf("%s did not give the statement: it may be for other notes than the tools are", shown), l.again
	case event == hook.Prompt && l.writes:
		detail = "the statement reached the session"
	case text == "":
		detail = "it answers, and there is nothing to give yet"
	default:
		detail = fmt.Sprintf("the session is given %d characters", len([]rune(text)))
	}
	return Healthy, fmt.Sprintf("%s (%v)", detail, took), ""
}

// latest returns the last problem; the zero one if there is none.
func latest(problems []hook.Problem) hook.Problem {
	if len(problems) == 0 {
		return hook.Problem{}
	}
	return problems[len(problems)-1]
}

// forget removes the statement, by the tool or else by the command, and checks that the
// note is as it was before.
func (l *live) forget(ctx context.Context) {
	var gone struct{}
	_, err := l.call(ctx, "memory_forget", map[string]any{"entry": l.entry}, &gone)
	if err != nil {
		at := slices.Index(l.server.Words, "mcp")
		words := slices.Concat(l.server.Words[:at], []string{"forget", l.entry}, l.location(at))
		l.d.add("memory_forget", Broken, "memoir forget "+l.entry, "%s", err)
		if out, err := l.program(ctx, words, l.server.Env).CombinedOutput(); err != nil {
			l.d.add("notes", Broken, "memoir forget "+l.entry, "the statement is still there: %s", said(err, out))
			return
		}
	} else {
		l.d.add("memory_forget", Healthy, "", "the statement was forgotten")
	}
	if detail, err := l.restore(); err != nil {
		l.d.add("notes", Warning, "look into "+l.shelf, "%v", err)
	} else {
		l.d.add("notes", Healthy, "", "%s", detail)
	}
}

// restore gives the note its former bytes back if nothing is left in it but the frame
// that memoir writes around an entry.
func (l *live) restore() (string, error) {
	now, err := regular.ReadFile(l.shelf)
	made := errors.Is(l.beforeErr, fs.ErrNotExist)
	switch {
	case errors.Is(err, fs.ErrNotExist) && made || err == nil && l.beforeErr == nil && bytes.Equal(now, l.before):
		return "they are as they were", nil
	case err != nil || l.beforeErr != nil && !made:
		return "", fmt.Errorf("it could not be compared: %w", errors.Join(err, l.beforeErr))
	case bytes.Contains(now, []byte(fmt.Sprint(l.Number))):
		return "", errors.New("the statement is still there")
	case made && onlyHeading(now):
		err := os.Remove(l.shelf)
		if !l.folder {
			_ = os.Remove(filepath.Dir(l.shelf)) // it fails if others have put notes there meanwhile
		}
		return "they are as they were", err
	case l.beforeErr == nil && bytes.Equal(bytes.TrimSpace(now), bytes.TrimSpace(l.before)):
		return "they are as they were", l.putBack()
	}
	return "", errors.New("it is not as it was; somebody else may have changed it meanwhile")
}

// putBack writes the note exactly as it was, including line ends and the end of the last
// line.
func (l *live) putBack() error {
	info, err := os.Stat(l.shelf)
	if err != nil {
		return err
	}
	return atomicfile.Write(l.shelf, info.Mode().Perm(), func(w io.Writer) error {
		_, err := w.Write(l.before)
		return err
	})
}

// onlyHeading reports whether a note holds nothing but one heading.
func onlyHeading(text []byte) bool {
	lines := bytes.Fields(bytes.ReplaceAll(bytes.TrimSpace(text), []byte(" "), []byte("_")))
	return len(lines) == 0 || len(lines) == 1 && bytes.HasPrefix(lines[0], []byte("#"))
}
