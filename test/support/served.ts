/**
 * A program that serves a venue with the test accounts over real sockets. Its arguments are the control token and,
 * unless the venue stays in memory, the venue's file. It first prints a line with its address.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import * as Server from "../../src/sandbox/server/Server.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { setUp } from "./exchange.ts"

const [controlToken = "", file] = process.argv.slice(2)

const served = Effect.gen(function*() {
  const venue = yield* Venue.Venue
  if (venue.sequence() === 0) yield* setUp
  const { baseUrl } = yield* Server.serve({ controlToken })
  yield* Effect.sync(() => process.stdout.write(`${baseUrl}\n`))
  return yield* Effect.never
})

process.on("unhandledRejection", (error) => {
  process.stderr.write(`unhandled ${String(error)}\n`)
  process.exit(1)
})

const venue = Venue.layer({ dialect: Dialect.document, ...(file === undefined ? {} : { file }) })

Effect.runFork(Effect.scoped(Effect.provide(served, Layer.provideMerge(Control.layer, venue))))
