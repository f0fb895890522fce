import { assert, describe, it } from "@effect/vitest"
import { displayWidth } from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { fieldsOf } from "../../src/cli/CallList.ts"
import * as FlagSuggestion from "../../src/cli/FlagSuggestion.ts"
import { entries } from "../../src/endpoints/all.ts"
import { run } from "../support/command.ts"
import { moduleUrl, scratchFile } from "../support/files.ts"

describe("effect-txc", () => {
  it.effect("effect-txc without arguments lists its subcommands in the order in which new users need them", () =>
    Effect.gen(function*() {
      const { error, out } = yield* run([])
      const commands = [...out.matchAll(/^ {2}effect-txc (\w+) +\S/gmu)].map(([, command]) => command)
      assert.deepStrictEqual(commands, [
        "tour",
        "sandbox",
        "control",
        "call",
        "watch",
        "sign",
        "openapi",
        "asyncapi",
        "oracle",
        "explore",
        "journal",
        "host"
      ])
      assert.include(out, "Start with effect-txc tour")
      assert.strictEqual(error, "")
    }))

  it.effect("a usage error prints the error and its remedy in two lines on standard error, and nothing on standard output", () =>
    Effect.gen(function*() {
      const order = `{"market":"BTC_USDT","sidee":"buy"}`
      const cases: ReadonlyArray<readonly [said: string, then: string, ...args: ReadonlyArray<string>]> = [
        ["There is no command \"sandbx\"; did you mean sandbox?", "See effect-txc --help", "sandbx"],
        ["There is no command \"help\"; did you mean --help?", "See effect-txc --help", "help"],
        ["There is no flag --dat; did you mean --data?", "See effect-txc sandbox --help", "sandbox", "--dat", "x"],
        // The value of a flag, typed as if it were a flag.
        [
          "There is no flag --junit; did you mean --report junit --out x.xml?",
          "See effect-txc oracle --help",
          "oracle",
          "--junit",
          "x.xml"
        ],
        ["no flag --junit-xml; did you mean --report junit?", "See effect-txc oracle", "oracle", "--junit-xml=x.xml"],
        ["no flag --json; did you mean --report json?", "See effect-txc oracle --help", "oracle", "--json"],
        ["no flag --live; did you mean --dialect live?", "See effect-txc sandbox --help", "sandbox", "--live"],
        ["no flag --mutating; did you mean --profile mutating?", "See effect-txc oracle", "oracle", "--mutating"],
        // Flags and a command that other tools have.
        ["no flag --base-url; did you mean --url?", "See effect-txc oracle --help", "oracle", "--base-url", "http://x"],
        ["no flag -o; did you mean --out?", "See effect-txc oracle --help", "oracle", "-o", "x.xml"],
        ["no flag --in-memory; did you mean --memory?", "See effect-txc sandbox --help", "sandbox", "--in-memory"],
        ["no command \"serve\"; did you mean sandbox?", "See effect-txc --help", "serve"],
        [
          "--dialect cannot be \"liv\"; did you mean live?",
          "See effect-txc sandbox --help",
          "sandbox",
          "--dialect",
          "liv"
        ],
        ["--port cannot be \"x\": expected a", "See effect-txc sandbox --help", "sandbox", "--port", "x"],
        [
          "<call> cannot be \"limitorder\"; did you mean LimitOrders.create?",
          "See effect-txc call --help",
          "call",
          "limitorder"
        ],
        [
          "<call> cannot be \"Markets.get\"; did you mean Markets.all?",
          "See effect-txc call --help",
          "call",
          "Markets.get"
        ],
        ["The argument <call> is missing", "See effect-txc call --help", "call"],
        [
          "The argument <request> is not JSON: ",
          "Write it as in: effect-txc call ServerStatus.ping",
          "call",
          "ServerStatus.ping",
          "{"
        ],
        [
          "has no field sidee; did you mean side?",
          "Its fields are market, side, amount",
          "call",
          "LimitOrders.create",
          order
        ]
      ]
      for (const [said, then, ...args] of cases) {
        const { error, failed, out } = yield* run(args)
        const [first = "", second = "", ...others] = (error === "" ? failed?.said ?? "" : error).split("\n")
        assert.include(first, said)
        assert.include(second, then)
        assert.deepStrictEqual([out, others], ["", []])
      }
    }))

  it.effect("every flag that a suggestion names belongs to some command", () =>
    Effect.gen(function*() {
      const helps = yield* Effect.forEach(["sandbox", "oracle", "call"], (command) => run([command, "--help"]))
      for (const flag of Object.keys(FlagSuggestion.synonyms))
        assert.isTrue(helps.some(({ out }) => new RegExp(` --${flag}\\b`, "u").test(out)), flag)
    }))

  it.effect("the help for call lists every call once, with all its fields", () =>
    Effect.gen(function*() {
      const { out } = yield* run(["call", "--help"])
      const lines = out.slice(out.indexOf("CALLS")).split("\n")
      for (const { endpoint } of entries) {
        const found = lines.filter((line) => line.trim().split(" ")[0] === endpoint.name)
        assert.strictEqual(found.length, 1, endpoint.name)
        const [, ...words] = found[0]?.trim().split(/ +/u) ?? []
        const fields = words.filter((word) => !["!", "-"].includes(word)).map((word) => word.replaceAll(/[[\]*]/gu, ""))
        assert.sameMembers(fields, [...fieldsOf(endpoint)])
        assert.strictEqual(words.includes("!"), endpoint.mutates, endpoint.name)
      }
    }))

  it.effect("the help explains the exit codes and fits the terminal's width", () =>
    Effect.gen(function*() {
      const { out } = yield* run(["--help"], { person: { columns: 70, canColor: true } })
      for (const code of ["0", "1", "2", "130"]) assert.match(out, new RegExp(`\n  ${code} +[A-Z]`, "u"))
      assert.include(out, "\u001B[")
      // The column of flag names is never wrapped.
      for (const line of out.split("\n"))
        assert.isTrue(displayWidth(line) <= 70 || line.trim().startsWith("\u001B[32m--"), line)
      assert.notInclude((yield* run(["--help"], { person: { columns: 70 } })).out, "\u001B")
    }))

  it.effect("shell completions include the calls", () =>
    Effect.gen(function*() {
      for (const shell of ["bash", "zsh", "fish"]) {
        assert.include((yield* run(["--completions", shell])).out, "LimitOrders.create")
      }
    }))

  it.effect("the published command runs no code from the shared temporary folder and leaves no code there", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      const shared = join(folder, "shared")
      mkdirSync(shared)
      copyFileSync(fileURLToPath(moduleUrl("cli/bin.cjs")), join(folder, "bin.cjs"))
      writeFileSync(join(folder, "main.js"), `console.log("ran")`)
      const { NODE_COMPILE_CACHE: _cache, ...environment } = process.env
      const { stdout } = spawnSync(process.execPath, [join(folder, "bin.cjs")], {
        encoding: "utf8",
        env: { ...environment, TMPDIR: shared }
      })
      assert.deepStrictEqual([stdout, readdirSync(shared)], ["ran\n", []])
    }))

  it.effect("on an old Node version, the command prints how to install a newer one", () =>
    Effect.gen(function*() {
      const old = `${yield* scratchFile}.cjs`
      writeFileSync(old, `Object.defineProperty(process.versions, "node", { value: "20.19.0" })`)
      const bin = fileURLToPath(moduleUrl("cli/bin.cjs"))
      const { status, stderr, stdout } = spawnSync(process.execPath, ["--require", old, bin, "tour"], {
        encoding: "utf8"
      })
      assert.deepStrictEqual([status, stdout], [2, ""])
      assert.match(
        stderr,
        /^effect-txc needs Node 22\.19 .* this is Node 20\.19\.0 .*\nRun .*: npx -y node@24 .*bin\.cjs \.\.\.\n$/u
      )
    }))
})
