// Passes requests on to a memoir serve with a token, for clients that send none. It prints
// its address: node bearing.mjs URL TOKEN
import http from 'node:http'

const [target, token] = process.argv.slice(2)
const server = http.createServer((req, res) => {
  const headers = { ...req.headers, authorization: `Bearer ${token}` }
  const to = http.request(target + req.url, { method: req.method, headers }, (from) => {
    res.writeHead(from.statusCode, from.headers)
    from.pipe(res)
  })
  to.on('error', () => res.destroy())
  res.on('close', () => to.destroy())
  req.pipe(to)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
