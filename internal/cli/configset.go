package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) configGetCommand() *cobra.Command {
	return &cobra.Command{
		Use: "get KEY", Short: "Print the value of a setting that is in effect",
		Long:    "Get prints the value alone, as text: lists are separated by commas, secrets are\nhidden. With --json it tells where the value came from, too.",
		Example: "  memoir config get query.mode\n  memoir --agent helper config get agent",
		Args:    positional(1, 1, "the setting"), ValidArgsFunction: s.completeSettings(false),
		RunE: func(_ *cobra.Command, args []string) error {
			settings, err := s.settings(nil)
			if err != nil {
				return err
			}
			e, err := settings.Value(args[0])
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(s.out, newConfigSetting(e))
			}
			_, err = fmt.Fprintln(s.out, s.style().text(e.Value))
			return err
		},
	}
}

func (s *session) configSetCommand() *cobra.Command {
	var workspace bool
	cmd := &cobra.Command{
		Use: "set [flags] KEY VALUE", Short: "Write a setting into your settings file, or the workspace's",
		Long: "Set changes the line of one setting and leaves every other byte alone. Commas\nseparate the entries of a list; a collection is name=path or name=path|context; a\npath counts from here. A value that would be refused at loading is not written.\n" +
			"For a value that begins with - put -- before the setting.",
		Example: "  memoir config set query.mode text\n  memoir config set --workspace-settings exclude drafts/,*.tmp.md\n  memoir config set openai.apiKey '${OPENAI_API_KEY}'",
		Args:    positional(2, 2, "the setting or its value"), ValidArgsFunction: s.completeSettings(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.changeSetting(cmd.Context(), workspace, args[0], &args[1])
		},
	}
	workspaceSettingsFlag(cmd, &workspace)
	return cmd
}

func (s *session) configUnsetCommand() *cobra.Command {
	var workspace bool
	cmd := &cobra.Command{
		Use: "unset [flags] KEY", Short: "Take a setting out of your settings file, or the workspace's",
		Long:    "Unset takes out the line of one setting and leaves every other byte alone, so that\nthe layers below decide. It takes out a setting that memoir does not know, too.",
		Example: "  memoir config unset query.mode\n  memoir config unset --workspace-settings exclude",
		Args:    positional(1, 1, "the setting"), ValidArgsFunction: s.completeSettings(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.changeSetting(cmd.Context(), workspace, args[0], nil)
		},
	}
	workspaceSettingsFlag(cmd, &workspace)
	return cmd
}

// workspaceSettingsFlag adds the flag that chooses the file to write.
func workspaceSettingsFlag(cmd *cobra.Command, workspace *bool) {
	cmd.Flags().BoolVar(workspace, "workspace-settings", false, "write into the workspace's .memoir.toml")
}

// changeSetting sets a setting, or removes it when there is no value.
func (s *session) changeSetting(ctx context.Context, workspace bool, name string, value *string) error {
	env, err := environment()
	if err != nil {
		return err
	}
	release, err := app.LockSettings(ctx, cmp.Or(s.stateDir, env.StateDir()))
	if err != nil {
		return err
	}
	defer release()
	layer := config.LayerUser
	if workspace {
		layer = config.LayerWorkspace
	}
	var c config.Changed
	if value == nil {
		c, err = config.Remove(env, s.flags(), layer, name)
	} else {
		c, err = config.Change(env, s.flags(), layer, name, *value)
	}
	if err != nil {
		return err
	}
	e, err := c.Settings.Value(name)
	if err != nil {
		e = config.Entry{Name: name} // it was removed
	}
	if value != nil {
		s.warnOfSetting(e, layer, *value)
	}
	answer := wire.ConfigChange{File: c.File, Change: "unchanged", Setting: newConfigSetting(e)}
	if c.Did {
		answer.Change = "changed"
	}
	if s.json {
		return writeJSON(s.out, answer)
	}
	return s.sayChanged(answer, value != nil)
}

// sayChanged tells a person what became of a settings file.
func (s *session) sayChanged(c wire.ConfigChange, set bool) error {
	st := s.style()
	name, file := st.text(c.Setting.Name), st.text(c.File)
	var err error
	switch {
	case set && c.Change == "changed":
		_, err = s.say(s.out, "%s is set in %s\n", name, file)
	case set:
		_, err = s.say(s.out, "%s says so already\n", file)
	case c.Change == "changed" && c.Setting.Origin == "": // it is not a setting
		_, err = s.say(s.out, "%s is taken out of %s\n", name, file)
	case c.Change == "changed":
		_, err = s.say(s.out, "%s is taken out of %s; in effect is %s, from: %s\n", name, file, st.text(cmp.Or(c.Setting.Value, s.language.Say("nothing"))), st.text(s.language.Say(settingFrom(c.Setting))))
	default:
		_, err = s.say(s.out, "%s is not set in %s\n", name, file)
	}
	return err
}

// warnOfSetting warns of unexpected effects of a value that was just written.
func (s *session) warnOfSetting(e config.Entry, layer config.Layer, value string) {
	if e.Origin.Layer != layer {
		s.warn(fmt.Sprintf("another value is in effect here, because of the %s", e.Origin), "memoir config get "+e.Name)
	}
	for _, k := range config.Keys() {
		if k.Name == e.Name && k.Secret && value != "" && !strings.HasPrefix(value, "${") {
			s.warn("the secret stands in the settings as it is, and your shell may have noted the command", "memoir config set "+e.Name+" '${VARIABLE}'")
		}
	}
}

// completeSettings offers the settings, and the values of a setting if it has
// few.
func (s *session) completeSettings(values bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var all []string
		switch {
		case len(args) == 0:
			for _, k := range config.Keys() {
				all = append(all, k.Name)
			}
		case len(args) == 1 && values:
			for _, k := range config.Keys() {
				if k.Name != args[0] {
					continue
				}
				all = append(all, k.OneOf...)
				if k.IsBool() {
					all = append(all, "true", "false")
				}
			}
			switch args[0] {
			case "model", "rerank.model":
				return offered(s.modelNames(), typed), cobra.ShellCompDirectiveDefault
			case "workspace", "stateDir", "modelsDir":
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
		}
		return offered(all, typed), cobra.ShellCompDirectiveNoFileComp
	}
}
