import {
  CollateralMarketOrders,
  CollateralSummary,
  Decimal,
  FuturesMarkets,
  type Identifiers,
  LivePositions,
  Margin,
  OpenPositions,
  PremiumIndexChannel,
  Reconciliation
} from "effect-txc"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

/** The market to watch, and when to act. */
export interface Settings {
  /** The futures market. */
  readonly market: Identifiers.MarketName
  /**
   * The smallest allowed distance between the mark price and the liquidation price, as a fraction of the mark price.
   */
  readonly distance: number
  /** The number of decimal places in an amount on this market. */
  readonly digits: number
}

/**
 * The distance between the mark price and the liquidation price, as a fraction of the mark price. Infinite if there is
 * no liquidation price.
 */
const distanceOf = (mark: Decimal.Decimal, liquidation: Decimal.Decimal | undefined): number =>
  liquidation === undefined ? Infinity : Math.abs(Number(mark) - Number(liquidation)) / Number(mark)

/** Watches an account's positions on a market, and halves a position before the exchange liquidates it. */
export const make = Effect.fn("Keeper.make")(function*({ digits, distance, market }: Settings) {
  const live = yield* LivePositions.make
  const prices = yield* PremiumIndexChannel.PremiumIndexChannel
  const [summaries, positions, orders] = [
    yield* CollateralSummary.CollateralSummary,
    yield* OpenPositions.OpenPositions,
    yield* CollateralMarketOrders.CollateralMarketOrders
  ]
  const { reconcile } = yield* Reconciliation.Reconciliation
  const futures = yield* FuturesMarkets.FuturesMarkets.use(({ list }) => list)
  const brackets = [...futures.find((one) => one.market === market)?.brackets ?? []]
    .map(([leverage, upTo]) => ({ leverage: Number(leverage), upTo }))
  const report = { prices: 0, halved: 0, lost: 0, failed: 0, nearest: Infinity }

  /** The account at a mark price, as a risk system models it. USDT is the only collateral. */
  const accountAt = Effect.fnUntraced(function*(markPrice: Decimal.Decimal): Effect.fn.Return<
    Margin.Account,
    CollateralSummary.Failure | OpenPositions.Failure
  > {
    const { equity, leverage } = yield* summaries.get
    const open = yield* positions.list({ market })
    return {
      leverage,
      assets: [{ amount: equity, price: Decimal.of("1"), weight: Decimal.of("1") }],
      positions: open.flatMap(({ amount, basePrice }) =>
        amount === undefined || amount === null || basePrice === undefined || basePrice === null
          ? []
          : [{ market, amount, basePrice, markPrice, brackets }]
      )
    }
  })

  /**
   * Halves a position. The order is reduce-only, so it can't open a position, even if an earlier order was placed after
   * all.
   */
  const halve = Effect.fnUntraced(function*(amount: Decimal.Decimal) {
    const half = Result.getOrThrow(Decimal.multiply(amount, Decimal.of("0.5")))
    const size = Decimal.ceil(Decimal.of(half.replace("-", "") as "1"), digits)
    const order = { market, amount: Decimal.Amount.make(size), reduceOnly: true }
    yield* orders.create({ ...order, side: amount.startsWith("-") ? "buy" : "sell" }).pipe(
      Effect.tap(() => Effect.sync(() => report.halved++)),
      // The order may have been placed. No other order is sent until its outcome is known.
      Effect.catchTag("OutcomeUnknown", (lost) => {
        report.lost++
        return reconcile(lost, { recordsCanceled: true })
      })
    )
  })

  /** The last mark price at which the account was safe. */
  let safe: Decimal.Decimal | undefined

  /**
   * Acts on a mark price. The streams only trigger a check. The decision is based on the account itself, which is read
   * with a call.
   */
  const act = Effect.fnUntraced(function*(mark: Decimal.Decimal) {
    const account = yield* accountAt(mark)
    const left = distanceOf(mark, Margin.liquidationPrice(account, market))
    report.nearest = Math.min(report.nearest, left)
    const [position] = account.positions
    if (position !== undefined && left < distance) yield* halve(position.amount)
    else safe = mark
  })

  /** Checks the account if the mark price is near the exchange's own liquidation price in the positions stream. */
  const check = Effect.fnUntraced(function*(mark: Decimal.Decimal) {
    report.prices++
    if (mark === safe) return
    const state = yield* live.get
    const known = state._tag === "Whole" ? state.value.find((one) => one.market === market) : undefined
    // While the positions are unknown, every price triggers a check.
    if (state._tag === "Whole" && distanceOf(mark, known?.liquidationPrice ?? undefined) > 2 * distance) return
    yield* act(mark)
  })

  const run = prices.stream({ market }).pipe(
    Stream.runForEach((item) => {
      const mark = item._tag === "Event"
        ? item.event.markPrice
        : item._tag === "Snapshot"
        ? item.state.markPrice
        : undefined
      return mark === undefined ? Effect.void : check(mark).pipe(
        // Whatever fails, the next price causes a new attempt.
        Effect.catch(() => Effect.sync(() => report.failed++))
      )
    })
  )
  return { accountAt, report, run }
})
