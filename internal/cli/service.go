package cli

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// printService prints a file that starts the server with the user's session,
// and says where to put it. It writes nothing, because a person should read the
// file first.
func (s *session) printService(f serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	memories, err := s.memories()
	if err != nil {
		return err
	}
	settings := memories.First() // the service starts in no project
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	env, err := environment()
	if err != nil {
		return err
	}
	args := []string{program, "serve", "--addr", f.addr, "--workspace", settings.Place(), "--state-dir", settings.StateDir}
	_, others, err := s.places(f, settings)
	if err != nil {
		return err
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
	}{{"--read-only", f.readOnly}, {"--memory-tool", f.memoryTool}, {"--require-token", f.requireToken}, {"--behind-proxy", f.behindProxy}} {
		if flag.on {
			args = append(args, flag.name)
		}
	}
	if f.cert != "" { // the service starts in another folder
		cert, err := filepath.Abs(f.cert)
		if err != nil {
			return fmt.Errorf("--tls-cert: %w", err)
		}
		key, err := filepath.Abs(f.key)
		if err != nil {
			return fmt.Errorf("--tls-key: %w", err)
		}
		args = append(args, "--tls-cert", cert, "--tls-key", key)
	}
	switch runtime.GOOS {
	case "darwin":
		fmt.Fprintf(s.err, "save this as %s, then: launchctl load -w that file\n", filepath.Join(env.Home(), "Library", "LaunchAgents", "ai.memoir.serve.plist"))
		_, err = s.out.Write([]byte(launchAgent(args)))
	case "windows":
		return usage("memoir serve, in the folder of programs that start with the session (shell:startup)", "there is no file for this system")
	default:
		fmt.Fprintf(s.err, "save this as %s, then: systemctl --user enable --now memoir\n", filepath.Join(env.Home(), ".config", "systemd", "user", "memoir.service"))
		_, err = s.out.Write([]byte(systemdUnit(args)))
	}
	return err
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
