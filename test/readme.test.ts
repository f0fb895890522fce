import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { MainBalance } from "../src/endpoints/MainBalance.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import * as Control from "../src/sandbox/Control.ts"
import * as Example from "../src/sandbox/Example.ts"
import * as Server from "../src/sandbox/Server.ts"
import * as Venue from "../src/sandbox/Venue.ts"
import * as Fleet from "./readme/fleet.ts"
import * as Limits from "./readme/limits.ts"
import * as QuickStart from "./readme/quickstart.ts"
import * as SandboxExample from "./readme/sandbox.ts"
import { exchange, inProcess } from "./support/exchange.ts"
import { logsInto } from "./support/logs.ts"
import { itWithRedis, redisServer } from "./support/redis.ts"

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")

/** The TypeScript that a reader of the README sees. */
const fences = [...read("../README.md").matchAll(/```ts\n(.*?)```/gsu)].map(([, code]) => code)

describe("README", () => {
  it("shows the examples that are run here, and no others", () => {
    const examples = ["quickstart", "fleet", "limits", "sandbox"]
    assert.deepStrictEqual(fences, examples.map((name) => read(`./readme/${name}.ts`)))
  })

  it.live("places an order as the first example says", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve()
      const environment = ConfigProvider.layer(ConfigProvider.fromUnknown({
        TXC_BASE_URL: baseUrl,
        TXC_DIALECT: "document",
        TXC_API_KEY: Example.alice.apiKey,
        TXC_API_SECRET: Example.alice.apiSecret
      }))
      const order = yield* QuickStart.program.pipe(Effect.provide(environment))
      assert.strictEqual(order?.clientOrderIdEcho, "echoed")
      const control = yield* Control.Control
      assert.deepStrictEqual(
        (yield* control.openOrders("alice")).map(({ clientOrderId }) => String(clientOrderId)),
        ["my-order-1"]
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect: Dialect.document }))))
    ))

  itWithRedis("shares a key among programs as the second example says", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve()
      const redis = yield* redisServer
      const credentials = {
        apiKey: Redacted.make(Example.alice.apiKey),
        apiSecret: Redacted.make(Example.alice.apiSecret)
      }
      const program = Effect.forEach(Array.from({ length: 20 }), () => MainBalance.use(({ all }) => all), {
        concurrency: "unbounded"
      }).pipe(
        Effect.provide(
          Layer.fresh(
            Fleet.oneOfMany({ baseUrl, dialect: Dialect.live, credentials }, `redis://127.0.0.1:${redis.port}`)
          )
        )
      )
      yield* Effect.all([program, program, program], { concurrency: "unbounded" })
    }).pipe(Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect: Dialect.live }))))))

  it.effect("does not wait for the rate limit as the third example says", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      yield* Effect.forEach(Array.from({ length: 251 }), () => Limits.balanceNow, { concurrency: "unbounded" }).pipe(
        Effect.provide(logsInto(lines))
      )
      assert.strictEqual(lines.length, 1)
      assert.include(lines[0], "again in")
    }).pipe(Effect.provide(exchange(inProcess(Dialect.document)))))

  it.live("tests against a fresh exchange as the last example says", () =>
    Effect.gen(function*() {
      assert.strictEqual<string>(yield* SandboxExample.program, "2")
    }))

  it("names the version of the package", () => {
    const { version } = JSON.parse(read("../package.json")) as { readonly version: string }
    assert.include(read("../src/cli/version.ts"), `"${version}"`)
  })
})
