/** Tests the limits that only the live exchange documents. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { dialects, raw, same, traders, usdt } from "../../support/trading.ts"

describe.each(dialects)("further limits in the $name dialect", (dialect) => {
  const isLive = dialect === Dialect.live

  it.live("OCO orders and funding payments of a market without collateral are refused in the live dialect", () =>
    Effect.gen(function*() {
      for (const path of ["/api/v4/oco-orders", "/api/v4/collateral-account/funding-history"]) {
        for (const market of ["BTC_USDT", "BTC_PERP"]) same((yield* raw(path, { market })).status, 200)
        const { body, status } = yield* raw(path, { market: "SHIB_USDT" })
        same(status, isLive ? 422 : 200)
        if (!isLive) continue
        same(body, { code: 31, message: "Validation failed", errors: { market: ["Market is not available."] } })
      }
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a list of closed positions ends at record 10000 in the live dialect", () =>
    Effect.gen(function*() {
      const page = (fields: object) => raw("/api/v4/collateral-account/positions/closed-pnl", fields)
      for (const [limit, most] of [[undefined, 9950], [100, 9900], [1, 9999]] as const) {
        const size = limit === undefined ? {} : { limit }
        same(yield* page({ ...size, offset: most }), { status: 200, body: [] })
        const { body, status } = yield* page({ ...size, offset: most + 1 })
        same(status, isLive ? 422 : 200)
        if (!isLive) continue
        same(body, {
          code: 30,
          message: "Validation failed",
          errors: { offset: [`Offset should not be greater than ${most}.`] }
        })
      }
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a sub-account has at most 50 API keys in the live dialect", () =>
    Effect.gen(function*() {
      const permissions = { spotEnabled: true, collateralEnabled: true }
      const open = (alias: string) => raw("/api/v4/sub-account/create", { alias, shareKyc: true, permissions })
      const [first, second] = [(yield* open("first")).body, (yield* open("second")).body] as ReadonlyArray<
        { readonly id: string }
      >
      const create = (subAccount: typeof first) =>
        raw("/api/v4/sub-account/api-key/create", { subAccountId: subAccount?.id, title: "a key", type: 1 })
      for (let count = 0; count < 50; count++) same((yield* create(first)).status, dialect.createdStatus)
      const { body, status } = yield* create(first)
      same(status, isLive ? 400 : 200)
      if (isLive) same(body, { code: 5, message: "Limit of API keys is reached. Maximum allowed: 50", errors: {} })
      same((yield* create(second)).status, dialect.createdStatus)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("switched-off deposits and withdrawals stop transfers from and to the main wallet in the live dialect", () =>
    Effect.gen(function*() {
      const set = (canDeposit: boolean, canWithdraw: boolean) =>
        Control.use((control) => control.setCurrency({ ticker: usdt, canDeposit, canWithdraw }))
      const transfer = (from: string, to: string) =>
        raw("/api/v4/main-account/transfer", { ticker: "USDT", amount: "1", from, to })
      const refused = (code: number, words: string) => ({
        status: 422,
        body: { code, message: "Inner validation failed", errors: { currency: [words] } }
      })
      const done = { status: dialect.createdStatus, body: [] }
      yield* set(false, true)
      const deposit = isLive ? refused(2, "Deposit to this currency is disabled") : done
      for (const wallet of ["spot", "collateral"]) {
        same(yield* transfer("main", wallet), deposit)
        same(yield* transfer(wallet, "main"), done)
      }
      yield* set(true, false)
      const withdrawal = isLive ? refused(1, "Withdraw from this currency is disabled") : done
      for (const wallet of ["spot", "collateral"]) {
        same(yield* transfer("main", wallet), done)
        same(yield* transfer(wallet, "main"), withdrawal)
      }
      same(yield* transfer("spot", "collateral"), done)
    }).pipe(Effect.provide(traders(dialect))))
})
