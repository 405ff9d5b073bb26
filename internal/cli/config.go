package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/config"
)

// configAnswer is the JSON of config.
type configAnswer struct {
	Settings []configSetting `json:"settings"` // all of them
	Files    []string        `json:"files"`    // settings files that were read, lowest layer first
	Index    string          `json:"index"`    // absolute path of the index
	Chosen   chosen          `json:"chosen"`   // what provider auto comes to, or the one that is set
}

// chosen is the provider that the settings come to, and why.
type chosen struct {
	Provider string `json:"provider"` // as in the setting provider
	Reason   string `json:"reason"`   // the end of a sentence that begins with "because"
}

// configSetting is a setting in effect.
type configSetting struct {
	Name   string `json:"name"`            // dotted, as in the files
	Value  string `json:"value"`           // as text; lists are separated by commas, secrets are hidden
	Origin string `json:"origin"`          // where it came from, one of [config.Layer]
	Place  string `json:"place,omitempty"` // file and line, the variable, the flag, or a short reason
}

// docsAnswer is the JSON of config --docs.
type docsAnswer struct {
	Keys      []docsKey      `json:"keys"`      // every setting
	Variables []docsVariable `json:"variables"` // what is read of the environment beside those of settings
}

// docsKey explains a setting.
type docsKey struct {
	Name    string   `json:"name"`            // dotted, as in the files
	Default string   `json:"default"`         // as text; empty where it is empty or depends on the machine
	Doc     string   `json:"doc"`             // what it does
	OneOf   []string `json:"oneOf,omitempty"` // the values that it takes, where they are few
	Env     string   `json:"env"`             // variable that sets it
}

// docsVariable explains a variable of the environment.
type docsVariable struct {
	Name string `json:"name"` // as the environment has it
	Doc  string `json:"doc"`  // what it does
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
		_, err := fmt.Fprint(s.out, config.Reference()+"\n"+config.VariablesReference())
		return err
	}
	answer := docsAnswer{Keys: []docsKey{}, Variables: []docsVariable{}}
	for _, k := range config.Keys() {
		answer.Keys = append(answer.Keys, docsKey{k.Name, k.Default, k.Doc, k.OneOf, k.Env()})
	}
	for _, v := range config.Variables() {
		answer.Variables = append(answer.Variables, docsVariable(v))
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
