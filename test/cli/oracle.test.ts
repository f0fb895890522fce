import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { execFile, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { all } from "../oracle/mutants/all.ts"
import * as Mutant from "../oracle/mutants/Mutant.ts"
import { compiled, programOf } from "../support/files.ts"
import { isLong, isSample } from "../support/long.ts"
import * as Support from "../support/oracle.ts"
import { refusingPort } from "../support/server.ts"

// Each command starts a process. Commands whose outcome is also tested without a new process run only in CI.

interface Ended {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Runs the command in a separate process, in this folder. */
const oracle = (folder: string, environment: Readonly<Record<string, string>>, ...given: ReadonlyArray<string>) =>
  Effect.callback<Ended>((resume) => {
    const env = { NO_COLOR: "1", ...compiled, ...environment }
    execFile(process.execPath, [programOf("main"), "oracle", ...given], { cwd: folder, env }, (failure, out, error) => {
      resume(Effect.succeed({ code: typeof failure?.code === "number" ? failure.code : 0, out, error }))
    })
  })

/** Runs the command in a separate process, and sends it a signal as soon as its output contains the given text. */
const stopped = (
  folder: string,
  environment: Readonly<Record<string, string>>,
  signal: NodeJS.Signals,
  at: string,
  given: ReadonlyArray<string>
) =>
  Effect.callback<Ended & { readonly signal: string | null }>((resume) => {
    const env = { NO_COLOR: "1", ...compiled, ...environment }
    const child = spawn(process.execPath, [programOf("main"), "oracle", ...given], { cwd: folder, env })
    let [out, error, isSent] = ["", "", false]
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString()
      if (!isSent && out.includes(at)) isSent = child.kill(signal)
    })
    child.stderr.on("data", (chunk: Buffer) => error += chunk.toString())
    child.on("close", (code, signal) => resume(Effect.succeed({ code: code ?? -1, signal, out, error })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "oracle-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const noTrace = ({ error, out }: Ended) => assert.notMatch(out + error, /\n\s+at .*(?:\.ts|\.js|node:)/u)

const served = Effect.gen(function*() {
  const target = yield* Support.overHttp(Dialect.document)
  const account = yield* Support.account(target)
  const { apiKey, apiSecret } = account
  const environment = {
    TXC_API_SECRET: Redacted.value(apiSecret),
    TXC_CONTROL_TOKEN: target.control === undefined ? "" : Redacted.value(target.control.token)
  }
  const control = ["--profile", "control", "--control-url", target.control?.url ?? ""]
  return { account, target, environment, control, key: Redacted.value(apiKey), secret: Redacted.value(apiSecret) }
})

describe("effect-txc oracle", () => {
  it.live(
    "`oracle` sends only reads by default, and exits with 0 if every checked rule holds",
    () =>
      Effect.gen(function*() {
        const { environment, key, secret, target: { baseUrl } } = yield* served
        const run = ["--url", baseUrl, "--key", key, "--max-rate", "500", "--runs", "1", "--seed", "3"]
        const ended = yield* oracle(yield* folder, environment, ...run, "--only", "auth,ping")
        assert.strictEqual(ended.code, 0, ended.error)
        assert.include(ended.out, "held  ping.response")
        assert.match(
          ended.out,
          /\n[0-9]+ held, 0 broken, [0-9]+ skipped; document dialect, read-only profile, seed 3, suite 4\n$/u
        )
        assert.notInclude(ended.out, secret)
      })
  )

  it.live(
    "`oracle` checks the WebSocket under the base URL, or at the URL that --streams-url gives",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Support.overHttp(Dialect.live)
        const at = yield* folder
        const run = [
          "--url",
          baseUrl,
          "--dialect",
          "live",
          "--public-only",
          "--only",
          "streams.ping,streams.time"
        ]
        const found = yield* oracle(at, {}, ...run)
        assert.strictEqual(found.code, 0, found.out + found.error)
        assert.include(found.out, "held  streams.time")
        const elsewhere = yield* oracle(at, {}, ...run, "--streams-url", `${baseUrl.replace("http", "ws")}/nowhere`)
        assert.strictEqual(elsewhere.code, 1, elsewhere.out + elsewhere.error)
        assert.include(elsewhere.out, "list streams under missing in --features")
        if (!isLong) return
        const wrong = yield* oracle(at, {}, ...run, "--streams-url", `${baseUrl}/ws`)
        assert.strictEqual(wrong.code, 2, wrong.out + wrong.error)
        assert.include(wrong.error, "--streams-url is not the URL of a WebSocket")
      })
  )

  it.live("`oracle` exits with 1 and writes a replay file if a rule is broken", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const mutant = all.find(({ id }) => id === "interest-limit-101") ?? assert.fail()
      const target = yield* Support.overHttp(
        Dialect.document,
        Mutant.layer(mutant, Dialect.document).pipe(Layer.orDie)
      )
      const environment = { TXC_CONTROL_TOKEN: Redacted.value(target.control?.token ?? assert.fail()) }
      const control = ["--url", target.baseUrl, "--control-url", target.control?.url ?? ""]
      const run = [...control, "--profile", "control", "--runs", "3", "--only", "interest.limit.max"]
      if (isLong) {
        const silent = yield* oracle(at, environment, ...run)
        assert.strictEqual(silent.code, 1, silent.out + silent.error)
        assert.deepStrictEqual(readdirSync(at), [], "no files are written by default")
      }
      const written = ["--report", "junit", "--out", "report.xml", "--replays", "replays"]
      const broken = yield* oracle(at, environment, ...run, ...written)
      assert.strictEqual(broken.code, 1, broken.out + broken.error)
      noTrace(broken)
      assert.include(broken.out, "BROKEN  interest.limit.max")
      assert.include(readFileSync(join(at, "report.xml"), "utf8"), "<failure ")
      assert.deepStrictEqual(readdirSync(join(at, "replays")), ["interest.limit.max.json"])
      const file = join(at, "replays", "interest.limit.max.json")
      const again = yield* oracle(at, environment, "replay", file, ...control)
      assert.strictEqual(again.code, 1, again.out + again.error)
      assert.include(again.error, "interest.limit.max is still broken")
      const repaired = yield* served
      const fixed = yield* oracle(
        at,
        repaired.environment,
        "replay",
        file,
        "--url",
        repaired.target.baseUrl,
        "--control-url",
        repaired.target.control?.url ?? ""
      )
      assert.strictEqual(fixed.code, 0, fixed.out + fixed.error)
      assert.include(fixed.out, "interest.limit.max is fixed")
    }))

  it.live(
    "`oracle` exits with 2 and prints the reason in one line if it cannot check any rule",
    () =>
      Effect.gen(function*() {
        const at = yield* folder
        const { environment, key, target: { baseUrl } } = yield* served
        const nowhere = `http://127.0.0.1:${yield* refusingPort}`
        writeFileSync(join(at, "features.json"), JSON.stringify({ endpoints: ["/api/v4/public/pong"] }))
        const cases: ReadonlyArray<readonly [said: string, ...given: ReadonlyArray<string>]> = [
          ["give the URL as http://127.0.0.1", "--url", `${baseUrl}/api/v4`],
          ["Check it with --dialect document", "--url", baseUrl, "--key", key, "--dialect", "live"],
          ["fewer than the required 9", "--url", baseUrl, "--only", "ping", "--min-judged", "9"],
          ["no rule calls /api/v4/public/pong", "--url", baseUrl, "--features", join(at, "features.json")],
          ["ECONNREFUSED", "--url", nowhere],
          ["refuses the key", "--url", baseUrl, "--key", "nobody-has-this-key"],
          ["only 1 rules were evaluated, and 2 need a key", "--url", baseUrl, "--only", "ping,balance"],
          ["--only names pong, which matches no rule", "--url", baseUrl, "--only", "pong"],
          ["The API secret is missing; set TXC_API_SECRET\n", "--url", baseUrl, "--key", "a-key-without-secret"],
          ["no-such-file", "--url", baseUrl, "--known-failing", "no-such-file"]
        ]
        // Only CI runs all cases, because each one starts a process.
        for (const [said, ...given] of isLong ? cases : cases.slice(-2)) {
          const secret = said.includes("TXC_API_SECRET") ? {} : environment
          const ended = yield* oracle(at, secret, ...given)
          noTrace(ended)
          assert.include(ended.error + ended.out, said)
          assert.strictEqual(ended.code, 2, `${given.join(" ")}: ${ended.error}`)
        }
        assert.deepStrictEqual(readdirSync(at), ["features.json"])
      })
  )

  it.live(
    "`oracle` checks only endpoints that the target declares, and ignores rules known to be flaky",
    () =>
      Effect.gen(function*() {
        const at = yield* folder
        const { environment, key, target: { baseUrl } } = yield* served
        writeFileSync(join(at, "features.json"), JSON.stringify({ endpoints: ["/api/v4/public/ping"] }))
        const run = ["--url", baseUrl, "--key", key, "--max-rate", "500", "--runs", "1", "--only", "ping,fees"]
        const declared = yield* oracle(at, environment, ...run, "--features", "features.json")
        assert.strictEqual(declared.code, 0, declared.error)
        assert.match(
          declared.out,
          /\nSKIPPED {2}[0-9]+ the target declares that it does not have \/api\/v4\/main-account\/fee[;\n]/u
        )
        assert.notInclude(declared.out, "skipped  ")
        const pong = all.find(({ id }) => id === "pong-object") ?? assert.fail()
        const mutated = yield* Support.overHttp(
          Dialect.document,
          Mutant.layer(pong, Dialect.document).pipe(Layer.orDie)
        )
        writeFileSync(join(at, "flaky"), "ping # comes and goes\ngeneral.public\n")
        const flaky = ["--url", mutated.baseUrl, "--runs", "1", "--only", "ping,general.public,markets"]
        if (isLong) assert.strictEqual((yield* oracle(at, {}, ...flaky)).code, 1)
        const forgiven = yield* oracle(at, {}, ...flaky, "--known-flaky", "flaky")
        assert.strictEqual(forgiven.code, 0, forgiven.out + forgiven.error)
      })
  )

  const formats = [["json", "--out", "report"], ["text"], ["junit", "--out", "report"]] as const
  for (const [index, signal] of (["SIGTERM", "SIGINT", "SIGHUP"] as const).entries()) {
    // Only long test runs send all signals, and only complete ones combine them with all reports, because each
    // combination starts a process.
    if (!isLong && signal !== "SIGTERM") continue
    it.live(
      `\`oracle\` undoes its changes and writes an incomplete report when it receives ${signal}`,
      () =>
        Effect.gen(function*() {
          const at = yield* folder
          const { account, control, environment, key, target } = yield* served
          const url = ["--url", target.baseUrl, "--runs", "100"]
          const mutating = [...url, "--key", key, "--profile", "mutating", "--max-rate", "500"]
          const reports = isLong && !isSample ? formats : formats.slice(index, index + 1)
          for (const [format, ...out] of reports) {
            const given = [...mutating, "--only", "oco,stop-limit", "--report", format, ...out]
            const ended = yield* stopped(at, environment, signal, "held  ", given)
            assert.deepStrictEqual([ended.code, ended.signal], [2, null], ended.error)
            noTrace(ended)
            const report = out.length === 0 ? ended.out + ended.error : readFileSync(join(at, "report"), "utf8")
            assert.include(report, "the check was interrupted after ")
            assert.include(report, "oco.")
            assert.deepStrictEqual(yield* Support.openOrders(target, account), [])
            if (format === "json") assert.strictEqual((JSON.parse(report) as { readonly exitCode: number }).exitCode, 2)
          }
          const ended = yield* stopped(at, environment, signal, "held  ", [...url, ...control, "--only", "activation"])
          assert.strictEqual(ended.code, 2, ended.error)
          assert.deepStrictEqual(yield* Support.accounts(target), [account.id])
        })
    )
  }

  it.live(
    "`oracle` undoes its changes when the program that reads its output closes the pipe",
    () =>
      Effect.gen(function*() {
        const { account, environment, key, target } = yield* served
        const run = `oracle --url ${target.baseUrl} --key ${key} --profile mutating --max-rate 500 --runs 50 --only oco`
        const command = `${process.execPath} ${programOf("main")} ${run} | head -n 1; exit \${PIPESTATUS[0]}`
        const code = yield* Effect.callback<number>((resume) => {
          const env = { NO_COLOR: "1", ...compiled, ...environment }
          const child = execFile("bash", ["-c", command], { env }, () => resume(Effect.succeed(child.exitCode ?? -1)))
        })
        assert.strictEqual(code, 2)
        assert.deepStrictEqual(yield* Support.openOrders(target, account), [])
      })
  )

  it.live("`oracle rules` prints the rules and their ids", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const table = yield* oracle(at, {}, "rules", "--dialect", "live")
      assert.include(table.out, "stop-limit.response.order_id")
      assert.include(table.out, "live: the key is orderId")
      assert.include(table.out, "open.rate.exceeded")
    }))
})
