package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/token"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) adminQuotaCommand() *cobra.Command {
	var notes, bytes, requests int
	cmd := &cobra.Command{
		Use: "quota [flags] NAME", Short: "Say how much a workspace may have, or limit it",
		Long:    "Quota limits what comes by way of memoir serve: how many notes there are, how many\nbytes they have together, and how many requests are answered a minute. A flag that is\nnot given leaves what was set; 0 takes a limit away. It counts at once, also in a server\nthat runs. Who has more than that can still read and remove. Each server counts its own\nrequests.",
		Example: "  memoir admin quota --notes 5000 --bytes 50000000 --requests 600 sales\n  memoir admin quota sales",
		Args:    positional(1, 1, "the name of a workspace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := s.settings(nil)
			if err != nil {
				return err
			}
			answer, err := setQuota(cmd.Context(), settings, args[0], func(now token.Quota) token.Quota {
				for flag, set := range map[string]func(){
					"notes": func() { now.Notes = notes }, "bytes": func() { now.Bytes = int64(bytes) }, "requests": func() { now.Requests = requests },
				} {
					if cmd.Flags().Changed(flag) {
						set()
					}
				}
				return now
			})
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(s.out, answer)
			}
			_, err = s.say(s.out, "%s may have %s\n", answer.Name, s.quotaText(answer.Quota))
			return err
		},
	}
	f := cmd.Flags()
	f.IntVar(&notes, "notes", 0, "how many notes")
	f.IntVar(&bytes, "bytes", 0, "bytes of all notes together")
	f.IntVar(&requests, "requests", 0, "requests a minute, over HTTP")
	return cmd
}

// quotaText says for people how much a workspace may have.
func (s *session) quotaText(q wire.Quota) string {
	var parts []string
	if q.Notes > 0 {
		parts = append(parts, s.said("%s", count(q.Notes, "note")))
	}
	if q.Bytes > 0 {
		parts = append(parts, s.said("%d bytes of notes", q.Bytes))
	}
	if q.Requests > 0 {
		parts = append(parts, s.said("%s a minute", count(q.Requests, "request")))
	}
	if len(parts) == 0 {
		return s.language.Say("any amount")
	}
	return s.language.Join(parts)
}

// setQuota changes how much a workspace may have.
func setQuota(ctx context.Context, settings *config.Loaded, name string, change func(now token.Quota) token.Quota) (wire.AdminQuota, error) {
	if err := known(settings, name); err != nil {
		return wire.AdminQuota{}, err
	}
	quotas := token.OpenQuotas(serveDir(settings))
	now, err := quotas.Of(name)
	if err == nil {
		now = change(now)
		err = quotas.Set(ctx, name, now)
	}
	return wire.AdminQuota{Name: name, Quota: wire.Quota(now)}, err
}

// known refuses a name that is not one of the workspaces beside the first.
func known(settings *config.Loaded, name string) error {
	if !slices.ContainsFunc(servedOf(settings), func(p servedPlace) bool { return p.name == name }) {
		return memoir.WithHint(fmt.Errorf("no workspace %.80q is served beside the first: %w", name, memoir.ErrNotFound), "memoir admin list")
	}
	return nil
}
