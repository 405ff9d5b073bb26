package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/hub"
	"github.com/memoir-ai/memoir/internal/models"
)

// offered returns the names that begin as typed. The shell reads one a line,
// and a tab begins an explanation. So a name with a tab or line end is left
// out.
func offered(all []string, typed string) (list []cobra.Completion) {
	for _, name := range all {
		if strings.HasPrefix(name, typed) && !strings.ContainsFunc(name, steers) {
			list = append(list, name)
		}
	}
	return list
}

// completeNotes offers the paths of notes. If the typed text begins like the
// path of a file, it offers files.
func (s *session) completeNotes(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if strings.HasPrefix(typed, ".") || strings.HasPrefix(typed, "/") || strings.HasPrefix(typed, "~") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	settings, err := s.memories()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	a, err := s.openMemory(cmd.Context(), settings, app.Options{Need: app.NeedNotes})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	defer a.Close()
	return offered(a.Names(cmd.Context()), typed), cobra.ShellCompDirectiveNoFileComp
}

// completeModels offers the model inside, the installed models, and files.
func (s *session) completeModels(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offered(s.modelNames(), typed), cobra.ShellCompDirectiveDefault
}

// completeInstalled offers the models that are installed.
func (s *session) completeInstalled(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, name := range s.modelNames() {
		if name != config.ModelInside {
			names = append(names, name)
		}
	}
	return offered(names, typed), cobra.ShellCompDirectiveNoFileComp
}

// completeCatalogue offers the published models that memoir knows, and files.
func completeCatalogue(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, m := range hub.Catalogue() {
		names = append(names, m.Name)
	}
	return offered(names, typed), cobra.ShellCompDirectiveDefault
}

// modelNames returns the models of this machine; none when they cannot be listed.
func (s *session) modelNames() (names []string) {
	settings, err := s.settings(nil)
	if err != nil {
		return nil
	}
	all, err := models.List(settings)
	if err != nil {
		return nil
	}
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names
}
