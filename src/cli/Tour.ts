/**
 * Every call of the API, made for real against a sandbox, and what came of each.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Call from "../client/call/Call.ts"
import { Passphrase } from "../domain/Code.ts"
import * as Decimal from "../domain/Decimal.ts"
import { ClientOrderId, marketName, PlanId, ticker } from "../domain/Identifiers.ts"
import { Limit } from "../domain/Paging.ts"
import { Alias, KeyTitle } from "../domain/SubAccount.ts"
import { ActiveOrders } from "../endpoints/ActiveOrders.ts"
import { Assets } from "../endpoints/Assets.ts"
import { CancelAllOrders } from "../endpoints/CancelAllOrders.ts"
import { CancelOcoOrder } from "../endpoints/CancelOcoOrder.ts"
import { CancelOrder } from "../endpoints/CancelOrder.ts"
import { CodeCreation } from "../endpoints/CodeCreation.ts"
import { Codes } from "../endpoints/Codes.ts"
import { CollateralBalance } from "../endpoints/CollateralBalance.ts"
import { CollateralLimitOrders } from "../endpoints/CollateralLimitOrders.ts"
import { CollateralMarketOrders } from "../endpoints/CollateralMarketOrders.ts"
import { CollateralOcoOrders } from "../endpoints/CollateralOcoOrders.ts"
import { DeleteSubAccount } from "../endpoints/DeleteSubAccount.ts"
import { Fees } from "../endpoints/Fees.ts"
import { Fills } from "../endpoints/Fills.ts"
import { InterestPaymentHistory } from "../endpoints/InterestPaymentHistory.ts"
import { LimitOrders } from "../endpoints/LimitOrders.ts"
import { MainBalance } from "../endpoints/MainBalance.ts"
import { MarketOrders } from "../endpoints/MarketOrders.ts"
import { Markets } from "../endpoints/Markets.ts"
import { OpenPositions } from "../endpoints/OpenPositions.ts"
import { OrderBooks } from "../endpoints/OrderBooks.ts"
import { OrderHistory } from "../endpoints/OrderHistory.ts"
import { PublicTrades } from "../endpoints/PublicTrades.ts"
import { ServerStatus } from "../endpoints/ServerStatus.ts"
import { ServerTime } from "../endpoints/ServerTime.ts"
import { StockMarketOrders } from "../endpoints/StockMarketOrders.ts"
import { endpoint as stopLimitEndpoint, StopLimitOrders } from "../endpoints/StopLimitOrders.ts"
import { SubAccountApiKeyCreation } from "../endpoints/SubAccountApiKeyCreation.ts"
import { SubAccountApiKeys } from "../endpoints/SubAccountApiKeys.ts"
import { SubAccountCreation } from "../endpoints/SubAccountCreation.ts"
import { SubAccounts } from "../endpoints/SubAccounts.ts"
import { Tickers } from "../endpoints/Tickers.ts"
import { TradeBalance } from "../endpoints/TradeBalance.ts"
import { Transfers } from "../endpoints/Transfers.ts"
import { UnexecutedOcoOrders } from "../endpoints/UnexecutedOcoOrders.ts"
import * as Exchange from "../Exchange.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import type * as Errors from "../protocol/Errors.ts"
import { Control } from "../sandbox/control/Control.ts"
import * as Example from "../sandbox/Example.ts"
import * as Faults from "../sandbox/gateway/Faults.ts"

// -----------------------------------------------------------------------------
// Rows
// -----------------------------------------------------------------------------

/** A call to make, and what the document says must come of it. */
interface Row<R> {
  readonly endpoint: string
  readonly request: string
  /** What came of it in a few words; fails with what was expected instead. */
  readonly run: Effect.Effect<string, string, R>
}

type Caught = Errors.CallError | Errors.PageCeilingReached

const describeError = (error: Caught): string =>
  "fields" in error
    ? Object.entries(error.fields).map(([field, messages]) => `${field}: ${messages?.join("; ")}`).join("; ")
    : "why" in error
    ? error.why
    : error.message

/** A call that must succeed; `outcome` says what it answered, or `undefined` when that is not what it must answer. */
const succeeds = <A, E extends Caught, R>(
  endpoint: string,
  request: string,
  call: Effect.Effect<A, E, R>,
  outcome: (answer: A) => string | undefined
): Row<R> => ({
  endpoint,
  request,
  run: Effect.matchEffect(call, {
    onSuccess: (answer) => {
      const said = outcome(answer)
      return said === undefined ? Effect.fail("another answer than the document's") : Effect.succeed(said)
    },
    onFailure: (error) => Effect.fail(`${error._tag}: ${error.message}`)
  })
})

/** A call that must fail with the error of a tag, caught by it. */
const fails = <A, E extends Caught, R, const Tag extends E["_tag"]>(
  endpoint: string,
  request: string,
  call: Effect.Effect<A, E, R>,
  tag: Tag
): Row<R> => ({
  endpoint,
  request,
  run: Effect.matchEffect(call, {
    onSuccess: () => Effect.fail(`succeeded, but must fail with ${tag}`),
    onFailure: (error) =>
      error._tag === tag
        ? Effect.succeed(
          `caught ${tag}${"origin" in error && error.origin === "local" ? " before sending" : ""} (${
            describeError(error)
          })`
        )
        : Effect.fail(`${error._tag} instead of ${tag}: ${error.message}`)
  })
})

// -----------------------------------------------------------------------------
// The calls
// -----------------------------------------------------------------------------

const market = marketName("BTC_USDT")

const order = {
  market,
  side: "buy",
  amount: Decimal.amount("0.1"),
  price: Decimal.price("40100"),
  activationPrice: Decimal.price("40000")
} as const

const is = (expected: string, actual: Decimal.Decimal): boolean => Decimal.normalize(actual) === expected

const rows = Effect.gen(function*() {
  const status = yield* ServerStatus
  const markets = yield* Markets
  const fees = yield* Fees
  const balance = yield* MainBalance
  const codes = yield* Codes
  const stopLimit = yield* StopLimitOrders
  const oco = yield* CollateralOcoOrders
  const cancelAll = yield* CancelAllOrders
  const interest = yield* InterestPaymentHistory
  const subAccounts = yield* SubAccounts
  const keys = yield* SubAccountApiKeys
  const deletion = yield* DeleteSubAccount
  const control = yield* Control

  const openOrders = Effect.map(Effect.orDie(control.openOrders(Example.alice.account)), (orders) => orders.length)
  const twoPerPage = Limit.make(2)

  return [
    succeeds("ServerStatus.ping", "", status.ping, (pong) => pong),
    succeeds("Markets.all", "", markets.all, (all) => `${all.length} markets`),
    succeeds("Markets.get", "BTC_USDT", markets.get(market), (found) =>
      Option.match(found, {
        onNone: () => undefined,
        onSome: ({ minAmount, moneyPrecision, stockPrecision }) =>
          `precisions ${stockPrecision} and ${moneyPrecision}, at least ${minAmount}`
      })),
    succeeds("Fees.list", "", fees.list, (all) => `${all.length} currencies`),
    succeeds(
      "MainBalance.all",
      "",
      balance.all,
      (all) => [...all].map(([asset, held]) => `${held} ${asset}`).join(", ")
    ),
    succeeds(
      "MainBalance.of",
      "ETH, which the answer leaves out",
      balance.of(ticker("ETH")),
      (held) => is("0", held) ? "0" : undefined
    ),

    succeeds(
      "Codes.apply",
      "a code for 2.5 ETH",
      codes.apply({ code: Example.code }),
      ({ amount, ticker }) => is("2.5", amount) ? `${amount} ${ticker}` : undefined
    ),
    succeeds("MainBalance.of", "ETH", balance.of(ticker("ETH")), (held) => is("2.5", held) ? held : undefined),
    fails("Codes.apply", "the same code again", codes.apply({ code: Example.code }), "InvalidFields"),
    fails(
      "Codes.apply",
      "a protected code, without passphrase",
      codes.apply({ code: Example.protectedCode }),
      "InvalidFields"
    ),
    fails(
      "Codes.apply",
      "a passphrase of 26 characters",
      // What a program in plain JavaScript may pass: the brand says 25 at most.
      codes.apply({ code: Example.protectedCode, passphrase: "x".repeat(26) as Passphrase }),
      "InvalidFields"
    ),
    succeeds(
      "Codes.apply",
      "a protected code, with passphrase",
      codes.apply({ code: Example.protectedCode, passphrase: Example.passphrase }),
      ({ amount, ticker }) => is("0.25", amount) ? `${amount} ${ticker}` : undefined
    ),
    succeeds(
      "MainBalance.changes",
      "one reading",
      balance.changes(Schedule.recurs(0)).pipe(Stream.runCollect),
      (changes) =>
        changes.length === 3 ? changes.map(({ after, ticker }) => `${ticker} ${after}`).join(", ") : undefined
    ),

    succeeds(
      "StopLimitOrders.create",
      "buy 0.1 BTC at 40100 when it reaches 40000",
      stopLimit.create({ ...order, clientOrderId: ClientOrderId.make("demo-1") }),
      ({ clientOrderIdEcho, orderId, status }) =>
        clientOrderIdEcho === "echoed" ? `order ${orderId}, ${status}, client order id echoed` : undefined
    ),
    fails(
      "StopLimitOrders.create",
      "the same client order id",
      stopLimit.create({ ...order, clientOrderId: ClientOrderId.make("demo-1") }),
      "ValidationFailed"
    ),
    fails(
      "StopLimitOrders.create",
      "0.0000001 BTC, finer than the market",
      stopLimit.create({ ...order, amount: Decimal.amount("0.0000001") }),
      "ValidationFailed"
    ),
    fails(
      "StopLimitOrders.create",
      "100 BTC, more than there is",
      stopLimit.create({ ...order, amount: Decimal.amount("100") }),
      "RequestRejected"
    ),
    succeeds(
      "CollateralOcoOrders.create",
      "sell 0.1 BTC, take profit 45000, stop loss 38000",
      oco.create({
        ...order,
        side: "sell",
        price: Decimal.price("45000"),
        activationPrice: Decimal.price("38000"),
        stopLimitPrice: Decimal.price("37900")
      }),
      ({ id, stopLoss, takeProfit }) => `${id}: stop loss ${stopLoss.orderId}, take profit ${takeProfit.orderId}`
    ),
    fails(
      "CollateralOcoOrders.create",
      "reduce only, without a position",
      oco.create({ ...order, stopLimitPrice: Decimal.price("40200"), reduceOnly: true }),
      "ReduceOnlyRejected"
    ),
    succeeds(
      "CancelAllOrders.cancel",
      "spot orders of BTC_USDT",
      Effect.andThen(cancelAll.cancel({ market, type: ["spot"] }), openOrders),
      (left) => left === 2 ? "the two legs of the OCO order stay open" : undefined
    ),
    succeeds(
      "CancelAllOrders.cancel",
      "all",
      Effect.andThen(cancelAll.cancel(), openOrders),
      (left) => left === 0 ? "no order stays open" : undefined
    ),

    succeeds(
      "InterestPaymentHistory.page",
      "limit 2",
      interest.page({ limit: twoPerPage }),
      ({ records }) =>
        records.length === 2 ? records.map(({ amount, ticker }) => `${amount} ${ticker}`).join(", ") : undefined
    ),
    succeeds(
      "InterestPaymentHistory.stream",
      "all pages",
      interest.stream({ planId: Example.plan }).pipe(Stream.runCount),
      (count) => count === Example.payments ? `${count} payments` : undefined
    ),
    fails(
      "InterestPaymentHistory.page",
      "an unknown plan",
      interest.page({ planId: PlanId.make("no such plan") }),
      "InvalidFields"
    ),
    succeeds(
      "SubAccounts.page",
      "",
      subAccounts.page(),
      ({ records }) => records.length === 3 ? records.map(({ alias }) => alias).join(", ") : undefined
    ),
    succeeds(
      "SubAccountApiKeys.page",
      "of one sub-account",
      keys.page({ subAccountId: Example.fundedSubAccount }),
      ({ records }) =>
        records.length === 1
          ? records.map(({ accessEndpoints, title }) => `${title}, for ${accessEndpoints.length} endpoint`).join()
          : undefined
    ),
    succeeds(
      "SubAccountApiKeys.stream",
      "all",
      keys.stream().pipe(Stream.runCount),
      (count) => count === 2 ? `${count} keys` : undefined
    ),
    fails(
      "DeleteSubAccount.delete",
      "one that holds funds",
      deletion.delete({ id: Example.fundedSubAccount }),
      "InvalidFields"
    ),
    succeeds(
      "DeleteSubAccount.delete",
      "an empty one",
      Effect.andThen(deletion.delete({ id: Example.emptySubAccount }), subAccounts.stream().pipe(Stream.runCount)),
      (left) => left === 2 ? "two are left" : undefined
    ),

    fails(
      "StopLimitOrders.create",
      "applied, but its answer is lost",
      Effect.andThen(
        control.addFault({ path: stopLimitEndpoint.path, symptom: Faults.answerLost }),
        stopLimit.create({ ...order, clientOrderId: ClientOrderId.make("demo-2") })
      ),
      "OutcomeUnknown"
    ),
    succeeds(
      "CancelAllOrders.cancel",
      "the order that was lost",
      Effect.gen(function*() {
        const before = yield* openOrders
        yield* cancelAll.cancel()
        return before
      }),
      (before) => before === 1 ? "it was there" : undefined
    )
  ] as const
})

/** The calls that the document does not describe: an exchange where orders trade. */
const tradingRows = Effect.gen(function*() {
  const time = yield* ServerTime
  const assets = yield* Assets
  const tickers = yield* Tickers
  const books = yield* OrderBooks
  const trades = yield* PublicTrades
  const transfers = yield* Transfers
  const tradeBalance = yield* TradeBalance
  const collateral = yield* CollateralBalance
  const limit = yield* LimitOrders
  const marketOrders = yield* MarketOrders
  const stockMarket = yield* StockMarketOrders
  const collateralLimit = yield* CollateralLimitOrders
  const collateralMarket = yield* CollateralMarketOrders
  const positions = yield* OpenPositions
  const active = yield* ActiveOrders
  const history = yield* OrderHistory
  const fills = yield* Fills
  const cancel = yield* CancelOrder
  const stopLimit = yield* StopLimitOrders
  const oco = yield* CollateralOcoOrders
  const pairs = yield* UnexecutedOcoOrders
  const cancelPair = yield* CancelOcoOrder
  const codes = yield* CodeCreation
  const creation = yield* SubAccountCreation
  const keys = yield* SubAccountApiKeyCreation
  const control = yield* Control

  const usdt = ticker("USDT")
  const clientOrderId = ClientOrderId.make("demo-3")
  const selling = { market, side: "sell", amount: Decimal.amount("0.1"), price: Decimal.price("41000") } as const
  const latest = Effect.map(history.page({ market }), ({ records }) => records[0]?.status)
  const movedTo = (price: Decimal.Price) => control.movePrice({ market, price }).pipe(Effect.orDie)

  return [
    succeeds("ServerTime.get", "", time.get, (seconds) => `${seconds}`),
    succeeds("Assets.all", "", assets.all, (all) => [...all.keys()].join(", ")),
    succeeds(
      "Transfers.create",
      "100 USDT from main to spot",
      Effect.andThen(
        transfers.create({ ticker: usdt, amount: Decimal.amount("100"), from: "main", to: "spot" }),
        tradeBalance.of(usdt)
      ),
      ({ available }) => is("100100", available) ? `${available} USDT to trade with` : undefined
    ),
    fails(
      "Transfers.create",
      "more than there is",
      transfers.create({ ticker: usdt, amount: Decimal.amount("1000000"), from: "main", to: "spot" }),
      "RequestRejected"
    ),
    succeeds(
      "LimitOrders.create",
      "sell 0.1 BTC at 41000",
      limit.create({ ...selling, clientOrderId }),
      ({ status }) => status === "NEW" ? status : undefined
    ),
    fails(
      "LimitOrders.create",
      "post only and immediate or cancel at once",
      limit.create({ ...selling, postOnly: true, ioc: true }),
      "ValidationFailed"
    ),
    succeeds(
      "OrderBooks.get",
      "BTC_USDT",
      books.get(market),
      ({ asks }) =>
        asks.length === 1 ? asks.map(({ amount, price }) => `${amount} asked at ${price}`).join() : undefined
    ),
    succeeds(
      "MarketOrders.create",
      "buy for 2050 USDT",
      marketOrders.create({ market, side: "buy", amount: Decimal.amount("2050") }),
      ({ dealStock, status }) =>
        status === "FILLED" && is("0.05", dealStock) ? `${status}, ${dealStock} BTC` : undefined
    ),
    succeeds(
      "PublicTrades.list",
      "BTC_USDT",
      trades.list(market),
      (all) =>
        all.length === 1 ? all.map(({ amount, price, side }) => `${side} ${amount} at ${price}`).join() : undefined
    ),
    succeeds(
      "Tickers.get",
      "BTC_USDT",
      tickers.get(market),
      (found) => Option.match(found, { onNone: () => undefined, onSome: ({ lastPrice }) => `last price ${lastPrice}` })
    ),
    succeeds(
      "ActiveOrders.page",
      "",
      active.page(),
      ({ records }) =>
        records.length === 1 ? records.map(({ left, status }) => `${status}, ${left} left`).join() : undefined
    ),
    succeeds(
      "CancelOrder.cancel",
      "by client order id",
      cancel.cancel({ market, clientOrderId }),
      // The live exchange says no more than that it is canceled.
      ({ status }) => status === "PARTIAL_CANCELED" || status === "CANCELED" ? status : undefined
    ),
    fails("CancelOrder.cancel", "once more", cancel.cancel({ market, clientOrderId }), "RequestRejected"),
    succeeds("OrderHistory.stream", "all pages", history.stream().pipe(Stream.runCount), (count) => `${count} orders`),
    succeeds(
      "Fills.page",
      "of that order",
      fills.page({ market, clientOrderId }),
      ({ records }) =>
        records.length === 1
          ? records.map(({ amount, fee, feeAsset, price, role }) =>
            `${role}, ${amount} at ${price}, ${fee} ${feeAsset}`
          )
            .join()
          : undefined
    ),
    succeeds(
      "StockMarketOrders.create",
      "buy 0.01 BTC, of which there are none",
      stockMarket.create({ market, side: "buy", amount: Decimal.amount("0.01") }),
      ({ status }) => status === "CANCELED" ? status : undefined
    ),
    succeeds(
      "StopLimitOrders.create",
      "woken and filled by two moves of the price",
      stopLimit.create({ ...order, price: Decimal.price("43000"), activationPrice: Decimal.price("42000") }).pipe(
        Effect.andThen(movedTo(Decimal.price("42500"))),
        Effect.andThen(movedTo(Decimal.price("42000"))),
        Effect.andThen(latest)
      ),
      (status) => status === "FILLED" ? status : undefined
    ),
    succeeds(
      "CollateralLimitOrders.create",
      "buy 0.1 BTC on margin, filled by a move",
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
      "after an OCO order that reduces only",
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
      "reduce only, on the position's own side",
      collateralMarket.create({ market, side: "buy", amount: Decimal.amount("0.1"), reduceOnly: true }),
      "ReduceOnlyRejected"
    ),
    succeeds(
      "CodeCreation.create",
      "for 10 USDT",
      codes.create({ ticker: usdt, amount: Decimal.amount("10") }),
      ({ message }) => message
    ),
    succeeds(
      "SubAccountCreation.create",
      "and a key of it",
      creation.create({
        alias: Alias.make("demo"),
        shareKyc: true,
        permissions: { spotEnabled: true, collateralEnabled: false }
      }).pipe(Effect.flatMap(({ id }) => keys.create({ subAccountId: id, title: KeyTitle.make("demo"), type: 1 }))),
      ({ apiSecret, title }) => `${title}, its secret shown once: ${String(Redacted.isRedacted(apiSecret))}`
    )
  ] as const
})

/** Calls by others: with a wrong secret, by a key that may not, and to nobody. */
const otherRows = (baseUrl: string, dialect: Dialect) => {
  const as = (apiKey: string, apiSecret: string, url = baseUrl) =>
    Exchange.layer({
      baseUrl: url,
      dialect,
      credentials: { apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) }
    }).pipe(Layer.orDie)
  const balance = Effect.flatMap(MainBalance, (service) => service.all)
  return [
    fails(
      "MainBalance.all",
      "signed with a wrong secret",
      Effect.provide(balance, as(Example.alice.apiKey, "not-the-secret-of-alice")),
      "NotAuthorized"
    ),
    fails(
      "InterestPaymentHistory.page",
      "by bob, who is no business partner",
      Effect.provide(
        Effect.flatMap(InterestPaymentHistory, (service) => service.page()),
        as(Example.bob.apiKey, Example.bob.apiSecret)
      ),
      "NotAuthorized"
    ),
    fails(
      "MainBalance.all",
      "where nobody listens",
      balance.pipe(
        Effect.provide(as(Example.alice.apiKey, Example.alice.apiSecret, "http://127.0.0.1:9")),
        Effect.provideService(Call.ReadRetry, Schedule.recurs(0))
      ),
      "ExchangeUnreachable"
    )
  ] as const
}

// -----------------------------------------------------------------------------
// The table
// -----------------------------------------------------------------------------

const widths = { endpoint: 31, request: 49 }

const fit = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)

const line = (mark: string, endpoint: string, request: string, millis: string, outcome: string): string =>
  `${mark} ${fit(endpoint, widths.endpoint)} ${fit(request, widths.request)} ${millis.padStart(8)}  ${outcome}`

const runRow = Effect.fnUntraced(function*<R>({ endpoint, request, run }: Row<R>) {
  const start = yield* Clock.currentTimeNanos
  const result = yield* Effect.result(run)
  const millis = Duration.toMillis(Duration.nanos((yield* Clock.currentTimeNanos) - start))
  const held = result._tag === "Success"
  const outcome = held ? result.success : `NOT AS DOCUMENTED: ${result.failure}`
  yield* Console.log(line(held ? "✓" : "✗", endpoint, request, `${millis.toFixed(1)} ms`, outcome))
  return held
})

/**
 * Makes all calls and prints a table. Gives the number of calls that did not do what the document says.
 *
 * @category demonstration
 * @since 0.1.0
 */
export const run = Effect.fnUntraced(function*(
  baseUrl: string,
  dialect: Dialect
): Effect.fn.Return<number, never, Exchange.Services | Control | HttpClient.HttpClient> {
  yield* Console.log(line(" ", "endpoint", "request", "time", "outcome"))
  const all = [...yield* rows, ...yield* tradingRows, ...otherRows(baseUrl, dialect)]
  let broken = 0
  for (const row of all) if (!(yield* runRow(row))) broken++
  yield* Console.log(
    broken === 0
      ? `\n${all.length} calls, all as documented.`
      : `\n${all.length} calls, ${broken} not as documented.`
  )
  return broken
})
