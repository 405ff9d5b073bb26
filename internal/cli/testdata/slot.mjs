// What the plugin for OpenClaw's memory slot does without OpenClaw. argv: the folder of
// the plugin, memoir, a workspace whose MEMORY.md has one line about tea.
import assert from "node:assert/strict"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import net from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { pathToFileURL } from "node:url"

const [dir, memoir, workspace] = process.argv.slice(2)
const load = (name) => import(pathToFileURL(path.join(dir, name)).href)
const { flushPlan } = await load("flush.js")
const { default: plugin } = await load("index.js")

// The plan: one file, of the day where the user is; smaller windows leave less.
const at = Date.UTC(2026, 2, 1, 23, 30)
const zone = (userTimezone, memoryFlush) => ({ agents: { defaults: { userTimezone, compaction: { memoryFlush } } } })
assert.equal(flushPlan({ cfg: zone("UTC"), nowMs: at }).relativePath, "memory/2026-03-01.md")
assert.equal(flushPlan({ cfg: zone("Asia/Tokyo"), nowMs: at }).relativePath, "memory/2026-03-02.md")
assert.match(flushPlan({ cfg: zone("Nowhere/None"), nowMs: at }).relativePath, /^memory\/2026-03-0[12]\.md$/)
assert.equal(flushPlan({ cfg: zone("UTC", { enabled: false }) }), null)
assert.deepEqual([8000, 16000, 24000, 32000, 200000].map((w) => flushPlan({ contextWindowTokens: w }).reserveTokensFloor), [4000, 8000, 16000, 20000, 20000])
assert.equal(flushPlan({ contextWindowTokens: 8000 }).softThresholdTokens, 2000)
assert.equal(flushPlan({ cfg: zone("UTC", { forceFlushTranscriptBytes: "1.5mb" }) }).forceFlushTranscriptBytes, 1572864)
assert.equal(flushPlan({ cfg: zone("UTC", { forceFlushTranscriptBytes: "much" }) }).forceFlushTranscriptBytes, 2 << 20)

// host is what a plugin is given of OpenClaw.
function host(pluginConfig, plugins) {
  const got = { tools: {}, warned: [] }
  plugin.register({
    pluginConfig,
    config: { plugins },
    logger: { warn: (text) => got.warned.push(text) },
    runtime: { agent: { resolveAgentWorkspaceDir: () => workspace } },
    registerMemoryCapability: (c) => (got.capability = c),
    registerService: (s) => (got.service = s),
    registerTool: (make, { names }) => (got.tools[names[0]] = make({ agentId: "main", workspaceDir: workspace })),
  })
  return got
}

const h = host({ command: memoir })
const search = async (args, signal) => (await h.tools.memory_search.execute("1", args, signal)).details
const get = async (args) => (await h.tools.memory_get.execute("1", args)).details

// Dreaming brings the built-in memory back, whose tools come first: that is told.
const dreaming = (enabled) => ({ entries: { "openclaw-memoir": { config: { dreaming: { enabled } } } } })
assert.match(h.warned[0], /config set plugins.entries.openclaw-memoir.config.dreaming.enabled false/)
assert.equal(host({ command: memoir }, dreaming(true)).warned.length, 1)
assert.equal(host({ command: memoir }, dreaming(false)).warned.length, 0)
assert.equal(host({ command: memoir }, { entries: { "memory-core": { enabled: false } } }).warned.length, 0)
assert.equal(host({ command: memoir }, { deny: ["memory-core"] }).warned.length, 0)

// The tools, in the shapes of the host.
const [hit] = (await search({ query: "tea without milk" })).results
assert.deepEqual([hit.path, hit.startLine, hit.endLine, hit.source, hit.corpus, hit.citation], ["MEMORY.md", 1, 1, "memory", "memory", "MEMORY.md#L1"])
assert.equal((await get({ path: "MEMORY.md" })).text, "- Tea is without milk.\n")
assert.deepEqual(await get({ path: "memory/none.md" }), { status: "not_found", text: "", path: "memory/none.md" })
assert.equal((await get({ path: "../../etc/passwd" })).text, "")
assert.equal((await search({ query: "tea", corpus: "sessions" })).unavailable, true)

// The manager, and its status, which is there without waiting.
const { manager } = await h.capability.runtime.getMemorySearchManager({ cfg: {}, agentId: "main" })
assert.equal(manager.status().workspaceDir, workspace)
assert.equal(manager.status().dirty, false)
assert.equal((await manager.search("tea", { maxResults: 1 })).length, 1)
assert.equal((await manager.search("tea", { sources: ["sessions"] })).length, 0)
assert.equal(manager.status().lastSyncError, undefined)

// Who does not wait any more is told at once, and the next one is answered.
await assert.rejects(search({ query: "tea" }, AbortSignal.abort()), { name: "AbortError" })
const leaving = new AbortController()
const left = search({ query: "tea" }, leaving.signal)
leaving.abort()
await assert.rejects(left, { name: "AbortError" })
assert.equal((await search({ query: "tea" })).results.length, 1)

// A server that was ended is started again.
await h.capability.runtime.closeAllMemorySearchManagers()
assert.equal((await search({ query: "tea" })).results.length, 1)

// A server that shows that it works is waited for, however long that takes; one that is
// silent is not. The server is a pipe to this program, and time is what this program says.
if (process.platform !== "win32") {
  const { Server } = await load("server.js")
  const folder = mkdtempSync(path.join(tmpdir(), "slot-"))
  const real = { setTimeout, clearTimeout }
  try {
    const listener = net.createServer().listen(0, "127.0.0.1")
    await once(listener, "listening")
    const program = path.join(folder, "memoir")
    const script = `const s = require("net").connect(${listener.address().port}, "127.0.0.1"); process.stdin.pipe(s).pipe(process.stdout)`
    writeFileSync(program, `#!${process.execPath}\n${script}\n`, { mode: 0o700 })

    const timers = new Set()
    globalThis.setTimeout = (fn) => {
      const t = { fn, ref: () => t, unref: () => t }
      timers.add(t)
      return t
    }
    globalThis.clearTimeout = (t) => timers.delete(t)
    const late = (some) => [...some].filter((t) => timers.delete(t)).forEach((t) => t.fn())

    const server = new Server(program, workspace)
    const accepted = once(listener, "connection")
    const first = server.call("memory_search", { query: "tea" })
    let [socket] = await accepted
    const asked = async (method) => {
      for (let text = ""; ; text += await once(socket.setEncoding("utf8"), "data")) {
        for (const line of text.split("\n").slice(0, -1)) {
          const m = JSON.parse(line)
          if (m.method === method) return m
        }
      }
    }
    const tell = (m) => socket.write(JSON.stringify({ jsonrpc: "2.0", ...m }) + "\n")
    tell({ id: (await asked("initialize")).id, result: {} })
    const { id, params } = await asked("tools/call")
    assert.equal(params._meta.progressToken, id)
    const before = [...timers]
    tell({ method: "notifications/progress", params: { progressToken: id, progress: 1 } })
    while (before.some((t) => timers.has(t))) await new Promise(setImmediate)
    late(before)
    tell({ id, result: { structuredContent: { results: [] } } })
    assert.deepEqual(await first, { results: [] })

    const second = server.call("memory_search", { query: "tea" })
    await asked("tools/call")
    late(timers)
    await assert.rejects(second, /memoir has shown no sign of life for 120 s/)

    // One that dies at a call is followed by another, which is asked the same, once.
    const third = server.call("memory_search", { query: "tea" })
    await asked("tools/call")
    const followed = once(listener, "connection")
    socket.destroy() // the program ends
    ;[socket] = await followed
    tell({ id: (await asked("initialize")).id, result: {} })
    assert.equal((await asked("tools/call")).params.arguments.query, "tea")
    const gone = once(listener, "connection")
    socket.destroy()
    await assert.rejects(third, /memoir ended with 0/)
    const fourth = server.call("memory_search", { query: "milk" })
    ;[socket] = await gone
    tell({ id: (await asked("initialize")).id, result: {} })
    tell({ id: (await asked("tools/call")).id, result: { structuredContent: { results: [] } } })
    assert.deepEqual(await fourth, { results: [] })
    server.close()
    socket.destroy()
    listener.close()
  } finally {
    Object.assign(globalThis, real)
    rmSync(folder, { recursive: true })
  }
}

// A program that is not there is told, and stops nothing.
const none = host({ command: "/nowhere/memoir" })
const answer = (await none.tools.memory_search.execute("1", { query: "tea" })).details
assert.equal(answer.unavailable, true)
assert.match(answer.error, /\/nowhere\/memoir/)
const { manager: missing, error } = await none.capability.runtime.getMemorySearchManager({ cfg: {}, agentId: "main" })
assert.equal(missing, null)
assert.match(error, /was not found: install memoir/)

// One that fails is told as well.
if (process.platform !== "win32") {
  const folder = mkdtempSync(path.join(tmpdir(), "slot-"))
  try {
    for (const script of ["exit 2", "exit 127", "kill -SEGV $$", "echo 'garbage {'; exit 2"]) {
      const program = path.join(folder, "memoir")
      writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o700 })
      const failing = host({ command: program })
      assert.equal((await failing.tools.memory_search.execute("1", { query: "tea" })).details.unavailable, true)
      assert.equal((await failing.capability.runtime.getMemorySearchManager({ cfg: {}, agentId: "main" })).manager, null)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
// The server still runs, and does not keep this program from ending.
