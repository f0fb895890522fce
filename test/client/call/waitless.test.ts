import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Tracer from "effect/Tracer"
import * as Call from "../../../src/client/call/Call.ts"
import * as Credentials from "../../../src/client/Credentials.ts"
import * as MarketRules from "../../../src/client/MarketRules.ts"
import * as Nonce from "../../../src/client/Nonce.ts"
import * as RateLimits from "../../../src/client/RateLimits.ts"
import * as Region from "../../../src/client/Region.ts"
import * as Signer from "../../../src/client/Signer.ts"
import * as Transport from "../../../src/client/transport/Transport.ts"
import { MainBalance } from "../../../src/endpoints/MainBalance.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { alice, credentialsOf } from "../../support/exchange.ts"

/** The traces of a call: the number of fibers that it started, and its span. */
interface Made {
  fibers: number
  span: string | undefined
}

/** A client whose exchange responds immediately. Records each call's span in `made`. */
const client = (made: Made, signer: typeof Signer.layerNode) =>
  MainBalance.layer.pipe(
    Layer.provide(Call.layer),
    Layer.provide([
      Layer.succeed(Transport.Transport, {
        send: () =>
          Effect.withFiber(({ cache: { span } }) => {
            made.span = span?._tag === "Span" ? span.name : undefined
            return Effect.succeed({ status: 200, headers: {}, text: "{}" })
          })
      }),
      signer,
      Nonce.layerWindow,
      RateLimits.layerMemory,
      MarketRules.layerNone
    ]),
    Layer.provide([
      Credentials.layer(credentialsOf(alice)),
      Region.layer({ baseUrl: "https://exchange.invalid", dialect: Dialect.document })
    ])
  )

/** Makes a call synchronously, and returns what was recorded. Fails if the call waits for anything. */
const madeBy = Effect.fnUntraced(function*(
  signer: typeof Signer.layerNode = Signer.layerNode,
  around: (call: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown> = (call) => call
) {
  const made: Made = { fibers: 0, span: undefined }
  const { all } = Context.get(yield* Layer.build(client(made, signer)), MainBalance)
  const counted = Context.make(Metric.FiberRuntimeMetrics, {
    recordFiberStart: () => {
      made.fibers++
    },
    recordFiberEnd: () => {}
  })
  Effect.runSyncWith(counted)(around(all))
  return made
})

const suspended = Layer.effect(
  Signer.Signer,
  Effect.map(Signer.Signer, (signer) => ({ ...signer, sign: (payload) => Effect.suspend(() => signer.sign(payload)) }))
).pipe(Layer.provide(Signer.layerNode))

describe("a call whose services all return immediately", () => {
  it.effect("a call whose services all return immediately starts no additional fiber", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* madeBy()).fibers, 1)
      // A signer that may wait gets a time limit, and the limit's timer needs a separate fiber.
      assert.isAbove((yield* madeBy(suspended)).fibers, 1)
    }))

  it.effect("a call has a span only if there is a tracer or an enclosing span", () =>
    Effect.gen(function*() {
      const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
      const traced = yield* madeBy(Signer.layerNode, Effect.provideService(Tracer.Tracer, tracer))
      const within = yield* madeBy(Signer.layerNode, Effect.withSpan("mine"))
      assert.strictEqual((yield* madeBy()).span, undefined)
      assert.strictEqual(traced.span, "MainBalance.all")
      assert.strictEqual(within.span, "MainBalance.all")
    }))
})
