/**
 * A program that draws nonces as fast as it can, for tests that kill and suspend it. Arguments: the Redis port,
 * `window` or `increasing`, the number of programs, the unit, and the API key.
 *
 * The program writes every nonce on a line before it draws the next one. A line that begins with `-` is an error.
 */
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"
import { Nonce } from "../../src/client/Nonce.ts"
import * as NonceRedis from "../../src/client/NonceRedis.ts"

const [, , port = "", mode = "", programs = "", unit = "", apiKey = ""] = process.argv

const write = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const of = {
  apiKey: Redacted.make(apiKey),
  unit: unit === "milliseconds" ? "milliseconds" : "microseconds"
} as const

const draw = Nonce.use((nonces) =>
  nonces.use(of, (nonce) => write(`${nonce}`)).pipe(
    Effect.catchTag("NonceUnavailable", ({ reason }) => Effect.delay(write(`- ${reason}`), 20))
  )
)

const layer = (mode === "window" ? NonceRedis.layerWindow({ programs: Number(programs) }) : NonceRedis.layerIncreasing)
  .pipe(Layer.provide(NodeRedis.layer({ url: `redis://127.0.0.1:${port}` })))

await Effect.runPromise(Effect.provide(Effect.forever(draw), layer))
