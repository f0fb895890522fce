import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFile } from "node:child_process"
import * as Curl from "../../src/oracle/Curl.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Signing from "../../src/oracle/world/Signing.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Support from "../support/oracle.ts"

const cases: Readonly<Record<string, Signing.Tampering>> = {
  "a valid call": {},
  "an invalid field": { text: (text) => text.replace("{", `{"limit":0,`) },
  "text with quotes": { text: (text) => text.replace("{", `{"search":"it's \\"é",`) },
  "another content type": { headers: { "content-type": "text/plain" } },
  "no key": { headers: { "x-txc-apikey": undefined } },
  "an unknown key": { headers: { "x-txc-apikey": "nobody" } },
  "no payload": { headers: { "x-txc-payload": undefined } },
  "a payload that is not Base64": { payload: (text) => text },
  "another body": { body: (text) => text.replace("{", `{"x":1,`) },
  "a body with another nonce": { body: (text) => text.replace(/[0-9]("?)\}$/u, "$1}") },
  "no signature": { headers: { "x-txc-signature": undefined } },
  "another signature": { signature: () => "f".repeat(128) },
  "a list": { text: () => "[]" },
  "no nonce": { envelope: { nonce: undefined } },
  "a nonce that is not a number": { envelope: { nonce: "abc" } },
  "no request": { envelope: { request: undefined } },
  "a GET": { method: "GET" }
}

/** Runs the command in a shell, and returns its output. */
const run = (line: string, env: Readonly<Record<string, string>>) =>
  Effect.callback<string>((resume) => {
    execFile("bash", ["-c", line], { env: { ...process.env, ...env } }, (failure, out, error) => {
      resume(Effect.succeed(failure === null ? out : `${failure.message} ${error}`))
    })
  })

describe("curl commands", () => {
  it.live("the curl command for a request gets the same response as the request", () =>
    Effect.gen(function*() {
      const target = yield* Support.overHttp(Dialect.document)
      const account = yield* Support.account(target)
      const env = { TXC_API_KEY: Redacted.value(account.apiKey), TXC_API_SECRET: Redacted.value(account.apiSecret) }
      for (const [name, but] of Object.entries(cases)) {
        const nonce = { nonce: String(yield* Target.now) }
        const request = Signing.request(account, Paths.subAccounts, {}, nonce, but)
        const answer = yield* target.send(request)
        const line = Curl.line(target.baseUrl, request)
        assert.notInclude(line, Redacted.value(account.apiSecret))
        assert.notInclude(line, Redacted.value(account.apiKey))
        assert.strictEqual(yield* run(line, env), answer.text, `${name}: ${line}`)
      }
    }))

  it.live("a curl command uses the nonce that the rule chose, not a new one", () =>
    Effect.gen(function*() {
      const target = yield* Support.overHttp(Dialect.document)
      const account = yield* Support.account(target)
      const env = { TXC_API_KEY: Redacted.value(account.apiKey), TXC_API_SECRET: Redacted.value(account.apiSecret) }
      const nonce = { nonce: String(yield* Target.now) }
      const request = Signing.request(account, Paths.mainBalance, {}, nonce, { envelope: nonce })
      assert.strictEqual((yield* target.send(request)).status, 200)
      const again = yield* target.send(request)
      assert.strictEqual(again.status, 429)
      assert.strictEqual(yield* run(Curl.line(target.baseUrl, request), env), again.text)
    }))
})
