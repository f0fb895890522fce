import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { run } from "../support/command.ts"
import { unplain } from "../support/plain.ts"

/** An invalid value for every flag except those that accept any string. */
const wrong = "/proc/no such"

const commands = ["sandbox", "call", "sign", "openapi", "asyncapi", "oracle", "oracle replay", "journal", "host"]
  .concat(["status", "drain", "export", "import", "check"].map((name) => `host ${name}`))

/** The arguments that a command requires before it checks its flags. */
const needed: Readonly<Record<string, ReadonlyArray<string>>> = {
  call: ["MainBalance.all"],
  sign: ["{}"],
  sandbox: ["--memory"],
  host: ["--memory"],
  oracle: ["--url", "http://127.0.0.1:9"],
  "oracle replay": ["package.json"],
  "host drain": ["node"],
  "host export": ["venue"],
  "host check": ["venue"]
}

/** Flags that reject only an empty string, and flags that accept an empty list. */
const onlyEmpty = new Set(["--key", "--node-host"])
const neverEmpty = new Set(["--only", "--skip"])

const settings = { TXC_API_KEY: "my-key", TXC_API_SECRET: "my-secret", TXC_HOST_TOKEN: "token" }

/** Runs a command that must be refused, and returns its output. If a server starts by mistake, it is stopped. */
const said = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = settings) =>
  Effect.map(
    Effect.timeoutOption(run(args, { environment }), "10 seconds"),
    Option.match({
      onNone: () => assert.fail(`${args.join(" ")} was accepted`),
      onSome: ({ error, failed }) => `${error}${failed?.said ?? ""}`
    })
  )

describe("invalid values of flags and variables", () => {
  for (const command of commands) {
    it.live(`${command} explains in plain English what is wrong with each flag's value`, () =>
      Effect.gen(function*() {
        const words = command.split(" ")
        const { out } = yield* run([...words, "--help"])
        const flags = [...out.matchAll(/^ +(?:-\w, )?(--[a-z-]+)[ =](?!\s)\S+/gmu)].map(([, flag = ""]) => flag)
        for (const flag of new Set(flags)) {
          for (const value of onlyEmpty.has(flag) ? [""] : neverEmpty.has(flag) ? [wrong] : [wrong, ""]) {
            const message = yield* said([...words, ...needed[command] ?? [], flag, value])
            assert.notMatch(message, unplain, `${command} ${flag}`)
            assert.notStrictEqual(message, "", `${command} ${flag}`)
          }
        }
      }))
  }

  it.live("an invalid variable is refused with a message in plain English that names the variable", () =>
    Effect.gen(function*() {
      const sources = globSync("../../src/{client,cli}/*.ts", { cwd: fileURLToPath(new URL(".", import.meta.url)) })
        .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
      const variables = sources.flatMap((text) => [...text.matchAll(/"(TXC_[A-Z_]+)"/gu)].map(([, name = ""]) => name))
      const cases: Readonly<Record<string, ReadonlyArray<string>>> = {
        TXC_REGION: ["call", "MainBalance.all"],
        TXC_BASE_URL: ["call", "MainBalance.all"],
        TXC_DIALECT: ["call", "MainBalance.all"],
        TXC_ALLOW_INSECURE: ["call", "MainBalance.all"],
        TXC_API_KEY: ["call", "MainBalance.all"],
        TXC_API_SECRET: ["call", "MainBalance.all"],
        TXC_CLUSTER_URL: ["host", "status"],
        TXC_CONTROL_TOKEN: [
          "oracle",
          "--url",
          "http://127.0.0.1:9",
          "--profile",
          "control",
          "--control-url",
          "http://127.0.0.1:9"
        ],
        TXC_HOST_TOKEN: ["host", "status", "--url", "http://127.0.0.1:9"]
      }
      assert.sameMembers([...new Set(variables)], Object.keys(cases))
      const place = { TXC_BASE_URL: "http://127.0.0.1:9", TXC_DIALECT: "document", ...settings }
      for (const [name, args] of Object.entries(cases)) {
        // Any text is a valid token.
        for (const value of name.endsWith("_TOKEN") ? [""] : ["", wrong]) {
          const environment = { ...place, ...(name === "TXC_REGION" ? { TXC_BASE_URL: "" } : {}), [name]: value }
          const message = yield* said(args, environment)
          assert.notMatch(message, unplain, name)
          assert.match(message, /TXC_|^The (?:API|base URL|cluster|host)|^No cluster|ECONNREFUSED/u, name)
        }
      }
    }))
})
