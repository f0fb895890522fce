import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { execFile } from "node:child_process"
import * as Curl from "../../src/protocol/Curl.ts"
import { alice } from "../support/exchange.ts"
import { property } from "../support/property.ts"
import { serving } from "../support/server.ts"
import { signedHeaders } from "../support/signed.ts"

/** The output of a shell that runs the lines. */
const run = (lines: string, shell = "sh", env: Readonly<Record<string, string>> = {}) =>
  Effect.callback<string>((resume) => {
    execFile(shell, ["-c", lines], { env: { ...process.env, ...env } }, (failure, out, error) => {
      resume(Effect.succeed(failure === null ? out : `${failure.message} ${error}`))
    })
  })

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."'\"$`\\!*~{}; \nané") }),
  fc.string({ unit: "grapheme" })
).map((text) => text.replaceAll("\0", ""))

describe("Curl", () => {
  property(
    "the shell reads a quoted word as the same text",
    [text],
    (text) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* run(`printf %s ${Curl.word(text)}`), text)
      }),
    { runs: 100, short: 20 }
  )

  property(
    "a body with a new nonce is otherwise unchanged",
    [text, fc.nat(), fc.constantFrom("", "\""), text],
    (before, nonce, mark, after) =>
      Effect.gen(function*() {
        const body = (nonce: string) =>
          `{${JSON.stringify(before)}:1,"nonce":${mark}${nonce}${mark},${JSON.stringify(after)}:1}`
        const word = Curl.renewed(body(nonce.toString()), "$(printf %05d $((3 + 4)))")
        assert.strictEqual(yield* run(`body=${word}; printf %s "$body"`), body("00007"))
      }),
    { runs: 50, short: 10 }
  )

  it("a body without a nonce is unchanged", () => {
    assert.strictEqual(Curl.renewed(`{"nonce":null}`, "$nonce"), `'{"nonce":null}'`)
  })

  for (const shell of ["bash", "sh"]) {
    for (const keys of [alice, undefined]) {
      it.live(`a script in ${shell} sends what it signs with ${keys === undefined ? "the environment's" : "its own"} keys`, () =>
        Effect.gen(function*() {
          const { baseUrl, received } = yield* serving((response) => response.end("{}"))
          const url = `${baseUrl}/api/v4/order/new?it's=$HOME`
          const body = `{"request":"/api/v4/order/new","remark":"it's $HOME \\\\ \\"mine\\"","nonce":"0"}`
          const script = Curl.script({ method: "POST", url, body, ...(keys === undefined ? {} : { keys }) })
          assert.strictEqual(script.includes(alice.apiSecret), keys !== undefined)
          const env = { TXC_API_KEY: alice.apiKey, TXC_API_SECRET: alice.apiSecret }
          for (let sent = 0; sent < 2; sent++) {
            assert.strictEqual(yield* run(script, shell, keys === undefined ? env : {}), "{}")
          }
          const nonces = received.map(({ body: bytes, headers, method, path }) => {
            assert.deepStrictEqual([method, path], ["POST", "/api/v4/order/new?it's=$HOME"])
            assert.deepInclude(headers, signedHeaders(alice, bytes))
            const nonce = Curl.nonceOf(bytes.toString()) ?? ""
            assert.strictEqual(bytes.toString(), body.replace("\"0\"", `"${nonce}"`))
            assert.match(nonce, /^[0-9]{15}$/u)
            return nonce
          })
          // A shell's random numbers may repeat, but its process ids differ.
          if (shell === "sh") assert.strictEqual(new Set(nonces).size, 2)
        }))
    }
  }
})
