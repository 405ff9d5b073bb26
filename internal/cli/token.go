package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/token"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "token", Short: "Make, list and revoke the tokens by which agents come to memoir serve",
		Long: "A token lets in one agent or program that is not this user's on this machine. Only\nits digest is kept. A revoked token is refused from then on, also by a server that is\nrunning.\n\n" +
			"Permissions: read finds and reads notes; write changes them; private adds MEMORY.md,\nUSER.md, notes with entries marked private, sessions, and MCP. admin opens /v1/admin\nand no notes.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	cmd.AddCommand(s.tokenCreateCommand(), s.tokenListCommand(), s.tokenRevokeCommand())
	return cmd
}

func (s *session) tokenCreateCommand() *cobra.Command {
	var permissions, only []string
	cmd := &cobra.Command{
		Use: "create [flags] NAME", Short: "Make a token and print it, once",
		Args:    positional(1, 1, "a name for the token"),
		Example: "  memoir token create laptop-cursor\n  memoir token create bot --allow read",
		RunE: func(cmd *cobra.Command, args []string) error {
			admin := slices.Contains(permissions, string(httpapi.MayAdmin))
			if admin && (len(permissions) > 1 || len(only) > 0) {
				return usage("memoir token create --allow admin "+shellQuoted(args[0]), "admin stands alone: it opens /v1/admin, and no workspace")
			}
			for _, sc := range permissions {
				if !admin && !slices.Contains(httpapi.Permissions(), httpapi.Permission(sc)) {
					return usage("memoir token create --allow read,write "+shellQuoted(args[0]), "permission %q is not read, write, private or admin", sc)
				}
			}
			settings, err := s.settings(nil)
			if err != nil {
				return err
			}
			secret, err := token.Open(serveDir(settings)).Create(cmd.Context(), args[0], permissions, only, time.Now())
			if err != nil {
				return err
			}
			s.warnUnserved(only, settings)
			if s.json {
				return writeJSON(s.out, wire.TokenAnswer{Name: args[0], Token: secret, Permissions: permissions, Workspaces: only})
			}
			_, err = fmt.Fprintln(s.out, secret)
			return err
		},
	}
	cmd.Flags().StringSliceVar(&permissions, "allow", []string{"read", "write", "private"}, "what it allows: read, write, private; or admin alone")
	cmd.Flags().StringSliceVar(&only, "only", nil, "a workspace that it is for, by its name in memoir serve; may come several times; when not given, all")
	return cmd
}

// warnUnserved says which of the names that a token is for are no workspace that the
// settings have served. A server may get others by its command line.
func (s *session) warnUnserved(names []string, settings *config.Loaded) {
	first, others, err := s.places(serveFlags{}, settings)
	if err != nil {
		return // memoir serve says so
	}
	for _, name := range names {
		if name != first && !slices.ContainsFunc(others, func(p servedPlace) bool { return p.name == name }) {
			s.warn(fmt.Sprintf("the settings have no workspace %.80q to serve; the token opens it once there is one", name), "memoir admin list, which names them; memoir admin create NAME DIR makes one")
		}
	}
}

func (s *session) tokenListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the tokens",
		Args: positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			settings, err := s.settings(nil)
			if err != nil {
				return err
			}
			all, err := token.Open(serveDir(settings)).List()
			if err != nil {
				return err
			}
			entries := []wire.TokenEntry{}
			for _, t := range all {
				entries = append(entries, wire.TokenEntry{Name: t.Name, Permissions: append([]string{}, t.Permissions...), Workspaces: t.Workspaces, Created: t.Created})
			}
			if s.json {
				return writeJSON(s.out, entries)
			}
			var rows table
			for _, t := range entries {
				only := ""
				if len(t.Workspaces) > 0 {
					only = s.said("  only %s", strings.Join(t.Workspaces, " "))
				}
				rows.row(unbroken(t.Name), strings.Join(t.Permissions, " "), t.Created.Local().Format(time.DateTime)+only)
			}
			if len(entries) == 0 {
				s.say(s.err, "there are no tokens\n")
			}
			return rows.write(s.out)
		},
	}
}

func (s *session) tokenRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME", Short: "Take a token away",
		Args: positional(1, 1, "the name of the token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := s.settings(nil)
			if err != nil {
				return err
			}
			if err := token.Open(serveDir(settings)).Revoke(cmd.Context(), args[0]); err != nil {
				return err
			}
			if s.json {
				return writeJSON(s.out, wire.TokenEntry{Name: args[0], Permissions: []string{}})
			}
			_, err = s.say(s.out, "revoked %s\n", unbroken(args[0]))
			return err
		},
	}
}
