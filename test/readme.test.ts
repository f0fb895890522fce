import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import * as Dialect from "../src/protocol/Dialect.ts"
import * as Control from "../src/sandbox/Control.ts"
import * as Example from "../src/sandbox/Example.ts"
import * as Server from "../src/sandbox/Server.ts"
import * as Venue from "../src/sandbox/Venue.ts"
import * as OracleExample from "./readme/oracle.ts"
import * as QuickStart from "./readme/quickstart.ts"
import * as SandboxExample from "./readme/sandbox.ts"

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")

/** The TypeScript that a reader of the README sees. */
const fences = [...read("../README.md").matchAll(/```ts\n(.*?)```/gsu)].map(([, code]) => code)

describe("README", () => {
  it("shows the examples that are run here, and no others", () => {
    assert.deepStrictEqual(fences, [
      read("./readme/quickstart.ts"),
      read("./readme/sandbox.ts"),
      read("./readme/oracle.ts")
    ])
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

  it.live("tests against a fresh exchange as the second example says", () =>
    Effect.gen(function*() {
      assert.strictEqual<string>(yield* SandboxExample.program, "2")
    }))

  it.live("checks a sandbox as the third example says", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* OracleExample.program, 0)
    }))

  it("names the version of the package", () => {
    const { version } = JSON.parse(read("../package.json")) as { readonly version: string }
    assert.include(read("../src/cli/version.ts"), `"${version}"`)
  })
})
