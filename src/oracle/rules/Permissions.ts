/**
 * Rules about a sub-account's trading permissions (document, "Sub-account" and "Authentication"). The document names
 * the permissions; which calls each one allows is this project's stance.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import { above } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, Market, World } from "../world/World.ts"

const clause = "Authentication"

/** The permissions of a sub-account. */
const permissions = ["spotEnabled", "collateralEnabled"] as const

type Permission = (typeof permissions)[number]

/** Opens a sub-account with funds and these permissions. */
const open = Effect.fnUntraced(function*(world: World, allowed: Readonly<Record<Permission, boolean>>) {
  const id = yield* SubAccounts.create(world, yield* world.open({ isFunded: false }), allowed)
  const account = yield* SubAccounts.addKey(world, id)
  for (const wallet of ["trade", "collateral"]) {
    yield* world.control("Fund", { account: id, wallet, ticker: "USDT", amount: "100000" })
  }
  return account
})

const rule = (permission: Permission, id: string, statement: string, path: string, draft: (typeof Orders)["oco"]) =>
  Rule.forEach({
    id,
    statement,
    clause,
    level: "SHOULD",
    values: [true, false],
    check: Effect.fnUntraced(function*(world, isAllowed) {
      const other = permissions.find((other) => other !== permission) ?? permission
      const allowed = { [permission]: isAllowed, [other]: !isAllowed } as Record<Permission, boolean>
      const account = yield* open(world, allowed)
      const fields: Body = draft(yield* world.market, "buy")
      const answer = yield* Orders.submit(world, account, path, fields)
      yield* isAllowed
        ? Verdict.expect(answer, `HTTP 200, because ${permission} is true`, answer.status === 200)
        : Refusals.any(answer, `because ${permission} is false`)
    })
  })

/** The wallet of each permission, and orders for which its funds can pay. */
const uses = {
  spotEnabled: {
    balance: "spot",
    wallet: "trade",
    drafts: (market: Market): ReadonlyArray<readonly [path: string, fields: Body]> => {
      const order = { market: market.name, side: "buy" }
      const limit = { ...order, amount: "0.01", price: Orders.lowPrice(market) }
      return [
        [Paths.limitOrder, limit],
        [Paths.marketOrder, { ...order, amount: "400" }],
        [Paths.stopLimit, Orders.stopLimit(market, "buy")],
        [Paths.stopMarket, { ...order, amount: "400", activation_price: above(market, 5) }],
        [Paths.bulk, { orders: [limit] }]
      ]
    }
  },
  collateralEnabled: {
    balance: "collateral",
    wallet: "collateral",
    drafts: (market: Market): ReadonlyArray<readonly [path: string, fields: Body]> => {
      const order = { market: market.name, side: "buy", amount: "0.01" }
      const limit = { ...order, price: Orders.lowPrice(market) }
      return [
        [Paths.collateralLimit, limit],
        [Paths.collateralMarketOrder, order],
        [Paths.oco, Orders.oco(market, "buy")],
        [Paths.triggerMarket, { ...order, activation_price: above(market, 5) }],
        [Paths.collateralBulk, { orders: [limit] }]
      ]
    }
  }
} as const

/** Whether a call has placed an order. A bulk call shows for each of its orders a result or an error. */
const hasPlaced = (answer: Target.Answer): boolean =>
  Array.isArray(answer.json)
    ? answer.json.some((item) => Json.isObject(item) && Json.isObject(item["result"]))
    : Refusals.isSuccess(answer)

const liveRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("sub-accounts.trading", {
    statement:
      "Lets a sub-account move funds to a balance and trade with them only if its permission is on, in each call",
    values: permissions.flatMap((permission) => [true, false].map((isAllowed) => ({ permission, isAllowed }))),
    check: Effect.fnUntraced(function*(world, { isAllowed, permission }) {
      const { balance, drafts, wallet } = uses[permission]
      const other = permissions.find((other) => other !== permission) ?? permission
      const allowed = { [permission]: isAllowed, [other]: !isAllowed } as Record<Permission, boolean>
      const id = yield* SubAccounts.create(world, yield* world.open({ isFunded: false }), allowed)
      const account = yield* SubAccounts.addKey(world, id)
      yield* world.control("Fund", { account: id, wallet: "main", ticker: "USDT", amount: "10000" })
      const transfer = { ticker: "USDT", amount: "10000", from: "main", to: balance }
      const moved = yield* LiveCalls.call(world, account, Paths.transfer, transfer)
      // The documentation also lets a target refuse every transfer of a sub-account.
      const isMoved = Refusals.isSuccess(moved)
      if (!isMoved) yield* world.control("Fund", { account: id, wallet, ticker: "USDT", amount: "10000" })
      const { market } = yield* Trading.offer(world, "0.02")
      let isFirstPlaced: boolean | undefined
      for (const [path, fields] of drafts(market)) {
        const answer = yield* LiveCalls.call(world, account, path, fields)
        const isPlaced = hasPlaced(answer)
        // The documentation describes the permissions both as that of transfers and as that of trading. So a target that
        // refuses the transfer may allow the trading, but then with every call.
        const expected = isAllowed || isMoved ? isAllowed : isFirstPlaced ?? isPlaced
        isFirstPlaced ??= isPlaced
        yield* Verdict.expect(
          answer,
          `${expected ? "an order" : "no order"}, because ${permission} is ${isAllowed}`,
          isPlaced === expected
        )
      }
      yield* world.call(account, Paths.cancelAll)
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [
  rule(
    "spotEnabled",
    "auth.permissions.spot",
    "Accepts a sub-account's spot stop-limit orders only with the permission spotEnabled",
    Paths.stopLimit,
    Orders.stopLimit
  ),
  rule(
    "collateralEnabled",
    "auth.permissions.collateral",
    "Accepts a sub-account's collateral orders only with the permission collateralEnabled",
    Paths.oco,
    Orders.oco
  ),
  ...liveRules
]
