/** Tests the permissions of sub-accounts and of each key type (the document, "Authentication", 4). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { SubAccountId } from "../../src/domain/Identifiers.ts"
import { all } from "../../src/endpoints/all.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { Venue } from "../../src/sandbox/venue/Venue.ts"
import { type Account, addKey, dialects, fundedSubAccount, inProcess, usdt } from "../support/exchange.ts"
import { amountOf, code, openSubAccount } from "../support/exchange.ts"
import { property } from "../support/property.ts"
import { handle, signed } from "../support/signed.ts"

const order = { side: "buy", amount: "1", price: "100" }
const stop = { ...order, activation_price: "100" }
const oco = { ...order, price: "90", activation_price: "110", stop_limit_price: "111" }

/** Every call that places orders, with a market, fields and the permission that it needs. */
const orders = [
  ["/api/v4/order/new", "BTC_USDT", order, "spotEnabled"],
  ["/api/v4/order/market", "BTC_USDT", { ...order, amount: "100" }, "spotEnabled"],
  ["/api/v4/order/stock_market", "BTC_USDT", order, "spotEnabled"],
  ["/api/v4/order/stop_limit", "BTC_USDT", stop, "spotEnabled"],
  ["/api/v4/order/stop_limit", "BTC_PERP", stop, "collateralEnabled"],
  ["/api/v4/order/collateral/limit", "BTC_USDT", order, "collateralEnabled"],
  ["/api/v4/order/collateral/limit", "BTC_PERP", order, "collateralEnabled"],
  ["/api/v4/order/collateral/market", "BTC_PERP", order, "collateralEnabled"],
  ["/api/v4/order/collateral/oco", "BTC_PERP", oco, "collateralEnabled"],
  ["/api/v4/order/stop_market", "BTC_USDT", { ...stop, amount: "100" }, "spotEnabled"],
  ["/api/v4/order/collateral/stop-limit", "BTC_PERP", stop, "collateralEnabled"],
  ["/api/v4/order/collateral/trigger-market", "BTC_PERP", { ...stop, price: undefined }, "collateralEnabled"],
  ["/api/v4/order/bulk", "BTC_USDT", order, "spotEnabled"],
  ["/api/v4/order/collateral/bulk", "BTC_PERP", order, "collateralEnabled"]
] as const

/** The other calls under `/order`, except cancellations: the kill switch, and modifying, which replaces an order. */
const others = ["/api/v4/order/modify", "/api/v4/order/kill-switch", "/api/v4/order/kill-switch/status"]

const key = (type: string): Account & { readonly type: string } => ({
  account: "sub-new",
  apiKey: `sub-key-of-type-${type}`,
  apiSecret: "sub-secret",
  type
})

it("every call under /order, except cancellations, appears in exactly one of this file's two lists", () => {
  const below = all.map(({ path }) => path).filter((path) => /^\/api\/v4\/order\/(?!.*cancel)/u.test(path))
  assert.sameMembers([...new Set(orders.map(([path]) => path as string)), ...others], below)
})

describe.each(dialects)("permissions in the $name dialect", (dialect) => {
  const { endpointNotAllowed } = dialect.refusals

  property(
    "a sub-account can place orders only where its permissions allow it",
    [fc.boolean(), fc.boolean(), fc.constantFrom(...orders)],
    (spotEnabled, collateralEnabled, [path, market, fields, permission]) =>
      Effect.gen(function*() {
        const control = yield* Control
        const venue = yield* Venue
        const id = SubAccountId.make("sub-new")
        yield* openSubAccount("alice", id)
        yield* addKey(key("2"), { type: "2" })
        for (const wallet of ["trade", "collateral"] as const) {
          yield* control.fund({ account: id, wallet, ticker: usdt, amount: amountOf(10_000) })
        }
        yield* control.setSubAccount({ id, spotEnabled, collateralEnabled })
        const allowed = { spotEnabled, collateralEnabled }[permission]
        const isBulk = path.endsWith("/bulk")
        const sent = isBulk ? { orders: [{ ...fields, market }] } : { ...fields, market }
        const { json, status } = yield* handle(signed(dialect, path, sent, key("2")))
        assert.strictEqual(status, allowed || isBulk ? 200 : endpointNotAllowed.status, JSON.stringify(json))
        assert.strictEqual(venue.state.endedOrders.size + venue.state.openOrders.size > 0, allowed)
        if (allowed) return
        // A bulk call refuses each order separately.
        if (isBulk) return assert.include(JSON.stringify(json), `"code":${endpointNotAllowed.code},`)
        assert.strictEqual(json["code"], endpointNotAllowed.code)
        const hint = (yield* control.requests()).at(-1)?.hint
        assert.strictEqual(hint, "the sub-account has no permission for such orders")
        // The permission restricts only orders, so the account can still read.
        const read = yield* handle(signed(dialect, "/api/v4/orders", {}, key("2")))
        assert.strictEqual(read.status, 200)
      }).pipe(Effect.provide(inProcess(dialect)), Effect.orDie),
    { runs: 100 }
  )

  property(
    "a key of type 1 can't move funds in or out, but keys of other types can",
    [fc.constantFrom("1", "2", "trade", ""), fc.constantFrom("create", "apply", "balance", "transfer", "order")],
    (type, call) =>
      Effect.gen(function*() {
        const control = yield* Control
        yield* addKey({ ...key(type), account: fundedSubAccount }, { type })
        yield* control.fund({ account: fundedSubAccount, wallet: "trade", ticker: usdt, amount: amountOf(1000) })
        const [path, fields] = {
          create: ["/api/v4/main-account/codes", { ticker: "USDT", amount: "1" }],
          apply: ["/api/v4/main-account/codes/apply", { code }],
          balance: ["/api/v4/main-account/balance", {}],
          transfer: ["/api/v4/main-account/transfer", { ticker: "USDT", amount: "1", from: "main", to: "spot" }],
          order: ["/api/v4/order/new", { ...order, market: "BTC_USDT" }]
        }[call] as [string, object]
        const answer = yield* handle(signed(dialect, path, fields, key(type)))
        const isAllowed = type !== "1" || (call !== "create" && call !== "apply")
        if (isAllowed) return assert.isBelow(answer.status, 300, JSON.stringify(answer.json))
        const { code: number, message, status } = endpointNotAllowed
        assert.deepInclude(answer, { status, json: { code: number, message, errors: {} } })
        const hint = (yield* control.requests()).at(-1)?.hint
        assert.strictEqual(hint, "the key is of type 1: it can read and trade, but not move funds")
      }).pipe(Effect.provide(inProcess(dialect)), Effect.orDie),
    { runs: 100 }
  )
})
