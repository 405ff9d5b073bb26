// A session of an agent through the SDKs for TypeScript: it searches, remembers,
// searches again, forgets, lists and reads. Usage: node session.mjs NODE_MODULES v1|v2 URL|COMMAND [ARGUMENT...]
import assert from 'node:assert/strict'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, version, target, ...args] = process.argv.slice(2)
const load = (file) => import(pathToFileURL(path.join(path.resolve(modules), '@modelcontextprotocol', file)))
const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] = await Promise.all(
  version === 'v1'
    ? ['sdk/dist/esm/client/index.js', 'sdk/dist/esm/client/stdio.js', 'sdk/dist/esm/client/streamableHttp.js'].map(load)
    : ['client/dist/index.mjs', 'client/dist/stdio.mjs', 'client/dist/index.mjs'].map(load),
)
const client = new Client({ name: 'session', version: '1' }, version === 'v1' ? {} : { versionNegotiation: { mode: 'auto' } })
await client.connect(
  target.startsWith('http') ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target, args, env: process.env }),
)
const call = async (name, input) => {
  const answer = await client.callTool({ name, arguments: input })
  assert(!answer.isError, `${name}: ${JSON.stringify(answer.content)}`)
  return answer
}
const birds = { v1: ['heron', 'osprey'], v2: ['ibis', 'egret'] }[version] // one for each session in the workspace
const fact = `The staging server is called ${birds[target.startsWith('http') ? 0 : 1]}`
const { tools } = await client.listTools()
assert.equal(tools.length, 5)
const found = await call('memory_search', { query: 'who pays for the taxi' })
assert(found.structuredContent.results.length > 0, 'nothing is found')
const kept = (await call('memory_remember', { text: fact, type: 'project' })).structuredContent
assert.equal(kept.outcome, 'added', JSON.stringify(kept))
const again = await call('memory_search', { query: fact, mode: 'text' })
assert(JSON.stringify(again.structuredContent).includes(fact), 'what was told is not found')
await call('memory_forget', { entry: kept.id })
const gone = await call('memory_search', { query: fact, mode: 'text' })
assert(!JSON.stringify(gone.structuredContent.results).includes(fact), 'what was forgotten is found')
const wrong = await client.callTool({ name: 'memory_search', arguments: { query: 'x', limit: 3 } })
assert(wrong.isError && wrong.content[0].text.includes('"limit"'), 'an unknown argument is taken')
const { resources } = await client.listResources()
const read = await client.readResource({ uri: resources[0].uri })
assert(read.contents[0].text.length > 0, 'a resource is empty')
const prompt = await client.getPrompt({ name: 'recall', arguments: { topic: 'taxi' } })
assert(prompt.messages[0].content.text.includes('taxi'))
const completed = await client.complete({ ref: { type: 'ref/resource', uri: 'memory:///{+path}' }, argument: { name: 'path', value: 'memory/' } })
assert(completed.completion.values.length > 0, 'no path is completed')
await client.close()
