// A memoir that serves one folder of notes over a pipe: started when it is needed, ended
// when nobody has asked for a while, and by the end of the pipe in any case.
import { spawn } from "node:child_process"

export const patience = 120_000 // with a server that shows no sign of life; one that works tells so every second
const idle = 5 * 60_000 // before the server is ended
const grace = 5_000 // after the end of its input
const protocol = "2025-06-18"

// Died is the error of a server that ended by itself.
class Died extends Error {}

export class Server {
  #command
  #workspace
  #child = null
  #ready = null // resolves when the child answers
  #calls = new Map() // by id: what waits for an answer
  #last = 0
  #timer = null

  constructor(command, workspace) {
    this.#command = command
    this.#workspace = workspace
  }

  // call calls a tool that only reads and returns its structured answer. When the server
  // dies at it, another one is asked, once. An answer that is an error, and a server that
  // cannot be reached, are thrown.
  async call(tool, args, signal) {
    try {
      return await this.#callOnce(tool, args, signal)
    } catch (err) {
      if (!(err instanceof Died)) throw err
      return await this.#callOnce(tool, args, signal)
    }
  }

  async #callOnce(tool, args, signal) {
    signal?.throwIfAborted()
    clearTimeout(this.#timer)
    await this.#start()
    signal?.throwIfAborted() // meanwhile
    const answer = await this.#ask("tools/call", { name: tool, arguments: args }, signal)
    if (answer.isError) throw new Error(answer.content?.map((c) => c.text ?? "").join("\n") || `${tool} failed`)
    return answer.structuredContent ?? {}
  }

  // close ends the server. A later call starts it again.
  close() {
    clearTimeout(this.#timer)
    const child = this.#child
    child?.stdin.end()
    setTimeout(() => child?.kill(), grace).unref()
    this.#lost(child, new Error("memoir was ended"))
  }

  #start() {
    if (this.#child) return this.#ready
    const child = spawn(this.#command, ["mcp", "--workspace", this.#workspace], {
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    })
    this.#child = child
    let said = "" // the last of what it says, for whoever asks why it ended
    child.stderr.setEncoding("utf8").on("data", (text) => (said = (said + text).slice(-500)))
    child.on("error", (err) => this.#lost(child, new Error(`${this.#command} does not start: ${err.message}`)))
    child.on("exit", (code, signal) => this.#lost(child, new Died(`memoir ended with ${code ?? signal}: ${said.trim()}`)))
    child.stdin.on("error", () => {}) // its end says more
    let rest = ""
    child.stdout.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop()
      for (const line of lines) this.#hear(line)
    })
    this.#hold()
    this.#ready = this.#ask("initialize", {
      protocolVersion: protocol,
      capabilities: {},
      clientInfo: { name: "openclaw", version: "1" },
    }).then(() => this.#write({ method: "notifications/initialized" }))
    this.#ready.catch(() => {
      if (this.#child === child) child.kill()
    })
    return this.#ready
  }

  // A child that nobody waits for must not keep the host from ending.
  #hold() {
    const child = this.#child
    if (!child) return
    for (const x of [child, child.stdin, child.stdout, child.stderr]) this.#calls.size > 0 ? x.ref?.() : x.unref?.()
    clearTimeout(this.#timer)
    if (this.#calls.size === 0) this.#timer = setTimeout(() => this.close(), idle).unref()
  }

  #write(message) {
    this.#child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
  }

  #ask(method, params, signal) {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      const leave = (why) => {
        if (!this.#calls.has(id)) return
        done.reject(why)
        if (this.#child) this.#write({ method: "notifications/cancelled", params: { requestId: id } })
      }
      const aborted = () => leave(signal.reason ?? new Error("cancelled"))
      let timer
      const wait = () => {
        clearTimeout(timer)
        timer = setTimeout(() => leave(new Error(`memoir has shown no sign of life for ${patience / 1000} s`)), patience)
      }
      const end = (settle) => (value) => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", aborted)
        this.#calls.delete(id)
        this.#hold()
        settle(value)
      }
      const done = { resolve: end(resolve), reject: end(reject), wait }
      this.#calls.set(id, done)
      wait()
      signal?.addEventListener("abort", aborted)
      this.#hold()
      this.#write({ id, method, params: { ...params, _meta: { progressToken: id } } })
    })
  }

  #hear(line) {
    let message
    try {
      message = JSON.parse(line)
    } catch {
      return // what is no message is none
    }
    if (message?.method === "notifications/progress") this.#calls.get(message.params?.progressToken)?.wait()
    const call = this.#calls.get(message?.id)
    if (!call || message.method) return // memoir asks nothing, and tells nothing else that anybody needs
    if (message.error) call.reject(new Error(message.error.message))
    else call.resolve(message.result ?? {})
  }

  #lost(child, why) {
    if (!child || child !== this.#child) return
    this.#child = this.#ready = null
    for (const call of [...this.#calls.values()]) call.reject(why)
  }
}
