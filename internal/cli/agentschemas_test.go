package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/memoir-ai/memoir/internal/hook"
)

// TestAgentSchemas holds what memoir hook answers to what the installed agents publish:
// the schemas that Codex has in its program, the types of Claude Code's SDK, and the types
// of OpenCode's plugins, to which the module is held that memoir setup writes. Gemini CLI
// and Cursor publish documents alone; internal/hook/testdata has what they say.
func TestAgentSchemas(t *testing.T) {
	t.Parallel()
	dir, root, path := agentsFolder(t)
	m := newAgentMachine(t, realAgent{name: "none"}, "none", root, path)
	m.env = append(m.env, "MEMOIR_HOOK_SEARCH_TIME="+patience)
	for _, agent := range []string{"claude-code", "codex", "opencode"} {
		m.run("memoir", "setup", agent)
	}
	writeFile(t, filepath.Join(m.home, ".memoir", "workspace", "MEMORY.md"), "- Ann <b>\"&\"</b> 林梅 takes no milk. <!-- trigger: tea -->\n")
	t.Run("codex", func(t *testing.T) {
		found, err := filepath.Glob(filepath.Join(dir, "codex/node_modules/@openai/codex-*/vendor/*/bin/codex"))
		if err != nil || len(found) == 0 {
			t.Skip("it is not in the folder")
		}
		program, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		for event, name := range map[string]string{hook.SessionStart: "session-start", hook.Prompt: "user-prompt-submit"} {
			schema := schemaWithin(t, program, name+".command.output")
			answer := m.answer("codex", event)
			if !strings.Contains(answer, "林梅") {
				t.Errorf("%s answers %q", event, answer)
			}
			for text, valid := range map[string]bool{answer: true, `{"hookSpecificOutput":{"hookEventName":"Stop"}}`: false, `{"context":"x"}`: false} {
				var x any
				if err := json.Unmarshal([]byte(text), &x); err != nil || (schema.Validate(x) == nil) != valid {
					t.Errorf("%s: %q is valid: %t, %v", event, text, !valid, err)
				}
			}
		}
		for _, event := range []string{hook.PreCompact, hook.PostCompact, hook.Stop, hook.SessionEnd} {
			if answer := m.answer("codex", event); answer != "" {
				t.Errorf("%s answers %q", event, answer)
			}
		}
	})
	t.Run("types", func(t *testing.T) {
		types := filepath.Join(dir, "types", "node_modules")
		if _, err := os.Stat(types); err != nil {
			t.Skip("they are not in the folder")
		}
		at := t.TempDir()
		if err := os.Symlink(types, filepath.Join(at, "node_modules")); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(at, "package.json"), `{"type":"module"}`)
		module, events := m.module()
		writeFile(t, filepath.Join(at, "memoir.js"), module)
		answers := m.answer("claude-code", hook.SessionStart) + "," + m.answer("claude-code", hook.Prompt)
		for name, x := range map[string]struct {
			answers, events string
			wrong           bool
		}{
			"right": {answers, events, false}, "an answer of another form": {`{"hookSpecificOutput":{"hookEventName":"SessionStart","context":"x"}}`, events, true},
			"an event that is none": {answers, `["session.gone"]`, true},
		} {
			file := strings.ReplaceAll(name, " ", "-") + ".mts"
			writeFile(t, filepath.Join(at, file), fmt.Sprintf(`import type { SyncHookJSONOutput } from "@anthropic-ai/claude-agent-sdk"
import type { Event } from "@opencode-ai/sdk"
import { Memoir } from "./memoir.js"
export const answers: SyncHookJSONOutput[] = [%s]
export const events: Event["type"][] = %s
export const plugin = Memoir
`, x.answers, x.events))
			cmd := m.command(t.Context(), "node", filepath.Join(types, "typescript/bin/tsc"), "--noEmit", "--strict", "--noImplicitAny", "false",
				"--allowJs", "--checkJs", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "--types", "node", file)
			cmd.Dir = at
			if out, err := cmd.CombinedOutput(); (err != nil) != x.wrong || x.wrong && !bytes.HasPrefix(out, []byte(file)) {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	})
}

// answer returns what memoir hook prints to an agent at an event, of a session of its own.
func (m *agentMachine) answer(agent, event string) string {
	m.Helper()
	cmd := m.command(m.Context(), "memoir", "hook", agent, event)
	cmd.Stdin = bytes.NewReader(hook.Input(agent, event, event, m.home, "how does Ann take her tea?"))
	out, err := cmd.Output()
	if err != nil {
		m.Fatalf("%s %s: %v", agent, event, err)
	}
	return strings.TrimSpace(string(out))
}

// module returns OpenCode's plugin with the type that it has to have, and the names of
// events that it waits for. What it reads of any event, and of any part of a prompt, has
// no type.
func (m *agentMachine) module() (text, events string) {
	m.Helper()
	data, err := os.ReadFile(filepath.Join(m.home, ".config", "opencode", "plugin", "memoir.js"))
	if err != nil {
		m.Fatal(err)
	}
	text = string(data)
	for old, typed := range map[string]string{
		"export const Memoir": "/** @type {import(\"@opencode-ai/plugin\").Plugin} */\nexport const Memoir",
		"({ event })":         "(/** @type {any} */ { event })",
		"(p) => p.text":       "(/** @type {any} */ p) => p.text",
	} {
		if strings.Count(text, old) != 1 {
			m.Fatalf("%q is not once in\n%s", old, text)
		}
		text = strings.Replace(text, old, typed, 1)
	}
	var names []string
	for _, x := range regexp.MustCompile(`event\.type === "([^"]+)"`).FindAllStringSubmatch(text, -1) {
		names = append(names, x[1])
	}
	list, err := json.Marshal(names)
	if err != nil || len(names) == 0 {
		m.Fatal("it waits for no event: ", err)
	}
	return text, string(list)
}

// schemaWithin finds a JSON schema by its title in the bytes of a program.
func schemaWithin(t *testing.T, program []byte, title string) *jsonschema.Resolved {
	t.Helper()
	at := bytes.Index(program, []byte(`"title": "`+title+`"`))
	begin := -1
	if at >= 0 {
		begin = bytes.LastIndex(program[:at], []byte("{\n  \"$schema\""))
	}
	if begin < 0 {
		t.Fatalf("the program has no schema %s", title)
	}
	var schema jsonschema.Schema
	if err := json.NewDecoder(bytes.NewReader(program[begin:])).Decode(&schema); err != nil || schema.Title != title {
		t.Fatalf("%s: %v, %s", title, err, schema.Title)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", title, err)
	}
	return resolved
}
