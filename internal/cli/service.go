package cli

import (
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
)

// printService prints a file that starts the server with the user's session,
// and says where to put it. It writes the file only with --yes, because a person
// should read it first.
func (s *session) printService(f serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	env, err := environment()
	if err != nil {
		return err
	}
	args, err := s.serviceArgs(f)
	if err != nil {
		return err
	}
	path, text, then := filepath.Join(env.Home(), ".config", "systemd", "user", "memoir.service"), systemdUnit(args), "systemctl --user enable --now memoir"
	switch runtime.GOOS {
	case "darwin":
		path, text = filepath.Join(env.Home(), "Library", "LaunchAgents", "ai.memoir.serve.plist"), launchAgent(args)
		then = "launchctl load -w " + shellQuoted(path)
	case "windows":
		return usage("put memoir serve into the folder of programs that start with the session (shell:startup)", "memoir makes no such file on this system")
	}
	if _, err := io.WriteString(s.out, text); err != nil {
		return err
	}
	if !f.yes {
		s.say(s.err, "save this as %s, or have --yes do that, then: %s\n", path, then)
		return nil
	}
	if err := writeService(path, text); err != nil {
		return err
	}
	s.say(s.err, "this is in %s now; then: %s\n", path, then)
	return nil
}

// writeService writes the file of a service. One that says something else stays.
func writeService(path, text string) error {
	old, err := regular.ReadFile(path)
	switch {
	case err == nil && string(old) == text:
		return nil
	case err == nil:
		return memoir.WithHint(fmt.Errorf("%s is there and says something else: %w", path, memoir.ErrInvalid), "move it away, or write into it what memoir serve --install prints")
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, text)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // half of it would start something else
	}
	return nil
}

// serviceArgs returns the command that the service runs.
func (s *session) serviceArgs(f serveFlags) ([]string, error) {
	memories, err := s.memories()
	if err != nil {
		return nil, err
	}
	settings := memories.First() // the service starts in no project
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	args := []string{program, "serve", "--addr", f.addr, "--workspace", settings.Place(), "--state-dir", settings.StateDir}
	_, others, err := s.places(f, settings)
	if err != nil {
		return nil, err
	}
	for _, p := range others {
		args = append(args, "--workspace", p.name+"="+p.dir)
	}
	for _, h := range f.hosts {
		args = append(args, "--host", h)
	}
	for _, flag := range []struct {
		name string
		on   bool
	}{{"--read-only", f.readOnly}, {"--memory-tool", f.memoryTool}, {"--behind-proxy", f.behindProxy}} {
		if flag.on {
			args = append(args, flag.name)
		}
	}
	if f.cert != "" { // the service starts in another folder
		cert, err := filepath.Abs(f.cert)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert: %w", err)
		}
		key, err := filepath.Abs(f.key)
		if err != nil {
			return nil, fmt.Errorf("--tls-key: %w", err)
		}
		args = append(args, "--tls-cert", cert, "--tls-key", key)
	}
	return args, nil
}

// systemdUnit is a unit of a user's session (systemd.service(5)).
func systemdUnit(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`).Replace(a) + `"`
	}
	return "[Unit]\nDescription=memoir, long-term memory for agents\n\n[Service]\nExecStart=" + strings.Join(quoted, " ") +
		"\nRestart=on-failure\nNice=5\nNoNewPrivileges=true\n\n[Install]\nWantedBy=default.target\n"
}

// launchAgent is an agent of a user's session (launchd.plist(5)).
func launchAgent(args []string) string {
	var words strings.Builder
	for _, a := range args {
		words.WriteString("    <string>" + html.EscapeString(a) + "</string>\n")
	}
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>ai.memoir.serve</string>
  <key>ProgramArguments</key>
  <array>
` + words.String() + `  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ProcessType</key><string>Background</string>
</dict>
</plist>
`
}
