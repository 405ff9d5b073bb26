package cli

import (
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/querylog"
	"github.com/memoir-ai/memoir/internal/remember"
	"github.com/memoir-ai/memoir/internal/transfer"
	"github.com/memoir-ai/memoir/internal/wire"
	"github.com/memoir-ai/memoir/internal/wording"
)

// Commands returns all commands, those included that cobra adds when they run.
func Commands() *cobra.Command {
	root := newSession(Options{}).root()
	root.InitDefaultCompletionCmd()
	return root
}

// HookPatience bounds a hook.
var HookPatience = &hookPatience

// StartHook runs the work of a hook.
var StartHook = &startHook

// LeaveFaint takes the text of unlikely passages behind a likely one.
var LeaveFaint = leaveFaint

// What starts a server with a user's session, of the words of its command.
var (
	SystemdUnit = systemdUnit
	LaunchAgent = launchAgent
)

// A Form is a kind of JSON that memoir writes or reads, and where.
type Form struct {
	// Where is a command line below memoir with the flag that makes this its
	// answer, if one is needed; else a few words.
	Where string
	Type  reflect.Type
}

// IsCommand reports whether it is the answer of a command.
func (f Form) IsCommand() bool {
	return f.Where != Failure && f.Where != QueryLog && f.Where != Told && f.Where != Asked
}

// An OnDemand opens workspaces when they are asked for, and counts it.
type OnDemand struct {
	onDemand
	Opened, Closed int
	Now            time.Time
}

// NewOnDemand returns one whose workspaces are empty; one called "broken" fails.
func NewOnDemand() *OnDemand {
	o := &OnDemand{Now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	var mu sync.Mutex
	o.onDemand = onDemand{most: 8, opened: map[string]*visited{}, now: func() time.Time { return o.Now }, open: func(name string) (*serving, error) {
		if name == "broken" {
			return nil, memoir.ErrNotFound
		}
		mu.Lock()
		defer mu.Unlock()
		o.Opened++
		return &serving{Memory: &app.Memory{}, handler: http.NotFoundHandler(), wait: func() {
			mu.Lock()
			defer mu.Unlock()
			o.Closed++
		}}, nil
	}}
	return o
}

// Enter enters a workspace.
func (o *OnDemand) Enter(name string) (leave func(), err error) {
	_, leave, err = o.enter(name)
	return leave, err
}

// Sweep closes what nobody asked for a while.
func (o *OnDemand) Sweep() { o.sweep() }

// CompareVersions orders versions.
func CompareVersions(a, b string) int { return compareVersions(a, b) }

// Forms returns every kind of JSON that memoir writes or reads, in the order of
// the reference.
func Forms() []Form {
	return []Form{
		{"init", reflect.TypeFor[wire.InitAnswer]()},
		{"index", reflect.TypeFor[wire.Index]()},
		{"indexes", reflect.TypeFor[[]wire.IndexEntry]()},
		{"indexes prune", reflect.TypeFor[wire.PruneAnswer]()},
		{"rebuild", reflect.TypeFor[wire.Index]()},
		{"status", reflect.TypeFor[wire.Status]()},
		{"trust", reflect.TypeFor[wire.TrustAnswer]()},
		{"trust --list", reflect.TypeFor[wire.TrustList]()},
		{"where", reflect.TypeFor[wire.WhereAnswer]()},
		{"doctor", reflect.TypeFor[wire.DoctorAnswer]()},
		{"search", reflect.TypeFor[wire.Answer]()},
		{"search --explain", reflect.TypeFor[wire.Answer]()},
		{"search --trace", reflect.TypeFor[wire.TracedAnswer]()},
		{"search --stdin", reflect.TypeFor[wire.Answer]()},
		{"why", reflect.TypeFor[wire.Why]()},
		{"get", reflect.TypeFor[wire.Excerpt]()},
		{"open", reflect.TypeFor[wire.OpenAnswer]()},
		{"sessions", reflect.TypeFor[[]wire.Session]()},
		{"sessions show", reflect.TypeFor[wire.Turns]()},
		{"scan", reflect.TypeFor[wire.Findings]()},
		{"scan --fix", reflect.TypeFor[wire.Fixed]()},
		{"scan --stdin", reflect.TypeFor[wire.SecretsAnswer]()},
		{"remember", reflect.TypeFor[remember.Outcome]()},
		{Told, reflect.TypeFor[wire.Told]()},
		{"entries", reflect.TypeFor[[]remember.Entry]()},
		{"similar", reflect.TypeFor[[]remember.Similar]()},
		{"forget", reflect.TypeFor[remember.Forgetting]()},
		{"history", reflect.TypeFor[[]wire.Change]()},
		{"history --lost", reflect.TypeFor[[]remember.Lost]()},
		{"undo", reflect.TypeFor[wire.Change]()},
		{"tidy", reflect.TypeFor[remember.Tidying]()},
		{"tidy --summaries", reflect.TypeFor[remember.Summaries]()},
		{"import", reflect.TypeFor[transfer.Imported]()},
		{"import openclaw openclaw.json", reflect.TypeFor[importedSettings]()},
		{"export", reflect.TypeFor[transfer.Exported]()},
		{"prime", reflect.TypeFor[prime.Primed]()},
		{"flush", reflect.TypeFor[prime.Flush]()},
		{"token create", reflect.TypeFor[wire.TokenAnswer]()},
		{"token list", reflect.TypeFor[[]wire.TokenEntry]()},
		{"token revoke", reflect.TypeFor[wire.TokenEntry]()},
		{"admin list", reflect.TypeFor[[]wire.AdminEntry]()},
		{"admin create", reflect.TypeFor[wire.AdminCreated]()},
		{"admin quota", reflect.TypeFor[wire.AdminQuota]()},
		{"admin delete", reflect.TypeFor[wire.AdminDeleted]()},
		{"setup", reflect.TypeFor[setupAnswer]()},
		{"setup --print CLIENT", reflect.TypeFor[printAnswer]()},
		{"embed", reflect.TypeFor[wire.EmbedAnswer]()},
		{"eval", reflect.TypeFor[wire.EvalAnswer]()},
		{"eval --per-question FILE", reflect.TypeFor[wire.EvalQuestion]()},
		{"eval --replay", reflect.TypeFor[wire.ReplayAnswer]()},
		{"config", reflect.TypeFor[wire.ConfigAnswer]()},
		{"config --docs", reflect.TypeFor[wire.DocsAnswer]()},
		{"config get", reflect.TypeFor[wire.ConfigSetting]()},
		{"config set", reflect.TypeFor[wire.ConfigChange]()},
		{"config unset", reflect.TypeFor[wire.ConfigChange]()},
		{"model list", reflect.TypeFor[wire.ListAnswer]()},
		{"model pull", reflect.TypeFor[wire.PullAnswer]()},
		{"model use", reflect.TypeFor[wire.UseAnswer]()},
		{"model verify", reflect.TypeFor[wire.VerifyAnswer]()},
		{"model remove", reflect.TypeFor[wire.RemoveAnswer]()},
		{"model convert", reflect.TypeFor[wire.ConvertAnswer]()},
		{"update --check", reflect.TypeFor[wire.UpdateAnswer]()},
		{"version", reflect.TypeFor[wire.VersionAnswer]()},
		{Asked, reflect.TypeFor[wire.Found]()},
		{Failure, reflect.TypeFor[wire.Failure]()},
		{QueryLog, reflect.TypeFor[querylog.Query]()},
	}
}

// What is no answer of one command.
const (
	Failure  = "a command that fails"
	QueryLog = "a line of the query log"
	Told     = "a line for `memoir remember --jsonl`"
	Asked    = "what `memory_search` answers over MCP"
)

// Table returns what a table writes of rows.
func Table(right bool, rows [][]string) string {
	var out strings.Builder
	t := table{rows, right}
	t.write(&out)
	return out.String()
}

// What is asked of the parts of an answer on a terminal.
var (
	RowsOf     = rowsOf
	Address    = address
	TakesLinks = takesLinks
)

// OnScreen returns a session that writes to a terminal, and what writes a line of its log.
func OnScreen(to io.Writer) (s *session, logged func(string)) {
	s = newSession(Options{Stderr: to, IsTerminal: func(any) bool { return true }})
	return s, func(line string) { fmt.Fprintln(s.err, line) }
}

// Write writes to the standard error of a session.
func Write(s *session, text string) { fmt.Fprint(s.err, text) }

// Waiting and Progress begin what [session.waiting] and [session.progress] show.
func Waiting(s *session, what string) (over func()) { return s.waiting(what) }

func Progress(s *session, what, unit string) (memoir.Progress, func()) {
	return s.progress(what, unit)
}

// Said returns how many things there are in the language of a tag.
func Said(tag string, n int, noun string) string {
	s := newSession(Options{})
	s.language = wording.Of(tag)
	return s.said("%s", count(n, noun))
}
