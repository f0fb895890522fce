import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Scrub from "../../src/protocol/Scrub.ts"
import { property } from "../support/property.ts"
import { readAnyHow, recoverable, respelled, spellings } from "../support/spellings.ts"

const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))
const secret = fc.string({ unit: printable, minLength: 10, maxLength: 60 }).filter((text) => /\w{3}/u.test(text))

describe("removing secrets from text", () => {
  property(
    "the scrubber leaves no eight consecutive characters of a secret, however the secret is encoded",
    [secret, spellings, fc.string({ unit: printable, maxLength: 20 })],
    (secret, spelling, around) =>
      Effect.sync(() => {
        // A backslash in a secret is ambiguous, because it may begin an escape sequence. No key of the exchange
        // contains a backslash.
        fc.pre(!secret.includes("\\") || spelling.escape !== "none" || spelling.lineBreak !== "an escaped line")
        const clean = Scrub.scrubber(secret)(`${around} "${respelled(secret, spelling)}" ${around}`)
        const read = readAnyHow(clean.replaceAll(around, " "))
        for (const part of recoverable(secret, spelling)) assert.notInclude(read, part, clean)
      }),
    { runs: 3000, timeout: 600_000 }
  )

  it("the scrubber leaves all other text unchanged", () => {
    const scrub = Scrub.scrubber(
      "alice-key-1f0c",
      "0123456789abcdef".repeat(8),
      "eyJhbW91bnQiOiIxMC41IiwibWFya2V0IjoiQlRDX1VTRFQifQ=="
    )
    for (
      const text of [
        "",
        "Total (amount * price) is less than 5.05",
        "The planId field: 8e667b4a-0b71-4988-8af5-9474dbfaeb51 \\u0041 %41 &amp; &#65; \\n \u{1f600}",
        "{\"order_id\":9007199254740993,\"timestamp\":1699999999.123456,\"activation_condition\":\"gte\"}"
      ]
    ) assert.strictEqual(scrub(text), text)
  })

  it("the scrubber removes a short secret only where the whole secret occurs", () => {
    const scrub = Scrub.scrubber("1234")
    assert.strictEqual(scrub("pass 1234, 123, 234; 31 32"), "pass <redacted>, 123, 234; 31 32")
    assert.strictEqual(Scrub.scrubber("")("anything"), "anything")
  })

  it("the scrubber removes a secret that is encoded together with other text", () => {
    const header = Buffer.from("x-txc-apikey: alice-key-1f0c\r\nhost: x").toString("base64")
    const clean = Scrub.scrubber("alice-key-1f0c")(header)
    assert.notInclude(Buffer.from(clean.split("<redacted>").join(""), "base64").toString(), "key-1f0c")
    assert.include(clean, "<redacted>")
  })

  it("the scrubber removes a hexadecimal signature whose bytes are encoded as Base64", () => {
    const signature = "00ff12a9c3d4e5f60718293a4b5c6d7e".repeat(4)
    assert.strictEqual(
      Scrub.scrubber(signature)(`<${Buffer.from(signature, "hex").toString("base64url")}>`),
      "<<redacted>>"
    )
  })
})

describe("withoutLongRuns", () => {
  property(
    "withoutLongRuns removes long runs of letters and digits, even escaped runs",
    [fc.string({ unit: fc.constantFrom(..."abcXYZ019+/-_="), minLength: 24, maxLength: 200 }), spellings],
    (run, spelling) =>
      Effect.sync(() => {
        const text = `a word ${
          respelled(run, { ...spelling, encoding: "none", from: 0, to: 1, lineBreak: "none" })
        } or two`
        assert.strictEqual(Scrub.withoutLongRuns(text), "a word <redacted> or two")
      })
  )

  it("withoutLongRuns leaves words, numbers and names unchanged", () => {
    const text = "{\"activation_condition\":\"gte\",\"order_id\":9007199254740993,\"status\":\"CANCELED_TAKER_BAND\"}"
    assert.strictEqual(Scrub.withoutLongRuns(text), text)
  })
})
