// memoir as OpenClaw's memory: its tools, what it asks a memory for, and the plan by
// which a session that is about to be compacted writes down what matters. The notes stay
// where OpenClaw has them, in the workspace of each agent.
import { execFile } from "node:child_process"
import { promisify } from "node:util"

import { flushPlan } from "./flush.js"
import { patience, Server } from "./server.js"

const run = promisify(execFile)
const searchDescription =
  "Search the notes (MEMORY.md, USER.md and all Markdown below memory/) before answering questions about earlier work, decisions, dates, people, preferences or todos. When disabled is true, tell the user the warning and the action."
const getDescription = "Read lines of a note that memory_search found. nextFrom says where to go on; not_found says that there is no such note."

export default {
  id: "openclaw-memoir",
  name: "memoir",
  description: "memoir as the memory of OpenClaw",
  register(api) {
    const settings = api.pluginConfig ?? {}
    const command = settings.command || "memoir"
    const servers = new Map() // by workspace
    const taken = toolsTaken(api.config)
    if (taken) api.logger?.warn(taken)

    const config = () => api.runtime?.config?.current?.() ?? api.config
    const workspaceOf = (agentId, cfg) => settings.workspace || api.runtime.agent.resolveAgentWorkspaceDir(cfg ?? config(), agentId)
    const serverOf = (workspace) => {
      if (!servers.has(workspace)) servers.set(workspace, new Server(command, workspace))
      return servers.get(workspace)
    }
    const endAll = () => {
      for (const s of servers.values()) s.close()
      servers.clear()
    }

    const search = async (workspace, query, opts = {}) => {
      if (opts.sources && !opts.sources.includes("memory")) return []
      const args = { query, corpus: "memory" }
      if (opts.maxResults !== undefined) args.maxResults = Math.min(50, Math.max(1, Math.floor(opts.maxResults)))
      if (opts.minScore !== undefined) args.minScore = Math.min(1, Math.max(0, opts.minScore))
      if (opts.lexicalOnly) args.mode = "text"
      const found = await serverOf(workspace).call("memory_search", args, opts.signal)
      return { results: (found.results ?? []).map(hit), degraded: found.degraded ?? [], reason: found.reason ?? found.nothing }
    }

    const read = async (workspace, { relPath, from, lines }, signal) => {
      const args = { path: relPath }
      if (from !== undefined) args.from = from
      if (lines !== undefined) args.lines = lines
      try {
        const x = await serverOf(workspace).call("memory_get", args, signal)
        const answer = { status: "ok", text: x.text ?? "", path: x.path, from: x.from, lines: x.lines }
        return x.truncated ? { ...answer, truncated: true, nextFrom: x.nextFrom } : answer
      } catch (err) {
        if (/not found/.test(String(err.message).split("\n")[0])) return { status: "not_found", text: "", path: relPath }
        throw err
      }
    }

    const memoir = async (workspace, word, timeout) => {
      try {
        const { stdout } = await run(command, [word, "--json", "--workspace", workspace], { windowsHide: true, timeout, maxBuffer: 1 << 24 })
        return JSON.parse(stdout)
      } catch (err) {
        throw new Error(problem(err, command))
      }
    }

    const manager = async (workspace) => {
      let status = statusOf(await memoir(workspace, "status", patience))
      return {
        search: async (query, opts = {}) => {
          const { results = [], degraded = [] } = await search(workspace, query, opts)
          status = { ...status, lastSyncError: degraded.find((d) => d.part === "index")?.reason }
          const meaning = !degraded.some((d) => d.part === "vectors")
          opts.onDebug?.({ backend: "builtin", configuredMode: "hybrid", effectiveMode: meaning && !opts.lexicalOnly ? "hybrid" : "fts-only" })
          return results
        },
        readFile: (params) => read(workspace, params),
        status: () => status,
        sync: async ({ progress } = {}) => {
          await memoir(workspace, "index", 0) // as long as it takes: there may be many notes
          status = statusOf(await memoir(workspace, "status", patience))
          progress?.({ completed: status.files, total: status.files })
        },
        probeEmbeddingAvailability: async () =>
          status.provider === "none" ? { ok: false, error: "memoir is set to search by words alone" } : { ok: true, checked: true },
        getCachedEmbeddingAvailability: () => (status.provider === "none" ? null : { ok: true, checked: true, cached: true }),
        probeVectorStoreAvailability: async () => status.provider !== "none",
        probeVectorAvailability: async () => status.provider !== "none",
        close: async () => {}, // the server serves other searches too, and ends by itself
      }
    }

    api.registerMemoryCapability({
      promptBuilder: ({ availableTools, citationsMode }) => promptLines(availableTools, citationsMode),
      flushPlanResolver: flushPlan,
      // Hits of sessions are not given, so that there is nothing to authorise: without
      // authorizeSearchHits the host lets none through.
      runtime: {
        async getMemorySearchManager({ cfg, agentId }) {
          try {
            return { manager: await manager(workspaceOf(agentId, cfg)) }
          } catch (err) {
            return { manager: null, error: err.message }
          }
        },
        resolveMemoryBackendConfig: () => ({ backend: "builtin" }),
        closeMemorySearchManager: async ({ cfg, agentId }) => {
          const workspace = workspaceOf(agentId, cfg)
          servers.get(workspace)?.close()
          servers.delete(workspace)
        },
        closeAllMemorySearchManagers: async () => endAll(),
      },
    })
    api.registerService({ id: "openclaw-memoir", start: () => {}, stop: endAll })

    const folder = (ctx) => settings.workspace || ctx?.workspaceDir || workspaceOf(ctx?.agentId)
    api.registerTool(
      (ctx) => ({
        name: "memory_search",
        label: "Memory Search",
        description: searchDescription,
        parameters: {
          type: "object",
          required: ["query"],
          additionalProperties: false,
          properties: {
            query: { type: "string" },
            maxResults: { type: "integer", minimum: 1 },
            minScore: { type: "number" },
            corpus: { type: "string", enum: ["memory", "wiki", "all", "sessions"] },
          },
        },
        execute: async (_id, args, signal) => {
          if (args.corpus === "wiki" || args.corpus === "sessions") {
            return answer(unavailable(`memoir has no corpus ${args.corpus} here`, "search with corpus=memory"))
          }
          try {
            const { results, degraded, reason } = await search(folder(ctx), args.query, { ...args, signal })
            const extra = {}
            if (reason) extra.reason = reason
            if (degraded.length > 0) {
              extra.warning = degraded.map((d) => `${d.part} did not fully take part: ${d.reason}`).join("; ")
              extra.action = degraded.map((d) => d.action).filter(Boolean).join("; ")
            }
            return answer({ results: results.map((r) => ({ ...r, corpus: "memory" })), provider: "memoir", citations: "auto", mode: "hybrid", ...extra })
          } catch (err) {
            if (signal?.aborted) throw err
            return answer(unavailable(problem(err, command), "memoir doctor"))
          }
        },
      }),
      { names: ["memory_search"] },
    )
    api.registerTool(
      (ctx) => ({
        name: "memory_get",
        label: "Memory Get",
        description: getDescription,
        parameters: {
          type: "object",
          required: ["path"],
          additionalProperties: false,
          properties: {
            path: { type: "string" },
            from: { type: "integer", minimum: 1 },
            lines: { type: "integer", minimum: 1 },
            corpus: { type: "string", enum: ["memory", "wiki", "all"] },
          },
        },
        execute: async (_id, args, signal) => {
          try {
            return answer(await read(folder(ctx), { relPath: args.path, from: args.from, lines: args.lines }, signal))
          } catch (err) {
            if (signal?.aborted) throw err
            return answer({ status: "error", text: "", path: args.path, error: problem(err, command), action: "memoir doctor" })
          }
        },
      }),
      { names: ["memory_get"] },
    )
  },
}

// toolsTaken says how the built-in memory is kept from answering for memoir. Where
// dreaming is on, and it is by default, OpenClaw loads the built-in memory for it, whose
// tools have the same names and come first.
function toolsTaken(cfg) {
  const { entries, deny } = cfg?.plugins ?? {}
  const off = entries?.["openclaw-memoir"]?.config?.dreaming?.enabled === false || entries?.["memory-core"]?.enabled === false || deny?.includes("memory-core")
  return off ? "" : "the built-in memory answers memory_search and memory_get as long as dreaming is on: openclaw config set plugins.entries.openclaw-memoir.config.dreaming.enabled false"
}

const answer = (value) => ({ content: [{ type: "text", text: JSON.stringify(value, null, 2) }], details: value })

const unavailable = (error, action) => ({
  results: [],
  disabled: true,
  unavailable: true,
  error,
  warning: `Tell the user: the memory could not be searched: ${error}`,
  action,
})

// hit is a passage in OpenClaw's shape.
function hit(p) {
  const [, path, first, last] = /^(.*?)(?:#L(\d+)(?:-L(\d+))?)?$/s.exec(p.citation ?? "")
  const startLine = Number(first ?? 1)
  return { path, startLine, endLine: Number(last ?? startLine), score: p.score, snippet: p.snippet, source: "memory", citation: p.citation }
}

// statusOf is a status of memoir in OpenClaw's shape. A note that changed is no lack:
// a search takes it in.
function statusOf(s) {
  const meaning = s.provider !== "none"
  const failed = s.bytes > 0 && (s.degraded ?? []).find((d) => d.part === "index") // none yet is no failure
  return {
    backend: "builtin",
    provider: s.provider,
    model: s.model,
    requestedProvider: s.provider,
    files: s.documents,
    chunks: s.chunks,
    dirty: false,
    ...(failed ? { lastSyncError: failed.reason } : {}),
    workspaceDir: s.workspace,
    dbPath: s.index,
    sources: ["memory"],
    sourceCounts: [{ source: "memory", files: s.documents, chunks: s.chunks }],
    fts: { enabled: true, available: true },
    vector: {
      enabled: meaning,
      storeAvailable: meaning,
      semanticAvailable: meaning,
      available: meaning,
      index: { state: s.chunks === 0 ? "empty" : s.pendingVectors > 0 ? "incomplete" : "complete" },
    },
    custom: { engine: "memoir", searchMode: meaning ? "hybrid" : "fts-only" },
  }
}

// problem says what went wrong, for people; memoir's own words where it has some.
function problem(err, command) {
  if (err.code === "ENOENT") return `the program ${command} was not found: install memoir, or set plugins.entries.openclaw-memoir.config.command`
  for (const text of [err.stdout, err.stderr]) {
    try {
      const { message, action } = JSON.parse(text).error
      return action ? `${message} (try: ${action})` : message
    } catch {
      // it is no answer in JSON
    }
  }
  return String(err.stderr || err.message || err).trim().slice(-500)
}

function promptLines(availableTools, citationsMode) {
  if (!availableTools?.has("memory_search")) return []
  const get = availableTools.has("memory_get") ? "; read more lines of a note with memory_get" : ""
  return [
    "## Memory Recall",
    `Before answering about earlier work, decisions, dates, people, preferences or todos, call memory_search with the words of the question${get}. When nothing fits, say that you looked.`,
    citationsMode === "off" ? "Do not name files or lines unless the user asks." : "Name the source as path#line where it helps the user to check.",
    "",
  ]
}
