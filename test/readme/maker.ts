import {
  CancelAllOrders,
  Decimal,
  type Errors,
  Fills,
  type Identifiers,
  LimitOrders,
  OrderBooks,
  Reconciliation,
  StockMarketOrders,
  TradeBalance
} from "effect-txc"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

/** What the maker trades, and how. */
export interface Settings {
  readonly market: Identifiers.MarketName
  readonly stock: Identifiers.Ticker
  readonly money: Identifiers.Ticker
  /** How many digits a price has after the point. */
  readonly digits: number
  /** How much it offers on each side, and how far its position may be from where it began. */
  readonly amount: Decimal.Amount
  /** The price of its bid and that of its ask, by the middle between what others quote: a little below 1, and above. */
  readonly bid: Decimal.Decimal
  readonly ask: Decimal.Decimal
}

/** Sums and products are exact. They fail only where a number has more than 64 characters. */
const exact = Result.getOrThrow

/** The account by the maker's own count: what it held at first, and every fill and fee since. */
export class Ledger {
  private readonly counted = new Set<string>()
  private readonly held = new Map<Identifiers.Ticker, Decimal.Decimal>()
  private readonly first: TradeBalance.Balances

  constructor(first: TradeBalance.Balances) {
    this.first = first
    for (const [ticker, { available }] of first) this.held.set(ticker, available)
  }

  of(ticker: Identifiers.Ticker): Decimal.Decimal {
    return this.held.get(ticker) ?? Decimal.zero
  }

  /** How much more it holds than at first. */
  change(ticker: Identifiers.Ticker): Decimal.Decimal {
    return exact(Decimal.subtract(this.of(ticker), this.first.get(ticker)?.available ?? Decimal.zero))
  }

  /** What it has gained since, in quote currency, when a unit of the base currency is worth this much. */
  profit({ money, stock }: Settings, price: Decimal.Decimal): Decimal.Decimal {
    return exact(Decimal.add(this.change(money), exact(Decimal.multiply(this.change(stock), price))))
  }

  has({ tradeId }: Fills.Fill): boolean {
    return this.counted.has(tradeId)
  }

  add({ money, stock }: Settings, { amount, fee, feeAsset = stock, price, side, tradeId }: Fills.Fill): void {
    this.counted.add(tradeId)
    const total = exact(Decimal.multiply(amount, price))
    const isBuy = side === "buy"
    const move = (ticker: Identifiers.Ticker, by: typeof Decimal.add, amount: Decimal.Decimal) =>
      this.held.set(ticker, exact(by(this.of(ticker), amount)))
    move(stock, isBuy ? Decimal.add : Decimal.subtract, amount)
    move(money, isBuy ? Decimal.subtract : Decimal.add, total)
    move(feeAsset, Decimal.subtract, fee)
  }
}

/** A market maker. `tick` is for every minute or so, `stop` for the end of the day. */
export const make = Effect.fn("maker")(function*(settings: Settings) {
  const { amount, digits, market, stock } = settings
  const { cancel } = yield* CancelAllOrders.CancelAllOrders
  const books = yield* OrderBooks.OrderBooks
  const fills = yield* Fills.Fills
  const limitOrders = yield* LimitOrders.LimitOrders
  const marketOrders = yield* StockMarketOrders.StockMarketOrders
  const { reconcile } = yield* Reconciliation.Reconciliation
  const ledger = new Ledger(yield* (yield* TradeBalance.TradeBalance).all)
  const report = { ticks: 0, skipped: 0, placed: 0, refused: 0, found: 0, neverPlaced: 0, hedges: 0, fills: 0 }
  /** Orders that may have been placed or not. */
  let lost: ReadonlyArray<Errors.OutcomeUnknown> = []

  /** Finds out what became of lost orders. As long as that is unknown, the maker offers nothing. */
  const findLost = Effect.gen(function*() {
    for (const order of lost) {
      // The history of this account has the orders that were canceled before they traded.
      const verdict = yield* reconcile(order, { recordsCanceled: true })
      if (verdict._tag === "StillUnknown") return yield* Effect.andThen(cancel({ market }), Effect.fail(order))
      if (verdict._tag === "Placed") report.found++
      else report.neverPlaced++
      lost = lost.filter((other) => other !== order)
    }
  })

  /** Places an order once. Whatever comes of it, the next tick sees what is missing. */
  const place = (order: Effect.Effect<unknown, LimitOrders.Failure>) =>
    Effect.match(order, {
      onSuccess: () => {
        report.placed++
      },
      onFailure: (error) => {
        if (error._tag === "OutcomeUnknown") lost = [...lost, error]
        else if (error.outcome === "applied") report.placed++
        else report.refused++
      }
    })

  /** Counts the fills since the last time; the latest come first. */
  const count = fills.stream({ market }).pipe(
    Stream.takeWhile((fill) => !ledger.has(fill)),
    Stream.runForEach((fill) =>
      Effect.sync(() => {
        ledger.add(settings, fill)
        report.fills++
      })
    )
  )

  /** Takes what others quote, so that it holds about as much as at first. */
  const hedge = Effect.gen(function*() {
    const change = ledger.change(stock)
    const isLong = Decimal.Order(change, Decimal.zero) > 0
    const distance = isLong ? change : exact(Decimal.subtract(Decimal.zero, change))
    if (Decimal.Order(distance, amount) < 0) return
    report.hedges++
    yield* place(marketOrders.create({ market, side: isLong ? "sell" : "buy", amount }))
  })

  /** Offers on both sides of the middle of what others quote. */
  const quote = Effect.gen(function*() {
    const { asks: [ask], bids: [bid] } = yield* books.get(market, { limit: 1 })
    if (bid === undefined || ask === undefined) return
    const middle = exact(Decimal.multiply(exact(Decimal.add(bid.price, ask.price)), Decimal.of("0.5")))
    const prices = {
      buy: Decimal.floor(exact(Decimal.multiply(middle, settings.bid)), digits),
      sell: Decimal.ceil(exact(Decimal.multiply(middle, settings.ask)), digits)
    }
    for (const side of ["buy", "sell"] as const) {
      const price = exact(Decimal.parsePrice(prices[side]))
      yield* place(limitOrders.create({ market, side, amount, price, postOnly: true }))
    }
  })

  // It does no harm to cancel everything twice, so a cancel whose answer is lost is simply made again.
  const stop = findLost.pipe(Effect.andThen(cancel({ market })), Effect.andThen(count))
  const tick = stop.pipe(
    Effect.andThen(hedge),
    Effect.andThen(quote),
    Effect.catch(({ message }) => {
      report.skipped++
      return Effect.logWarning(`the next tick begins anew: ${message}`)
    }),
    Effect.andThen(Effect.sync(() => report.ticks++))
  )
  return { ledger, report, stop, tick }
})

/** Makes a market until it is interrupted. */
export const run = (settings: Settings) =>
  Effect.flatMap(make(settings), ({ tick }) => Effect.forever(Effect.andThen(tick, Effect.sleep("1 minute"))))
