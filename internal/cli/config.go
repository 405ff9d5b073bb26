package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/wire"
)

func newConfigSetting(e config.Entry) wire.ConfigSetting {
	return wire.ConfigSetting{Name: e.Name, Value: e.Value, Origin: string(e.Origin.Layer), Place: e.Origin.Place}
}

// settingFrom says where a value came from, for people.
func settingFrom(c wire.ConfigSetting) string {
	return config.Origin{Layer: config.Layer(c.Origin), Place: c.Place}.String()
}

func (s *session) configCommand() *cobra.Command {
	var docs bool
	cmd := &cobra.Command{
		Use: "config", Short: "Show the settings in effect and where each came from",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			if docs {
				return s.configDocs()
			}
			return s.config()
		},
	}
	cmd.Flags().BoolVar(&docs, "docs", false, "explain every setting instead")
	cmd.AddCommand(s.configGetCommand(), s.configSetCommand(), s.configUnsetCommand())
	return cmd
}

func (s *session) configDocs() error {
	if !s.json {
		_, err := fmt.Fprint(s.out, config.Reference()+"\n"+config.VariablesReference())
		return err
	}
	answer := wire.DocsAnswer{Keys: []wire.DocsKey{}, Variables: []wire.DocsVariable{}}
	for _, k := range config.Keys() {
		answer.Keys = append(answer.Keys, wire.DocsKey{Name: k.Name, Default: k.Default, Doc: k.Doc, OneOf: k.OneOf, Env: k.Env()})
	}
	for _, v := range config.Variables() {
		answer.Variables = append(answer.Variables, wire.DocsVariable(v))
	}
	return writeJSON(s.out, answer)
}

func (s *session) config() error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	for _, name := range settings.UnknownEnv {
		s.warn("the variable "+name+" names no setting", "memoir config --docs")
	}
	if s.json {
		answer := wire.ConfigAnswer{Settings: []wire.ConfigSetting{}, Files: append([]string{}, settings.Files...), Index: settings.IndexPath(), Chosen: wire.Chosen(config.Choose(settings))}
		for _, e := range settings.Entries() {
			answer.Settings = append(answer.Settings, newConfigSetting(e))
		}
		return writeJSON(s.out, answer)
	}
	st := s.style()
	var t table
	for _, e := range settings.Entries() {
		t.row(e.Name, st.text(e.Value), st.text(s.language.Say(e.Origin.String())))
	}
	if err := t.write(s.out); err != nil {
		return err
	}
	choice := config.Choose(settings)
	_, err = s.say(s.out, "\nindex     %s\nprovider  %s, because %s\n", named(settings.IndexPath()), choice.Provider, st.text(s.language.Say(choice.Reason)))
	return err
}
