/** Markets (document, Endpoints §3, which takes its bounds from them). */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Fields from "../world/Fields.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Paths from "../world/Paths.ts"

const digits: Kinds.Kind = {
  name: "a count of digits in a string",
  holds: (text) => /^[0-9]{1,2}$/u.test(String(text)) && typeof text === "string"
}

/** The fields that the document refers to. It describes no more of this answer. */
export const rules: ReadonlyArray<Rule.Rule> = Fields.rules({
  id: "markets.entry",
  clause: "Endpoints §3",
  // The document names these fields, and does not show the answer that they are in.
  level: "SHOULD",
  profile: "read-only",
  within: "a market",
  sample: (world) =>
    Effect.flatMap(world.get(Paths.markets), (answer) =>
      answer.status === 200 && Array.isArray(answer.json)
        ? Effect.succeed({ answer, objects: answer.json })
        : Effect.fail(
          new Verdict.Broken({ expected: "HTTP 200 with an array", got: Verdict.describe(answer), answer })
        )),
  rows: [
    { key: "name", kind: Kinds.market, meaning: "the market" },
    { key: "stockPrec", kind: digits, meaning: "the precision of amounts" },
    { key: "moneyPrec", kind: digits, meaning: "the precision of prices" },
    { key: "minAmount", kind: Kinds.decimal, meaning: "the least amount" },
    { key: "minTotal", kind: Kinds.decimal, meaning: "the least amount times price" },
    { key: "maxTotal", kind: Kinds.decimal, meaning: "the greatest amount times price, zero for none" }
  ]
})
