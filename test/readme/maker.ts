import {
  CancelAllOrders,
  DealsChannel,
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
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

/** The market maker's settings. */
export interface Settings {
  readonly market: Identifiers.MarketName
  readonly stock: Identifiers.Ticker
  readonly money: Identifiers.Ticker
  /** The number of decimal places in a price. */
  readonly digits: number
  /** The size of each quote. A change of the position by this size triggers a hedge. */
  readonly amount: Decimal.Amount
  /** The bid and ask prices as multiples of the mid price: slightly below and slightly above 1. */
  readonly bid: Decimal.Decimal
  readonly ask: Decimal.Decimal
}

/** Sums and products are exact. They fail only if the result needs more than 64 characters. */
const exact = Result.getOrThrow

/** The maker's own ledger: its balances at the start, and every fill and fee since. */
export class Ledger {
  private readonly counted = new Set<string>()
  private readonly held = new Map<Identifiers.Ticker, Decimal.Decimal>()
  private readonly first: TradeBalance.Balances
  /** The id of the newest fill before which no fill is missing. Undefined until the first audit. */
  private complete: string | undefined

  constructor(first: TradeBalance.Balances) {
    this.first = first
    for (const [ticker, { available }] of first) this.held.set(ticker, available)
  }

  of(ticker: Identifiers.Ticker): Decimal.Decimal {
    return this.held.get(ticker) ?? Decimal.zero
  }

  /** Returns the change in a balance since the start. */
  change(ticker: Identifiers.Ticker): Decimal.Decimal {
    return exact(Decimal.subtract(this.of(ticker), this.first.get(ticker)?.available ?? Decimal.zero))
  }

  /** Returns the profit since the start in the quote currency, with the base currency valued at this price. */
  profit({ money, stock }: Settings, price: Decimal.Decimal): Decimal.Decimal {
    return exact(Decimal.add(this.change(money), exact(Decimal.multiply(this.change(stock), price))))
  }

  get size(): number {
    return this.counted.size
  }

  /** Whether this is the newest fill before which no fill is missing. */
  isComplete({ tradeId }: Fills.Fill): boolean {
    return this.complete === tradeId
  }

  /** Records that no fill up to this one is missing. */
  completed(newest: Fills.Fill | undefined): void {
    if (newest !== undefined) this.complete = newest.tradeId
  }

  /** Adds a fill, unless it was added before. */
  add({ money, stock }: Settings, { amount, fee, feeAsset = stock, price, side, tradeId }: DealsChannel.Deal): void {
    if (this.counted.has(tradeId)) return
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

/** After this many ticks, the fills are read with a call, in case the exchange did not push a fill. */
const auditEvery = 10

/**
 * A market maker. Run `tick` every minute or so, and `stop` at the end of the day. It follows its fills until its scope
 * closes.
 */
export const make = Effect.fn("maker")(function*(settings: Settings) {
  const { amount, digits, market, stock } = settings
  const { cancel } = yield* CancelAllOrders.CancelAllOrders
  const deals = yield* DealsChannel.DealsChannel
  const books = yield* OrderBooks.OrderBooks
  const fills = yield* Fills.Fills
  const limitOrders = yield* LimitOrders.LimitOrders
  const marketOrders = yield* StockMarketOrders.StockMarketOrders
  const { reconcile } = yield* Reconciliation.Reconciliation
  const ledger = new Ledger(yield* (yield* TradeBalance.TradeBalance).all)
  const report = {
    ticks: 0,
    skipped: 0,
    placed: 0,
    refused: 0,
    found: 0,
    neverPlaced: 0,
    hedges: 0,
    pushed: 0,
    audits: 0
  }
  /** Whether there may be fills that the stream has not pushed. */
  let isBehind = true
  /** The errors for orders that might have been placed. */
  let lost: ReadonlyArray<Errors.OutcomeUnknown> = []

  /**
   * Reconciles lost orders. If the outcome of an order is still unknown, cancels all orders and fails, so the maker
   * does not quote.
   */
  const findLost = Effect.gen(function*() {
    for (const order of lost) {
      // This account's history contains orders that were canceled before they traded.
      const verdict = yield* reconcile(order, { recordsCanceled: true })
      if (verdict._tag === "StillUnknown") return yield* Effect.andThen(cancel({ market }), Effect.fail(order))
      if (verdict._tag === "Placed") report.found++
      else report.neverPlaced++
      lost = lost.filter((other) => other !== order)
    }
  })

  /** Places an order without retrying. If it fails, the next tick places a new one. */
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

  /** Adds the fills that are pushed. */
  const listen = Stream.runForEach(deals.stream({ market }), (item) =>
    Effect.sync(() => {
      if (item._tag === "Interrupted") isBehind = true
      else for (const fill of item._tag === "Event" ? [item.event] : item.state) ledger.add(settings, fill)
      report.pushed = ledger.size
    }))
  yield* Effect.forkScoped(Effect.retry(listen, Schedule.spaced("1 minute")))

  /** Adds the fills that were not pushed. Fills are read latest first, until a fill before which none is missing. */
  const audit = Effect.gen(function*() {
    isBehind = false
    const missing = yield* fills.stream({ market }).pipe(
      Stream.takeWhile((fill) => !ledger.isComplete(fill)),
      Stream.runCollect,
      Effect.tapError(() => Effect.sync(() => isBehind = true))
    )
    for (const fill of missing) ledger.add(settings, fill)
    ledger.completed(missing[0])
    report.audits++
  })

  const isDue = () => isBehind || report.ticks % auditEvery === 0

  /**
   * Sends a market order of a quote's size against the position's change since the start, if the change is at least as
   * large.
   */
  const hedge = Effect.gen(function*() {
    const change = ledger.change(stock)
    const isLong = Decimal.Order(change, Decimal.zero) > 0
    const distance = isLong ? change : exact(Decimal.subtract(Decimal.zero, change))
    if (Decimal.Order(distance, amount) < 0) return
    report.hedges++
    yield* place(marketOrders.create({ market, side: isLong ? "sell" : "buy", amount }))
  })

  /** Places a quote on each side of the mid price. */
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

  // A cancellation whose response is lost is simply repeated at the next tick, because canceling everything twice is
  // harmless.
  const clear = Effect.andThen(findLost, cancel({ market }))
  const stop = Effect.andThen(clear, audit)
  const tick = clear.pipe(
    Effect.andThen(Effect.suspend(() => isDue() ? audit : Effect.void)),
    Effect.andThen(hedge),
    Effect.andThen(quote),
    Effect.catch(({ message }) => {
      report.skipped++
      return Effect.logWarning(`the next tick starts over: ${message}`)
    }),
    Effect.andThen(Effect.sync(() => report.ticks++))
  )
  return { ledger, report, stop, tick }
})

/** Runs the market maker until interrupted. */
export const run = (settings: Settings) =>
  Effect.scoped(
    Effect.flatMap(make(settings), ({ tick }) => Effect.forever(Effect.andThen(tick, Effect.sleep("1 minute"))))
  )
