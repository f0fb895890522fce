/** Responds to every call with a canned body, as fast as `node:http` can. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { answers } from "./answers.ts"

const bodies = new Map(
  Object.entries(answers).map(([path, text]) => {
    const body = Buffer.from(text)
    return [path, { body, headers: { "content-type": "application/json", "content-length": body.byteLength } }]
  })
)

const server = createServer((request, response) => {
  const answer = bodies.get(request.url ?? "")
  request.resume().once("end", () => {
    if (answer === undefined) response.writeHead(404).end()
    else response.writeHead(200, answer.headers).end(answer.body)
  })
})

// Connections stay open longer than any peer waits for its turn, so no measured call has to open one.
server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => process.send?.({ value: (server.address() as AddressInfo).port }))
process.once("disconnect", () => process.exit())
