package doctor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// nearLimit is the share of the folders that the system can watch at which doctor warns.
const nearLimit = .8

// following says how a process that keeps running learns of changes, what its last look
// cost, and which process computes vectors.
func (d *Diagnosis) following(ctx context.Context, settings *config.Loaded) {
	folders, fileSystem, limit, unwatched := app.Watching(ctx, settings)
	if fileSystem != "" {
		fileSystem = ", on " + fileSystem
	}
	switch {
	case unwatched != nil && settings.Sync.Interval == 0:
		d.add("watch", Warning, "set sync.interval to 1m, or sync.watch to true", "changes are looked for by searches alone%s: %s", fileSystem, unwatched)
	case unwatched != nil:
		d.add("watch", Healthy, "", "changes are looked for every %v%s: %s", settings.Sync.Interval, fileSystem, unwatched)
	case limit > 0 && float64(folders) > nearLimit*float64(limit):
		d.add("watch", Warning, "raise fs.inotify.max_user_watches (sysctl)", "%s watched%s, of %d that all programs of this user may watch", are(folders), fileSystem, limit)
	case limit > 0:
		d.add("watch", Healthy, "", "%s watched%s, of %d that all programs of this user may watch", are(folders), fileSystem, limit)
	default:
		d.add("watch", Healthy, "", "the system tells of changes%s", fileSystem)
	}
	if n, ok := statedir.ReadSync(settings.IndexPath()); ok {
		health, action, how := Healthy, "", ""
		if n.Error != "" {
			health, action, how = Warning, cmp.Or(n.Action, "memoir index"), "; it failed: "+n.Error
		}
		d.add("sync", health, action, "the last one, %s, compared %s in %v: %d added, %d changed, %d removed, %d skipped%s",
			n.At.Local().Format(time.DateTime), english.Plural(n.Files, "file", ""), time.Duration(n.TookMs)*time.Millisecond, n.Added, n.Changed, n.Removed, n.Skipped, how)
	}
	if other, ok := app.Outdated(settings); ok {
		d.add("sync", Warning, other.Action, "%s", other.Reason)
	}
	if own, ok := app.Disagrees(settings); ok {
		d.add("sync", Warning, own.Action, "%s", own.Reason)
	}
	for _, other := range app.Disagreeing(settings) {
		d.add("sync", Warning, other.Action, "%s", other.Reason)
	}
	switch h, held := app.Computing(settings); {
	case held && h.PID != 0:
		d.add("lease", Healthy, "", "process %d on %s computes vectors since %s", h.PID, h.Host, h.Since.Local().Format(time.DateTime))
	case held:
		d.add("lease", Healthy, "", "a process computes vectors")
	}
}

// are returns "1 folder is" or "n folders are".
func are(folders int) string {
	if folders == 1 {
		return "1 folder is"
	}
	return fmt.Sprintf("%d folders are", folders)
}

// clockApart is how far two clocks may differ without a warning.
const clockApart = 2 * time.Second

// clock compares the clock of this machine with two others: that of the disk, which has
// just dated a file, and that of the last sync.
func (d *Diagnosis) clock(now, dated time.Time, settings *config.Loaded) {
	if apart := dated.Sub(now); apart.Abs() > clockApart {
		d.add("clock", Warning, "set the clocks of this machine and of the file server", "the disk dates files %v apart from this machine's clock; notes that change are read twice", apart.Round(time.Second))
		return
	}
	if n, ok := statedir.ReadSync(settings.IndexPath()); ok && n.At.After(now.Add(time.Minute)) {
		d.add("clock", Warning, "check the clock of this machine (date)", "the last sync is dated %s, later than now: the clock was set back, or another machine's is ahead", n.At.Local().Format(time.DateTime))
		return
	}
	d.add("clock", Healthy, "", "%s, as the disk has it", now.Format(time.DateTime))
}
