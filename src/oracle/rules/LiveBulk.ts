/** Rules about bulk orders, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { allows, perpetual, priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/** Creates a sell order, `percent` above the market. */
const offer = (market: Market, percent = 10, more: Body = {}): Body => ({
  market: market.name,
  side: "sell",
  amount: "0.03",
  price: priceText(market, market.price * (1 + percent / 100)),
  ...more
})

const kinds = [{ path: Paths.bulk }, { path: Paths.collateralBulk }] as const

const wrongs = ["too small", "without a side", "unknown market"] as const

/** Creates a sell order that every target must refuse. */
const wrong = (market: Market, what: typeof wrongs[number]): Body =>
  offer(
    market,
    10,
    {
      "too small": { amount: "0.0000000001" },
      "without a side": { side: undefined },
      "unknown market": { market: "NO_SUCH" }
    }[what]
  )

/** Invalid fields of a bulk order, with the code of its error, unless the documentation has several. */
const invalid: ReadonlyArray<{ readonly fields: Body; readonly code?: number }> = [
  { fields: { amount: "0.0000000001" } },
  { fields: { amount: "ten" }, code: 32 },
  { fields: { price: "ten" }, code: 33 },
  { fields: { price: "0" }, code: 33 },
  { fields: { side: undefined }, code: 30 },
  { fields: { side: "hold" }, code: 30 },
  { fields: { market: "NO_SUCH" }, code: 31 },
  { fields: { clientOrderId: "a b" }, code: 36 },
  { fields: { ioc: true, postOnly: true }, code: 37 }
]

/** Returns the result or the error of an item. If the item has both, returns neither. */
const parts = (item: unknown) => {
  const { error, result } = Json.isObject(item) ? item : { error: undefined, result: undefined }
  return {
    result: Json.isObject(result) && (error === undefined || error === null) ? result : undefined,
    error: Json.isObject(error) && (result === undefined || result === null) ? error : undefined
  }
}

const isError = (error: Body | undefined): boolean =>
  error !== undefined && Number.isSafeInteger(error["code"]) && typeof error["message"] === "string"

/** Makes a call with these orders, and expects a list of results (`good`) and errors (`bad`). */
const expectItems = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body,
  expected: ReadonlyArray<"good" | "bad">
) {
  const { answer, items } = yield* LiveCalls.list(world, account, path, fields)
  const parsed = items.map(parts)
  yield* Verdict.expect(
    answer,
    `a list of ${expected.length} items: ${
      expected.map((kind) => kind === "good" ? "a result" : "an error").join(", ")
    }`,
    parsed.length === expected.length &&
      expected.every((kind, index) =>
        kind === "good" ? parsed[index]?.result !== undefined : isError(parsed[index]?.error)
      )
  )
  return { answer, results: parsed.flatMap(({ result }) => result === undefined ? [] : [result]) }
})

/** Expects that an item shows an error with this code and with errors that name these fields. */
const hasError = (answer: Target.Answer, item: unknown, code: number, names: ReadonlyArray<string>) => {
  const { error } = parts(item)
  const errors = error?.["errors"]
  return Verdict.expect(
    answer,
    `an error with code ${code}, whose errors name ${names.join(", ")}`,
    isError(error) && error?.["code"] === code && Json.isObject(errors) &&
      names.every((name) => LivePublicCalls.isMessages(errors[name]))
  )
}

const isOpen = (world: World, account: Account, ids: ReadonlyArray<unknown>) =>
  Effect.map(Orders.list(world, account, Paths.activeOrders), (open) => ids.map((id) => open.has(String(id))))

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("live-bulk.places", {
    statement: "Places the orders of one call in sequence, and leaves all of them open",
    level: "SHOULD",
    values: kinds,
    check: Effect.fnUntraced(function*(world, { path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const clientOrderId = world.unique("bulk")
      const orders = [
        offer(market, 10, { clientOrderId }),
        offer(market, 12, { clientOrderId: "" }),
        offer(market, 14)
      ]
      const { answer, results } = yield* expectItems(world, account, path, { orders }, ["good", "good", "good"])
      yield* Verdict.expect(
        answer,
        `prices ${orders.map(({ price }) => String(price)).join(", ")}, and client order id ${clientOrderId} first`,
        results.every(({ price }, index) => Number(price) === Number(orders[index]?.["price"])) &&
          results[0]?.["clientOrderId"] === clientOrderId
      )
      const open = yield* isOpen(world, account, results.map(({ orderId }) => orderId))
      yield* Verdict.conclude("all orders open", open, open.every((is) => is))
    })
  }),
  LiveCalls.section.forEach("live-bulk.results", {
    statement: "Shows each order of one call in its own result, in the call's sequence, and leaves all of them open",
    values: kinds,
    check: Effect.fnUntraced(function*(world, { path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const orders = [
        offer(market, 10, { clientOrderId: world.unique("bulk"), amount: "0.031" }),
        { ...offer(market, -12, { amount: "0.032" }), side: "buy" },
        offer(path === Paths.bulk ? market : Orders.asPerpetual(market), 14, { postOnly: true, amount: "0.033" })
      ]
      const { answer, results } = yield* expectItems(world, account, path, { orders }, ["good", "good", "good"])
      const keys = ["amount", "price", "side", "market", "clientOrderId", "postOnly"]
      yield* Verdict.expect(
        answer,
        `the values of ${Json.stringify(orders)}, with three order ids`,
        results.every((result, index) =>
          keys.every((key) => {
            const sent: unknown = Object.entries(orders[index] ?? {}).find(([name]) => name === key)?.[1]
            return sent === undefined || result[key] === sent || Number(result[key]) === Number(sent)
          })
        ) && new Set(results.map(({ orderId }) => orderId)).size === 3
      )
      const open = yield* isOpen(world, account, results.map(({ orderId }) => orderId))
      yield* Verdict.conclude("all orders open", open, open.every((is) => is))
    })
  }),
  LiveCalls.section.forEach("live-bulk.apart", {
    statement: "Shows an error in place of a refused order, and places the other orders with their client order ids",
    values: kinds.flatMap(({ path }) =>
      wrongs.map((what) => ({ path, what, more: what === "too small" ? { stopOnFail: false } : {} }))
    ),
    check: Effect.fnUntraced(function*(world, { more, path, what }) {
      const account = yield* world.trader
      const market = yield* world.market
      const [one, other] = [world.unique("one"), world.unique("other")]
      const orders = [
        offer(market, 10, { clientOrderId: one }),
        wrong(market, what),
        offer(market, 12, { clientOrderId: other })
      ]
      const fields = { orders, ...more }
      const { answer, results } = yield* expectItems(world, account, path, fields, ["good", "bad", "good"])
      yield* Verdict.expect(
        answer,
        `orders with the client order ids ${one} and ${other}`,
        [one, other].every((id) => results.some(({ clientOrderId }) => clientOrderId === id))
      )
      const open = yield* isOpen(world, account, results.map(({ orderId }) => orderId))
      yield* Verdict.conclude("the other orders open", open, open.every((is) => is))
    })
  }),
  LiveCalls.section.forEach("live-bulk.errors", {
    statement: "Shows for each refused order the code of the single-order call, and errors that name the same fields",
    values: [
      { path: Paths.bulk, single: Paths.limitOrder },
      { path: Paths.collateralBulk, single: Paths.collateralLimit }
    ],
    check: Effect.fnUntraced(function*(world, { path, single }) {
      const account = yield* world.trader
      const market = yield* world.market
      const orders = invalid.map(({ fields }) => offer(market, 10, fields))
      const { answer, items } = yield* LiveCalls.list(world, account, path, { orders })
      for (const [index, { code: documented }] of invalid.entries()) {
        const { json } = yield* LiveCalls.call(world, account, single, orders[index] ?? {})
        const { code, errors } = Json.isObject(json) ? json : { code: undefined, errors: {} }
        const names = Object.keys(Json.isObject(errors) ? errors : {})
        yield* Verdict.conclude(
          `code ${documented ?? Number(code)} for ${Json.stringify(orders[index])}`,
          items[index],
          parts(items[index]).error?.["code"] === (documented ?? code),
          answer
        )
        yield* hasError(answer, items[index], Number(code), names)
      }
      const open = yield* Orders.list(world, account, Paths.activeOrders)
      yield* Verdict.conclude("no orders open", `${open.size}`, open.size === 0)
    })
  }),
  LiveCalls.section.forEach("live-bulk.no-funds", {
    statement: "Shows an error in place of an order that the balance does not cover, and places the others",
    values: [
      { path: Paths.bulk, amounts: ["0.0002", "0.1", "0.0002"] },
      { path: Paths.collateralBulk, amounts: ["0.0002", "0.1", "0.0002"] },
      // Each of these orders fits alone, but the first leaves too little for the second.
      { path: Paths.bulk, amounts: ["0.003", "0.004", "0.0002"] }
    ],
    check: Effect.fnUntraced(function*(world, { amounts, path }) {
      const market = yield* world.market
      yield* allows(market, 0.0002, market.price)
      const account = yield* Wallets.open(world, Wallets.little)
      const orders = amounts.map((amount) => offer(market, 10, { amount }))
      const { answer, results } = yield* expectItems(world, account, path, { orders }, ["good", "bad", "good"])
      const item: unknown = Array.isArray(answer.json) ? answer.json[1] : undefined
      const code = Number(parts(item).error?.["code"])
      yield* hasError(answer, item, code, ["amount"])
      yield* Verdict.expect(answer, "code 10, 17 or 32", code === 10 || code === 17 || code === 32)
      const open = yield* isOpen(world, account, results.map(({ orderId }) => orderId))
      yield* Verdict.conclude("the other orders open", open, open.length === 2 && open.every((is) => is))
    })
  }),
  LiveCalls.section.forEach("live-bulk.stops", {
    statement: "With stopOnFail, places no orders after the first refused order, and keeps the earlier orders",
    values: kinds.flatMap(({ path }) => [...wrongs, "beyond the balance"].map((what) => ({ path, what }))),
    check: Effect.fnUntraced(function*(world, { path, what }) {
      const account = yield* Wallets.open(world, [["trade", "BTC", "0.07"], ["collateral", "USDT", "3000"]])
      const market = yield* world.market
      const [before, after] = [world.unique("before"), world.unique("after")]
      const kind = wrongs.find((one) => one === what)
      yield* LiveCalls.list(world, account, path, {
        orders: [
          offer(market, 10, { clientOrderId: before }),
          kind === undefined ? offer(market, 11, { amount: "10" }) : wrong(market, kind),
          offer(market, 12, { clientOrderId: after })
        ],
        stopOnFail: true
      })
      const open = [...(yield* Orders.list(world, account, Paths.activeOrders)).values()]
        .map((order) => order["clientOrderId"] ?? order["client_order_id"])
      yield* Verdict.conclude("only the first order open", open, open.includes(before) && !open.includes(after))
    })
  }),
  LiveCalls.section.forEach("live-bulk.refusal", {
    statement: "Refuses the entire call if the list is missing, is empty, or has more than 20 orders",
    values: kinds.flatMap(({ path }) => [undefined, 0, 21].map((count) => ({ path, count }))),
    check: Effect.fnUntraced(function*(world, { count, path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const orders = count === undefined ? undefined : Array.from({ length: count }, () => offer(market))
      yield* LiveCalls.refuses(world, account, path, { orders }, { key: "orders" })
      const open = yield* Orders.list(world, account, Paths.activeOrders)
      yield* Verdict.conclude("no orders open", `${open.size}`, open.size === 0)
    })
  }),
  LiveCalls.section.forEach("live-bulk.most", {
    statement: "Accepts 20 orders in one call, and 100 orders to cancel in one call",
    values: [...kinds.map(({ path }) => ({ path, most: 20 })), { path: Paths.cancelBulk, most: 100 }],
    check: Effect.fnUntraced(function*(world, { most, path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const isCancel = path === Paths.cancelBulk
      const item = (index: number) =>
        isCancel ? { market: market.name, orderId: Number.MAX_SAFE_INTEGER - index } : offer(market)
      const expected = Array.from({ length: most }, () => isCancel ? "bad" as const : "good" as const)
      yield* expectItems(world, account, path, { orders: expected.map((_, index) => item(index)) }, expected)
    })
  }),
  LiveCalls.section.forEach("live-bulk.cancels", {
    statement: "Cancels the orders of one call, each by order id or client order id, and releases their funds",
    values: ["orderId", "clientOrderId"] as const,
    check: Effect.fnUntraced(function*(world, key) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const named: Array<Body> = []
      for (const percent of [10, 12]) {
        const clientOrderId = world.unique("cancel")
        const { orderId } = yield* Trading.placeOther(world, account, offer(market, percent, { clientOrderId }))
        named.push({ orderId, clientOrderId })
      }
      const orders = named.map((order) => ({ market: market.name, [key]: order[key] }))
      const { answer, results } = yield* expectItems(world, account, Paths.cancelBulk, { orders }, ["good", "good"])
      yield* Verdict.expect(
        answer,
        "market, orderId and clientOrderId of each order",
        results.every((result, index) =>
          result["market"] === market.name &&
          String(result["orderId"]) === String(named[index]?.["orderId"]) &&
          result["clientOrderId"] === named[index]?.["clientOrderId"]
        )
      )
      const open = yield* isOpen(world, account, named.map(({ orderId }) => orderId))
      yield* Verdict.conclude("no orders open", open, !open.includes(true))
      const ended = yield* LiveOrders.ended(world, account)
      const canceled = named.map(({ orderId }) => ({ orderId, status: "CANCELED", dealStock: "0" }))
      yield* LiveOrders.lists(ended, "the canceled orders", "orderId", canceled)
      const { answer: balance, of } = yield* LiveOrders.funds(world, account)
      yield* Verdict.expect(balance, `no ${market.stock} in freeze`, of(market.stock).freeze === 0)
    })
  }),
  LiveCalls.section.always("live-bulk.cancels.kinds", {
    statement: "Cancels orders of all kinds and on several markets in one call, and shows each as canceled",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const future = Orders.asPerpetual(market)
      const stop = Orders.stopLimit(market, "sell", { amount: "0.03" })
      const placements: ReadonlyArray<readonly [path: string, fields: Body]> = [
        [Paths.limitOrder, offer(market)],
        [Paths.collateralLimit, offer(market)],
        [Paths.collateralLimit, offer(future)],
        [Paths.stopLimit, stop],
        [Paths.collateralStopLimit, stop]
      ]
      const orders: Array<Body> = []
      const ids: Array<unknown> = []
      for (const [path, fields] of placements) {
        const clientOrderId = world.unique("kind")
        const { orderId } = yield* Trading.placeOther(world, account, { ...fields, clientOrderId }, path)
        ids.push(orderId)
        orders.push({ market: fields["market"], ...(ids.length % 2 === 0 ? { clientOrderId } : { orderId }) })
      }
      const expected = orders.map(() => "good" as const)
      const { answer, results } = yield* expectItems(world, account, Paths.cancelBulk, { orders }, expected)
      yield* Verdict.expect(
        answer,
        `the orders ${ids.join(", ")} on their markets`,
        results.every(({ market: on, orderId }, index) => orderId === ids[index] && on === orders[index]?.["market"])
      )
      const open = yield* isOpen(world, account, ids)
      yield* Verdict.conclude("no orders open", open, !open.includes(true))
      const ended = yield* LiveOrders.ended(world, account)
      const canceled = ids.map((orderId) => ({ orderId, status: "CANCELED", dealStock: "0" }))
      yield* LiveOrders.lists(ended, "the canceled orders", "orderId", canceled)
    })
  }),
  LiveCalls.section.forEach("live-bulk.not-there", {
    statement: "Shows an error with code 404 in place of an unknown order, and cancels the orders before and after it",
    values: ["nobody's", "another's", "twice", "elsewhere"] as const,
    check: Effect.fnUntraced(function*(world, whose) {
      const account = yield* world.trader
      const market = yield* world.market
      const place = (caller: Account) => Trading.placeOther(world, caller, offer(market))
      const [{ orderId }, last, third] = [yield* place(account), yield* place(account), yield* place(account)]
      const stranger = yield* world.open()
      const others = yield* place(stranger)
      const missing = {
        "nobody's": { orderId: Number.MAX_SAFE_INTEGER },
        "another's": { orderId: others["orderId"] },
        "twice": { orderId },
        "elsewhere": { orderId: third["orderId"], market: perpetual }
      }[whose]
      const orders = [{ orderId }, missing, { orderId: last["orderId"] }].map((item) => ({
        market: market.name,
        ...item
      }))
      const { answer } = yield* expectItems(world, account, Paths.cancelBulk, { orders }, ["good", "bad", "good"])
      yield* hasError(answer, Array.isArray(answer.json) ? answer.json[1] : undefined, 404, ["orderId"])
      const open = [
        ...yield* isOpen(world, account, [orderId, last["orderId"], third["orderId"]]),
        ...yield* isOpen(world, stranger, [others["orderId"]])
      ]
      yield* Verdict.conclude(
        "the first and the last order canceled; the account's other order and the other account's order open",
        open,
        Json.stringify(open) === "[false,false,true,true]"
      )
    })
  }),
  LiveCalls.section.forEach("live-bulk.cancel-refusal", {
    statement: "Refuses a call without a list of orders to cancel, or with more than 100 orders",
    values: [undefined, 0, 101],
    check: Effect.fnUntraced(function*(world, count) {
      const account = yield* world.trader
      const { name: market } = yield* world.market
      const orders = count === undefined
        ? undefined
        : Array.from({ length: count }, () => ({ market, orderId: Number.MAX_SAFE_INTEGER }))
      yield* Refusals.any(
        yield* LiveCalls.call(world, account, Paths.cancelBulk, { orders }),
        `because it has ${count ?? "no list of"} orders`
      )
    })
  })
]
