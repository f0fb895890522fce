/** The tour's chapters on margin: collateral orders, positions and OCO pairs. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Decimal from "../../domain/Decimal.ts"
import { PositionId } from "../../domain/Identifiers.ts"
import { CancelOcoOrder } from "../../endpoints/CancelOcoOrder.ts"
import { ClosePosition } from "../../endpoints/ClosePosition.ts"
import { CollateralBalance } from "../../endpoints/CollateralBalance.ts"
import { CollateralLimitOrders } from "../../endpoints/CollateralLimitOrders.ts"
import { CollateralMarketOrders } from "../../endpoints/CollateralMarketOrders.ts"
import { CollateralOcoOrders } from "../../endpoints/CollateralOcoOrders.ts"
import { CollateralSummary } from "../../endpoints/CollateralSummary.ts"
import { OpenPositions } from "../../endpoints/OpenPositions.ts"
import { UnexecutedOcoOrders } from "../../endpoints/UnexecutedOcoOrders.ts"
import { Control } from "../../sandbox/control/Control.ts"
import { market } from "./Fixture.ts"
import { fails, succeeds } from "./Row.ts"

/** The tour's calls that open and list a position, and place reduce-only orders, one of which is refused. */
export const rows = Effect.gen(function*() {
  const collateral = yield* CollateralBalance
  const collateralLimit = yield* CollateralLimitOrders
  const collateralMarket = yield* CollateralMarketOrders
  const positions = yield* OpenPositions
  const oco = yield* CollateralOcoOrders
  const pairs = yield* UnexecutedOcoOrders
  const cancelPair = yield* CancelOcoOrder
  const control = yield* Control
  const selling = { market, side: "sell", amount: Decimal.amount("0.1"), price: Decimal.price("41000") } as const
  const movedTo = (price: Decimal.Price) => control.movePrice({ market, price }).pipe(Effect.orDie)

  return [
    succeeds(
      "CollateralLimitOrders.create",
      "buy 0.1 BTC on margin, filled by a price move",
      collateralLimit.create({ ...selling, side: "buy" }).pipe(
        Effect.andThen(movedTo(Decimal.price("40500"))),
        Effect.andThen(positions.list())
      ),
      (open) =>
        open.length === 1
          ? open.map(({ amount, basePrice }) => `a position of ${amount} BTC from ${basePrice}`).join()
          : undefined
    ),
    succeeds(
      "OpenPositions.list",
      "",
      positions.list({ market }),
      (open) => open.length === 1 ? open.map(({ unrealizedPnl }) => `${unrealizedPnl} USDT so far`).join() : undefined
    ),
    succeeds(
      "CollateralBalance.all",
      "",
      collateral.all,
      (all) => [...all].map(([asset, held]) => `${held} ${asset}`).join(", ")
    ),
    succeeds(
      "UnexecutedOcoOrders.page",
      "after a reduce-only OCO order",
      Effect.andThen(
        oco.create({
          ...selling,
          price: Decimal.price("45000"),
          activationPrice: Decimal.price("38000"),
          stopLimitPrice: Decimal.price("37900"),
          reduceOnly: true
        }),
        pairs.page()
      ),
      ({ records }) => records.length === 1 ? `${records.length} pair` : undefined
    ),
    succeeds(
      "CancelOcoOrder.cancel",
      "that pair",
      pairs.stream().pipe(Stream.mapEffect(({ id }) => cancelPair.cancel({ market, orderId: id })), Stream.runCollect),
      (canceled) =>
        canceled.length === 1
          ? canceled.map(({ stopLoss, takeProfit }) => `${stopLoss.status}, ${takeProfit.status}`).join()
          : undefined
    ),
    fails(
      "CollateralMarketOrders.create",
      "reduce-only, on the position's side",
      collateralMarket.create({ market, side: "buy", amount: Decimal.amount("0.1"), reduceOnly: true }),
      "ReduceOnlyRejected"
    )
  ] as const
})

/** The tour's calls that read the margin account's summary, and close a position that does not exist. */
export const accountRows = Effect.gen(function*() {
  const closePosition = yield* ClosePosition
  const summary = yield* CollateralSummary

  return [
    succeeds(
      "CollateralSummary.get",
      "",
      summary.get,
      ({ equity, freeMargin, leverage }) => `${freeMargin} of ${equity} USDT free, leverage ${leverage}`
    ),
    fails(
      "ClosePosition.close",
      "a position that does not exist",
      closePosition.close({ market, positionId: PositionId.make("404") }),
      "RequestRejected"
    )
  ] as const
})
