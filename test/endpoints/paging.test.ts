import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Pages from "../../src/client/Pages.ts"
import { OrderId } from "../../src/domain/Identifiers.ts"
import { HistoryLimit, Limit, maxRecordOffset, RecordOffset } from "../../src/domain/Paging.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { ConditionalOrders } from "../../src/endpoints/ConditionalOrders.ts"
import { Fills } from "../../src/endpoints/Fills.ts"
import { OrderDeals } from "../../src/endpoints/OrderDeals.ts"
import { OrderHistory } from "../../src/endpoints/OrderHistory.ts"
import { UnexecutedOcoOrders } from "../../src/endpoints/UnexecutedOcoOrders.ts"
import type * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type * as Errors from "../../src/protocol/Errors.ts"
import { dialects, failsWith, same, traders } from "../support/trading.ts"

const offset = RecordOffset.make(maxRecordOffset)
const open = { limit: Limit.make(100), offset }
const past = { limit: HistoryLimit.make(500), offset }

const pages: Readonly<Record<string, Effect.Effect<Pages.Page<unknown>, Errors.CallError, Exchange.Services>>> = {
  ActiveOrders: ActiveOrders.use(({ page }) => page(open)),
  ConditionalOrders: ConditionalOrders.use(({ page }) => page(open)),
  UnexecutedOcoOrders: UnexecutedOcoOrders.use(({ page }) => page(open)),
  Fills: Fills.use(({ page }) => page(past)),
  OrderDeals: OrderDeals.use(({ page }) => page({ ...past, orderId: OrderId.make("1") })),
  OrderHistory: OrderHistory.use(({ page }) => page(past))
}

describe.each(dialects)("the last page in the $name dialect", (dialect) => {
  for (const [name, page] of Object.entries(pages)) {
    it.live(`${name}: a page at the live exchange's maximum offset can be read in the live dialect, and is refused locally in the document's dialect`, () =>
      Effect.gen(function*() {
        if (dialect === Dialect.document) {
          const error = yield* failsWith("ValidationFailed")(page)
          assert.strictEqual(error.origin, "local")
          return same(error.fields["offset"], ["Offset should not be greater than 10000."])
        }
        const { limit, offset, records } = yield* page
        same([limit, offset, records], [name in { Fills, OrderDeals, OrderHistory } ? 500 : 100, maxRecordOffset, []])
      }).pipe(Effect.provide(traders(dialect))))
  }
})
