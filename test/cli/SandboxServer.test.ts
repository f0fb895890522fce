import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFile } from "node:child_process"
import * as SandboxServer from "../../src/cli/SandboxServer.ts"
import { ApiKey } from "../../src/domain/Identifiers.ts"
import * as MainBalance from "../../src/endpoints/MainBalance.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import * as Example from "../../src/sandbox/Example.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { scratchFile } from "../support/files.ts"
import { signed, signedText } from "../support/signed.ts"

describe("SandboxServer", () => {
  it.live("a stopping sandbox records the calls in progress before it closes the journal", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const layer = Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect: Dialect.document, file })))
      yield* Effect.gen(function*() {
        const control = yield* Control.Control
        const { account, apiKey, apiSecret } = Example.alice
        yield* control.openAccount({ account, b2b: true })
        const key = { title: "a key", type: "2", enabled: true } as const
        yield* control.addKey({ account, apiKey: ApiKey.make(apiKey), apiSecret, ...key })
        const venue = yield* Venue.Venue
        const before = venue.journal.sequence()
        yield* Effect.scoped(Effect.gen(function*() {
          yield* SandboxServer.serve({})
          const call = venue.handle(signed(Dialect.document, MainBalance.endpoint.path, {}, Example.alice))
          yield* Effect.forkDetach(call, { startImmediately: true })
          assert.deepStrictEqual([venue.sequence(), venue.journal.sequence()], [before + 1, before])
        }))
        assert.strictEqual(venue.journal.sequence(), before + 1)
      }).pipe(Effect.provide(layer))
    }))

  it.live("in the live dialect, the printed command does not use up the nonces of other programs", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const venue = yield* Venue.Venue
      const { baseUrl } = yield* SandboxServer.serve({})
      const [, command = ""] = /^(body=.*?)\n\n/msu.exec(SandboxServer.instructions(baseUrl, Dialect.live)) ?? []
      const said = yield* Effect.callback<string>((resume) => {
        execFile("bash", ["-c", command], (_failure, out) => resume(Effect.succeed(out)))
      })
      assert.property(JSON.parse(said), "USDT")
      // The last digits of the command's nonce are random, so the nonce may be up to a second ahead.
      const nonce = (yield* Clock.currentTimeMillis) + 1000
      const body = JSON.stringify({ request: MainBalance.endpoint.path, nonce })
      const answer = yield* venue.handle(signedText(MainBalance.endpoint.path, body, Example.alice))
      assert.deepInclude(answer, { status: 200 })
    }).pipe(
      Effect.scoped,
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect: Dialect.live }))))
    ))
})
