import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { dirname, join } from "node:path"
import * as Decimal from "../src/domain/Decimal.ts"
import { marketName } from "../src/domain/Identifiers.ts"
import * as LimitOrders from "../src/endpoints/LimitOrders.ts"
import { MainBalance } from "../src/endpoints/MainBalance.ts"
import * as Exchange from "../src/Exchange.ts"
import { Explore } from "../src/explore/index.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import * as Errors from "../src/protocol/Errors.ts"
import * as Control from "../src/sandbox/control/Control.ts"
import * as Example from "../src/sandbox/Example.ts"
import * as Faults from "../src/sandbox/gateway/Faults.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import * as Server from "../src/sandbox/server/Server.ts"
import * as Venue from "../src/sandbox/venue/Venue.ts"
import * as AccountsExample from "./readme/accounts.ts"
import * as DecimalsExample from "./readme/decimals.ts"
import * as BotExample from "./readme/exploreBot.ts"
import * as InvariantsExample from "./readme/exploreInvariants.ts"
import * as Fleet from "./readme/fleet.ts"
import * as HostExample from "./readme/host.ts"
import * as Limits from "./readme/limits.ts"
import * as OracleExample from "./readme/oracle.ts"
import * as OracleStreamsExample from "./readme/oracleStreams.ts"
import * as QuickStart from "./readme/quickstart.ts"
import * as RiskExample from "./readme/risk.ts"
import * as SandboxExample from "./readme/sandbox.ts"
import * as TelemetryExample from "./readme/telemetry.ts"
import { exchange, inProcess } from "./support/exchange.ts"
import { scratchFile } from "./support/files.ts"
import { logsInto } from "./support/logs.ts"
import * as Project from "./support/project.ts"
import { itWithRedis, redisServer } from "./support/redis.ts"

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")

/** Starts a local telemetry collector. Records the requests that it receives. */
const collector = Effect.gen(function*() {
  const received: Array<{ readonly path: string; readonly body: string }> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => {
      body += chunk
    })
    request.on("end", () => {
      received.push({ path: request.url ?? "", body })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  const address = server.address()
  return { received, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` }
})

/** Returns the page's code blocks in the given language. */
const fences = (page: string, language: string) =>
  [...read(`../${page}`).matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gsu"))].map(([, code = ""]) => code)

/** Runs a script against a sandbox with the example's accounts. Returns the script's output and exit code. */
const run = Effect.fnUntraced(function*(command: string, script: string) {
  const controlToken = "the token of the page"
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

/** Defines a test that needs programs installed on this machine. The test is skipped if a program is missing. */
const itNeeds = (programs: ReadonlyArray<string>, name: string, test: Effect.Effect<unknown, unknown>) =>
  it.live(name, ({ skip }) =>
    Effect.suspend(() => {
      const missing = programs.filter((program) => spawnSync(program, ["--help"]).error !== undefined)
      if (missing.length > 0)
        skip(`not installed: ${missing.join(", ")}`)
      return test
    }))

describe("the examples on the pages", () => {
  const environment = (baseUrl: string, dialect = Dialect.document) =>
    ConfigProvider.layer(ConfigProvider.fromUnknown({
      TXC_BASE_URL: baseUrl,
      TXC_DIALECT: dialect.name,
      TXC_API_KEY: Example.alice.apiKey,
      TXC_API_SECRET: Example.alice.apiSecret
    }))

  it("the page about errors has one row for each error tag", () => {
    const tags = Object.entries(Errors).flatMap(([name, value]) =>
      typeof value === "function" && value.prototype instanceof Error ? [name] : []
    )
    const rows = [...read("../src/client/docs/errors.md").matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gmu)].map(([, tag]) =>
      tag?.replaceAll("`", "")
    )
    assert.isAbove(tags.length, 10)
    for (const tag of tags) assert.strictEqual(rows.filter((row) => row === tag).length, 1, tag)
  })

  it.live("the host example creates a venue and reads a balance on it", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* HostExample.program, "0.5")
    }))

  it.live("the README example places an order", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve()
      const order = yield* QuickStart.program.pipe(Effect.provide(environment(baseUrl)))
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

  it.live("the examples on the pages 'Getting started' and 'Without Effect' run as separate programs", () =>
    Effect.gen(function*() {
      const folder = yield* Project.make({
        "first.ts": read("./readme/first.ts"),
        "promises.ts": read("./readme/promises.ts")
      })
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve()
      const [settings = ""] = fences("src/client/docs/getting-started.md", "sh").slice(-1)
      const script = settings.replace("http://127.0.0.1:8080", baseUrl)
      const [first, promises] = yield* Effect.forEach(
        [script, script.replace("first.ts", "promises.ts")],
        (text) => Project.run(folder, ["bash", "-eu", "-c", text]),
        { concurrency: 2 }
      )
      assert.match(first?.output ?? "", /BTC 0\.5\n/u)
      assert.match(promises?.output ?? "", /^BTC 0\.5\nplaced \d+\nopen buy 0\.001 at 30000\n$/u)
    }).pipe(
      Effect.scoped,
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect: Dialect.document }))))
    ))

  it.live("the programs on the pages 'Where it runs' and 'A day over HTTP' run against a sandbox in a separate process", () =>
    Effect.gen(function*() {
      const [required = ""] = fences("src/client/docs/runtimes.md", "js")
      const folder = yield* Project.make({
        "required.cjs": required,
        "dayOverHttp.ts": read("./readme/dayOverHttp.ts"),
        "runDay.ts": read("./readme/runDay.ts")
      })
      const [settings = ""] = fences("src/client/docs/getting-started.md", "sh").slice(-1)
      const [start = ""] = fences("src/sandbox/docs/day-over-http.md", "sh")
      const script = [
        // Starts the command itself, because `npx` would not forward the signal that stops it.
        start.replace("npx effect-txc sandbox", "node_modules/.bin/effect-txc sandbox --port 0"),
        "trap 'kill $!' EXIT",
        "until test -s sandbox.json; do sleep 0.1; done",
        settings.replace("http://127.0.0.1:8080", `$(sed -E '1!d; s/.*"url":"([^"]+)".*/\\1/' sandbox.json)`)
          .replace("first.ts", "required.cjs"),
        "node runDay.ts"
      ].join("\n")
      const { ended, output } = yield* Project.run(folder, ["bash", "-eu", "-c", script])
      assert.strictEqual(ended, 0, output)
      assert.include(output, "'BTC' => '0.5'")
      assert.match(output, /\n6 fills in a day that took \d+ ms\n/u)
    }).pipe(Effect.scoped))

  it.effect("the decimals example buys the amount that a user enters, and rejects invalid text", () =>
    Effect.gen(function*() {
      assert.strictEqual<string>((yield* DecimalsExample.buy("0.10", "100")).amount, "0.10")
      for (const text of ["1e5", "0", "a lot"]) {
        assert.strictEqual((yield* Effect.flip(DecimalsExample.buy(text, "100")))._tag, "SchemaError")
      }
    }).pipe(Effect.provide(exchange(inProcess(Dialect.document)))))

  it.live("the unknown-outcomes example decides how to proceed after the response to an order was lost", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve()
      const control = yield* Control.Control
      const client = Exchange.layerConfig.pipe(
        Layer.provide([FetchHttpClient.layer, environment(baseUrl)])
      )
      const order = {
        market: marketName("BTC_USDT"),
        side: "buy",
        amount: Decimal.amount("0.1"),
        price: Decimal.price("100")
      } as const
      const decisions: Array<string> = []
      for (const symptom of [undefined, Faults.answerLost, Faults.reset]) {
        if (symptom !== undefined) yield* control.addFault({ path: LimitOrders.endpoint.path, symptom })
        decisions.push(yield* RiskExample.place(order).pipe(Effect.provide(client)))
      }
      // If the request itself was lost, nothing in the document's dialect proves that the order was not placed.
      assert.deepStrictEqual(decisions, ["placed", "placed", "ask a human"])
      assert.strictEqual((yield* control.openOrders("alice")).length, 2)
    }).pipe(
      Effect.scoped,
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect: Dialect.document }))))
    ))

  it.live("the credentials example makes calls for two accounts in one program", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve()
      const folder = dirname(yield* scratchFile)
      for (const [name, { apiKey, apiSecret }] of [["maker", Example.alice], ["hedger", Example.bob]] as const) {
        const path = join(folder, `${name}.env`)
        writeFileSync(path, `TXC_API_KEY=${apiKey}\nTXC_API_SECRET=${apiSecret}\n`)
        chmodSync(path, 0o600)
      }
      const accounts = AccountsExample.accounts({ baseUrl, dialect: Dialect.document }, folder)
      const [maker, hedger] = yield* AccountsExample.program.pipe(
        Effect.provide(Layer.provide(accounts, [FetchHttpClient.layer, NodeFileSystem.layer]))
      )
      assert.notDeepEqual([...maker], [...hedger])
    }).pipe(
      Effect.scoped,
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect: Dialect.document }))))
    ))

  it.live("the observability example sends the documented names and no secrets to a collector", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve()
      const { received, url } = yield* collector
      yield* TelemetryExample.program(url).pipe(Effect.provide(environment(baseUrl)))
      assert.sameMembers([...new Set(received.map(({ path }) => path))], ["/v1/traces", "/v1/metrics"])
      const all = received.map(({ body }) => body).join("\n")
      for (const word of ["MainBalance.all", "txc.outcome", "txc_calls", "txc_call_latency", "my-risk-system"]) {
        assert.include(all, word)
      }
      assert.notInclude(all, Example.alice.apiKey)
      assert.notInclude(all, Example.alice.apiSecret)
    }).pipe(
      Effect.scoped,
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect: Dialect.document }))))
    ))

  itWithRedis("the fleets example shares one key between several programs", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve()
      const redis = yield* redisServer
      const one = Layer.fresh(Fleet.oneOfMany(`redis://127.0.0.1:${redis.port}`)).pipe(
        Layer.provide(environment(baseUrl, Dialect.live))
      )
      const program = Effect.forEach(Array.from({ length: 20 }), () => MainBalance.use(({ all }) => all), {
        concurrency: "unbounded"
      })
      yield* Effect.forEach([1, 2, 3], () => Effect.provide(program, one), { concurrency: "unbounded" })
      // The program must exit even if Redis is down.
      yield* Effect.andThen(program, Effect.delay(redis.stop, 100)).pipe(
        Effect.andThen(Effect.sleep("3 seconds")),
        Effect.provide(one)
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect: Dialect.live }))))
    ))

  it.effect("the rate-limits example reports a rate limit instead of waiting", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      yield* Effect.forEach(Array.from({ length: 251 }), () => Limits.balanceNow, { concurrency: "unbounded" }).pipe(
        Effect.provide(logsInto(lines))
      )
      assert.strictEqual(lines.length, 1)
      assert.include(lines[0], "again in")
    }).pipe(Effect.provide(exchange(inProcess(Dialect.document)))))

  it.live("the in-process testing example reads data from a new exchange", () =>
    Effect.gen(function*() {
      assert.strictEqual<string>(yield* SandboxExample.program, "2")
    }))

  it.live("the oracle examples find no broken rule in a sandbox", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* OracleExample.program, 0)
      assert.strictEqual(yield* OracleStreamsExample.program, 0)
    }))

  itNeeds(
    ["bash", "curl", "openssl", "base64"],
    "the shell example calls and controls a sandbox",
    Effect.gen(function*() {
      const { code, output } = yield* run("bash", fences("src/sandbox/docs/from-other-tools.md", "bash")[0] ?? "")
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

  it.effect("Explore finds the bug in the bot example within 100 histories, and nothing in the bidder example", () =>
    Effect.gen(function*() {
      const found = yield* Explore.explore(BotExample.saver, { runs: 100, shrinks: 0 })
      assert.strictEqual(found.counterexample?.invariant, "no order is placed twice")
      const { counterexample, invalid, verdict } = yield* Explore.explore(InvariantsExample.bidder, { runs: 20 })
      assert.strictEqual(verdict, "held", invalid ?? counterexample?.words.join("\n"))
    }))

  itNeeds(
    ["python3"],
    "the Python example calls and controls a sandbox",
    Effect.gen(function*() {
      const { code, output } = yield* run(
        "python3",
        fences("src/sandbox/docs/from-other-tools.md", "python").at(-1) ?? ""
      )
      assert.strictEqual(code, 0, output)
      assert.deepStrictEqual(output.split("\n").slice(0, 1), ["{'main_balance': '3'}"])
      assert.match(output, /Too Many Attempts/u)
    })
  )

  it("the package contains the images of its README", () => {
    const { files } = JSON.parse(read("../package.json")) as { readonly files: ReadonlyArray<string> }
    const images = [...read("../README.md").matchAll(/!\[[^\]]*\]\(([^)]+)\)/gu)].map(([, image = ""]) => image)
    assert.isAbove(images.length, 1)
    for (const image of images) assert.include(files, image)
  })

  it("the command and the Getting started page show the package's version", () => {
    const { version } = JSON.parse(read("../package.json")) as { readonly version: string }
    assert.include(read("../src/cli/version.ts"), `"${version}"`)
    assert.include(read("../src/client/docs/getting-started.md"), `effect-txc-${version}.tgz`)
  })
})
