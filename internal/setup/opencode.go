package setup

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// opencode reads JSON with comments, and JavaScript modules that it calls at
// events (https://opencode.ai/docs/plugins).
func opencode() Agent {
	folder := func(p Place) string { return filepath.Join(p.dir(p.get("XDG_CONFIG_HOME"), ".config"), "opencode") }
	settings := func(p Place) string {
		path := filepath.Join(folder(p), "opencode.json")
		if with := path + "c"; !exists(path) && exists(with) {
			return with
		}
		return path
	}
	return Agent{
		Name: "opencode", Title: "OpenCode", programs: []string{"opencode"}, folder: folder,
		wired: func(p Place) []wire {
			return []wire{{path: settings(p), server: []string{"mcp"}}, {path: filepath.Join(folder(p), "plugin", "memoir.js"), module: true}}
		},
		files: func(p Place, c Command) []file {
			entry := with(with(with(c.more, "type", "local"), "command", c.serving()), "enabled", true)
			return []file{
				jsonFile("opencode", settings(p), "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n", insertion{Path: []string{"mcp", "memoir"}, Value: entry}),
				wholeFile(filepath.Join(folder(p), "plugin", "memoir.js"), opencodePlugin(c)),
			}
		},
	}
}

// opencodePlugin is a module that passes OpenCode's events to memoir hook. What
// a session is given stays in its system prompt from then on.
func opencodePlugin(c Command) string {
	words, err := json.Marshal(c.words("hook", "opencode"))
	if err != nil {
		words = []byte("[]") // strings always can be written
	}
	return strings.Replace(pluginText, "COMMAND", string(words), 1)
}

const pluginText = ownMark + `
import { spawn } from "node:child_process"

const command = COMMAND
const patience = 5000

// hook asks memoir, and gives "" when there is no answer, or none in time.
function hook(event, input) {
  return new Promise((resolve) => {
    let out = ""
    const child = spawn(command[0], [...command.slice(1, 3), event, ...command.slice(3)], {
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    const end = (text) => (clearTimeout(late), resolve(text))
    const late = setTimeout(() => (child.kill("SIGKILL"), end("")), patience)
    child.on("error", () => end(""))
    child.on("close", (code) => end(code === 0 ? out : ""))
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text) => (out += text))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(input))
  }).catch(() => "")
}

export const Memoir = async ({ directory }) => {
  const given = new Map() // what each session was given
  let latest = ""
  const input = (id, more) => ({ session_id: id, cwd: directory, ...more })
  const start = async (id, source) => {
    const text = await hook("session-start", input(id, { source }))
    given.set(id, text ? [text] : [])
  }
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      latest = sessionID
      if (!given.has(sessionID)) await start(sessionID, "startup")
      const said = parts.filter((p) => p.type === "text" && !p.synthetic)
      const text = await hook("prompt", input(sessionID, { prompt: said.map((p) => p.text).join("\n") }))
      if (text) given.get(sessionID).push(text)
    },
    "experimental.chat.system.transform": async (call, { system }) => {
      system.push(...(given.get(call?.sessionID ?? latest) ?? []))
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const text = await hook("pre-compact", input(sessionID, {}))
      if (text) output.context.push(text)
    },
    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.compacted") await start(id, "compact")
      if (event.type === "session.idle") await hook("stop", input(id, {}))
      if (event.type === "session.deleted") {
        given.delete(id)
        await hook("session-end", input(id, {}))
      }
    },
  }
}
`
