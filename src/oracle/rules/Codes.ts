/** Rules about applying codes (document, "Code application result" and Endpoints §6). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Boundaries from "../world/Boundaries.ts"
import { balanceOf, issue } from "../world/Codes.ts"
import * as Dialects from "../world/Dialects.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import type { World } from "../world/World.ts"

const section = Section.of({ clause: "Endpoints §6" })

const amounts = fc.integer({ min: 1, max: 1e9 }).map((units) => (units / 1e6).toFixed(6))

const passphrases = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 25 })

const isApplied = (world: World, answer: Answer) =>
  answer.status === Dialects.applied(world.dialect) && Refusals.isSuccess(answer)

const created = Rule.other("HTTP 201", Rule.liveDocumentation)

const sample = Effect.fnUntraced(function*(world: World): Effect.fn.Return<FieldRules.Sample, Verdict.CheckError> {
  const { code } = yield* issue(world, "0.5")
  const answer = yield* world.call(yield* world.open({ isFunded: false }), Paths.applyCode, { code })
  yield* Verdict.expect(answer, "the code is applied", isApplied(world, answer))
  return { answer, objects: [answer.json] }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  ...FieldRules.rules({
    id: "codes.result",
    clause: "Code application result",
    profile: "control",
    within: "a code-application result",
    sample,
    rows: [
      { key: "message", kind: Kinds.text, meaning: "the outcome" },
      { key: "ticker", kind: Kinds.ticker, meaning: "the currency" },
      { key: "amount", kind: Kinds.positiveDecimal, meaning: "the code's amount" },
      { key: "external_id", kind: Kinds.text, meaning: "the transaction's id" }
    ]
  }),
  section.always("codes.status", {
    statement: "Returns HTTP 200 when a code is applied",
    live: created,
    check: Effect.fnUntraced(function*(world) {
      const { code } = yield* issue(world, "1")
      const answer = yield* world.call(yield* world.open({ isFunded: false }), Paths.applyCode, { code })
      yield* Verdict.expect(answer, `HTTP ${Dialects.applied(world.dialect)}`, isApplied(world, answer))
    })
  }),
  section.forAll("codes.credits", {
    statement: "Credits the code's amount to the main balance and shows it in the response",
    values: amounts,
    check: Effect.fnUntraced(function*(world, amount) {
      const { code } = yield* issue(world, amount)
      const account = yield* world.open({ isFunded: false })
      const answer = yield* world.call(account, Paths.applyCode, { code })
      const { json } = answer
      yield* Verdict.expect(
        answer,
        `ETH and ${amount}`,
        Json.isObject(json) && json["ticker"] === "ETH" && Number(json["amount"]) === Number(amount)
      )
      const held = yield* balanceOf(world, account)
      yield* Verdict.conclude(`a balance of ${amount} ETH`, held, held === Number(amount), answer)
    })
  }),
  section.always("codes.several", {
    statement: "Shows each code's own currency, amount and transaction id when one account applies several codes, and "
      + "credits each amount in its currency",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const ids = new Set<unknown>()
      const codes = [["0.5", "ETH"], ["1.25", "ETH"], ["0.125", "BTC"], ["37.5", "USDT"]] as const
      for (const [amount, ticker] of codes) {
        const { code } = yield* issue(world, amount, undefined, ticker)
        const answer = yield* world.call(account, Paths.applyCode, { code })
        const json = Json.isObject(answer.json) ? answer.json : {}
        yield* Verdict.expect(
          answer,
          `${amount} ${ticker}`,
          Number(json["amount"]) === Number(amount) && json["ticker"] === ticker
        )
        ids.add(json["external_id"])
      }
      yield* Verdict.conclude("four external ids", [...ids], ids.size === codes.length)
      for (const [ticker, expected] of [["ETH", 1.75], ["BTC", 0.125], ["USDT", 37.5]] as const) {
        const held = yield* balanceOf(world, account, ticker)
        yield* Verdict.conclude(`a balance of ${expected} ${ticker}`, held, held === expected)
      }
    })
  }),
  section.always("codes.code.required", {
    statement: "Refuses a call without a code",
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* world.call(yield* world.reader, Paths.applyCode)
      yield* Refusals.call(answer, world.dialect, "code")
    })
  }),
  section.forAll("codes.code.type", {
    statement: "Refuses a code that is not a string",
    values: fc.oneof(Boundaries.noTexts, fc.integer()),
    check: Effect.fnUntraced(function*(world, code) {
      const answer = yield* world.call(yield* world.reader, Paths.applyCode, { code })
      yield* Refusals.call(answer, world.dialect, "code")
    })
  }),
  section.forAll("codes.code.unknown", {
    statement: "Refuses an unknown code",
    profile: "mutating",
    level: "SHOULD",
    live: Rule.documented("HTTP 400, code 0, and errors that name the code"),
    values: fc.uuid().map((id) => `WB${id}ETH`),
    check: Effect.fnUntraced(function*(world, code) {
      const answer = yield* world.call(yield* world.reader, Paths.applyCode, { code })
      yield* Refusals.call(answer, world.dialect, "code")
    })
  }),
  section.forAll("codes.passphrase.required", {
    statement: "Refuses a passphrase-protected code without its passphrase, or with a wrong one",
    values: fc.tuple(passphrases, fc.option(passphrases, { nil: undefined })),
    examples: [
      ["open sesame", undefined],
      ["open sesame", "open sesam"],
      ["open sesame", "Open Sesame"],
      ["open sesame", "open sesame "],
      ["open sesame", "opensesame"]
    ],
    check: Effect.fnUntraced(function*(world, [passphrase, given]) {
      if (given === passphrase) return
      const { code } = yield* issue(world, "1", passphrase)
      const account = yield* world.open({ isFunded: false })
      const answer = yield* world.call(account, Paths.applyCode, {
        code,
        ...(given === undefined ? {} : { passphrase: given })
      })
      yield* Refusals.any(answer, "because the passphrase is wrong")
      const held = yield* balanceOf(world, account)
      yield* Verdict.conclude("a balance of zero", held, held === 0, answer)
    })
  }),
  section.forAll("codes.passphrase.accepts", {
    statement: "Applies a passphrase-protected code with its passphrase",
    values: passphrases,
    check: Effect.fnUntraced(function*(world, passphrase) {
      const { code } = yield* issue(world, "1", passphrase)
      const answer = yield* world.call(yield* world.open({ isFunded: false }), Paths.applyCode, { code, passphrase })
      yield* Verdict.expect(answer, "the code is applied", isApplied(world, answer))
    })
  }),
  section.forAll("codes.passphrase.length.accepts", {
    statement: "Accepts a passphrase of 25 characters, including multi-byte characters",
    values: Boundaries.longestPassphrases,
    examples: ["p".repeat(25), "漢".repeat(25)],
    check: Effect.fnUntraced(function*(world, passphrase) {
      const { code } = yield* issue(world, "1", passphrase)
      const answer = yield* world.call(yield* world.open({ isFunded: false }), Paths.applyCode, { code, passphrase })
      yield* Refusals.notNaming(answer, "passphrase")
      yield* Verdict.expect(answer, "the code is applied", isApplied(world, answer))
    })
  }),
  Rule.forAll({
    id: "codes.passphrase.length.refuses",
    statement: "Refuses a passphrase of 26 characters, with errors that name passphrase",
    clause: "Limits",
    values: Boundaries.tooLongPassphrases,
    examples: ["p".repeat(26), "漢".repeat(26)],
    check: Effect.fnUntraced(function*(world, passphrase) {
      // The code has the first 25 characters as its passphrase, so a target that truncates passphrases would apply it.
      const { code } = yield* issue(world, "1", [...passphrase].slice(0, 25).join(""))
      const answer = yield* world.call(yield* world.reader, Paths.applyCode, { code, passphrase })
      yield* Refusals.call(answer, world.dialect, "passphrase")
    })
  }),
  section.forAll("codes.passphrase.type", {
    statement: "Refuses a passphrase that is not a string",
    values: Boundaries.noTexts,
    check: Effect.fnUntraced(function*(world, passphrase) {
      const { code } = yield* issue(world, "1")
      const answer = yield* world.call(yield* world.reader, Paths.applyCode, { code, passphrase })
      yield* Refusals.call(answer, world.dialect, "passphrase")
    })
  }),
  section.always("codes.once", {
    statement: "Refuses the second application of a code, and credits nothing for it",
    level: "SHOULD",
    live: Rule.documented("HTTP 400, code 0, and errors that name the code"),
    check: Effect.fnUntraced(function*(world) {
      const { code } = yield* issue(world, "2")
      const [one, two] = [yield* world.open({ isFunded: false }), yield* world.open({ isFunded: false })]
      yield* world.call(one, Paths.applyCode, { code })
      for (const account of [one, two]) {
        yield* Refusals.call(yield* world.call(account, Paths.applyCode, { code }), world.dialect, "code")
      }
      const held = [yield* balanceOf(world, one), yield* balanceOf(world, two)]
      yield* Verdict.conclude("balances of 2 and 0", held, held[0] === 2 && held[1] === 0)
    })
  }),
  section.forAll("codes.race", {
    statement: "Credits a code to exactly one of several accounts that apply it at the same time",
    level: "SHOULD",
    values: fc.integer({ min: 2, max: 6 }),
    check: Effect.fnUntraced(function*(world, count) {
      const { code } = yield* issue(world, "2")
      const accounts = yield* Effect.forEach(Array.from({ length: count }), () => world.open({ isFunded: false }))
      const answers = yield* Effect.forEach(
        accounts,
        (account) => world.call(account, Paths.applyCode, { code }),
        { concurrency: "unbounded" }
      )
      const winners = answers.filter((answer) => isApplied(world, answer)).length
      yield* Verdict.conclude(
        `one of ${count} accounts gets the code`,
        `${winners} accounts get it`,
        winners === 1,
        answers[0]
      )
      let sum = 0
      for (const account of accounts) sum += yield* balanceOf(world, account)
      yield* Verdict.conclude("2 ETH in total", sum, sum === 2)
    })
  }),
  section.forEach("codes.refusal", {
    statement: "Refuses an invalid field with HTTP 400, code 0, Validation failed, and errors that name the field",
    level: "SHOULD",
    values: [
      [{}, "code"],
      [{ code: 1 }, "code"],
      [{ code: "no-such-code" }, "code"],
      [{ code: "no-such-code", passphrase: "p".repeat(26) }, "passphrase"]
    ] as const,
    check: Effect.fnUntraced(function*(world, [fields, key]) {
      const answer = yield* world.call(yield* world.reader, Paths.applyCode, { ...fields })
      yield* Refusals.fields(answer, Dialects.fieldValidation(world.dialect), key)
    })
  }),
  section.always("codes.own", {
    statement: "Refuses a code that the account created itself",
    level: "SHOULD",
    live: Rule.documented("refused, as in the document's dialect"),
    check: Effect.fnUntraced(function*(world) {
      const { code, creator } = yield* issue(world, "1")
      const answer = yield* world.call(creator, Paths.applyCode, { code })
      yield* Refusals.any(answer, "because the caller created the code")
    })
  })
]
