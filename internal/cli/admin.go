package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/bridge"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/token"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) adminCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "admin", Short: "List, make, limit and delete the workspaces that memoir serve has for others",
		Long: "Each workspace of the setting serve.workspaces is served below /w/NAME/, has tokens\nof its own (memoir token create --only NAME), and sees nothing of the others. Admin\nlists them with what is kept of them, makes one with a token, says how much one may\nhave, and deletes one with all of its copies.\n\n" +
			"memoir --workspace DIR export FILE writes all notes of one into an archive. A server\nthat runs does all of it at /v1/admin, for who has a token that memoir token create\n--allow admin made.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	cmd.AddCommand(s.adminListCommand(), s.adminCreateCommand(), s.adminQuotaCommand(), s.adminDeleteCommand())
	return cmd
}

// servedOf returns the workspaces of the settings.
func servedOf(settings *config.Loaded) (all []servedPlace) {
	for _, text := range settings.ServeWorkspaces {
		name, dir := config.NamedWorkspace(text)
		all = append(all, servedPlace{name, dir})
	}
	return all
}

func (s *session) adminListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the workspaces that are served, with what is kept of each",
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := s.settings(nil)
			if err != nil {
				return err
			}
			entries, err := s.adminEntries(cmd.Context(), settings)
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(s.out, entries)
			}
			return s.printAdmin(entries)
		},
	}
}

// adminEntries says what there is of each workspace of the settings.
func (s *session) adminEntries(ctx context.Context, settings *config.Loaded) ([]wire.AdminEntry, error) {
	tokens, err := token.Open(serveDir(settings)).List()
	if err != nil {
		return nil, err
	}
	quotas := token.OpenQuotas(serveDir(settings))
	entries := []wire.AdminEntry{}
	for _, p := range servedOf(settings) {
		e := wire.AdminEntry{Name: p.name, Workspace: p.dir, Tokens: []string{}}
		if e.Kept, err = s.keptOf(ctx, p.dir); err != nil {
			e.Kept, e.Error = []wire.AdminKept{}, err.Error()
		}
		for _, t := range tokens {
			if t.In(p.name) && !slices.Contains(t.Permissions, string(httpapi.MayAdmin)) {
				e.Tokens = append(e.Tokens, t.Name)
			}
		}
		quota, err := quotas.Of(p.name)
		if err != nil {
			return nil, err
		}
		e.Quota = wire.Quota(quota)
		entries = append(entries, e)
	}
	return entries, nil
}

func (s *session) printAdmin(entries []wire.AdminEntry) error {
	if len(entries) == 0 {
		s.say(s.err, "there are no workspaces beside the first; memoir admin create NAME DIR makes one\n")
	}
	st := s.style()
	var t table
	for _, e := range entries {
		var kept []string
		for _, k := range e.Kept {
			if k.What == app.KeptIndex {
				kept = append(kept, s.language.Say("index in Weaviate"))
				continue
			}
			kept = append(kept, s.language.Say(k.What)+" "+s.language.Say(size(k.Bytes)))
		}
		cells := []string{
			st.text(e.Name), named(e.Workspace), st.text(cmp.Or(s.language.Say(e.Error), s.language.Join(kept), s.language.Say("nothing is there"))),
			s.said("tokens: %s", st.text(cmp.Or(strings.Join(e.Tokens, " "), s.language.Say("none")))),
		}
		if e.Quota != (wire.Quota{}) {
			cells = append(cells, s.said("may have: %s", s.quotaText(e.Quota)))
		}
		t.row(cells...)
	}
	return t.write(s.out)
}

// keptOf returns what is kept of the workspace in a folder.
func (s *session) keptOf(ctx context.Context, dir string) ([]wire.AdminKept, error) {
	memories, err := s.memoriesOf(dir)
	if err != nil {
		return nil, err
	}
	kept, err := app.KeptOf(ctx, memories.Main())
	return keptEntries(kept), err
}

func keptEntries(kept []app.Kept) []wire.AdminKept {
	all := []wire.AdminKept{}
	for _, k := range kept {
		all = append(all, wire.AdminKept(k))
	}
	return all
}

func (s *session) adminCreateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "create NAME [DIR]", Short: "Make a workspace for memoir serve, and print its token once",
		Long:    "Create makes the folder where there is none, adds it to serve.workspaces in your\nsettings file, and makes a token of the same name that is for this workspace alone. A\nmemoir serve that is running has the workspace after a restart. Without DIR the folder is a new\none below that of the setting serve.folder.",
		Example: "  memoir admin create sales /srv/memoir/sales",
		Args:    positional(1, 2, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := s.servedFirst()
			if err != nil {
				return err
			}
			answer, err := s.adminCreate(cmd.Context(), settings, args[0], strings.Join(args[1:], ""), token.Quota{})
			if err != nil {
				return err
			}
			s.noteServing(settings)
			if s.json {
				return writeJSON(s.out, answer)
			}
			_, err = fmt.Fprintln(s.out, answer.Token)
			return err
		},
	}
}

// workspaceNames are the names that a new workspace may have, and a token that is made
// over HTTP: those that look alike are the same, and none is a path.
var workspaceNames = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,62}$`)

func checkName(name string) error {
	if !workspaceNames().MatchString(name) || layout.Reserved(name) != "" {
		return memoir.WithHint(fmt.Errorf("%.80q cannot be the name: %w", name, memoir.ErrInvalid), "use lower-case letters of English, digits and dashes, 63 at most, such as sales-eu")
	}
	return nil
}

// adminCreate makes a workspace in a folder, or in a new one below serve.folder when dir
// is "". After an error nothing of it is there.
func (s *session) adminCreate(ctx context.Context, settings *config.Loaded, name, dir string, quota token.Quota) (none wire.AdminCreated, err error) {
	if err := cmp.Or(checkName(name), quota.Check(), changeable(settings)); err != nil {
		return none, err
	}
	fresh := dir == ""
	if fresh {
		if settings.ServeFolder == "" {
			return none, memoir.WithHint(fmt.Errorf("there is no folder for it, and the setting serve.folder names none: %w", memoir.ErrInvalid), "name its folder after its name, or memoir config set serve.folder /srv/memoir")
		}
		dir = filepath.Join(settings.ServeFolder, name)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return none, err
	}
	tokens := token.Open(serveDir(settings))
	if err := cmp.Or(creatable(settings, name, dir), unnamed(tokens, name)); err != nil {
		return none, err
	}
	if err := makeFolder(dir, fresh); err != nil {
		return none, err
	}
	quotas := token.OpenQuotas(serveDir(settings))
	defer func() {
		if err == nil {
			return
		}
		ctx := context.WithoutCancel(ctx)
		if quota != (token.Quota{}) {
			err = errors.Join(err, quotas.Set(ctx, name, token.Quota{}))
		}
		if fresh {
			_ = os.Remove(dir) // it is empty, or not this one's any more
		}
	}()
	if fresh {
		if err := s.unknown(ctx, dir); err != nil {
			return none, err
		}
	}
	// Its quota holds before anybody can ask.
	if err := quotas.Set(ctx, name, quota); err != nil {
		return none, err
	}
	if err := s.setServed(ctx, func(now *config.Loaded) ([]string, error) {
		return append(now.ServeWorkspaces, name+"="+dir), servable(now, name, dir)
	}); err != nil {
		return none, err
	}
	permissions := []string{"read", "write", "private"}
	secret, err := tokens.Create(ctx, name, permissions, []string{name}, time.Now())
	if err != nil {
		return none, errors.Join(err, s.leaveServed(context.WithoutCancel(ctx), name))
	}
	return wire.AdminCreated{Name: name, Workspace: dir, Token: secret, Permissions: permissions}, nil
}

// creatable refuses a name and a folder that no new workspace can have.
func creatable(settings *config.Loaded, name, dir string) error {
	if strings.Contains(dir, ",") {
		return usage("memoir admin create sales /srv/memoir/sales", "%q cannot be the folder of a workspace, because it has a comma", dir)
	}
	if err := servable(settings, name, dir); err != nil {
		return err
	}
	if nested(settings.StateDir, dir) {
		return conflict("name another folder, or another serve.folder", "one of %s and the folder of state, %s, is inside the other", dir, settings.StateDir)
	}
	return nil
}

// unnamed refuses a name that a token has, or is for: who has that one would be let in.
func unnamed(tokens *token.Tokens, name string) error {
	all, err := tokens.List()
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.Name == name || slices.Contains(t.Workspaces, name) {
			return conflict("memoir token revoke "+t.Name+", or give another name", "the token %q is there already, or is for %q", t.Name, name)
		}
	}
	return nil
}

// unknown refuses a new folder of which something is known: who gets it would be told of
// the one that was there before.
func (s *session) unknown(ctx context.Context, dir string) error {
	memories, err := s.memoriesOf(dir)
	if err != nil {
		return err
	}
	kept, err := app.KeptOf(ctx, memories.Main())
	if err != nil {
		return err
	}
	for _, k := range kept {
		if k.What != app.KeptNotes {
			return conflict("remove it, or give another name", "something of a workspace that was in %s before is left in %s", dir, k.Place)
		}
	}
	return nil
}

// changeable refuses to change workspaces that are not those of the user's settings file.
func changeable(settings *config.Loaded) error {
	if from := settings.Origin("serve.workspaces"); from.Layer != config.LayerDefault && from.Layer != config.LayerUser {
		return conflict("have them in the settings file instead: memoir config set serve.workspaces", "the workspaces are those of the %s", from)
	}
	return nil
}

// makeFolder makes the folder of a workspace. One that is to be fresh is not there yet,
// so that nobody gets what somebody else has left.
func makeFolder(dir string, fresh bool) error {
	if fresh {
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			return memoir.WithHint(fmt.Errorf("make the folder: %w", syserr.Reason(err)), "have serve.folder name a folder that can be made")
		}
		err := os.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			return conflict("give another name, or move it away", "%s is there already", dir)
		}
		return syserr.Reason(err)
	}
	if err := regular.Folder(dir); err != nil { // one that is not there is made
		return memoir.WithHint(err, "name a folder")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return memoir.WithHint(fmt.Errorf("make the folder: %w", syserr.Reason(err)), "name a folder that can be made")
	}
	return nil
}

// servable refuses a workspace whose name or folder is taken.
func servable(settings *config.Loaded, name, dir string) error {
	first, _ := config.NamedWorkspace(settings.Workspace)
	for _, p := range append(servedOf(settings), servedPlace{first, settings.Workspace}) {
		switch {
		case p.name == name || p.dir == dir:
			return conflict("memoir admin list, and give another name or folder", "%s is served already as %s", p.dir, p.name)
		case nested(p.dir, dir):
			return conflict("memoir admin list, and give another folder", "%s is served as %s, and one of it and %s is inside the other", p.dir, p.name, dir)
		}
	}
	return nil
}

// setServed changes which workspaces are served. change gets the settings as they are
// while nobody else writes them.
func (s *session) setServed(ctx context.Context, change func(now *config.Loaded) ([]string, error)) error {
	env, err := environment()
	if err != nil {
		return err
	}
	release, err := app.LockSettings(ctx, cmp.Or(s.stateDir, env.StateDir()))
	if err != nil {
		return err
	}
	defer release()
	now, err := s.settings(nil)
	if err != nil {
		return err
	}
	all, err := change(now)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		_, err = config.Remove(env, s.flags(), config.LayerUser, "serve.workspaces")
		return err
	}
	_, err = config.Change(env, s.flags(), config.LayerUser, "serve.workspaces", strings.Join(all, ","))
	return err
}

// leaveServed takes a workspace out of those that are served.
func (s *session) leaveServed(ctx context.Context, name string) error {
	return s.setServed(ctx, func(now *config.Loaded) ([]string, error) {
		return slices.DeleteFunc(now.ServeWorkspaces, func(text string) bool {
			other, _ := config.NamedWorkspace(text)
			return other == name
		}), nil
	})
}

// nested reports whether one folder is the other, or stands within it, by whatever path.
func nested(a, b string) bool { return config.Within(a, b) || config.Within(b, a) }

func (s *session) noteServing(settings *config.Loaded) {
	if bridge.Served(bridge.Socket(serveDir(settings), settings.Workspace)) {
		s.warn("a memoir serve runs, which does not know of it yet", "start it anew; POST /v1/admin/workspaces makes one that it has at once")
	}
}
