import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Alias, Email, KeyTitle } from "../../src/domain/SubAccount.ts"
import { CancelOrder } from "../../src/endpoints/CancelOrder.ts"
import { CodeCreation } from "../../src/endpoints/CodeCreation.ts"
import { MarketOrders } from "../../src/endpoints/MarketOrders.ts"
import { SubAccountApiKeyCreation } from "../../src/endpoints/SubAccountApiKeyCreation.ts"
import { SubAccountCreation } from "../../src/endpoints/SubAccountCreation.ts"
import { Transfers } from "../../src/endpoints/Transfers.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import * as Ledger from "../../src/sandbox/engine/Ledger.ts"
import type { State } from "../../src/sandbox/engine/State.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { amount, asBob, btcUsdt, dialects, limit, perp, price, same, traders, usdt } from "../support/trading.ts"

/** Returns the entire state for comparison, with the used nonces reduced to their count. */
const shown = (state: State) => ({
  ledger: [...Ledger.save(state.ledger)],
  open: [...state.openOrders.values()],
  ended: [...state.endedOrders],
  positions: [...state.positions],
  codes: [...state.codes],
  subAccounts: [...state.subAccounts],
  keys: [...state.keys.values()].map(({ usedNonces, ...key }) => ({ ...key, used: usedNonces.size })),
  prices: [...state.trading].map(([market, { lastPrice, trades }]) => [market, lastPrice, trades]),
  lastId: state.lastId
})

describe.each(dialects)("replay in the $name dialect", (dialect) => {
  it.live("an exchange on which orders have traded has the same state after a restart", () =>
    Effect.gen(function*() {
      const file = join(mkdtempSync(join(tmpdir(), "effect-txc-")), "journal.sqlite")
      const before = yield* Effect.gen(function*() {
        const { orderId } = yield* limit("sell", "1", "1000")
        yield* asBob(
          MarketOrders.use((orders) => orders.create({ market: btcUsdt, side: "buy", amount: amount("500") }))
        )
        yield* CancelOrder.use((orders) => orders.cancel({ market: btcUsdt, orderId }))
        yield* perp("buy", "1", "900")
        yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1001") }))
        yield* Transfers.use((transfers) =>
          transfers.create({ ticker: usdt, amount: amount("1"), from: "main", to: "spot" })
        )
        yield* CodeCreation.use((codes) => codes.create({ ticker: usdt, amount: amount("1") }))
        const { id } = yield* SubAccountCreation.use((accounts) =>
          accounts.create({
            alias: Alias.make("a"),
            email: Email.make("a@b.c"),
            permissions: { spotEnabled: true, collateralEnabled: true }
          })
        )
        yield* SubAccountApiKeyCreation.use((keys) =>
          keys.create({ subAccountId: id, title: KeyTitle.make("k"), type: 2 })
        )
        return shown((yield* Venue.Venue).state)
      }).pipe(Effect.provide(traders(dialect, file)))
      const after = yield* Effect.map(Venue.Venue, ({ state }) => shown(state)).pipe(
        Effect.provide(Layer.fresh(Venue.layer({ dialect, file })))
      )
      same(after, before)
    }))
})
