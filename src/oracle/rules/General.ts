/** Rules for all calls (document, "General rules", "Endpoints" and "Versioning"). */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import { TargetError } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Connection from "../world/Connection.ts"
import * as Dialects from "../world/Dialects.ts"
import { fieldsOf, pathsOf } from "../world/FaultyCalls.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Lists from "../world/Lists.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as Throttling from "../world/Throttling.ts"

const section = Section.of({ clause: "General rules", profile: "read-only" })

/** The keys of amounts, prices and fees, at any depth of a response. */
const moneyKeys =
  /^(?:.*balance|amount|price|left|fixed|minFlex|maxFlex|percentFlex|minAmount|maxAmount|.*Fee|deal.*)$/iu

/**
 * The number of calls in `general.answer.each`: enough to almost always detect a target that breaks one connection in
 * twenty.
 */
const manyCalls = 80

/**
 * The number of consecutive calls without a response after which the target counts as unreachable and cannot be
 * evaluated.
 */
const maxInRow = 3

const moneyIn = (value: unknown): ReadonlyArray<readonly [string, unknown]> => {
  if (Array.isArray(value)) return value.flatMap(moneyIn)
  if (!Json.isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]): ReadonlyArray<readonly [string, unknown]> =>
    Array.isArray(inner) || Json.isObject(inner) ? moneyIn(inner) : moneyKeys.test(key) ? [[key, inner]] : []
  )
}

export const rules: ReadonlyArray<Rule.Rule> = [
  section.always("general.public.get", {
    statement: "Accepts GET on a public endpoint without authentication",
    check: (world) =>
      Effect.flatMap(
        world.get(Paths.ping),
        (answer) => Verdict.expect(answer, "HTTP 200 with JSON", answer.status === 200 && Refusals.isSuccess(answer))
      )
  }),
  section.forAll("general.public.query", {
    statement: "Reads public parameters from the query string, and ignores unknown parameters",
    level: "SHOULD",
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
            answer.status === 200 && Json.stringify(answer.json) === `["pong"]`
          )
      )
  }),
  section.forEach("general.private.post", {
    statement: "Accepts POST on a private endpoint",
    values: Paths.reads,
    check: Effect.fnUntraced(function*(world, path) {
      const answer = yield* world.call(yield* world.reader, path)
      yield* Verdict.expect(answer, "HTTP 200 with JSON", answer.status === 200 && Refusals.isSuccess(answer))
    })
  }),
  section.forEach("general.private.post.only", {
    statement: "Refuses GET and PUT on a private endpoint, even if the call is signed and valid otherwise",
    // With a real key, these are only reads, because a target that serves other methods would execute the call.
    values: pathsOf,
    check: Effect.fnUntraced(function*(world, path) {
      const account = world.profile === "control" ? yield* world.open() : yield* world.reader
      const fields = yield* fieldsOf(world, account, path)
      for (const method of ["GET", "PUT"]) {
        const answer = yield* world.call(account, path, fields, { method })
        yield* Refusals.notServed(answer, `because the method is ${method}`)
      }
    })
  }),
  section.forAll("general.private.json", {
    statement: "Refuses a private body that is not a JSON object, even if it is signed correctly",
    values: fc.tuple(
      fc.constantFrom(Paths.fees, Paths.mainBalance),
      fc.constantFrom("", "null", "[]", "1", `"text"`, "{", "a=1&b=2", "[{}]", "{\"request\":")
    ),
    examples: [[Paths.fees, "[]"], [Paths.mainBalance, "[]"]],
    check: Effect.fnUntraced(function*(world, [path, body]) {
      const answer = yield* world.call(yield* world.reader, path, {}, { text: () => body })
      yield* Refusals.any(answer, "because the body is not a JSON object")
    })
  }),
  section.forEach("general.private.field-case", {
    statement: "Compares field names case-sensitively: LIMIT is not limit",
    level: "SHOULD",
    values: Lists.all.map(({ id }) => id),
    check: Effect.fnUntraced(function*(world, id) {
      const list = Lists.all.find((list) => list.id === id) ?? Lists.subAccounts
      const answer = yield* Lists.read(world, list, { LIMIT: 1 })
      yield* Verdict.expect(
        answer,
        "a refusal, or a page with a limit other than 1",
        Refusals.isRefused(answer) || (Json.isObject(answer.json) && answer.json["limit"] !== 1)
      )
    })
  }),
  section.forEach("general.answer.success", {
    statement: "Returns a JSON object or array for a valid call, never a scalar or an empty body",
    values: pathsOf,
    check: Effect.fnUntraced(function*(world, path) {
      const account = world.profile === "control" ? yield* world.open() : yield* world.reader
      const answer = yield* world.call(account, path, yield* fieldsOf(world, account, path))
      yield* LiveCalls.served(world, path, answer)
      yield* Verdict.expect(
        answer,
        "a JSON object or array",
        (Json.isObject(answer.json) || Array.isArray(answer.json)) &&
          (world.profile !== "control" || answer.status < 300)
      )
    })
  }),
  section.always("general.answer.each", {
    statement: `Responds to all of ${manyCalls} calls`,
    // A call without a response does not show whether the target or the connection is at fault.
    level: "INFO",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.reader
      const call = Throttling.retryThrottled(world.attempt(account, Paths.fees), world.placements.patience)
      const lost: Array<TargetError> = []
      let inRow = 0
      for (let count = 0; count < manyCalls; count++) {
        const outcome = yield* Effect.result(call)
        inRow = Result.isFailure(outcome) ? inRow + 1 : 0
        if (Result.isSuccess(outcome)) continue
        if (!Connection.isUnanswered(outcome.failure)) return yield* outcome.failure
        lost.push(outcome.failure)
        if (inRow === maxInRow) return yield* new TargetError({ reason: outcome.failure.reason })
      }
      yield* Verdict.conclude(
        "a response to every call",
        `${lost.length} calls without a response: ${lost[0]?.reason}`,
        lost.length === 0
      )
    })
  }),
  section.forAll("general.answer.json", {
    statement: "Returns a JSON object or array for every call, even a refused one",
    values: fc.tuple(
      fc.constantFrom(...Paths.reads, Paths.interest),
      fc.constantFrom<Array<object>>({}, { limit: 0 }, { offset: -1 }, { limit: "ten" })
    ),
    examples: [...Paths.reads, Paths.interest].flatMap((path): ReadonlyArray<[string, object]> => [
      [path, {}],
      [path, { limit: 0 }]
    ]),
    check: Effect.fnUntraced(function*(world, [path, fields]) {
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
  section.forEach("general.answer.type", {
    statement: "Sends JSON with the Content-Type application/json",
    level: "SHOULD",
    values: [Paths.ping, ...Paths.reads],
    check: Effect.fnUntraced(function*(world, path) {
      const answer = path === Paths.ping ? yield* world.get(path) : yield* world.call(yield* world.reader, path)
      const type = answer.headers["content-type"] ?? "no content type"
      yield* Verdict.conclude("Content-type: application/json", type, type.startsWith("application/json"), answer)
    })
  }),
  section.forEach("general.money.text", {
    statement: "Sends amounts, prices and fees as decimals in strings, never as numbers",
    values: [Paths.fees, Paths.mainBalance, Paths.interest],
    check: Effect.fnUntraced(function*(world, path) {
      const answer = yield* world.call(yield* world.lender, path)
      for (const [key, value] of yield* FieldRules.atLeastOne(world, answer, moneyIn(answer.json), "amounts")) {
        yield* Verdict.conclude(
          `${key} is ${Kinds.decimal.name}`,
          { [key]: value },
          Kinds.decimal.holds(value),
          answer
        )
      }
    })
  }),
  section.forAll("general.money.exact", {
    statement: "Keeps every digit of a balance, however small or large",
    profile: "control",
    level: "SHOULD",
    values: fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n })),
    examples: [[9_007_199_254_740_993n, 1n], [1n, 999_999_999_999_999_999n]],
    check: Effect.fnUntraced(function*(world, [whole, fraction]) {
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
  section.forEach("general.times.now", {
    statement: "Shows the creation time of an order and of each leg of an OCO order in timestamp, in Unix seconds",
    profile: "mutating",
    values: [Paths.stopLimit, Paths.oco].flatMap((path) => Orders.sides.map((side) => [path, side] as const)),
    check: Effect.fnUntraced(function*(world, [path, side]) {
      const market = yield* world.market
      const account = yield* world.trader
      const isOco = path === Paths.oco
      const fields = isOco ? Orders.oco(market, side) : Orders.stopLimit(market, side)
      const { answer, order } = yield* Orders.place(world, account, path, fields)
      const now = (yield* world.now) / 1000
      const times = (isOco ? Oco.legs.map((key) => Oco.leg(order, key)) : [order]).map(({ timestamp }) => timestamp)
      yield* Verdict.conclude(
        `a timestamp within a minute of ${Math.floor(now)}`,
        times,
        times.every((time) => Math.abs(Number(time) - now) < 60),
        answer
      )
    })
  }),
  section.forEach("general.times.fraction", {
    statement: "Shows fractions of a second in an order's timestamp",
    profile: "mutating",
    values: [Paths.stopLimit, Paths.oco].flatMap((path) => Orders.sides.map((side) => [path, side] as const)),
    check: Effect.fnUntraced(function*(world, [path, side]) {
      const market = yield* world.market
      const account = yield* world.trader
      const isOco = path === Paths.oco
      const fields = isOco ? Orders.oco(market, side) : Orders.stopLimit(market, side)
      const times: Array<unknown> = []
      for (let count = 0; count < 4; count++) {
        const { order } = yield* Orders.place(world, account, path, fields)
        for (const shown of isOco ? Oco.legs.map((key) => Oco.leg(order, key)) : [order]) {
          times.push(...["timestamp", "mtime"].flatMap((key) => Object.hasOwn(shown, key) ? [shown[key]] : []))
        }
        // Moves the clock by a fraction of a second if possible, because timestamps may be whole seconds by
        // coincidence.
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
    statement: "Serves nothing at the same path under a different version",
    clause: "Versioning",
    profile: "read-only",
    values: [Paths.mainBalance, Paths.subAccounts],
    check: Effect.fnUntraced(function*(world, path) {
      const elsewhere = `/api/v40${path.slice(Paths.version.length)}`
      const answer = yield* world.call(yield* world.reader, elsewhere)
      yield* Refusals.notServed(answer, "because there is no version 40")
    })
  }),
  Rule.always({
    id: "versioning.reduce-only",
    statement: "Either refuses the field reduceOnly of OCO orders, which the document announces, or "
      + "implements it as documented",
    clause: "Versioning",
    level: "INFO",
    profile: "control",
    live: Rule.other("the parameter is accepted"),
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* world.trader
      const answer = yield* world.call(account, Paths.oco, Orders.oco(market, "buy", { reduceOnly: true }))
      const { codes } = Dialects.reduceOnly(world.dialect)
      const code = Json.isObject(answer.json) ? Number(answer.json["code"]) : 0
      yield* Verdict.expect(
        answer,
        "code 116, or a refusal that names reduceOnly",
        codes.includes(code) || Refusals.namedFields(answer).includes("reduceOnly")
      )
    })
  })
]
