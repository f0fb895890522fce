/**
 * Rules about balances, and about transfers between them. Only the live exchange's documentation describes most of
 * these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import { basePrice, priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/**
 * The maximum that an open order may lock beyond its cost, as a fraction of the cost. It is above zero, because an
 * exchange may also lock the fee.
 */
const lockedFee = 0.01

const { always, forEach } = LiveCalls.section

/** Returns the change in the frozen balance when an order for this amount opens on this side, at this price. */
const frozen = ({ money, stock }: Market, side: Orders.Side, amount: number, price: number): Wallets.Changes => {
  const locked = side === "buy" ? amount * price : amount
  return locked === 0
    ? {}
    : { [`frozen.${side === "buy" ? money : stock}`]: [locked, locked * (1 + lockedFee)] }
}

/** Expects that an order in the account's lists has traded `amount` at `price`. Returns its fee. */
const traded = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  { orderId }: Body,
  amount: number,
  price: number
) {
  const order = yield* Orders.find(world, account, orderId)
  const [stock, money, fee] = ["dealStock", "dealMoney", "dealFee"].map((key) => Number(order[key]))
  yield* Verdict.conclude(
    `dealStock ${amount}, dealMoney ${amount * price} and a dealFee of zero or more`,
    order,
    Books.isClose(stock, amount) && Books.isClose(money, amount * price) && (fee ?? -1) >= 0
  )
  return { fee: fee ?? 0, feeAsset: order["feeAsset"] }
})

/**
 * Returns the ways in which a spot fill can change the balances. The order receives one asset and pays the other. The
 * fee is paid in the order's `feeAsset`, or in either asset if the order shows no `feeAsset`.
 */
const fillWays = (
  { money, stock }: Market,
  side: Orders.Side,
  [amount, price]: readonly [number, number],
  { fee, feeAsset }: { readonly fee: number; readonly feeAsset: unknown },
  rest: Wallets.Changes = {}
): ReadonlyArray<Wallets.Changes> => {
  const sign = side === "buy" ? 1 : -1
  const paid: Readonly<Record<string, number>> = {
    [`trade.${stock}`]: sign * amount,
    [`trade.${money}`]: -sign * amount * price
  }
  const assets = typeof feeAsset === "string" && feeAsset !== "" ? [feeAsset] : [stock, money]
  return assets.map((asset) => ({ ...paid, ...rest, [`trade.${asset}`]: (paid[`trade.${asset}`] ?? 0) - fee }))
}

const orderRules: ReadonlyArray<Rule.Rule> = [
  forEach("balances.order", {
    statement: "Locks the cost of an open order, and releases it when the order is canceled",
    values: Orders.sides.flatMap((side) =>
      [Paths.cancelOrder, Paths.cancelAll, Paths.cancelBulk].map((cancel) => ({ side, cancel }))
    ),
    check: Effect.fnUntraced(function*(world, { cancel, side }) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      const price = Books.near(market, side === "buy" ? -3 : 3)
      const before = yield* Wallets.read(world, account)
      const fields = { market: market.name, side, amount: "0.02", price }
      const { orderId } = yield* Trading.placeOther(world, account, fields)
      yield* Wallets.expectChanges(world, account, before, frozen(market, side, 0.02, Number(price)))
      const by = { market: market.name, ...(cancel === Paths.cancelAll ? {} : { orderId }) }
      yield* world.call(account, cancel, cancel === Paths.cancelBulk ? { orders: [by] } : by)
      yield* Wallets.expectChanges(world, account, before, {})
    })
  }),
  forEach("balances.fill", {
    statement: "Moves exactly the amounts and fees of a fill between the balances of both accounts",
    values: Orders.sides.flatMap((side) => [Paths.limitOrder, Paths.marketOrder].map((path) => ({ side, path }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const [maker, taker] = [yield* Wallets.openTrader(world), yield* Wallets.openTrader(world)]
      const market = yield* world.market
      const other = Orders.opposite(side)
      const price = Number(Books.near(market, side === "buy" ? 0.5 : -0.5))
      const [madeBefore, tookBefore] = [yield* Wallets.read(world, maker), yield* Wallets.read(world, taker)]
      const offer = { market: market.name, side: other, amount: "0.02", price: String(price) }
      const made = yield* Trading.placeOther(world, maker, offer)
      // The taker's limit crosses the maker's price, so both trade at the maker's price. The amount of a market buy is
      // its cost.
      const limit = { amount: "0.015", price: Books.near(market, side === "buy" ? 1 : -1) }
      const spent = { amount: side === "buy" ? String(0.015 * price) : "0.015" }
      const fields = { market: market.name, side, ...(path === Paths.limitOrder ? limit : spent) }
      const took = yield* Trading.placeOther(world, taker, fields, path)
      const takerFill = yield* traded(world, taker, took, 0.015, price)
      yield* Wallets.expectOneOf(world, taker, tookBefore, fillWays(market, side, [0.015, price], takerFill))
      const makerFill = yield* traded(world, maker, made, 0.015, price)
      const ways = (rest: number) =>
        fillWays(market, other, [0.015, price], makerFill, frozen(market, other, rest, price))
      yield* Wallets.expectOneOf(world, maker, madeBefore, ways(0.005))
      yield* world.call(maker, Paths.cancelOrder, { market: market.name, orderId: made["orderId"] })
      yield* Wallets.expectOneOf(world, maker, madeBefore, ways(0))
    })
  }),
  forEach("balances.collateral", {
    statement:
      "Keeps the collateral balance unchanged while an order is open, then charges its fee and settles the profit",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const [account, other] = [yield* Wallets.openTrader(world), yield* world.open()]
      const market = yield* world.market
      const before = yield* Wallets.read(world, account)
      const away = side === "buy" ? 1 : -1
      const [entry, exit] = [market.price, Number(Books.near(market, 2 * away))]
      const order = { market: market.name, amount: "0.01" }
      const enter = { ...order, price: String(entry), side }
      const opened = yield* Trading.placeOther(world, account, enter, Paths.collateralLimit)
      yield* Wallets.expectChanges(world, account, before, {})
      const against = { ...enter, side: Orders.opposite(side) }
      yield* Trading.placeOther(world, other, against, Paths.collateralLimit)
      const { fee: entryFee } = yield* traded(world, account, opened, 0.01, entry)
      const key = `collateral.${market.money}`
      yield* Wallets.expectChanges(world, account, before, { [key]: -entryFee })
      const leave = { ...order, price: String(exit), side: Orders.opposite(side) }
      const closed = yield* Trading.placeOther(world, account, leave, Paths.collateralLimit)
      yield* Trading.placeOther(world, other, { ...leave, side }, Paths.collateralLimit)
      const { fee: exitFee } = yield* traded(world, account, closed, 0.01, exit)
      const profit = 0.01 * Math.abs(exit - entry)
      yield* Wallets.expectChanges(world, account, before, { [key]: profit - entryFee - exitFee })
    })
  })
]

const interestRules: ReadonlyArray<Rule.Rule> = [
  always("balances.interest", {
    statement: "Credits exactly the amount of an interest payment to the main balance",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Wallets.open(world, [["main", "BTC", "1"], ["main", "USDT", "10"]])
      const before = yield* Wallets.read(world, account)
      const payment = { account: account.id, planId: "oracle-plan-a", investmentId: world.unique("investment") }
      yield* world.control("PayInterest", { ...payment, ticker: "USDT", amount: "0.75" })
      yield* Wallets.expectChanges(world, account, before, { "main.USDT": 0.75 })
    })
  })
]

/** The balance calls, with the wallet that each shows and the form of an asset's balance. */
const reads = [
  { path: Paths.mainBalance, wallet: "main", of: (amount: string) => ({ main_balance: amount }) },
  { path: Paths.tradeBalance, wallet: "trade", of: (amount: string) => ({ available: amount, freeze: "0" }) },
  { path: Paths.collateralBalance, wallet: "collateral", of: (amount: string) => amount }
] as const

/** Whether two JSON values are equal, apart from the notation of decimals and from fields that only `shown` has. */
const isSame = (shown: unknown, expected: unknown): boolean =>
  Json.isObject(expected)
    ? Json.isObject(shown) && Object.entries(expected).every(([key, value]) => isSame(shown[key], value))
    : Number(shown) === Number(expected)

const readRules: ReadonlyArray<Rule.Rule> = [
  forEach("balances.assets", {
    statement: "Shows the balances of all assets, or only the balance of the asset that the call names",
    values: reads,
    check: Effect.fnUntraced(function*(world, { of, path, wallet }) {
      const account = yield* Wallets.open(world, [[wallet, "BTC", "0.25"], [wallet, "USDT", "75.5"]])
      const all = yield* LiveCalls.object(world, account, path, {})
      yield* Verdict.expect(
        all.answer,
        Json.stringify({ BTC: of("0.25"), USDT: of("75.5") }),
        isSame(all.json, { BTC: of("0.25"), USDT: of("75.5") }) &&
          Object.entries(all.json).every(([ticker, entry]) =>
            ticker === "BTC" || ticker === "USDT" || isSame(entry, of("0"))
          )
      )
      for (const [ticker, amount] of [["BTC", "0.25"], ["USDT", "75.5"]] as const) {
        const { answer, json } = yield* LiveCalls.object(world, account, path, { ticker })
        // For one asset, the main and trade balance calls return the entry itself, not a map.
        const expected = path === Paths.collateralBalance ? { [ticker]: of(amount) } : of(amount)
        const keys = Object.keys(json).filter((key) => Json.isObject(expected) && !Object.hasOwn(expected, key))
        const isOnly = keys.every((key) => path !== Paths.collateralBalance || isSame(json[key], "0"))
        yield* Verdict.expect(answer, Json.stringify(expected), isSame(json, expected) && isOnly)
      }
    })
  }),
  forEach("balances.refusal", {
    statement:
      "Refuses the trade or collateral balance of an unknown asset, or of a number instead of one: HTTP 422, code 30",
    profile: "read-only",
    values: [Paths.tradeBalance, Paths.collateralBalance],
    check: Effect.fnUntraced(function*(world, path) {
      const reader = yield* world.reader
      for (const ticker of path === Paths.tradeBalance ? ["NOSUCHASSET", 5] : ["NOSUCHASSET"]) {
        yield* LiveCalls.refuses(world, reader, path, { ticker }, { key: "ticker" })
      }
    })
  }),
  always("balances.unknown", {
    statement: "Shows a main balance of zero for an unknown asset",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const fields = { ticker: "NOSUCHASSET" }
      const { answer, json } = yield* LiveCalls.object(world, yield* world.reader, Paths.mainBalance, fields)
      yield* Verdict.expect(answer, "a main_balance of zero", Number(json["main_balance"] ?? Number.NaN) === 0)
    })
  })
]

/** The kinds of balances, keyed by their names in transfers. */
const names = { main: "main", spot: "trade", collateral: "collateral" } as const

type Name = keyof typeof names

const route = (from: Name, to: Name) => ({ from, to, fields: { from, to } as Body })

/** Every transfer, in both forms that the live exchange accepts. */
const routes = [
  route("main", "spot"),
  route("spot", "main"),
  route("main", "collateral"),
  route("collateral", "main"),
  route("spot", "collateral"),
  route("collateral", "spot"),
  { ...route("main", "spot"), fields: { method: "deposit" } },
  { ...route("spot", "main"), fields: { method: "withdraw" } },
  { ...route("main", "collateral"), fields: { method: "collateral-deposit" } },
  { ...route("collateral", "main"), fields: { method: "collateral-withdraw" } }
]

/** Opens an account with a different amount in each balance. */
const openRich = (world: World) =>
  Wallets.open(world, [
    ["main", "USDT", "100"],
    ["trade", "USDT", "200"],
    ["collateral", "USDT", "300"],
    ["main", "BTC", "1"],
    ["trade", "BTC", "2"],
    ["collateral", "BTC", "3"]
  ])

/** Transfers that must be refused, each with its refusal. */
const wrong = [
  { fields: { from: "main", to: "main" }, status: 400, code: 0, key: "to" },
  { fields: { from: "main", to: "vault" }, status: 400, code: 0, key: "to" },
  { fields: { from: "vault", to: "spot" }, status: 400, code: 0, key: "from" },
  { fields: { method: "borrow" }, status: 400, code: 0, key: "method" },
  { fields: { from: "main", to: "spot", amount: "-1" }, status: 400, code: 0, key: "amount" },
  { fields: { from: "main", to: "spot", amount: "ten" }, status: 400, code: 0, key: "amount" },
  { fields: { from: "main", to: "spot", ticker: "NOSUCHASSET" }, status: 400, code: 0, key: "ticker" },
  { fields: { from: "main", to: "spot", ticker: undefined }, status: 400, code: 0, key: "ticker" },
  { fields: { from: "main", to: "spot", amount: undefined }, status: 400, code: 0, key: "amount" },
  { fields: { from: "main", to: "spot", amount: "0" }, status: 400, code: 0, key: "amount" },
  { fields: { from: "main", to: "spot", amount: "12.500000001" }, status: 400, code: 0, key: "amount" },
  { fields: { from: "main", to: "spot", amount: "100.5" }, status: 422, code: 3, key: "amount" },
  { fields: { from: "spot", to: "main", amount: "200.5" }, status: 422, code: 3, key: "amount" },
  { fields: { from: "collateral", to: "spot", amount: "300.5" }, status: 422, code: 3, key: "amount" }
] as const

const transferRules: ReadonlyArray<Rule.Rule> = [
  forEach("transfers.moves", {
    statement:
      "Moves exactly the amount of a transfer from one balance to the other, even all that is left, and returns HTTP 201 with []",
    values: routes,
    check: Effect.fnUntraced(function*(world, { fields, from, to }) {
      const account = yield* openRich(world)
      const before = yield* Wallets.read(world, account)
      const all = before.get(`${names[from]}.USDT`) ?? 0
      let moved = 0
      // Rounded, because subtracting floating-point numbers can add digits that no balance has.
      for (const amount of [12.5, Number((all - 12.5).toFixed(8))]) {
        const transfer = { ticker: "USDT", amount: String(amount), ...fields }
        const answer = yield* LiveCalls.call(world, account, Paths.transfer, transfer)
        yield* Verdict.expect(answer, "HTTP 201 with []", answer.status === 201 && answer.text.trim() === "[]")
        moved += amount
        yield* Wallets.expectChanges(world, account, before, {
          [`${names[from]}.USDT`]: -moved,
          [`${names[to]}.USDT`]: moved
        })
      }
    })
  }),
  forEach("transfers.locked", {
    statement: "Refuses to transfer funds that an open order locks, and transfers all that it does not lock",
    values: Orders.sides.flatMap((side) =>
      [{ from: "spot", to: "main" }, { from: "spot", to: "collateral" }, { method: "withdraw" }].map((fields) => ({
        side,
        fields
      }))
    ),
    check: Effect.fnUntraced(function*(world, { fields, side }) {
      const account = yield* openRich(world)
      const market = yield* world.market
      // Either order locks about three quarters of its currency.
      const [ticker, price, amount] = side === "sell"
        ? [market.stock, Books.near(market, 3), "1.5"] as const
        : [market.money, priceText(market, basePrice * 0.75), "0.005"] as const
      yield* Trading.placeOther(world, account, { market: market.name, side, amount, price })
      const before = yield* Wallets.read(world, account)
      // Rounded, because subtracting floating-point numbers can add digits that no balance has.
      const rest = (before.get(`trade.${ticker}`) ?? 0) - (before.get(`frozen.${ticker}`) ?? 0)
      const [free, more] = [rest, rest + 1e-8].map((units) => units.toFixed(8))
      const refused = yield* LiveCalls.call(world, account, Paths.transfer, { ticker, amount: more, ...fields })
      yield* Refusals.exactly(refused, { status: 422, codes: [3] }, `because only ${free} ${ticker} is available`)
      yield* Wallets.expectChanges(world, account, before, {})
      const moved = yield* LiveCalls.call(world, account, Paths.transfer, { ticker, amount: free, ...fields })
      yield* Verdict.expect(moved, "HTTP 201", moved.status === 201)
      const to = fields.to === "collateral" ? "collateral" : "main"
      yield* Wallets.expectChanges(world, account, before, {
        [`trade.${ticker}`]: -Number(free),
        [`${to}.${ticker}`]: Number(free)
      })
    })
  }),
  forEach("transfers.incomplete", {
    statement: "Refuses a transfer without method that lacks from or to, with errors that name one of them",
    values: [{}, { from: "main" }, { to: "spot" }],
    check: Effect.fnUntraced(function*(world, fields) {
      const account = yield* openRich(world)
      const before = yield* Wallets.read(world, account)
      const answer = yield* LiveCalls.call(world, account, Paths.transfer, { ticker: "USDT", amount: "1", ...fields })
      yield* Refusals.exactly(answer, { status: 400, codes: [0] }, "because a balance is missing")
      const named = Refusals.namedFields(answer)
      yield* Verdict.expect(
        answer,
        "errors that name method, from or to",
        ["method", "from", "to"].some((key) => named.includes(key))
      )
      yield* Wallets.expectChanges(world, account, before, {})
    })
  }),
  forEach("transfers.refusal", {
    statement: "Refuses an invalid transfer with errors that name the field, and moves nothing",
    values: wrong,
    check: Effect.fnUntraced(function*(world, { code, fields, key, status }) {
      const account = yield* openRich(world)
      const before = yield* Wallets.read(world, account)
      const transfer = { ticker: "USDT", amount: "1", ...fields }
      const answer = yield* LiveCalls.call(world, account, Paths.transfer, transfer)
      yield* Refusals.exactly(answer, { status, codes: [code] }, `because of ${key}`)
      yield* Verdict.expect(answer, `errors that name ${key}`, Refusals.namedFields(answer).includes(key))
      yield* Wallets.expectChanges(world, account, before, {})
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...orderRules, ...interestRules, ...readRules, ...transferRules]
