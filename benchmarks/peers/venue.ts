/** Serves a sandbox over HTTP. Argument: its initial state, as JSON. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Scope from "effect/Scope"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control, Sandbox, Server } from "../../src/sandbox/index.ts"
import { serve } from "../harness/children.ts"
import { commands } from "./exchange.ts"
import { resting } from "./instructions.ts"

/** The initial state of a venue, and the file of its journal. Without a file, the journal is in memory. */
export interface Options {
  readonly file?: string
  readonly open: number
  readonly ended: number
  /** Whether the venue speaks the live exchange's dialect, which has a WebSocket. */
  readonly isLive?: boolean
}

const { ended, file, isLive = false, open } = JSON.parse(process.argv[2] ?? "") as Options

const runtime = ManagedRuntime.make(Layer.fresh(Sandbox.layer({
  ...(file === undefined ? {} : { file }),
  dialect: isLive ? Dialect.live : Dialect.document
})))

const port = await runtime.runPromise(Effect.gen(function*() {
  const control = yield* Control.Control
  let at = (Date.now() - 3_600_000) * 1000
  const history = commands({ open: resting(open), ended: resting(ended) })
  yield* control.replay(history.map((action) => JSON.stringify({ at: ++at, action })))
  yield* control.limit({ calls: Number.MAX_SAFE_INTEGER, perSeconds: 1 })
  const { baseUrl } = yield* Scope.provide(Server.serve(), runtime.scope)
  return Number(new URL(baseUrl).port)
}))

serve(port, async (message: "cpu" | "close") => {
  if (message === "close") await runtime.dispose()
  return process.cpuUsage()
})
