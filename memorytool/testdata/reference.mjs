// Answers the commands on standard input, one a line, as the class of Anthropic's SDK
// does: {"text": …} or {"error": …}. {"reset": true} begins with an empty folder.
// Usage: node reference.mjs NODE_MODULES
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { pathToFileURL } from 'node:url'

const sdk = path.join(path.resolve(process.argv[2]), '@anthropic-ai/sdk/tools/memory/node.mjs')
const { BetaLocalFilesystemMemoryTool } = await import(pathToFileURL(sdk))
const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'memory-tool-'))
let tool
for await (const line of readline.createInterface({ input: process.stdin })) {
  const input = JSON.parse(line)
  let answer = {}
  if (input.reset) {
    await fs.rm(path.join(dir, 'memories'), { recursive: true, force: true })
    tool = await BetaLocalFilesystemMemoryTool.init(dir)
  } else {
    try {
      answer = { text: await tool[input.command](input) }
    } catch (err) {
      answer = { error: err.message }
    }
  }
  console.log(JSON.stringify(answer))
}
await fs.rm(dir, { recursive: true })
