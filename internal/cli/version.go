package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version, the model inside and the processor's kernels",
		Args: positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			v := version()
			if s.json {
				return writeJSON(s.out, v)
			}
			s.say(s.out, "memoir %s %s %s\n", v.Version, v.Go, v.Platform)
			if v.Revision != "" {
				s.say(s.out, "revision %s\n", v.Revision)
			}
			_, err := s.say(s.out, "model %s\nkernels %s\n", cmp.Or(v.Model, "none"), v.Kernels)
			return err
		},
	}
}

// version is the build, with the model inside, which takes reading, and the kernels.
func version() wire.VersionAnswer {
	v, about := build(), app.About()
	v.Model, v.Kernels = about.Model, about.Kernels
	return v
}

// build is what the linker knows of the program.
func build() wire.VersionAnswer {
	v := wire.VersionAnswer{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = cmp.Or(info.Main.Version, v.Version)
	modified := ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Revision = setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				modified = " with changes"
			}
		}
	}
	if v.Revision != "" {
		v.Revision += modified
	}
	return v
}
