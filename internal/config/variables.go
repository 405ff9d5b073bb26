package config

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Variable is an environment variable that memoir reads in addition to those
// that set a setting ([Key.Env]).
type Variable struct {
	Name string
	Doc  string // one or two sentences
}

// Variables returns those variables, in the order in which they are documented.
func Variables() []Variable { return slices.Clone(allVariables()) }

var allVariables = sync.OnceValue(func() []Variable {
	return slices.Concat([]Variable{
		{"MEMOIR_CONFIG", "Your own settings file, in place of the platform's. The file has to exist."},
		{"MEMOIR_CPU", "Kernels that vectors are computed with, by the name that memoir status shows; generic runs everywhere. When not set, the fastest that the processor has."},
		{"MEMOIR_HOOKS", "The value off keeps memoir hook silent: it answers nothing, notes nothing and exits with 0. memoir sets it for programs of agents that it starts."},
	}, keyVariables(), []Variable{
		{"OLLAMA_HOST", "Address or port where memoir doctor looks for Ollama, when ollama.baseURL is not set."},
		{"LC_ALL", "The language of messages and help: what begins with zh is Chinese, all else English. Answers in JSON, logs and what agents are given are English always."},
		{"LC_MESSAGES", "The same, where LC_ALL is not set."},
		{"LANG", "The same, where neither is set. On Windows, where none of them is, the language of the system."},
		{"NO_COLOR", "Any value turns colours off, and links with them."},
		{"TERM", "The value dumb turns colours off, and links and memoir browse with them. With linux, and with screen and what begins so, there are no links."},
		{"VTE_VERSION", "Which VTE a terminal is made with, as it says itself. Before 5000 there are no links."},
		{"MEMOIR_PAGER", "The program, with its arguments, that shows an answer longer than the terminal: of memoir search, get, entries, history and sessions show. No shell reads it. cat, or an empty value, is none. When neither it nor PAGER is set, less, or none where TERM is dumb."},
		{"PAGER", "The same, where MEMOIR_PAGER is not set."},
		{"LESS", "How less works. When not set, memoir sets it to FRX for the pager that it starts."},
		{"VISUAL", "The program, with its arguments, that memoir open and memoir browse open notes in. No shell reads it."},
		{"EDITOR", "The same, where VISUAL is not set."},
		{"HOME", "Home folder. On Windows it is USERPROFILE."},
		{"USERPROFILE", "Home folder on Windows."},
		{"XDG_CONFIG_HOME", "Folder of settings: yours are in memoir/config.toml below it. When not set, ~/.config, and on Windows AppData."},
		{"AppData", "Folder of settings on Windows."},
		{"XDG_STATE_HOME", "Folder of state: indexes are in memoir below it. When not set, ~/.local/state. Windows has LocalAppData, macOS ~/Library/Application Support."},
		{"XDG_DATA_HOME", "Folder of data: models are in memoir/models below it, and OpenCode keeps its sessions in opencode. When not set, ~/.local/share. For models Windows has LocalAppData, macOS ~/Library/Application Support."},
		{"LocalAppData", "Folder of indexes and models on Windows."},
		{"CLAUDE_CONFIG_DIR", "Folder in which memoir finds Claude Code's settings and transcripts. When not set, ~/.claude."},
		{"CODEX_HOME", "Folder in which memoir finds Codex's settings and transcripts. When not set, ~/.codex."},
		{"GEMINI_CLI_HOME", "Folder with the .gemini in which memoir finds Gemini CLI's transcripts. When not set, the home folder."},
		{"OPENCLAW_STATE_DIR", "Folder in which memoir finds OpenClaw's settings and transcripts. When not set, ~/.openclaw."},
		{"PI_CODING_AGENT_DIR", "Folder in which memoir finds pi's transcripts. When not set, ~/.pi/agent."},
		{"OPENCLAW_CONFIG_PATH", "OpenClaw's settings file, in place of the one in that folder."},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "Address of a collector of OpenTelemetry, up to the part before /v1/traces, for memoir serve in a program that was built with -tags otel. Names and times go there, no texts."},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "The whole address for traces, in the place of that."},
		{"PATH", "Folders in which memoir setup looks for the programs of agents."},
		{"TMPDIR", "Folder in which memoir eval writes the documents of a set. On Windows it is TMP."},
		{"GOGC", "How much garbage there may be, in percent, as the Go runtime reads it. When neither it nor GOMEMLIMIT is set, a command collects none before it has taken 48 MB."},
		{"GOMEMLIMIT", "How much memory there may be, as the Go runtime reads it."},
		{"HTTPS_PROXY", "Proxy for connections to other machines over https. NO_PROXY lists the machines without one."},
		{"HTTP_PROXY", "The same over http."},
		{"NO_PROXY", "Machines that are asked without a proxy, separated by commas."},
	})
})

// keyVariables are the variables in which people usually have the keys of
// providers.
func keyVariables() []Variable {
	var all []Variable
	add := func(variable, use string) {
		i := slices.IndexFunc(all, func(v Variable) bool { return v.Name == variable })
		if i < 0 {
			all = append(all, Variable{variable, use})
			return
		}
		all[i].Doc += " " + use
	}
	for _, p := range remotes() {
		for _, variable := range p.keys {
			add(variable, fmt.Sprintf("Key of the provider %s. It is read when provider is %[1]s, or is auto and allowRemote is true, and %[1]s.apiKey is not set.", p.name))
		}
	}
	for _, r := range rerankers() {
		for _, variable := range r.keys {
			add(variable, fmt.Sprintf("Key of the reranker %s. It is read when rerank.provider is %[1]s and rerank.apiKey is not set.", r.name))
		}
	}
	return all
}

// VariablesReference returns the documentation of every variable in Markdown.
func VariablesReference() string {
	var b strings.Builder
	b.WriteString("# Variables\n\n" +
		"Every setting has a variable; commas separate the entries of a list. These are read beside them. An empty variable counts as one that is not set.\n\n| variable | what it is |\n|---|---|\n")
	for _, v := range Variables() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.Name, v.Doc)
	}
	return b.String()
}
