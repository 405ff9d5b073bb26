package cli

import (
	"cmp"
	"strings"

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
	var t table
	for _, m := range answer.Models {
		mark := " "
		if m.InUse {
			mark = "*"
		}
		if m.Error != "" {
			t.row(mark+" "+st.text(m.Name), st.text(s.language.Say(m.Error)))
			continue
		}
		about := []string{humanize.Bytes(uint64(m.Bytes)), s.purpose(m.Dimensions, m.Reranks), s.languages(m.Languages), cmp.Or(m.Licence, s.language.Say("licence unknown")), cmp.Or(m.Origin, s.language.Say("origin unknown"))}
		if m.Path == "" {
			about[4] = m.Model + ", " + about[4]
		}
		for i := range about {
			about[i] = st.text(about[i])
		}
		t.row(append([]string{mark + " " + st.text(m.Name)}, about...)...)
	}
	if len(answer.Available) > 0 {
		t.row("")
		t.row(s.language.Say("can be pulled:"))
	}
	for _, m := range answer.Available {
		size := "?"
		if m.Bytes > 0 {
			size = humanize.Bytes(uint64(m.Bytes))
		}
		t.row("  "+m.Name, size, s.purpose(m.Dimensions, m.Reranks), s.language.Say(m.Languages), m.Licence, m.Repository)
	}
	return t.write(s.out)
}

// purpose says what a model is for.
func (s *session) purpose(dimensions int, reranks bool) string {
	if reranks {
		return s.language.Say("reranks")
	}
	return s.said("%s", count(dimensions, "dimension"))
}

// languages says in a few words which languages a model reads.
func (s *session) languages(codes []string) string {
	switch {
	case len(codes) == 0:
		return s.language.Say("languages unknown")
	case len(codes) <= 3:
		return strings.Join(codes, ", ")
	}
	return s.said("%s", count(len(codes), "language"))
}
