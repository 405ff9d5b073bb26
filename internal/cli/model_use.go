package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/models"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) useCommand() *cobra.Command {
	var workspace bool
	cmd := &cobra.Command{
		Use: "use NAME|FILE|inside", Short: "Make a model the one that later runs use",
		Long: "Use writes the setting model into your settings file, or into the workspace's, and\nchanges nothing else in it. The name inside means the model inside memoir. The next\nmemoir index computes the vectors of the other model. For a model that reranks, use\nwrites rerank.model and rerank.provider, and the vectors stay.",
		Args: positional(1, 1, "the model"), ValidArgsFunction: s.completeModels,
		RunE: func(cmd *cobra.Command, args []string) error { return s.use(cmd.Context(), args[0], workspace) },
	}
	workspaceSettingsFlag(cmd, &workspace)
	return cmd
}

func (s *session) use(ctx context.Context, model string, workspace bool) error {
	// As a flag the value is read as in a setting: a path counts from here.
	settings, err := s.settings(config.Flags{"model": model})
	if err != nil {
		return err
	}
	model = settings.Model
	env, err := environment()
	if err != nil {
		return err
	}
	file, layer := env.UserFile(), config.LayerUser
	if workspace {
		file, layer = filepath.Join(settings.Workspace, config.WorkspaceFile), config.LayerWorkspace
	}
	if file == "" {
		return memoir.WithHint(errors.New("there is no home folder for your settings"), "memoir model use --workspace-settings "+model)
	}
	release, err := app.LockSettings(ctx, settings.StateDir)
	if err != nil {
		return err
	}
	defer release()
	used, err := models.Use(settings, file, layer, model)
	if err != nil {
		return err
	}
	if settings, err = s.settings(nil); err != nil {
		return err
	}
	if used.Info.Reranks {
		return s.usesReranker(settings, model, file)
	}
	if settings.Model != model {
		s.warn(fmt.Sprintf("another model is in use here, because of the %s", settings.Origin("model")), "memoir config")
	} else if choice := config.Choose(settings); choice.Provider != "local" {
		s.warn(fmt.Sprintf("the provider %s is in use here, because %s", choice.Provider, choice.Reason), "memoir config")
	}
	if s.json {
		return writeJSON(s.out, wire.UseAnswer{Model: model, File: file})
	}
	st := s.style()
	_, err = s.say(s.out, "model = %q in %s; %s computes its vectors\n", st.text(model), st.text(file), st.text(s.location().complete("memoir index")))
	return err
}

// usesReranker says what changed because the model reranks.
func (s *session) usesReranker(settings *config.Loaded, model, file string) error {
	if r := settings.Rerank; r.Model != model || r.Provider != "local" {
		s.warn(fmt.Sprintf("another reranker is in use here, because of the %s", settings.Origin("rerank.provider")), "memoir config")
	}
	if s.json {
		return writeJSON(s.out, wire.UseAnswer{Model: model, File: file, Reranks: true})
	}
	st := s.style()
	_, err := s.say(s.out, "rerank.model = %q in %s; it orders the first %d results of a search anew\n", st.text(model), st.text(file), settings.Rerank.Top)
	return err
}

func newSelfTestAnswer(t models.SelfTest) *wire.SelfTestAnswer {
	return &wire.SelfTestAnswer{Kernels: t.Kernels, Plain: t.Plain, References: t.References, Reference: t.Reference}
}

func (s *session) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify [NAME|FILE|inside]", Short: "Check a model's bytes and what it computes",
		Long: "Verify compares a model with its checksum. It computes vectors of known sentences, and\ncompares them with stored ones and with what plain Go computes. Without NAME it\nverifies the model in use. memoir does the same once before it first uses a model.",
		Args: positional(0, 1, ""), ValidArgsFunction: s.completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := config.Flags{}
			if len(args) == 1 {
				flags["model"] = args[0]
			}
			return s.verify(cmd.Context(), flags)
		},
	}
}

func (s *session) verify(ctx context.Context, flags config.Flags) error {
	settings, err := s.settings(flags)
	if err != nil {
		return err
	}
	model := settings.Model
	if settings, err = s.settings(nil); err != nil { // which say what is in use
		return err
	}
	m, found, err := models.Verify(ctx, settings, model)
	if err != nil {
		return err
	}
	answer := wire.VerifyAnswer{ModelAnswer: s.newModelAnswer(m), SelfTest: *newSelfTestAnswer(found)}
	if s.json {
		return writeJSON(s.out, answer)
	}
	_, err = s.say(s.out, "%s: SHA-256 %s is right, %s\n", s.style().text(answer.Name), answer.Checksum, &answer.SelfTest)
	return err
}

func (s *session) removeCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "remove NAME", Short: "Delete an installed model",
		Args: positional(1, 1, "the model"), ValidArgsFunction: s.completeInstalled,
		RunE: func(_ *cobra.Command, args []string) error {
			settings, err := s.settings(nil)
			if err != nil {
				return err
			}
			if err := models.Remove(settings, args[0], force); err != nil {
				return err
			}
			if s.json {
				return writeJSON(s.out, wire.RemoveAnswer{Removed: args[0]})
			}
			_, err = s.say(s.out, "%s is removed\n", s.style().text(args[0]))
			return err
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also when it is in use")
	return cmd
}
