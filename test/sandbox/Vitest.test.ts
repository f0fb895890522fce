import { assert, describe, it } from "@effect/vitest"
import { globalSetup, type Provided } from "effect-txc/sandbox/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import * as ControlClient from "../../src/sandbox/control/ControlClient.ts"
import { ControlRefused } from "../../src/sandbox/venue/ControlRefused.ts"
import { until } from "../support/clock.ts"
import { closedPort, listens } from "../support/server.ts"

const refused = Effect.fail(
  new ControlRefused({ action: "Fund", fields: { account: "known" }, message: "Fund was refused" })
)

/** The control plane of a sandbox that `globalSetup` provides. */
const control = ({ controlToken, url }: Provided) =>
  ControlClient.layer({ url, token: Redacted.make(controlToken) }).pipe(Layer.provide(FetchHttpClient.layer))

describe("the globalSetup for Vitest", () => {
  it.live("`globalSetup` provides one sandbox for the entire run, and a reset restores its initial state", () =>
    Effect.gen(function*() {
      const given: Array<Provided> = []
      const openCarol = Control.Control.use(({ openAccount }) => openAccount({ account: "carol", b2b: false }))
      const setUp = globalSetup({ dialect: Dialect.live, setUp: openCarol })
      const stop = yield* Effect.promise(() => setUp({ provide: (_key, value) => void given.push(value) }))
      const [sandbox] = given
      if (sandbox === undefined) return assert.fail("nothing was provided")
      assert.strictEqual(sandbox.dialect, "live")
      yield* Effect.gen(function*() {
        const client = yield* ControlClient.ControlClient
        for (let times = 0; times < 2; times++) {
          assert.deepInclude(yield* client.status(), { dialect: "live", beginning: 2 })
          assert.deepStrictEqual((yield* client.accounts()).map(({ account }) => account), ["carol"])
          yield* client.reset({ payload: {} })
        }
      }).pipe(Effect.provide(control(sandbox)))
      assert.isTrue(yield* listens(sandbox.url))
      yield* Effect.promise(stop)
      // Another server may have taken the port.
      yield* until(Effect.map(listens(sandbox.url), (listening) => !listening))
    }))

  it.live("`globalSetup` fails when `setUp` fails, and frees its port", () =>
    Effect.gen(function*() {
      const port = yield* closedPort
      const start = (setUp: Effect.Effect<void, ControlRefused>) =>
        Effect.tryPromise(() => globalSetup({ port, setUp })({ provide: () => undefined }))
      yield* Effect.flip(start(refused))
      const stop = yield* start(Effect.void)
      yield* Effect.flip(start(Effect.void))
      yield* Effect.promise(stop)
      yield* Effect.flatMap(start(Effect.void), Effect.promise)
    }))
})
