package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/config"
)

// configAnswer is the JSON of config.
type configAnswer struct {
	Settings []configSetting `json:"settings"`
	Files    []string        `json:"files"`
	Index    string          `json:"index"`
	Chosen   chosen          `json:"chosen"`
}

// chosen is the provider that the settings come to, and why.
type chosen struct {
	Provider string `json:"provider"`
	Reason   string `json:"reason"`
}

type configSetting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
	Place  string `json:"place,omitempty"`
}

func (s *session) configCommand() *cobra.Command {
	var docs bool
	cmd := &cobra.Command{
		Use: "config", Short: "Show the settings in effect and where each came from",
		Args: positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if docs {
				return s.configDocs()
			}
			return s.config()
		},
	}
	cmd.Flags().BoolVar(&docs, "docs", false, "explain every setting instead")
	return cmd
}

func (s *session) configDocs() error {
	if !s.json {
		_, err := fmt.Fprint(s.out, config.Reference())
		return err
	}
	type key struct {
		Name    string   `json:"name"`
		Default string   `json:"default"`
		Doc     string   `json:"doc"`
		OneOf   []string `json:"oneOf,omitempty"`
		Env     string   `json:"env"`
	}
	keys := []key{}
	for _, k := range config.Keys() {
		keys = append(keys, key{k.Name, k.Default, k.Doc, k.OneOf, k.Env()})
	}
	return writeJSON(s.out, struct {
		Keys []key `json:"keys"`
	}{keys})
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
		answer := configAnswer{Settings: []configSetting{}, Files: append([]string{}, settings.Files...), Index: settings.IndexPath(), Chosen: chosen(config.Choose(settings))}
		for _, e := range settings.Entries() {
			answer.Settings = append(answer.Settings, configSetting{e.Name, e.Value, string(e.Origin.Layer), e.Origin.Place})
		}
		return writeJSON(s.out, answer)
	}
	st := s.style()
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, e := range settings.Entries() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Name, st.text(e.Value), st.text(e.Origin.String()))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	choice := config.Choose(settings)
	_, err = fmt.Fprintf(s.out, "\nindex     %s\nprovider  %s, because %s\n", st.text(settings.IndexPath()), choice.Provider, st.text(choice.Reason))
	return err
}
