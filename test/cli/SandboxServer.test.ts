import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SandboxServer from "../../src/cli/SandboxServer.ts"
import { ApiKey } from "../../src/domain/Identifiers.ts"
import * as MainBalance from "../../src/endpoints/MainBalance.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import * as Example from "../../src/sandbox/Example.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { scratchFile } from "../support/files.ts"
import { signed } from "../support/signed.ts"

describe("SandboxServer", () => {
  it.live("calls in progress are journalled before the journal closes", () =>
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
})
