import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { names } from "../../src/cli/CallList.ts"
import * as Suggestion from "../../src/cli/Suggestion.ts"
import { property } from "../support/property.ts"

describe("Suggestion", () => {
  property(
    "a call name with one wrong, missing or extra letter is corrected, in upper or lower case",
    [fc.constantFrom(...names), fc.nat(), fc.constantFrom("", "q", "qq"), fc.boolean()],
    (name, where, inserted, isUpper) =>
      Effect.sync(() => {
        const at = where % name.length
        const typed = name.slice(0, at) + inserted + name.slice(inserted === "qq" ? at : at + 1)
        // A changed name is skipped if it is the name of another call.
        const found = Suggestion.find(isUpper ? typed.toUpperCase() : typed, names)
        if (names.includes(typed)) return
        // `CancelOcoOrder` and `CancelOtoOrder` differ in one letter. If that letter is wrong, both suggestions are
        // correct.
        const twin = name.replace(/O[ct]o(?=Order\.)/u, (kind) => kind === "Oco" ? "Oto" : "Oco")
        assert.include([name, twin], found)
      })
  )

  it("a word that begins like a name suggests that name, and an unrelated word suggests nothing", () => {
    assert.strictEqual(Suggestion.find("Markets.get", ["Assets.all", "Markets.all"]), "Markets.all")
    assert.strictEqual(Suggestion.find("btcusdt", ["ETH_USDT", "BTC_USDT"]), "BTC_USDT")
    for (const text of ["", "--", "x", "everything"])
      assert.isUndefined(Suggestion.find(text, ["Assets.all", "Markets.all"]))
    assert.strictEqual(Suggestion.question("everything", names), "")
  })
})
