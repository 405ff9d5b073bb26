package doctor

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/setup"
)

// Agents adds checks of the agents that memoir setup connected.
func (d *Diagnosis) Agents(place setup.Place, dir string) {
	for _, c := range setup.Connections(place, dir) {
		again := "memoir setup " + c.Agent.Name
		switch {
		case len(c.Changed) > 0:
			d.add("agents", Warning, again, "%s: memoir's part is not in %s any more", c.Agent.Title, strings.Join(c.Changed, ", "))
		case c.Program != "" && !there(c.Program):
			d.add("agents", Broken, again, "%s starts %s, and that is gone", c.Agent.Title, c.Program)
		case len(c.Older) > 0:
			d.add("agents", Warning, again, "%s: an earlier memoir wrote the hooks in %s, which can stop the agent when memoir fails", c.Agent.Title, strings.Join(c.Older, ", "))
		default:
			d.add("agents", Healthy, "", "%s is connected", c.Agent.Title)
		}
	}
}

func there(program string) bool {
	_, err := os.Stat(program)
	return err == nil
}

const (
	shownProblems = 3                  // how many are shown, the newest first
	recent        = 7 * 24 * time.Hour // problems before that, or after it by a clock that was wrong, are left out
)

// Hooks adds what went wrong in hooks during the last week, and the work that still waits
// for a process with the time to do it. settings is nil when they cannot be read.
func (d *Diagnosis) Hooks(state string, settings *config.Loaded, now time.Time) {
	problems, err := hook.Problems(state)
	if err != nil {
		d.failed("hooks", Warning, err, "move "+hook.LogFile(state)+" away")
	}
	problems = slices.DeleteFunc(problems, func(p hook.Problem) bool { return now.Sub(p.At).Abs() > recent })
	for i, p := range slices.Backward(problems) {
		if i < len(problems)-shownProblems {
			d.add("hooks", Warning, "", "%d more in %s", i+1, hook.LogFile(state))
			break
		}
		d.add("hooks", Warning, p.Action, "%s", failed(p))
	}
	if settings == nil {
		return
	}
	if n := hook.Queue(hook.Dir(settings.KeptDir())).Len(); n > 0 {
		d.add("hooks", Healthy, "memoir index", "%s for the next memoir index or memoir mcp", english.Plural(n, "item waits", "items wait"))
	}
}

// failed says when and where a hook failed, and why. One that was called without its words
// has no event.
func failed(p hook.Problem) string {
	day := p.At.Local().Format(time.DateTime)
	switch {
	case p.Event == "" || p.Agent == "":
		return day + ": " + p.Message
	case p.Workspace == "":
		return fmt.Sprintf("%s at %s of %s: %v", day, p.Event, p.Agent, p.Message)
	}
	return fmt.Sprintf("%s at %s of %s with %s: %v", day, p.Event, p.Agent, p.Workspace, p.Message)
}
