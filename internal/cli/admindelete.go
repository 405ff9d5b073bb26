package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/bridge"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/token"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) adminDeleteCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "delete [flags] NAME", Short: "Delete a workspace that is served, with all copies of it",
		Long: "Delete says what there is: the notes, the state (indexes, the history of changes, the\nquestions that were asked), and the tenants in Weaviate. With --yes it deletes all of\nit, the tokens that are for this workspace alone, and its line in your settings, and\n" +
			"then looks again: what is still there is an error. It does not come back; memoir\nexport makes an archive before. What stays is the list of who wrote when\n(serve/audit.jsonl, without the texts), and what others copied: backups, tokens for\nall workspaces, what a disk or Weaviate keeps of deleted files.",
		Example: "  memoir admin delete sales\n  memoir admin delete --yes sales",
		Args:    positional(1, 1, "the name of a workspace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := s.settings(nil)
			if err != nil {
				return err
			}
			answer, err := s.adminDelete(cmd.Context(), settings, args[0], yes, func(_ context.Context, _, dir string) (func(), error) {
				return func() {}, unserved(settings, dir)
			})
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(s.out, answer)
			}
			return s.printDeleted(answer)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "delete it")
	return cmd
}

// adminDelete deletes a workspace, or says what there is of it. shut makes sure that
// no server has it open, and returns what lets it in again after a failure.
func (s *session) adminDelete(ctx context.Context, settings *config.Loaded, name string, yes bool, shut func(ctx context.Context, name, dir string) (back func(), err error)) (answer wire.AdminDeleted, err error) {
	all := servedOf(settings)
	if err := known(settings, name); err != nil {
		return answer, err
	}
	i := slices.IndexFunc(all, func(p servedPlace) bool { return p.name == name })
	dir := all[i].dir
	if err := deletable(settings, all, i); err != nil {
		return answer, err
	}
	memories, err := s.memoriesOf(dir)
	if err != nil {
		return answer, err
	}
	kept, err := app.KeptOf(ctx, memories.Main())
	if err != nil {
		return answer, err
	}
	answer = wire.AdminDeleted{Name: name, Workspace: dir, DryRun: !yes, Kept: keptEntries(kept), Revoked: []string{}}
	if !yes {
		return answer, nil
	}
	if err := changeable(settings); err != nil {
		return answer, err
	}
	back, err := shut(ctx, name, dir)
	if err != nil {
		return answer, err
	}
	defer func() {
		if err != nil {
			back()
		}
	}()
	// Nobody comes in any more before anything is deleted.
	if answer.Revoked, err = token.Open(serveDir(settings)).Leave(ctx, name); err != nil {
		return answer, err
	}
	left, err := app.Erase(ctx, memories.Main())
	if err != nil {
		return answer, err
	}
	if len(left) > 0 {
		var places []string
		for _, k := range left {
			places = append(places, k.Place)
		}
		return answer, memoir.WithHint(fmt.Errorf("something is still there, or there again, of %s: %s", name, strings.Join(places, ", ")), "end what writes there, then memoir admin delete --yes "+name)
	}
	if err := token.OpenQuotas(serveDir(settings)).Set(ctx, name, token.Quota{}); err != nil {
		return answer, err
	}
	return answer, s.leaveServed(ctx, name)
}

// unserved refuses a workspace that a server has.
func unserved(settings *config.Loaded, dir string) error {
	if bridge.Served(bridge.Socket(serveDir(settings), dir)) {
		return conflict("stop it, and start it when the workspace is deleted; or DELETE /v1/admin/workspaces/NAME", "a memoir serve that runs has it")
	}
	return nil
}

// deletable refuses a workspace that holds more than itself.
func deletable(settings *config.Loaded, all []servedPlace, i int) error {
	dir := all[i].dir
	for j, p := range append(slices.Clone(all), servedPlace{"the first", settings.Workspace}) {
		if j != i && nested(p.dir, dir) {
			return conflict("move one of them", "one of %s and %s is inside the other", dir, p.dir)
		}
	}
	if nested(settings.StateDir, dir) {
		return conflict("move one of them", "one of %s and the folder of state, %s, is inside the other", dir, settings.StateDir)
	}
	return nil
}

func (s *session) printDeleted(a wire.AdminDeleted) error {
	st := s.style()
	format := "deleted: %s in %s%s\n"
	if a.DryRun {
		format = "would be deleted: %s in %s%s\n"
	}
	var failed error
	for _, k := range a.Kept {
		much := ""
		if k.What != app.KeptIndex {
			much = s.said(" (%s, %s)", count(k.Files, "file"), s.language.Say(size(k.Bytes)))
		}
		_, err := s.say(s.out, format, s.language.Say(k.What), named(k.Place), much)
		failed = errors.Join(failed, err)
	}
	for _, name := range a.Revoked {
		_, err := s.say(s.out, "revoked: the token %s\n", st.text(name))
		failed = errors.Join(failed, err)
	}
	if a.DryRun {
		_, err := s.say(s.out, "memoir admin delete --yes %s deletes it for good\n", st.text(a.Name))
		return errors.Join(failed, err)
	}
	_, err := s.say(s.out, "looked again: nothing of %s is left\n", st.text(a.Name))
	return errors.Join(failed, err)
}
