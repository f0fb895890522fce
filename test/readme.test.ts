import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Dialect from "../src/protocol/Dialect.ts"
import * as Control from "../src/sandbox/Control.ts"
import * as Example from "../src/sandbox/Example.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import * as Server from "../src/sandbox/Server.ts"
import * as Venue from "../src/sandbox/Venue.ts"
import * as QuickStart from "./readme/quickstart.ts"
import * as SandboxExample from "./readme/sandbox.ts"

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")

/** The examples in a language that a reader of the README sees. */
const fences = (language: string) =>
  [...read("../README.md").matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gsu"))].map(([, code = ""]) => code)

/** Runs a script against the example's sandbox, as its reader would; gives what it wrote. */
const run = Effect.fnUntraced(function*(command: string, script: string) {
  const controlToken = "the token of the README"
  yield* Example.setUp
  const { baseUrl } = yield* Server.serve({ controlToken })
  return yield* Effect.callback<{ readonly output: string; readonly code: number | null }>((resume) => {
    const child = spawn(command, command === "bash" ? ["-u", "-c", script] : ["-c", script], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, url: baseUrl, token: controlToken }
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
    }
    child.on("close", (code) => resume(Effect.succeed({ output, code })))
    return Effect.sync(() => child.kill())
  })
}, (effect) => Effect.scoped(Effect.provide(effect, Sandbox.layer())))

const mayBeSkipped = process.env["CI"] === undefined

/** A test that needs programs of this machine. Where one is missing it says so and is skipped, but never in CI. */
const itNeeds = (programs: ReadonlyArray<string>, name: string, test: Effect.Effect<unknown, unknown>) =>
  it.live(name, ({ skip }) =>
    Effect.suspend(() => {
      const missing = programs.filter((program) => spawnSync(program, ["--help"]).error !== undefined)
      if (missing.length > 0 && mayBeSkipped)
        skip(`there is no ${missing.join(", no ")} here`)
      return test
    }))

describe("README", () => {
  it("shows the examples that are run here, and no others", () => {
    const shown = ["quickstart.ts", "suite.test.ts", "sandbox.ts"].map((name) => read(`./readme/${name}`))
    assert.deepStrictEqual(fences("ts"), shown)
    assert.deepStrictEqual([fences("bash").length, fences("python").length], [1, 1])
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

  itNeeds(
    ["bash", "curl", "openssl", "base64"],
    "calls and controls the sandbox from a shell",
    Effect.gen(function*() {
      const { code, output } = yield* run("bash", fences("bash")[0] ?? "")
      assert.strictEqual(code, 0, output)
      const lines = output.split("\n")
      assert.match(lines[0] ?? "", /^\{"BTC":\{"main_balance":"0.5"\}/u)
      assert.strictEqual(lines[1], "{}")
      assert.include(lines[2], `"activation_price":"40000"`)
      assert.strictEqual(lines[3], "{}")
      assert.match(lines[4] ?? "", /^\[\{.*"activated":true.*\}\]$/u)
      assert.strictEqual(lines[5], `{"id":1}`)
      assert.match(output, /^curl: .*reset/mu)
      assert.include(output, `"verdict":"failed"`)
      assert.match(output, /event: OrderPlaced\nevent: OrderActivated\nevent: OrderPlaced/u)
    })
  )

  itNeeds(
    ["python3"],
    "calls and controls the sandbox from Python",
    Effect.gen(function*() {
      const { code, output } = yield* run("python3", fences("python")[0] ?? "")
      assert.strictEqual(code, 0, output)
      assert.deepStrictEqual(output.split("\n").slice(0, 1), ["{'main_balance': '3'}"])
      assert.match(output, /Too Many Attempts/u)
    })
  )

  it("names the version of the package", () => {
    const { version } = JSON.parse(read("../package.json")) as { readonly version: string }
    assert.include(read("../src/cli/version.ts"), `"${version}"`)
  })
})
