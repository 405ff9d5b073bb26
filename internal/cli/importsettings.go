package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/setup"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/transfer"
)

// importedSettings is the JSON of an import of settings.
type importedSettings struct {
	From   string                  `json:"from"`           // the kind of source
	DryRun bool                    `json:"dryRun"`         // nothing was written
	File   string                  `json:"file"`           // the user's own settings of memoir
	Change string                  `json:"change"`         // what became of it: made, changed or unchanged; with --undo restored or removed
	Backup string                  `json:"backup"`         // where its bytes are as they were; empty without any
	Diff   string                  `json:"diff,omitempty"` // with --dry-run, what would change
	Taken  []transfer.TakenSetting `json:"taken"`          // what was taken over
	Left   []transfer.LeftSetting  `json:"left"`           // what was not
}

// isSettings reports whether a path is a settings file of a source that can
// have one.
func isSettings(from, path string) bool {
	info, err := os.Stat(path)
	return from == "openclaw" && err == nil && !info.IsDir()
}

// importSettings takes over what the settings of OpenClaw say of its memory, into the
// user's own file.
func (s *session) importSettings(ctx context.Context, path string, undo, dryRun bool) error {
	env, err := environment()
	if err != nil {
		return err
	}
	file := env.UserFile()
	if file == "" {
		return memoir.WithHint(errors.New("there is no home folder for your settings"), "name a file with MEMOIR_CONFIG")
	}
	memories, err := s.memories()
	if err != nil {
		return err
	}
	settings := memories.First()
	opts := setup.Options{Place: setup.Place{Home: env.Home(), Lookup: os.LookupEnv, OS: env.OS}, Dir: setupDir(settings.StateDir), DryRun: dryRun}
	if undo {
		return s.undoSettings(ctx, file, opts)
	}
	found, err := openClawSettings(path)
	if err != nil {
		return fmt.Errorf("import openclaw: %s: %w", path, err)
	}
	values := map[string]any{}
	for i, x := range found.Taken {
		if x.Setting == "sessions.agents" { // agents set already stay
			found.Taken[i].Value = joined(settings.Sessions.Agents, "openclaw")
		}
		values[x.Setting] = found.Taken[i].Value
	}
	answer := importedSettings{From: "openclaw", DryRun: dryRun, File: file, Change: setup.Unchanged,
		Taken: append([]transfer.TakenSetting{}, found.Taken...), Left: append([]transfer.LeftSetting{}, found.Left...)}
	if len(values) > 0 {
		own := setup.Own(ownSettings, file, func(data []byte) ([]byte, error) {
			next, err := config.Edited(file, data, values)
			return next, hinted(err, "mend your settings, then run it again")
		})
		changes, err := own.Connect(ctx, opts)
		if err != nil {
			return err
		}
		answer.Change, answer.Backup, answer.Diff = changes[0].Change, changes[0].Backup, masked(changes[0].Diff)
	}
	return s.answerSettings(answer, values)
}

// ownSettings is the name under which the original bytes of the user's settings
// are kept.
const ownSettings = "import-openclaw"

// hinted keeps the hint of a mistake in settings, or adds another one.
func hinted(err error, other string) error {
	if err == nil {
		return nil
	}
	var mistake *config.Error
	if errors.As(err, &mistake) {
		other = cmp.Or(mistake.Hint, other)
	}
	return memoir.WithHint(err, cmp.Or(memoir.Hint(err), other))
}

// masked hides secrets in the lines round a change.
func masked(diff string) string {
	diff, _ = secret.Mask(diff)
	return diff
}

func joined(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(slices.Clone(list), name)
}

// openClawSettings reads a settings file of OpenClaw. It may be a link, because
// it is the user's own.
func openClawSettings(path string) (transfer.Settings, error) {
	f, err := regular.Follow(path)
	if err != nil {
		return transfer.Settings{}, memoir.WithHint(syserr.Reason(err), "name ~/.openclaw/openclaw.json")
	}
	defer f.Close() // of a file that was only read
	data, err := io.ReadAll(io.LimitReader(f, transfer.MaxSettings+1))
	if err != nil {
		return transfer.Settings{}, syserr.Reason(err)
	}
	return transfer.OpenClawSettings(data, config.Expected)
}

// undoSettings restores the user's settings as they were before an import.
func (s *session) undoSettings(ctx context.Context, file string, opts setup.Options) error {
	changes, err := setup.Own(ownSettings, file, nil).Undo(ctx, opts)
	if err != nil {
		return err
	}
	c := changes[0]
	switch {
	case c.Change == setup.Unchanged && c.Backup != "":
		return memoir.WithHint(fmt.Errorf("%s has changed since the import, and was left as it is", file), "take what you want from "+c.Backup+", which is the file as it was before the import")
	case c.Change == setup.Unchanged:
		return memoir.WithHint(fmt.Errorf("there is no import of settings to take back: %w", memoir.ErrNotFound), "memoir config")
	}
	return s.answerSettings(importedSettings{From: "openclaw", DryRun: opts.DryRun, File: file, Change: c.Change, Diff: masked(c.Diff),
		Taken: []transfer.TakenSetting{}, Left: []transfer.LeftSetting{}}, nil)
}

func (s *session) answerSettings(x importedSettings, values map[string]any) error {
	if s.json {
		return writeJSON(s.out, x)
	}
	st := s.style()
	what := "import"
	if x.DryRun {
		what = "dry run of import"
	}
	if values == nil && x.Change != setup.Unchanged {
		s.say(s.out, "%s openclaw: %s %s\n", s.language.Say(what), s.language.Say(x.Change), named(x.File))
	} else {
		s.say(s.out, "%s openclaw: %d settings taken over, %d left out\n", s.language.Say(what), len(x.Taken), len(x.Left))
	}
	if x.Diff != "" {
		_, _ = io.WriteString(s.out, printableLines(x.Diff)) // written like every other line
	}
	for _, t := range x.Taken {
		s.say(s.out, "  taken  %s as %s = %s\n", st.text(t.From), t.Setting, st.text(fmt.Sprint(t.Value)))
	}
	for _, l := range x.Left {
		s.say(s.out, "  left   %s  %s\n", st.wrapped(st.bold, l.From), s.language.Say(l.Reason))
	}
	if values == nil || x.DryRun {
		return nil
	}
	if x.Change != setup.Unchanged {
		fmt.Fprintf(s.out, "%s %s\n", s.language.Say(x.Change), named(x.File))
		if x.Backup != "" {
			s.say(s.out, "  as it was: %s\n", named(x.Backup))
		}
	}
	if to, ok := values["provider"].(string); ok {
		if settings, err := s.settings(nil); err == nil && settings.LeavesMachine(to) {
			s.warn("memoir index sends your notes to "+settings.Remote(to).BaseURL+" from now on, as OpenClaw did", "memoir import --undo openclaw PATH takes it back")
		}
	}
	return nil
}
