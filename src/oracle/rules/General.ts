/** Rules for all calls (document, "General rules", "Endpoints" and "Versioning"). */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type { TargetError } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Fields from "../world/Fields.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Lists from "../world/Lists.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import { fieldsOf, pathsOf } from "../world/SignedCalls.ts"
import * as Spelling from "../world/Spelling.ts"

const clause = "General rules"

/** The keys of amounts, prices and fees, wherever they are in an answer. */
const moneyKeys =
  /^(?:.*balance|amount|price|left|fixed|minFlex|maxFlex|percentFlex|minAmount|maxAmount|.*Fee|deal.*)$/iu

/** So many calls of each kind show a connection that breaks one time in forty, nearly always. */
const manyCalls = 80

/** After so many calls in a row without an answer the target is gone, and cannot be judged. */
const maxInRow = 3

const moneyIn = (value: unknown): ReadonlyArray<readonly [string, unknown]> => {
  if (Array.isArray(value)) return value.flatMap(moneyIn)
  if (!Json.isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]): ReadonlyArray<readonly [string, unknown]> =>
    Array.isArray(inner) || Json.isObject(inner) ? moneyIn(inner) : moneyKeys.test(key) ? [[key, inner]] : []
  )
}

export const rules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "general.public.get",
    statement: "A public endpoint answers GET without authentication",
    clause,
    profile: "read-only",
    check: (world) =>
      Effect.flatMap(
        world.get(Paths.ping),
        (answer) => Verdict.expect(answer, "HTTP 200 with JSON", answer.status === 200 && Refusals.isSuccess(answer))
      )
  }),
  Rule.forAll({
    id: "general.public.query",
    statement: "A public endpoint takes its parameters from the query string, and ignores those that it does not know",
    clause,
    level: "SHOULD",
    profile: "read-only",
    values: fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.string({ maxLength: 8 }), { maxKeys: 4 })
      .map((fields) => new URLSearchParams(fields).toString()),
    runs: 20,
    check: (world, query) =>
      Effect.flatMap(
        world.get(Paths.ping, query),
        (answer) =>
          Verdict.expect(
            answer,
            `HTTP 200 with ["pong"]`,
            answer.status === 200 && JSON.stringify(answer.json) === `["pong"]`
          )
      )
  }),
  Rule.forEach({
    id: "general.private.post",
    statement: "A private endpoint answers POST with a success",
    clause,
    profile: "read-only",
    values: Paths.reads,
    check: (world, path) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.reader, path)
        yield* Verdict.expect(answer, "HTTP 200 with JSON", answer.status === 200 && Refusals.isSuccess(answer))
      })
  }),
  Rule.forEach({
    id: "general.private.post.only",
    statement: "A private endpoint refuses GET, even with the headers of a signed call",
    clause,
    profile: "read-only",
    values: [...Paths.reads, Paths.interest],
    check: (world, path) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.reader, path, {}, { method: "GET" })
        yield* Refusals.notServed(answer, "because it is a GET")
      })
  }),
  Rule.forAll({
    id: "general.private.json",
    statement: "The body of a private call is a JSON object; any other body is refused, even if it is signed correctly",
    clause,
    profile: "read-only",
    values: fc.tuple(
      fc.constantFrom(Paths.fees, Paths.mainBalance),
      fc.constantFrom("", "null", "[]", "1", `"text"`, "{", "a=1&b=2", "[{}]", "{\"request\":")
    ),
    examples: [[Paths.fees, "[]"], [Paths.mainBalance, "[]"]],
    check: (world, [path, body]) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.reader, path, {}, { text: () => body })
        yield* Refusals.any(answer, "because the body is not a JSON object")
      })
  }),
  Rule.forEach({
    id: "general.private.field-case",
    statement: "The name of a field is compared with its case: LIMIT is not limit",
    clause,
    level: "SHOULD",
    profile: "read-only",
    values: Lists.all.map(({ id }) => id),
    check: (world, id) =>
      Effect.gen(function*() {
        const list = Lists.all.find((list) => list.id === id) ?? Lists.subAccounts
        const answer = yield* Lists.read(world, list, { LIMIT: 1 })
        yield* Verdict.expect(
          answer,
          "refused, or a page with another limit than 1",
          Refusals.isRefused(answer) || (Json.isObject(answer.json) && answer.json["limit"] !== 1)
        )
      })
  }),
  Rule.forEach({
    id: "general.answer.success",
    statement: "What an endpoint answers to a correct call is a JSON object or array, never a scalar or nothing",
    clause,
    profile: "read-only",
    values: pathsOf,
    check: (world, path) =>
      Effect.gen(function*() {
        const account = world.profile === "control" ? yield* world.open() : yield* world.reader
        const answer = yield* world.call(account, path, yield* fieldsOf(world, account, path))
        yield* Verdict.expect(
          answer,
          "a JSON object or array",
          (Json.isObject(answer.json) || Array.isArray(answer.json)) &&
            (world.profile !== "control" || answer.status < 300)
        )
      })
  }),
  Rule.always({
    id: "general.answer.each",
    statement: `Every call is answered: of ${2 * manyCalls} calls, none is left without an answer`,
    clause,
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        const account = yield* world.reader
        const calls = [world.get(Paths.ping), world.call(account, Paths.fees)]
        const lost: Array<TargetError> = []
        let inRow = 0
        for (const call of Array.from({ length: manyCalls }, () => calls).flat()) {
          const outcome = yield* Effect.result(call)
          inRow = Result.isFailure(outcome) ? inRow + 1 : 0
          if (Result.isSuccess(outcome)) continue
          if (outcome.failure._tag !== "TargetError") return yield* outcome.failure
          lost.push(outcome.failure)
          if (inRow === maxInRow) return yield* outcome.failure
        }
        yield* Verdict.conclude(
          "an answer to every call",
          `${lost.length} without: ${lost[0]?.reason}`,
          lost.length === 0
        )
      })
  }),
  Rule.forAll({
    id: "general.answer.json",
    statement: "Every endpoint answers with a JSON object or array, even when it refuses the call",
    clause,
    profile: "read-only",
    values: fc.tuple(
      fc.constantFrom(...Paths.reads, Paths.interest),
      fc.constantFrom<Array<object>>({}, { limit: 0 }, { offset: -1 }, { limit: "ten" })
    ),
    examples: [...Paths.reads, Paths.interest].flatMap((path): ReadonlyArray<[string, object]> => [
      [path, {}],
      [path, { limit: 0 }]
    ]),
    check: (world, [path, fields]) =>
      Effect.gen(function*() {
        for (
          const answer of [yield* world.call(yield* world.reader, path, { ...fields }), yield* world.get(Paths.ping)]
        ) {
          yield* Verdict.expect(
            answer,
            "a JSON object or array",
            Json.isObject(answer.json) || Array.isArray(answer.json)
          )
        }
      })
  }),
  Rule.forEach({
    id: "general.answer.type",
    statement: "An answer with JSON has the Content-type application/json",
    clause,
    level: "SHOULD",
    profile: "read-only",
    values: [Paths.ping, ...Paths.reads],
    check: (world, path) =>
      Effect.gen(function*() {
        const answer = path === Paths.ping ? yield* world.get(path) : yield* world.call(yield* world.reader, path)
        const type = answer.headers["content-type"] ?? "no content type"
        yield* Verdict.conclude("Content-type: application/json", type, type.startsWith("application/json"), answer)
      })
  }),
  Rule.forEach({
    id: "general.money.text",
    statement: "Amounts, prices and fees are decimals in strings, never numbers",
    clause,
    profile: "read-only",
    values: [Paths.fees, Paths.mainBalance, Paths.interest],
    check: (world, path) =>
      Effect.gen(function*() {
        const answer = yield* world.call(yield* world.lender, path)
        for (const [key, value] of yield* Fields.atLeastOne(world, answer, moneyIn(answer.json), "amounts")) {
          yield* Verdict.conclude(
            `${key} is ${Kinds.decimal.name}`,
            { [key]: value },
            Kinds.decimal.holds(value),
            answer
          )
        }
      })
  }),
  Rule.forAll({
    id: "general.money.exact",
    statement: "An amount is exact: no digit of a balance is lost, however small or large it is",
    clause,
    level: "SHOULD",
    values: fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n })),
    examples: [[9_007_199_254_740_993n, 1n], [1n, 999_999_999_999_999_999n]],
    check: (world, [whole, fraction]) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isFunded: false })
        const amount = `${whole}.${fraction.toString().padStart(18, "0")}`
        yield* world.control("Fund", { account: account.id, wallet: "main", ticker: "ETH", amount })
        const answer = yield* world.call(account, Paths.mainBalance)
        const entry = Json.isObject(answer.json) ? answer.json["ETH"] : undefined
        const shown = Json.isObject(entry) ? String(entry["main_balance"]) : ""
        yield* Verdict.expect(
          answer,
          `ETH with a main_balance equal to ${amount}`,
          shown.includes(".")
            ? shown.replace(/\.?0+$/u, "") === amount.replace(/\.?0+$/u, "")
            : shown === amount.replace(/\.0+$/u, "")
        )
      })
  }),
  Rule.forEach({
    id: "general.times.now",
    statement: "The timestamp of an order is the time at which it was created, in Unix seconds",
    clause,
    profile: "mutating",
    values: ["buy", "sell"],
    check: (world, side) =>
      Effect.gen(function*() {
        const market = yield* world.market
        const account = yield* world.trader
        const { answer, order } = yield* Orders.place(
          world,
          account,
          Paths.stopLimit,
          Orders.stopLimit(market, side === "buy" ? "buy" : "sell")
        )
        const now = (yield* world.now) / 1000
        const at = Number(order["timestamp"])
        yield* Verdict.conclude(
          `a timestamp within a minute of ${Math.floor(now)}`,
          { timestamp: order["timestamp"] },
          Math.abs(at - now) < 60,
          answer
        )
      })
  }),
  Rule.forEach({
    id: "general.times.fraction",
    statement: "The timestamps of orders are fractional seconds: not all of them are whole",
    clause,
    profile: "mutating",
    values: [Paths.stopLimit, Paths.oco],
    check: (world, path) =>
      Effect.gen(function*() {
        const market = yield* world.market
        const account = yield* world.trader
        const isOco = path === Paths.oco
        const fields = isOco ? Orders.oco(market, "buy") : Orders.stopLimit(market, "buy")
        const times: Array<unknown> = []
        for (let count = 0; count < 4; count++) {
          const { order } = yield* Orders.place(world, account, path, fields)
          for (const shown of isOco ? Oco.legs.map((key) => Oco.leg(order, key)) : [order]) {
            times.push(...["timestamp", "mtime"].flatMap((key) => Object.hasOwn(shown, key) ? [shown[key]] : []))
          }
          // Where the clock can be moved, no coincidence makes all times whole.
          if (world.profile === "control") yield* world.advance(337)
        }
        yield* Verdict.conclude(
          "timestamps with fractions of a second",
          times,
          times.some((time) => !Number.isInteger(Number(time)))
        )
      })
  }),
  Rule.forEach({
    id: "versioning.prefix",
    statement: "The version is part of the path: the same path with another version is not an endpoint",
    clause: "Versioning",
    profile: "read-only",
    values: [Paths.mainBalance, Paths.subAccounts],
    check: (world, path) =>
      Effect.gen(function*() {
        const elsewhere = `/api/v40${path.slice(Paths.version.length)}`
        const answer = yield* world.call(yield* world.reader, elsewhere)
        yield* Refusals.notServed(answer, "because there is no version 40")
      })
  }),
  Rule.always({
    id: "versioning.reduce-only",
    statement:
      "The reduce-only parameter of OCO orders is documented before it is available: the target may refuse it as a "
      + "field; otherwise it does what is documented",
    clause: "Versioning",
    level: "INFO",
    profile: "control",
    live: Rule.other("the parameter is accepted"),
    check: (world) =>
      Effect.gen(function*() {
        const market = yield* world.market
        const account = yield* world.trader
        const answer = yield* world.call(account, Paths.oco, Orders.oco(market, "buy", { reduceOnly: true }))
        const { codes } = Spelling.reduceOnly(world.dialect)
        const code = Json.isObject(answer.json) ? Number(answer.json["code"]) : 0
        yield* Verdict.expect(
          answer,
          "code 116, or a refusal that names reduceOnly",
          codes.includes(code) || Refusals.namedFields(answer).includes("reduceOnly")
        )
      })
  })
]
