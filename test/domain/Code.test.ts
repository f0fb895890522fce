import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Code from "../../src/domain/Code.ts"
import { passphrase } from "../support/arbitraries.ts"
import { property } from "../support/property.ts"
import { brokenConstraints, examples, noTexts } from "./examples.ts"

const noStrings = noTexts.map((value) => [value, { kind: "type", type: "string" }] as const)
const lengthRule = { kind: "length", max: 25 } as const

examples("Code", Code.Code, {
  accepted: ["a", "8bd95a5e-5e0c-4a2c-8f0b-4fd0d2b4a1d5BTC", " "],
  refused: [...noStrings, ["", { kind: "notEmpty" }]]
})

examples("Passphrase", Code.Passphrase, {
  accepted: ["", " ", "x".repeat(25), "ü".repeat(25), "漢".repeat(25), "🙂".repeat(25)],
  refused: [
    ...noStrings,
    ...["x".repeat(26), "🙂".repeat(26), `${"🙂".repeat(25)}x`].map((text) => [text, lengthRule] as const)
  ]
})

property("a passphrase's length is counted in code points", [passphrase], (text) =>
  Effect.sync(() => {
    const filled = text + "🙂".repeat(25 - [...text].length)
    assert.deepStrictEqual(brokenConstraints(Code.Passphrase, filled), [])
    assert.deepStrictEqual(brokenConstraints(Code.Passphrase, `${filled}x`), [lengthRule])
  }))
