package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
)

const (
	examined   = 20 // how many transcripts of an agent are read, the newest first
	shownKinds = 5  // how many forms of records, versions or reasons are shown
)

// sessions reads the newest transcripts of each agent whose sessions are indexed. It
// counts the records that memoir does not know, because formats change often.
func (d *Diagnosis) sessions(ctx context.Context, settings *config.Loaded) {
	if !settings.Sessions.Enabled {
		return
	}
	if len(settings.Sessions.Agents)+len(settings.Sessions.Mappings) == 0 {
		d.add("sessions", Warning, "name agents in the setting sessions.agents", "sessions are enabled for no agent")
		return
	}
	all, err := app.OpenSessions(settings)
	if err != nil {
		d.failed("sessions", Broken, err, "memoir config")
		return
	}
	for _, src := range all {
		if _, err := os.Stat(src.Dir()); errors.Is(err, fs.ErrNotExist) {
			d.add("sessions", Warning, "start the agent once, or set its variable", "%s: there is no folder %s", src.Agent(), src.Dir())
			continue
		}
		report, found, skipped, err := src.Examine(ctx, examined)
		if err != nil {
			d.failed("sessions", Warning, err, "make the folder readable")
			continue
		}
		format := "%s: %d transcripts in %s"
		if found == 1 {
			format = "%s: %d transcript in %s"
		}
		detail := fmt.Sprintf(format, src.Agent(), found, src.Dir())
		state, hint := Healthy, ""
		if skipped > 0 && report.Sessions == 0 {
			state, hint = Warning, "memoir sessions, which says why"
		}
		if skipped > 0 {
			detail += fmt.Sprintf(", %d skipped", skipped)
		}
		if report.Sessions > 0 {
			detail += fmt.Sprintf("; of the newest %d, by version: %s", report.Sessions, versions(report.Sessions, report.Versions))
		}
		if unknown := forms(report.Unknown); unknown != "" {
			detail += fmt.Sprintf("; of %d records in the newest %d, left out for a form that memoir does not know: %s", report.Records, report.Sessions, unknown)
		}
		d.add("sessions", state, hint, "%s", detail)
	}
}

// versions says how many of the transcripts that were read are of which version. Some
// formats state none.
func versions(read int, of map[string]int) string {
	without := read
	for _, n := range of {
		without -= n
	}
	switch named := counted("%d of %s", "%d more versions", of); {
	case named == "":
		return "none states one"
	case without > 0:
		return fmt.Sprintf("%s, %d without one", named, without)
	default:
		return named
	}
}

// forms names the most frequent unknown forms of records, each with its count.
func forms(unknown map[string]int) string { return counted("%d of %s", "%d more forms", unknown) }

// counted names the most frequent things, each with how often it was there, and says how
// many more things there are. Both formats are Chinese, too.
func counted(format, more string, things map[string]int) string {
	names := slices.SortedFunc(maps.Keys(things), func(a, b string) int {
		return cmp.Or(cmp.Compare(things[b], things[a]), cmp.Compare(a, b))
	})
	var parts []string
	for i, name := range names {
		if i == shownKinds {
			parts = append(parts, fmt.Sprintf(more, len(names)-i))
			break
		}
		parts = append(parts, fmt.Sprintf(format, things[name], name))
	}
	return strings.Join(parts, ", ")
}
