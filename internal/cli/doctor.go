package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/doctor"
	"github.com/memoir-ai/memoir/internal/setup"
	"github.com/memoir-ai/memoir/internal/wire"
)

func (s *session) doctorCommand() *cobra.Command {
	var live string
	var fix, dry bool
	cmd := &cobra.Command{
		Use: "doctor [flags]", Short: "Check every part, and find model servers on this machine",
		Long: "Doctor checks the settings, the workspace, the state folder, the index and the\nkernels. It has the provider embed one word, and tries the reranker if there is one.\nIt looks at the agents that memoir setup connected, and at what went wrong in their\nhooks. For everything that is wrong it says what to do. It also looks for Ollama and\nllama.cpp's server on this machine, and shows the settings that would use their\nmodels. The exit code is 1 when a part is broken.\n\n" +
			"With --live AGENT it goes the agent's own way instead. It starts the server and the\nhooks that the settings of the agent name. It has a statement remembered, found, given\nto a session and forgotten, and says which link does not hold. No model is called, and\nthe notes are as they were.\n\n" +
			"With --fix it first does what is safe. It makes folders that are missing, lets nobody\nelse read the files of the index, and removes what a killed memoir left beside it. It\nindexes by words what is not indexed, and builds a damaged index anew. It writes to no\nnote. --dry-run says what it would do. Everything else has the next command beside it.\n\n" +
			"Agents: " + strings.Join(setup.Names(), ", ") + ".",
		Example: "  memoir doctor\n  memoir doctor --fix --dry-run\n  memoir doctor --live claude-code",
		Args:    positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case dry && !fix:
				return usage("memoir doctor --fix --dry-run", "--dry-run says what --fix would do")
			case cmd.Flags().Changed("live") && fix:
				return usage("memoir doctor --fix", "--fix and --live do not go together")
			case cmd.Flags().Changed("live"):
				return s.live(cmd.Context(), live)
			}
			return s.doctor(cmd.Context(), fix, dry)
		},
	}
	cmd.Flags().StringVar(&live, "live", "", "send a statement the way of an agent, and say where it is lost")
	cmd.Flags().BoolVar(&fix, "fix", false, "do what is safe about what is wrong, and say so")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "with --fix: say what it would do, and do nothing")
	return cmd
}

// live does what an agent would do.
func (s *session) live(ctx context.Context, name string) error {
	a, ok := setup.Find(name)
	if !ok {
		return usage("one of "+strings.Join(setup.Names(), ", "), "%q is no agent that memoir can set up", name)
	}
	place, err := s.place()
	if err != nil {
		return err
	}
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	d := &doctor.Diagnosis{}
	d.Live(ctx, a, doctor.LiveOptions{
		Place: place, StateDir: settings.StateDir, Now: time.Now(), Number: 100_000 + rand.IntN(900_000),
		Shelf: func(workspace string) (string, error) {
			there, err := s.settings(config.Flags{"workspace": workspace})
			if err != nil {
				return "", err
			}
			return there.Shelves.Learning, nil
		},
	})
	return s.answerDoctor(ctx, newDoctorAnswer(d))
}

func (s *session) doctor(ctx context.Context, fix, dry bool) error {
	var answer wire.DoctorAnswer
	settings, err := s.settings(nil)
	if err != nil {
		f := publicForm(err)
		answer = wire.DoctorAnswer{Checks: []wire.DoctorCheck{{Name: "settings", Health: string(doctor.Broken), Detail: f.Error.Message, Action: f.Error.Action}}, Servers: []wire.DoctorServer{}}
	} else {
		opts := app.Options{Embedder: s.embedder, Logger: s.logger()}
		var repairs []doctor.Repair
		if fix {
			repairs = doctor.Fix(ctx, settings, opts, dry)
		}
		d := doctor.Diagnose(ctx, settings, opts, os.Getenv("OLLAMA_HOST"))
		if place, err := s.place(); err == nil {
			d.Agents(place, setupDir(settings.StateDir))
		}
		d.Hooks(settings.StateDir, settings, time.Now())
		answer = newDoctorAnswer(d)
		for _, r := range repairs {
			x := wire.DoctorRepair{What: r.What, Done: r.Done}
			if r.Err != nil {
				x.Error = r.Err.Error()
			}
			answer.Repairs = append(answer.Repairs, x)
		}
	}
	return s.answerDoctor(ctx, answer)
}

func (s *session) answerDoctor(ctx context.Context, answer wire.DoctorAnswer) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.json {
		for i := range answer.Checks {
			answer.Checks[i].Action = s.location().complete(answer.Checks[i].Action)
		}
		err = writeJSON(s.out, answer)
	} else {
		err = s.printDoctor(answer)
	}
	if err == nil && !answer.OK {
		err = errAnswered
	}
	return err
}

func newDoctorAnswer(d *doctor.Diagnosis) wire.DoctorAnswer {
	answer := wire.DoctorAnswer{OK: !d.Broken(), Checks: []wire.DoctorCheck{}, Servers: []wire.DoctorServer{}}
	for _, c := range d.Checks {
		answer.Checks = append(answer.Checks, wire.DoctorCheck{Name: c.Name, Health: string(c.Health), Detail: c.Detail, Action: c.Action})
	}
	for _, server := range d.Servers {
		x := wire.DoctorServer{Provider: server.Provider, Address: server.Address, Models: []wire.DoctorModel{}, Note: server.Note}
		for _, m := range server.Models {
			x.Models = append(x.Models, wire.DoctorModel(m))
		}
		answer.Servers = append(answer.Servers, x)
	}
	return answer
}

// repairLine says what was done, would be done, or could not be.
func repairLine(r wire.DoctorRepair) string {
	switch {
	case r.Done:
		return "done: " + r.What
	case r.Error != "":
		return "not done: " + r.What + ": " + r.Error
	}
	return "would " + r.What
}

func (s *session) printDoctor(x wire.DoctorAnswer) error {
	st := s.style()
	for _, r := range x.Repairs {
		fmt.Fprintln(s.out, st.text(s.language.Say(repairLine(r))))
	}
	var t table
	for _, c := range x.Checks {
		t.row(s.language.Say(c.Health), s.language.Say(c.Name), st.text(s.language.Say(c.Detail)))
		if c.Action != "" {
			t.row("", "", s.said("  try: %s", st.text(s.location().complete(s.language.Say(c.Action)))))
		}
	}
	if err := t.write(s.out); err != nil {
		return err
	}
	for _, server := range x.Servers {
		s.say(s.out, "\n%s runs at %s\n", server.Provider, st.text(server.Address))
		if server.Note != "" {
			fmt.Fprintf(s.out, "  %s\n", st.text(s.language.Say(server.Note)))
		}
		for _, m := range server.Models {
			dimensions := ""
			if m.Dimensions > 0 {
				dimensions = ", " + s.said("%s", count(m.Dimensions, "dimension"))
			}
			s.say(s.out, "  %s%s; to use it, set\n", st.text(m.Name), dimensions)
			for _, line := range m.Settings {
				fmt.Fprintf(s.out, "    %s\n", st.text(line))
			}
		}
	}
	return nil
}
