/** Faults in orders: their validation, their responses and their execution. */
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Market } from "../../../src/domain/Market.ts"
import type { VenuePolicy } from "../../../src/domain/VenuePolicy.ts"
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as CancelAllOrders from "../../../src/endpoints/CancelAllOrders.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import type { Dialect } from "../../../src/protocol/Dialect.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { markets } from "../../../src/sandbox/engine/Listings.ts"
import type { StopOrder } from "../../../src/sandbox/engine/Order.ts"
import * as PendingStopOrders from "../../../src/sandbox/engine/PendingStopOrders.ts"
import {
  answering,
  asking,
  type Change,
  changedAt,
  changing,
  type Fields,
  fieldsOf,
  type Instance,
  jsonOf,
  type Mutant,
  mutant,
  type Place,
  unnamed,
  withBody,
  withFields,
  without
} from "./Mutant.ts"

const stopLimit = StopLimitOrders.endpoint.path
const oco = CollateralOcoOrders.endpoint.path
const cancelAll = CancelAllOrders.endpoint.path

const keysOf = (venue: Instance) => venue.dialect.keys

const withPolicy = (policy: Partial<VenuePolicy>) => (dialect: Dialect): Dialect => ({
  ...dialect,
  policy: { ...dialect.policy, ...policy }
})

const legs: ReadonlyArray<Place> = [["stop_loss"], ["take_profit"]]

/** The orders in a response: the order itself, or the legs of an OCO order. */
const ordersIn = (path: string): ReadonlyArray<Place> => path === oco ? legs : [[]]

/** Changes the value of one key in responses about new orders. */
const placed = (
  path: string,
  key: string | ((venue: Instance) => string),
  change: (value: unknown, order: Fields) => unknown
): Change => ({
  make: () => ({
    answer: (answer, request, venue) => {
      if (request.path !== path || answer.status !== 200) return answer
      const name = typeof key === "string" ? key : key(venue)
      let json = jsonOf(answer)
      for (const place of ordersIn(path)) {
        json = changedAt(
          json,
          place,
          (order) => Json.isObject(order) ? { ...order, [name]: change(order[name], order) } : order
        )
      }
      return withBody(answer, json)
    }
  })
})

/** Replaces an invalid field of an order with a valid one. */
const repaired = (path: string, key: string): Change => ({
  make: () => {
    const fields = path === oco
      ? {
        market: "BTC_USDT",
        side: "buy",
        amount: "0.001",
        price: "20000",
        activation_price: "72000",
        stop_limit_price: "72000"
      }
      : { market: "BTC_USDT", side: "buy", amount: "0.001", price: "76000", activation_price: "76000" }
    const good: Fields = fields
    return {
      request: (request, venue) =>
        request.path === path ? withFields(venue, request, (fields) => ({ ...fields, [key]: good[key] })) : request
    }
  }
})

/** Replaces one venue's list of markets. All venues share the markets themselves, so `change` must not modify them. */
const list = (state: Instance["state"], change: (market: Market) => Market): void => {
  Object.assign(state, { markets: new Map(markets.map((market) => [market.name, change(market)])) })
}

const bounds = ["decimal", "positive", "precision"]

const numbersAsTexts = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === "number" && !key.startsWith("nonce") ? String(value) : value
    ])
  )

/** Validation faults that both order calls can have. */
const accepting = (id: "stop-limit" | "oco"): ReadonlyArray<Mutant> => {
  const path = id === "oco" ? oco : stopLimit
  const prices = id === "oco" ? ["price", "activation_price", "stop_limit_price"] : ["price", "activation_price"]
  const required = ["market", "side", "amount", ...prices]
  const rulesOf = (key: string): ReadonlyArray<string> => [
    `${id}.request.${key}.required`,
    `${id}.request.${key}.type`,
    ...(key === "market" ? [`${id}.request.market.known`] : []),
    ...(key === "side" ? [`${id}.request.side.values`] : []),
    ...(key === "amount"
      ? [...bounds.map((bound) => `${id}.request.amount.${bound}`), `${id}.request.amount.min`]
      : prices.includes(key)
      ? bounds.map((bound) => `${id}.request.${key}.${bound}`)
      : [])
  ]
  return [
    ...required.flatMap((key): ReadonlyArray<Mutant> => [
      mutant(`${id}-${key}-accepted`, `an invalid ${key} is accepted`, {
        breaks: rulesOf(key),
        ...repaired(path, key)
      }),
      mutant(`${id}-${key}-unnamed`, `the errors do not name ${key}`, {
        breaks: [`${id}.refusal`, `${id}.request.all-missing`],
        ...unnamed(path, key)
      })
    ]),
    mutant(`${id}-total-not-checked`, "the bounds of amount times price are not checked", {
      breaks: [`${id}.request.total.min`, `${id}.request.total.max`],
      make: () => ({
        before: ({ state }, request) => {
          const isPlaced = request.path === path
          const unbound = isPlaced ? { minTotal: Decimal.zero, maxTotal: Decimal.zero } : {}
          list(state, (market) => ({ ...market, ...unbound }))
        }
      })
    }),
    mutant(`${id}-total-slightly-small`, "a total of 80 % of minTotal is accepted", {
      breaks: [`${id}.request.total.min`],
      make: () => ({
        before: ({ state }, request) => {
          if (request.path === path) {
            list(state, (market) => market.name === "BTC_USDT" ? { ...market, minTotal: Decimal.of("4") } : market)
          }
        }
      })
    }),
    mutant(`${id}-numbers-for-texts`, "a number is accepted in place of a string", {
      // The live dialect accepts amounts and prices as numbers.
      dialects: ["document"],
      breaks: ["amount", ...prices].map((key) => `${id}.request.${key}.type`),
      ...asking(path, numbersAsTexts)
    }),
    mutant(`${id}-numbers-for-identifiers`, "a number is accepted in place of a trigger price or a client order id", {
      breaks: [`${id}.request.activation_price.type`, `${id}.client-order-id.type`],
      ...asking(path, numbersAsTexts)
    }),
    mutant(`${id}-client-order-id-of-any-form`, "an invalid client order id is ignored", {
      breaks: [`${id}.client-order-id.refuses`, `${id}.client-order-id.type`],
      make: () => ({
        request: (request, venue) =>
          request.path === path
            ? withFields(venue, request, (fields) => {
              const given = fields[keysOf(venue).clientOrderId]
              return given === undefined || /^[A-Za-z0-9\-._]+$/u.test(typeof given === "string" ? given : " ")
                ? fields
                : without(fields, keysOf(venue).clientOrderId)
            })
            : request
      })
    }),
    mutant(`${id}-client-order-id-narrow`, "dots and underscores in client order ids are refused", {
      breaks: [`${id}.client-order-id.accepts`],
      make: () => ({
        request: (request, venue) =>
          request.path === path
            ? withFields(venue, request, (fields) => {
              const key = keysOf(venue).clientOrderId
              return /[._]/u.test(String(fields[key] ?? "")) ? { ...fields, [key]: "not allowed" } : fields
            })
            : request
      })
    }),
    ...[["-", "dash"], [".", "dot"], ["_", "underscore"]].map(([character = "", name]) =>
      mutant(`${id}-client-order-id-no-${name}`, `a client order id with a ${name} between two letters is refused`, {
        breaks: [`${id}.client-order-id.accepts`],
        make: () => ({
          request: (request, venue) =>
            request.path === path
              ? withFields(venue, request, (fields) => {
                const key = keysOf(venue).clientOrderId
                return String(fields[key] ?? "").includes(`a${character}b`)
                  ? { ...fields, [key]: "not allowed" }
                  : fields
              })
              : request
        })
      })
    ),
    mutant(`${id}-client-order-id-changed`, "a client order id is shown in capitals, and a missing one as a dash", {
      breaks: [`${id}.client-order-id.none`, `${id}.client-order-id.accepts`],
      ...placed(path, (venue) => keysOf(venue).clientOrderId, (id) => String(id ?? "").toUpperCase() || "-")
    }),
    mutant(`${id}-client-order-id-reusable`, "two open orders can have the same client order id", {
      breaks: [`${id}.client-order-id.unique`],
      make: () => ({
        before: ({ state }) => {
          state.clientOrderIds.clear()
          changeOpen(state, { clientOrderId: undefined })
        }
      })
    }),
    mutant(`${id}-client-order-id-life`, "the rule for reusing client order ids is that of the other dialect", {
      breaks: [`${id}.client-order-id.for-ever`],
      dialect: (dialect) =>
        withPolicy({ clientOrderIds: dialect.policy.clientOrderIds === "account" ? "open-orders" : "account" })(dialect)
    }),
    mutant(`${id}-amount-changed`, "the order shows the wrong amount", {
      breaks: [`${id}.total.exact`],
      ...placed(path, "amount", (amount) => `${Number(amount) * 2}`)
    }),
    mutant(`${id}-trigger-echoes-limit`, "the trigger price is shown as the limit price", {
      breaks: [`${id}.total.exact`],
      ...placed(path, "activation_price", (trigger, { price }) => trigger === undefined ? undefined : price)
    }),
    mutant(`${id}-limit-echoes-trigger`, "the limit price is shown as the trigger price", {
      breaks: [`${id}.total.exact`],
      ...placed(path, "price", (price, { activation_price: trigger }) => trigger ?? price)
    }),
    mutant(`${id}-client-order-id-of-all`, "client order ids are unique among the orders of all accounts", {
      breaks: [`${id}.client-order-id.per-account`],
      make: () => {
        const owners = new Map<unknown, unknown>()
        return {
          request: (request, venue) =>
            request.path === path
              ? withFields(venue, request, (fields) => {
                const name = keysOf(venue).clientOrderId
                const caller = request.headers["x-txc-apikey"]
                const owner = owners.get(fields[name]) ?? caller
                owners.set(fields[name], owner)
                return name in fields && owner !== caller ? { ...fields, [name]: "used by another" } : fields
              })
              : request
        }
      }
    }),
    mutant(`${id}-ids-of-each`, "the order ids of every account begin at 1", {
      breaks: [`${id}.ids.accounts`],
      make: () => {
        const counts = new Map<string, number>()
        return {
          answer: (answer, request, venue) => {
            if (request.path !== path || answer.status !== 200) return answer
            const caller = String(request.headers["x-txc-apikey"])
            const next = () => {
              const count = (counts.get(caller) ?? 0) + 1
              counts.set(caller, count)
              return count
            }
            const places = [...ordersIn(path).map((place) => [...place, keysOf(venue).orderId]), ["id"]]
            return withBody(answer, places.reduce((json, place) => changedAt(json, place, next), jsonOf(answer)))
          }
        }
      }
    }),
    ...["-of-sells", ""].map((suffix) =>
      mutant(
        `${id}-whole-seconds${suffix}`,
        `the times of ${suffix === "" ? "an" : "a sell"} order are whole seconds`,
        {
          breaks: ["general.times.fraction"],
          make: () => ({
            answer: (answer, request) =>
              request.path === path && answer.status === 200 &&
                (suffix === "" || fieldsOf(request)?.["side"] === "sell")
                ? withBody(
                  answer,
                  ["timestamp", "mtime"].flatMap((key) => ordersIn(path).map((place) => [...place, key])).reduce(
                    (json, place) => changedAt(json, place, (at) => Math.floor(Number(at))),
                    jsonOf(answer)
                  )
                )
                : answer
          })
        }
      )
    ),
    mutant(`${id}-same-ids`, "all orders have the same id", {
      breaks: [`${id}.ids.unique`, `${id}.parallel`],
      ...placed(path, (venue) => keysOf(venue).orderId, () => 7)
    }),
    mutant(`${id}-times-in-millis`, "the creation time is in milliseconds", {
      breaks: id === "oco" ? ["oco.response.stop_loss.timestamp", "oco.response.take_profit.timestamp"] : [
        "general.times.now",
        "stop-limit.response.timestamp"
      ],
      ...placed(path, "timestamp", (at) => Number(at) * 1000)
    }),
    mutant(`${id}-times-in-nanos`, "times have more digits than microseconds allow", {
      breaks: id === "oco" ? ["oco.response.stop_loss.mtime", "oco.response.take_profit.mtime"] : [
        "stop-limit.response.timestamp"
      ],
      ...placed(path, id === "oco" ? "mtime" : "timestamp", (at) => Math.floor(Number(at)) + 0.1234567)
    })
  ]
}

/** Shows a different value in a new stop-limit order. */
const freshStop = (rule: string, key: string | ((venue: Instance) => string), value: unknown): Mutant => ({
  id: `stop-limit-new-${rule}`,
  fault: `a new order shows a wrong ${rule}`,
  breaks: [`stop-limit.new.${rule}`],
  ...placed(stopLimit, key, () => value)
})

/** Shows a different value in one or both legs of a new OCO order. */
const freshLeg = (rule: string, key: string, change: (value: unknown) => unknown, only = legs): Mutant => ({
  id: `oco-new-${rule}`,
  fault: `a new leg shows a wrong ${rule}`,
  breaks: [`oco.new.${rule}`],
  ...answering(oco, "success", (json) =>
    only.reduce(
      (json, place) => changedAt(json, place, (leg) => Json.isObject(leg) ? { ...leg, [key]: change(leg[key]) } : leg),
      json
    ))
})

const firstLeg: ReadonlyArray<Place> = [["stop_loss"]]
const secondLeg: ReadonlyArray<Place> = [["take_profit"]]

const opposite = (side: unknown): string => side === "buy" ? "sell" : "buy"

const answers: ReadonlyArray<Mutant> = ([
  freshStop("type", "type", "limit"),
  freshStop("left", "left", "0"),
  freshStop("deal-money", ({ dialect }) => dialect.keys.dealMoney, "0.1"),
  freshStop("deal-stock", ({ dialect }) => dialect.keys.dealStock, "0.00"),
  freshStop("deal-fee", ({ dialect }) => dialect.keys.dealFee, "0.1"),
  freshStop("status", "status", "FILLED"),
  freshStop("stp", "stp", "cancel_both"),
  freshStop("post-only", "postOnly", true),
  freshStop("ioc", "ioc", true),
  freshStop("reduce-only", "reduceOnly", true),
  freshStop("activated", "activated", 1),
  freshStop("side", "side", "sell"),
  { ...freshStop("side", "market", "ETH_USDT"), id: "stop-limit-new-market" },
  freshStop("condition", "activationCondition", "gte"),
  mutant("stop-limit-trigger-rounded", "the trigger price is shown with the wrong number of decimal places", {
    breaks: ["stop-limit.activation-price.exact"],
    ...placed(stopLimit, "activation_price", (price) => `${Number(price)}`)
  }),
  mutant("stop-limit-stp-ignored", "stp is always no", {
    breaks: ["stop-limit.request.stp.accepts", "stop-limit.request.stp.refuses"],
    ...asking(stopLimit, (fields) => without(fields, "stp"))
  }),
  mutant("stop-limit-market-unknown", "one of the listed markets is refused as unknown", {
    breaks: ["stop-limit.markets.each"],
    ...asking(stopLimit, (fields) => fields["market"] === "SHIB_USDT" ? { ...fields, market: "NO_SUCH" } : fields)
  }),
  mutant("stop-limit-bbo-narrow", "only bboRole 1 is accepted", {
    breaks: ["stop-limit.request.bboRole.accepts"],
    ...asking(stopLimit, (fields) => fields["bboRole"] === 2 ? { ...fields, bboRole: 3 } : fields)
  }),
  mutant("stop-limit-bbo-wide", "an invalid bboRole is ignored", {
    breaks: ["stop-limit.request.bboRole.refuses"],
    ...asking(
      stopLimit,
      (fields) => fields["bboRole"] === 1 || fields["bboRole"] === 2 ? fields : without(fields, "bboRole")
    )
  }),
  mutant("stop-limit-minimum-excluded", "an amount equal to minAmount is refused", {
    breaks: ["stop-limit.amount.bounds"],
    dialects: ["document"],
    make: () => ({
      request: (request, venue) =>
        request.path === stopLimit
          ? withFields(venue, request, (fields) =>
            Number(fields["amount"]) === Number(venue.state.markets.get(String(fields["market"]) as never)?.minAmount)
              ? { ...fields, amount: "0.0000001" }
              : fields)
          : request
    })
  }),
  mutant("stop-limit-minimum-total-excluded", "a total equal to minTotal is refused", {
    breaks: ["stop-limit.amount.bounds"],
    dialects: ["live"],
    make: () => ({
      request: (request, venue) =>
        request.path === stopLimit
          ? withFields(venue, request, (fields) => {
            const least = Number(venue.state.markets.get(String(fields["market"]) as never)?.minTotal)
            const total = Number(fields["amount"]) * Number(fields["price"])
            return total < least * 1.01 ? { ...fields, amount: "0.0000001" } : fields
          })
          : request
    })
  }),
  mutant("stop-limit-position-side", "the position's side is a number", {
    breaks: ["stop-limit.response.positionSide"],
    ...placed(stopLimit, "positionSide", () => 1)
  }),
  freshLeg("take-profit.no-activation-price", "activation_price", () => "1", secondLeg),
  freshLeg("take-profit.no-activation-condition", "activation_condition", () => "gte", secondLeg),
  freshLeg("take-profit.no-activated", "activated", () => 0, secondLeg),
  freshLeg("side", "side", opposite, secondLeg),
  freshLeg("amount", "amount", (amount) => `${Number(amount) * 2}`, secondLeg),
  freshLeg("left", "left", () => "0"),
  freshLeg("deals", "deal_fee", () => "1"),
  freshLeg("activated", "activated", () => 1, firstLeg),
  freshLeg("condition", "activation_condition", () => "gte", firstLeg),
  freshLeg("status", "status", () => "FILLED"),
  freshLeg("mtime", "mtime", (at) => Number(at) + 1),
  freshLeg("position-side", "positionSide", () => "LONG")
] satisfies ReadonlyArray<Mutant>).map((mutant): Mutant =>
  mutant.id === "oco-new-deals"
    ? { ...mutant, ...placed(oco, (venue) => keysOf(venue).dealFee, () => "1") }
    : mutant
)

const reduceOnly: ReadonlyArray<Mutant> = [
  mutant("116-not-answered", "reduceOnly is ignored", {
    breaks: [
      "oco.reduce-only.flag",
      "oco.reduce-only.clipped",
      "oco.reduce-only.type",
      "versioning.reduce-only"
    ],
    ...asking(oco, (fields) => without(fields, "reduceOnly"))
  }),
  mutant("116-is-30", "a reduce-only order without a position is refused like an invalid field", {
    breaks: ["oco.reduce-only.no-position", "oco.reduce-only.same-side"],
    ...answering(oco, "refusal", (json) =>
      Json.isObject(json) && json["code"] === 116
        ? { code: 30, message: "Validation failed", errors: { reduceOnly: ["There is no position"] } }
        : json)
  }),
  mutant("reduce-only-by-default", "every order shows reduceOnly true", {
    breaks: ["oco.reduce-only.default"],
    ...changing(oco, ["reduceOnly"], () => true)
  }),
  mutant("reduce-only-unnamed", "the errors do not name reduceOnly", {
    breaks: ["errors.reduce-only"],
    ...unnamed(oco, "reduceOnly")
  }),
  mutant("collateral-everywhere", "every market can be traded with collateral", {
    breaks: ["oco.request.market.margin"],
    make: () => ({
      before: ({ state }, request) => {
        const isPlaced = request.path === oco
        list(state, (market) => ({ ...market, isCollateral: isPlaced || market.isCollateral }))
      }
    })
  }),
  mutant("both-legs-live", "the legs of an OCO order do not cancel each other", {
    breaks: ["oco.one-cancels-other.take-profit", "oco.one-cancels-other.stop-loss", "oco.never-both"],
    make: () => ({
      answer: (answer, _request, { state }) => {
        for (const [id] of state.ocoOrders) state.ocoOrders.delete(id)
        return answer
      }
    })
  })
]

const cancels = (change: (fields: Fields) => Fields): Change => asking(cancelAll, change)

const typesOf = (fields: Fields): ReadonlyArray<unknown> =>
  Array.isArray(fields["type"]) ? fields["type"] : ["spot", "margin", "futures"]

const cancelling: ReadonlyArray<Mutant> = [
  mutant("cancel-all-no-margin", "cancel-all never cancels collateral orders", {
    breaks: ["cancel-all.everything", "cancel-all.stops"],
    ...cancels((fields) => fields["type"] === undefined ? { ...fields, type: ["spot", "futures"] } : fields)
  }),
  mutant("cancel-all-market-ignored", "cancel-all ignores market", {
    breaks: ["cancel-all.market", "cancel-all.type.and-market", "cancel-all.market.type"],
    ...cancels((fields) => without(fields, "market"))
  }),
  ...(["spot", "margin", "futures"] as const).map((type): Mutant => ({
    id: `cancel-all-${type}-is-all`,
    fault: `type ${type} selects all types`,
    breaks: [`cancel-all.type.${type}`],
    ...cancels((fields) =>
      typesOf(fields).length === 1 && typesOf(fields)[0] === type ? without(fields, "type") : fields
    )
  })),
  ...(["spot", "margin"] as const).map((type) =>
    mutant(`cancel-all-${type}-market-ignored`, `cancel-all ignores market if only the type ${type} is given`, {
      breaks: ["cancel-all.type.and-market"],
      ...cancels((fields) =>
        fields["type"] !== undefined && typesOf(fields).join() === type ? without(fields, "market") : fields
      )
    })
  ),
  mutant("cancel-all-first-type", "cancel-all cancels only orders of the first given type", {
    breaks: ["cancel-all.type.several"],
    ...cancels((fields) => fields["type"] === undefined ? fields : { ...fields, type: typesOf(fields).slice(0, 1) })
  }),
  mutant("cancel-all-market-or-type", "cancel-all ignores type if a market is given", {
    breaks: ["cancel-all.type.and-market"],
    ...cancels((fields) => fields["market"] === undefined ? fields : without(fields, "type"))
  }),
  mutant("cancel-all-of-everybody", "cancel-all cancels the orders of all accounts", {
    breaks: ["cancel-all.own"],
    make: () => ({
      before: ({ state }, request) => {
        const account = state.keys.get(String(request.headers["x-txc-apikey"]) as never)?.account
        if (request.path !== cancelAll || account === undefined) return
        changeOpen(state, { account })
      }
    })
  }),
  mutant("cancel-all-nothing-refused", "cancel-all is refused if no order is open", {
    breaks: ["cancel-all.nothing"],
    make: () => ({
      answer: (answer, request) =>
        request.path === cancelAll && answer.status === 200 ? { ...answer, status: 400 } : answer
    })
  }),
  mutant("canceled-is-expired", "canceled orders show the status expired", {
    breaks: ["cancel-all.status", "status.canceled"],
    ...answering(
      OrderHistory.endpoint.path,
      "success",
      (json) => changedAt(json, ["*", "*", "status"], (status) => status === "CANCELED" ? "EXPIRED" : status)
    )
  }),
  mutant("cancel-all-type-loose", "cancel-all ignores unknown types", {
    breaks: ["cancel-all.type.unknown", "cancel-all.refused.nothing"],
    ...cancels((fields) => {
      if (!Array.isArray(fields["type"])) return fields
      const known = typesOf(fields).filter((type) => ["spot", "margin", "futures"].includes(String(type)))
      return known.length === 0 ? without(fields, "type") : { ...fields, type: known }
    })
  }),
  mutant("cancel-all-type-text", "cancel-all ignores a type that is not a list", {
    breaks: ["cancel-all.type.array"],
    ...cancels((fields) => Array.isArray(fields["type"] ?? []) ? fields : without(fields, "type"))
  }),
  mutant("cancel-all-type-empty", "an empty list of types selects all types", {
    breaks: ["cancel-all.type.empty"],
    ...cancels((fields) => typesOf(fields).length === 0 ? without(fields, "type") : fields)
  }),
  mutant("cancel-all-market-empty", "cancel-all treats an empty market as absent", {
    breaks: ["cancel-all.market.unknown"],
    ...cancels((fields) => fields["market"] === "" ? without(fields, "market") : fields)
  }),
  mutant("cancel-all-market-unnamed", "the refusal of cancel-all does not name market", {
    breaks: ["cancel-all.refusal"],
    ...unnamed(cancelAll, "market")
  }),
  mutant("cancel-all-envelope", "the rule for request and nonce is that of the other dialect", {
    breaks: ["cancel-all.envelope"],
    make: () => ({
      answer: (answer, request) => {
        const { nonce, request: path } = fieldsOf(request) ?? {}
        if (request.path !== cancelAll || (nonce !== undefined && path !== undefined)) return answer
        return answer.status < 300 ? { ...answer, status: 400 } : withBody({ ...answer, status: 200 }, [])
      }
    })
  })
]

/** The places of the orders in the responses that list open orders and the order history. */
const listed: ReadonlyArray<readonly [path: string, place: Place]> = [
  [ActiveOrders.endpoint.path, ["*"]],
  [OrderHistory.endpoint.path, ["*", "*"]]
]

/** Changes the value of one key in every listed order. */
const listing = (
  key: string | ((venue: Instance) => string),
  change: (value: unknown, order: Fields) => unknown
): Change => ({
  make: () => ({
    answer: (answer, request, venue) => {
      const name = typeof key === "string" ? key : key(venue)
      const found = listed.find(([path]) => path === request.path)
      if (found === undefined || answer.status !== 200) return answer
      const [, place] = found
      return withBody(
        answer,
        changedAt(
          jsonOf(answer),
          place,
          (order) =>
            Json.isObject(order) && Object.hasOwn(order, name)
              ? { ...order, [name]: change(order[name], order) }
              : order
        )
      )
    }
  })
})

/** Removes all waiting orders, changes their triggers, and adds the orders again. */
const changeWaiting = (state: Instance["state"], change: (order: StopOrder) => void): void => {
  for (const { waiting } of state.trading.values()) {
    for (const order of PendingStopOrders.all(waiting)) {
      PendingStopOrders.remove(waiting, order)
      change(order)
      PendingStopOrders.add(waiting, order)
    }
  }
}

/** Removes each open order from the list of open orders, changes it, and adds it again. */
const changeOpen = ({ openOrders }: Instance["state"], change: object): void => {
  for (const order of openOrders.values().toArray()) {
    openOrders.delete(order.id)
    openOrders.add(Object.assign(order, change))
  }
}

/** Changes the trigger condition of waiting orders. */
const waiting = (change: (condition: string, side: string) => string): Change => ({
  make: () => ({
    answer: (answer, _request, { state }) => {
      changeWaiting(state, ({ side, stop }) => Object.assign(stop, { condition: change(stop.condition, side) }))
      return answer
    }
  })
})

/** Changes every waiting order once, before the next call. */
const pending = (change: (order: StopOrder) => object): Change => ({
  make: () => {
    const done = new WeakSet()
    return {
      answer: (answer, _request, { state }) => {
        changeWaiting(state, (order) => {
          if (done.has(order)) return
          done.add(order)
          Object.assign(order, change(order))
        })
        return answer
      }
    }
  }
})

/** Returns the quote amount of an order's fills, priced at the order's own limit. */
const atLimit = (money: unknown, order: Fields): unknown => {
  const stock = Number(order["dealStock"] ?? order["deal_stock"])
  return stock === 0 ? money : `${stock * Number(order["price"])}`
}

/** The opposite of each bboRole value. */
const roles = { queue: "counterparty", counterparty: "queue", none: undefined } as const

const statusIs = (rule: string, ...words: ReadonlyArray<string>): Mutant => ({
  id: `status-${rule}`,
  fault: `the status ${words.join(" or ")} is shown as DONE`,
  breaks: [`status.${rule}`],
  ...listing("status", (status) => words.includes(String(status)) ? "DONE" : status)
})

/**
 * Moves the triggers of waiting orders on this side by `steps` price steps away from the market, or toward it if
 * `steps` is negative.
 */
const shifted = (steps: number, side: "buy" | "sell"): Change =>
  pending(({ side: found, stop }) => {
    const away = side === "buy" ? steps : -steps
    return found === side ? { stop: Object.assign(stop, { price: (Number(stop.price) + away / 100).toFixed(2) }) } : {}
  })

const life: ReadonlyArray<Mutant> = [
  mutant("activation-reversed", "a buy waits for a falling price, a sell for a rising price", {
    breaks: ["orders.model", "activation.buy.beyond", "activation.sell.beyond"],
    ...waiting((_, side) => side === "buy" ? "lte" : "gte")
  }),
  mutant("activation-rule", "the rule for a trigger's direction is that of the other dialect", {
    breaks: ["activation.side"],
    dialect: (dialect) =>
      withPolicy({ activation: dialect.policy.activation === "side" ? "last-price" : "side" })(dialect)
  }),
  ...(["buy", "sell"] as const).flatMap((side): ReadonlyArray<Mutant> => [
    mutant(`activation-${side}-late`, `a ${side} stop is activated one price step beyond its activation price`, {
      breaks: [`activation.${side}.reached`],
      ...shifted(1, side)
    }),
    mutant(`activation-${side}-early`, `a ${side} stop is activated one price step before its activation price`, {
      breaks: [`activation.${side}.step`],
      ...shifted(-1, side)
    }),
    mutant(`activation-${side}-at-once`, `a waiting ${side} stop is shown as activated`, {
      breaks: [`activation.${side}.before`, `activation.${side}.step`],
      ...listing("activated", (activated, order) => order["side"] === side ? 1 : activated)
    }),
    mutant(`activation-${side}-market`, `an activated ${side} stop trades at any price`, {
      breaks: [`activation.${side}.limit`],
      make: () => ({
        answer: (answer, _request, { state }) => {
          changeWaiting(state, (order) => {
            if (order.side === side) Object.assign(order, { price: side === "buy" ? "1000000" : "1" })
          })
          return answer
        }
      })
    })
  ]),
  statusIs("new", "NEW", "OPEN"),
  statusIs("filled", "FILLED"),
  statusIs("partial-filled", "PARTIAL_FILLED", "PARTIALLY_FILLED"),
  statusIs("partial-canceled", "PARTIAL_CANCELED", "CANCELED"),
  statusIs("taker-band", "CANCELED_TAKER_BAND"),
  statusIs("auto-canceled-reduce-only", "AUTO_CANCELED_REDUCE_ONLY"),
  mutant("oco-stop-market", "an activated stop-loss trades at any price", {
    breaks: ["oco.stop-loss.limit"],
    make: () => ({
      answer: (answer, _request, { state }) => {
        changeWaiting(state, (order) => {
          if (order.oco !== undefined) Object.assign(order, { price: order.side === "buy" ? "1000000" : "1" })
        })
        return answer
      }
    })
  }),
  mutant("market-price", "a market order shows a price", {
    breaks: ["orders.market.price"],
    make: () => ({
      answer: (answer, request) => {
        const json = jsonOf(answer)
        return request.path === MarketOrders.endpoint.path && Json.isObject(json)
          ? withBody(answer, { ...json, price: "1" })
          : answer
      }
    })
  }),
  mutant("market-in-stock", "a market buy spends ten times its amount", {
    breaks: ["orders.market.amount"],
    ...asking(MarketOrders.endpoint.path, (fields) => ({ ...fields, amount: `${Number(fields["amount"]) * 10}` }))
  }),
  mutant("post-only-ignored", "a post-only order trades immediately", {
    breaks: ["orders.post-only"],
    ...asking(LimitOrders.endpoint.path, (fields) => without(fields, "postOnly"))
  }),
  mutant("post-only-never", "no post-only order is accepted", {
    breaks: ["orders.post-only"],
    ...asking(LimitOrders.endpoint.path, (fields) => fields["postOnly"] === true ? { ...fields, price: "-1" } : fields)
  }),
  mutant("stp-ignored", "orders of one account always trade with each other", {
    breaks: ["orders.stp"],
    ...asking(LimitOrders.endpoint.path, (fields) => without(fields, "stp"))
  }),
  mutant("stop-stp-ignored", "a triggered order always trades with orders of its own account", {
    breaks: ["stop-limit.stp.prevents", "stop-limit.stp.cancels"],
    ...pending(() => ({ stp: "no" }))
  }),
  mutant("stop-limit-client-order-id-elsewhere", "a client order id can be used again on another market", {
    breaks: ["stop-limit.client-order-id.elsewhere"],
    dialects: ["document"],
    dialect: withPolicy({ clientOrderIds: "open-orders" })
  }),
  mutant("stop-stp-omitted", "a triggered order without stp cancels both orders instead of trading", {
    breaks: ["stop-limit.stp.omitted"],
    make: () => ({
      ...asking(stopLimit, (fields) => ({ stp: "cancel_both", ...fields })).make?.(),
      // Hides the default from rules that only read the response.
      answer: (answer, request) =>
        request.path === stopLimit && answer.status < 300 && fieldsOf(request)?.["stp"] === undefined
          ? withBody(answer, { ...jsonOf(answer) as Fields, stp: "no" })
          : answer
    })
  }),
  mutant("stop-stp-new", "self-trade prevention always cancels the triggered order", {
    breaks: ["stop-limit.stp.cancels"],
    ...pending(() => ({ stp: "cancel_new" }))
  }),
  mutant("stop-stp-old", "self-trade prevention always cancels the other order", {
    breaks: ["stop-limit.stp.cancels"],
    ...pending(({ stp }) => ({ stp: stp === "no" ? stp : "cancel_old" }))
  }),
  mutant("bbo-ignored", "bboRole is accepted, but has no effect", {
    breaks: ["stop-limit.bbo.queue", "stop-limit.bbo.counterparty"],
    ...pending(({ stop }) => ({ stop: { ...stop, bboRole: undefined }, postOnly: false }))
  }),
  mutant("bbo-swapped", "the methods of bboRole are swapped", {
    breaks: ["stop-limit.bbo.queue", "stop-limit.bbo.counterparty"],
    ...pending(({ stop }) => ({ stop: { ...stop, bboRole: roles[stop.bboRole ?? "none"] }, postOnly: false }))
  }),
  mutant("bbo-own-limit", "a queued order rests at its own limit", {
    breaks: ["stop-limit.bbo.queue"],
    ...pending(({ stop }) => ({ stop: { ...stop, bboRole: undefined } }))
  }),
  mutant("deal-money-listed-at-limit", "the lists show a trade's cost at the order's limit", {
    breaks: ["orders.deal-money"],
    ...listing(({ dialect }) => dialect.keys.dealMoney, atLimit)
  }),
  mutant("deal-money-at-limit", "the response shows a trade's cost at the order's limit price", {
    breaks: ["orders.deal-money", "orders.deal-money.price"],
    ...placed(
      LimitOrders.endpoint.path,
      ({ dialect }) => dialect.keys.dealMoney,
      atLimit
    )
  }),
  mutant("fees-not-charged", "a filled order shows no fee", {
    breaks: ["orders.fee"],
    ...placed(LimitOrders.endpoint.path, ({ dialect }) => dialect.keys.dealFee, () => "0")
  }),
  mutant("ioc-ignored", "an immediate-or-cancel order rests", {
    breaks: ["orders.ioc"],
    ...asking(LimitOrders.endpoint.path, (fields) => without(fields, "ioc"))
  }),
  mutant("partial-left", "a partially filled order shows its whole amount as left", {
    breaks: ["status.filled.left"],
    ...answering(
      ActiveOrders.endpoint.path,
      "success",
      (json) => Array.isArray(json) ? json.map((order: Fields) => ({ ...order, left: order["amount"] })) : json
    )
  }),
  mutant("filled-left", "a filled order shows its whole amount as left", {
    breaks: ["status.filled.left"],
    ...answering(
      LimitOrders.endpoint.path,
      "success",
      (json) => Json.isObject(json) ? { ...json, left: json["amount"] } : json
    )
  })
]

/** @category mutants */
export const mutants: ReadonlyArray<Mutant> = [
  ...accepting("stop-limit"),
  ...accepting("oco"),
  ...answers,
  ...reduceOnly,
  ...cancelling,
  ...life
]
