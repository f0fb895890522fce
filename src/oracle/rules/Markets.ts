/** Rules about the market list (document, Endpoints §3, which refers to the bounds in this list). */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Paths from "../world/Paths.ts"

const digits: Kinds.Kind = {
  name: "a number of digits in a string",
  holds: (text) => /^[0-9]{1,2}$/u.test(String(text)) && typeof text === "string"
}

/** Rules about the fields that the document refers to. It describes no other part of this response. */
export const rules: ReadonlyArray<Rule.Rule> = FieldRules.rules({
  id: "markets.entry",
  clause: "Endpoints §3",
  // The document mentions these fields, but does not show the response that contains them. The live documentation does.
  level: "SHOULD",
  isDocumented: true,
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
    { key: "name", kind: Kinds.market, meaning: "its name" },
    { key: "stockPrec", kind: digits, meaning: "the precision of amounts" },
    { key: "moneyPrec", kind: digits, meaning: "the precision of prices" },
    { key: "minAmount", kind: Kinds.decimal, meaning: "the minimum amount" },
    { key: "minTotal", kind: Kinds.decimal, meaning: "the minimum total, which is amount times price" },
    { key: "maxTotal", kind: Kinds.decimal, meaning: "the maximum total; zero for no maximum" }
  ]
})
