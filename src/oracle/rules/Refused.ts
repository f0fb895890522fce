/** Rules about everything that a refused call shows and leaves behind (document, "Errors"). */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Codes from "../world/Codes.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import type * as Signing from "../world/Signing.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import * as ValidCalls from "../world/ValidCalls.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const section = Section.of({
  clause: "Errors",
  live: Rule.notApplicable("the live exchange names some parameters in other forms, and some errors lack errors")
})

/** The parameters of each private call, apart from those of the envelope. */
const parametersOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  [Paths.interest]: ["planId", "ticker", "limit", "offset"],
  [Paths.oco]: [
    "market",
    "side",
    "amount",
    "price",
    "activation_price",
    "stop_limit_price",
    "client_order_id",
    "reduceOnly",
    // A total that is too small belongs to no single parameter.
    "total"
  ],
  [Paths.stopLimit]: [
    "market",
    "side",
    "amount",
    "price",
    "activation_price",
    "client_order_id",
    "bboRole",
    "stp",
    "total"
  ],
  [Paths.cancelAll]: ["market", "type"],
  [Paths.fees]: [],
  [Paths.applyCode]: ["code", "passphrase"],
  [Paths.mainBalance]: [],
  [Paths.subAccounts]: ["search", "limit", "offset"],
  [Paths.apiKeys]: ["subAccountId", "limit", "offset"],
  [Paths.deleteSubAccount]: ["id"]
}

/** The parameters of every private call. The document does not name `nonceWindow`, but a target may have it. */
const envelope: ReadonlyArray<string> = ["request", "nonce", "nonceWindow"]

/** Values that are wrong for most parameters; `undefined` leaves the parameter out. */
const wrongValues: ReadonlyArray<unknown> = [undefined, true, {}, [], "", "?!", "NO_SUCH"]

/** Wrong values of the right type: below and above a bound, or too fine. */
const beyond: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  limit: [0, 101, 1.5],
  offset: [-1, 10_001],
  amount: ["0", "-1", "0.00000000000001", "0.0000123456789"],
  price: ["0", "-1", "0.00000000000001"],
  activation_price: ["0", "-1", "1.00000000000001"],
  stop_limit_price: ["0", "-1", "0.00000000000001"],
  client_order_id: ["a b", "é"],
  passphrase: ["p".repeat(26)],
  bboRole: [0, 3],
  type: [["option"], ["spot", 1]]
}

/** Returns the calls that have one wrong parameter each, and one call that has none of its parameters. */
const faultsOf = (path: string, valid: Body): ReadonlyArray<readonly [fields: Body, tampering: Signing.Tampering]> => [
  ...(parametersOf[path] ?? []).flatMap((key) =>
    [...wrongValues, ...beyond[key] ?? []].map((value) => [{ ...valid, [key]: value }, {}] as const)
  ),
  [{}, {}],
  ...["request", "nonce"].flatMap((key) =>
    [undefined, "", true, "no-such"].map((value) => [valid, { envelope: { [key]: value } }] as const)
  )
]

/** Returns the part of a key before an index: `type.0` and `type[0]` name an element of `type`. */
const parameterOf = (key: string): string => /^[^.[]*/u.exec(key)?.[0] ?? key

/** Expects that a refusal has the form that the document shows, and that its errors name parameters of the call. */
const hasForm = (answer: Answer, parameters?: ReadonlyArray<string>) => {
  const { json } = answer
  const [code, message, errors] = Json.isObject(json) ? [json["code"], json["message"], json["errors"]] : []
  return Verdict.expect(
    answer,
    "an integer code, a message and errors, an object of arrays of messages by parameter" +
      (parameters === undefined ? "" : `, which names none but ${parameters.join(", ")}`),
    Number.isSafeInteger(code) && typeof message === "string" && Refusals.isErrors(errors) &&
      (parameters === undefined || Refusals.namedFields(answer).every((name) => parameters.includes(parameterOf(name))))
  )
}

/** Whether the response is the refusal of a call that the target serves and does not throttle. */
const isRefused = (answer: Answer): boolean =>
  Refusals.isRefused(answer) && !Refusals.isNotServed(answer) && answer.status !== 429

const parameters: Rule.Rule = section.forEach("errors.private.parameters", {
  statement: "Names in errors only parameters of the call, whatever parameter is missing or invalid",
  values: Paths.documentCalls,
  check: Effect.fnUntraced(function*(world, path) {
    const account = yield* world.open()
    const valid = path === Paths.deleteSubAccount ? { id: "no-such" } : yield* ValidCalls.fieldsOf(world, account, path)
    for (const [fields, tampering] of faultsOf(path, valid)) {
      const answer = yield* world.call(account, path, fields, tampering)
      if (isRefused(answer)) yield* hasForm(answer, [...envelope, ...parametersOf[path] ?? []])
    }
  })
})

/** Refuses a call for a reason other than an invalid parameter. */
interface Reason {
  readonly why: string
  readonly call: (world: World) => Effect.Effect<Answer, Verdict.CheckError>
}

const reasons: ReadonlyArray<Reason> = [
  {
    why: "the key is unknown",
    call: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      return yield* world.call({ ...account, apiKey: Redacted.make(world.unique("none")) }, Paths.fees)
    })
  },
  {
    why: "the nonce was used",
    call: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const envelope = yield* world.nonce(account)
      yield* world.call(account, Paths.mainBalance, {}, { envelope })
      return yield* world.call(account, Paths.fees, {}, { envelope })
    })
  },
  {
    why: "the request field names another endpoint",
    call: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      return yield* world.call(account, Paths.mainBalance, {}, { envelope: { request: Paths.fees } })
    })
  },
  {
    why: "the key is restricted to another endpoint",
    call: Effect.fnUntraced(function*(world) {
      return yield* world.call(yield* world.open({ isFunded: false, endpoints: [Paths.fees] }), Paths.mainBalance)
    })
  },
  {
    why: "the key is disabled",
    call: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      yield* world.control("SetKey", { apiKey: Redacted.value(account.apiKey), enabled: false })
      return yield* world.call(account, Paths.mainBalance)
    })
  },
  {
    why: "the account is no partner",
    call: Effect.fnUntraced(function*(world) {
      return yield* world.call(yield* world.open({ isFunded: false, b2b: false }), Paths.interest)
    })
  },
  {
    why: "the code was applied before",
    call: Effect.fnUntraced(function*(world) {
      const { code } = yield* Codes.issue(world, "1")
      yield* world.call(yield* world.open({ isFunded: false }), Paths.applyCode, { code })
      return yield* world.call(yield* world.open({ isFunded: false }), Paths.applyCode, { code })
    })
  },
  {
    why: "the passphrase is wrong",
    call: Effect.fnUntraced(function*(world) {
      const { code } = yield* Codes.issue(world, "1", "right")
      return yield* world.call(yield* world.open({ isFunded: false }), Paths.applyCode, { code, passphrase: "wrong" })
    })
  },
  {
    why: "the sub-account is another account's",
    call: Effect.fnUntraced(function*(world) {
      const id = yield* SubAccounts.create(world, yield* world.open({ isFunded: false }))
      return yield* world.call(yield* world.open({ isFunded: false }), Paths.deleteSubAccount, { id })
    })
  },
  {
    why: "there is no position to reduce",
    call: Effect.fnUntraced(function*(world) {
      const fields = Orders.oco(yield* world.market, "buy", { reduceOnly: true })
      return yield* world.call(yield* world.trader, Paths.oco, fields)
    })
  },
  ...[Paths.stopLimit, Paths.oco].map((path): Reason => ({
    why: `the account has no funds for ${path}`,
    call: Effect.fnUntraced(function*(world) {
      const draft = path === Paths.oco ? Orders.oco : Orders.stopLimit
      const fields = draft(yield* world.market, "buy")
      return yield* world.call(yield* world.open({ isFunded: false }), path, fields)
    })
  }))
]

const everyReason: Rule.Rule = section.forEach("errors.private.each", {
  statement: "Shows code, message and errors in the refusal of a call, whatever the reason",
  values: reasons,
  check: Effect.fnUntraced(function*(world, { call }) {
    const answer = yield* call(world)
    if (isRefused(answer)) yield* hasForm(answer)
  })
})

/** Wrong fields that the document forbids in orders of both kinds. */
const wrongOrders = (market: Market): ReadonlyArray<Body> => [
  { market: "NO_SUCH" },
  { side: "hold" },
  { amount: undefined },
  { amount: "0" },
  { amount: `0.${"0".repeat(market.stockPrecision)}1` },
  { price: undefined },
  { price: "ten" },
  { activation_price: undefined },
  { client_order_id: "a b" }
]

const placesNothing: Rule.Rule = section.forEach("orders.refused.nothing", {
  statement: "Places no order when it refuses a field",
  clause: "Endpoints §3",
  values: ([[Paths.oco, Orders.oco], [Paths.stopLimit, Orders.stopLimit]] as const).flatMap(([path, draft]) =>
    Orders.sides.map((side) => ({ path, draft, side }))
  ),
  check: Effect.fnUntraced(function*(world, { draft, path, side }) {
    const account: Account = yield* world.trader
    const market = yield* world.market
    for (const wrong of wrongOrders(market)) {
      const answer = yield* world.call(account, path, { ...draft(market, side), ...wrong })
      if (!Refusals.isRefused(answer)) return yield* Verdict.skip(`accepts ${Json.stringify(wrong)}`)
    }
    const open = yield* Orders.list(world, account, Paths.activeOrders)
    yield* Verdict.conclude("no open orders", [...open.values()], open.size === 0)
  })
})

const statusOk: Rule.Rule = section.forEach("general.answer.ok", {
  statement: "Returns HTTP 200 with a JSON object or array for a success, on every private endpoint",
  clause: "General rules",
  values: Paths.documentCalls,
  check: Effect.fnUntraced(function*(world, path) {
    const account = yield* world.open()
    const answer = yield* world.call(account, path, yield* ValidCalls.fieldsOf(world, account, path))
    yield* Verdict.expect(
      answer,
      "HTTP 200 with a JSON object or array",
      answer.status === 200 && (Json.isObject(answer.json) || Array.isArray(answer.json))
    )
  })
})

export const rules: ReadonlyArray<Rule.Rule> = [
  parameters,
  everyReason,
  placesNothing,
  statusOk
]
