package cli

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/hub"
	"github.com/memoir-ai/memoir/internal/models"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) newModelAnswer(m models.Model) wire.ModelAnswer {
	a := wire.ModelAnswer{
		Name: m.Name, Model: m.Info.Name, Path: m.Path, Bytes: m.Bytes, Dimensions: m.Info.Hidden, Reranks: m.Info.Reranks,
		Languages: append([]string{}, m.Info.Languages...), Scripts: append([]string{}, m.Info.Scripts...),
		Licence: m.Info.Licence, Origin: m.Info.Origin, Checksum: m.Checksum, InUse: m.InUse,
	}
	if m.Err != nil {
		a.Error, a.Action = m.Err.Error(), s.location().complete(memoir.Hint(m.Err))
	}
	return a
}

func (s *session) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "Show the model inside, the installed ones, and those that can be pulled",
		Args: positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return s.listModels() },
	}
}

func (s *session) listModels() error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	models, err := models.List(settings)
	if err != nil {
		return err
	}
	answer := wire.ListAnswer{Models: []wire.ModelAnswer{}, Available: []wire.AvailableAnswer{}, Folder: settings.ModelsDir}
	installed := map[string]bool{}
	for _, m := range models {
		answer.Models = append(answer.Models, s.newModelAnswer(m))
		installed[m.Name] = true
	}
	for _, m := range hub.Catalogue() {
		if !installed[m.Name] {
			answer.Available = append(answer.Available, wire.AvailableAnswer{Name: m.Name, Repository: m.Ref.String(), Revision: m.Ref.Revision, Bytes: m.Bytes, Dimensions: m.Dimensions, Reranks: m.Reranks, Languages: m.Languages, Licence: m.Licence})
		}
	}
	if s.json {
		return writeJSON(s.out, answer)
	}
	return s.printModels(answer)
}

func (s *session) printModels(answer wire.ListAnswer) error {
	st := s.style()
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, m := range answer.Models {
		mark := " "
		if m.InUse {
			mark = "*"
		}
		if m.Error != "" {
			fmt.Fprintf(w, "%s %s\t%s\n", mark, st.text(m.Name), st.text(m.Error))
			continue
		}
		about := []string{humanize.Bytes(uint64(m.Bytes)), purpose(m.Dimensions, m.Reranks), languages(m.Languages), cmp.Or(m.Licence, "licence unknown"), cmp.Or(m.Origin, "origin unknown")}
		if m.Path == "" {
			about[4] = m.Model + ", " + about[4]
		}
		fmt.Fprintf(w, "%s %s\t%s\n", mark, st.text(m.Name), st.text(strings.Join(about, "\t")))
	}
	if len(answer.Available) > 0 {
		fmt.Fprintf(w, "\ncan be pulled:\n")
	}
	for _, m := range answer.Available {
		size := "?"
		if m.Bytes > 0 {
			size = humanize.Bytes(uint64(m.Bytes))
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\n", m.Name, size, purpose(m.Dimensions, m.Reranks), m.Languages, m.Licence, m.Repository)
	}
	return w.Flush()
}

// purpose says what a model is for.
func purpose(dimensions int, reranks bool) string {
	if reranks {
		return "reranks"
	}
	return count(dimensions, "dimension").String()
}

// languages says in a few words which languages a model reads.
func languages(codes []string) string {
	switch {
	case len(codes) == 0:
		return "languages unknown"
	case len(codes) <= 3:
		return strings.Join(codes, ", ")
	}
	return count(len(codes), "language").String()
}
