import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { execFile } from "node:child_process"
import * as Curl from "../../src/protocol/Curl.ts"
import { alice } from "../support/exchange.ts"
import { property } from "../support/property.ts"
import { serving } from "../support/server.ts"
import { signedHeaders } from "../support/signed.ts"

/** Runs the lines in a shell and returns its output. */
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

describe("quoting and nonces for curl", () => {
  property(
    "a shell reads a quoted word as the original text",
    [text],
    (text) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* run(`printf %s ${Curl.word(text)}`), text)
      }),
    { runs: 100, short: 20 }
  )

  property(
    "replacing the nonce leaves the rest of the body unchanged",
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
      it.live(`a script in ${shell} sends exactly the body that it signs with ${keys === undefined ? "the environment's" : "its own"} keys`, () =>
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
          // In bash, a nonce ends in a random number, which may repeat. In sh, it ends in a process id, which differs.
          if (shell === "sh") assert.strictEqual(new Set(nonces).size, 2)
        }))
    }
  }

  for (const [unit, length] of [["milliseconds", 13], ["microseconds", 16]] as const) {
    it.live(`a new nonce has the same length as the old nonce: ${unit}`, () =>
      Effect.gen(function*() {
        const { baseUrl, received } = yield* serving((response) => response.end("{}"))
        const body = `{"request":"/api/v4/orders","nonce":${"1".repeat(length)}}`
        yield* run(Curl.script({ url: `${baseUrl}/api/v4/orders`, body, keys: alice }))
        const nonce = Curl.nonceOf(received[0]?.body.toString() ?? "") ?? ""
        assert.lengthOf(nonce, length)
        assert.approximately(Number(nonce.slice(0, 10)), (yield* Clock.currentTimeMillis) / 1000, 60)
      }))
  }
})
