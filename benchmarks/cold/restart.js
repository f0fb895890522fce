/**
 * Opens a venue from its journal, and reports the cost from process start until the venue is ready to serve requests.
 * Argument: the journal file.
 */
import * as Effect from "effect/Effect"
import { Sandbox, Server } from "../dist/sandbox/index.js"

const [file] = process.argv.slice(2)
const program = Server.serve().pipe(
  Effect.tap(() => Effect.sync(() => {
    console.log(JSON.stringify({ ...process.cpuUsage(), rss: process.memoryUsage.rss() }))
    process.exit()
  })),
  Effect.scoped,
  Effect.provide(Sandbox.layer({ file }))
)
await Effect.runPromise(program)
