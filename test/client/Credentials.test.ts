import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as Credentials from "../../src/client/Credentials.ts"
import { alice, credentialsOf } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"

const make = (apiKey: string, apiSecret: string) =>
  Credentials.make({ apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) })

const { apiKey, apiSecret } = alice

describe("Credentials.make", () => {
  const problems = [
    ["no characters", "", "is empty"],
    ["a line break at the end", "abcdefghij\n", "something else copied with it"],
    ["a line break in the middle", "abcde\r\nfghij", "something else copied with it"],
    ["a space", "abcde fghij", "something else copied with it"],
    ["a tab", "\tabcdefghij", "something else copied with it"],
    ["a non-ASCII letter", "abcdéfghij", "something else copied with it"],
    ["a null character", "abcde\0fghij", "something else copied with it"]
  ] as const
  for (const [name, text, problem] of problems) {
    it.effect(`Credentials.make rejects a key or secret with ${name}, and does not reveal it`, () =>
      Effect.gen(function*() {
        for (const part of ["apiKey", "apiSecret"] as const) {
          const error = yield* failsWith("InvalidCredentials")(
            part === "apiKey" ? make(text, apiSecret) : make(apiKey, text)
          )
          assert.strictEqual(error.part, part)
          assert.include(error.message, problem)
          assert.include(error.message, part === "apiKey" ? "The API key" : "The API secret")
          if (text !== "") assert.notInclude(inspect(error, { depth: Infinity, showHidden: true }), text)
        }
      }))
  }

  it.effect("a key or secret may consist of any number of printable characters", () =>
    Effect.gen(function*() {
      const all = String.fromCharCode(...Array.from({ length: 0x7e - 0x21 + 1 }, (_, i) => 0x21 + i))
      const made = yield* make("abcdefgh", all)
      assert.strictEqual(Redacted.value(made.apiSecret), all)
      assert.notInclude(inspect(made, { depth: Infinity, showHidden: true }), "abcdefgh")
      // The key of a mock exchange is often a plain word, such as the key in the README.
      assert.strictEqual(Redacted.value((yield* make("k", "s")).apiKey), "k")
    }))
})

describe("Credentials.layer", () => {
  it.effect("Credentials.layer provides the same credentials as Credentials.make", () =>
    Effect.gen(function*() {
      const made = yield* Credentials.Credentials
      assert.strictEqual(Redacted.value(made.apiKey), apiKey)
    }).pipe(Effect.provide(Credentials.layer(credentialsOf(alice)))))
})
