/**
 * Finding out whether an order whose outcome is unknown was placed.
 *
 * The order is looked for by its client order id among the open orders, in the history and among the fills. What is
 * found was placed. What is not found may be on its way still, so its absence means something only once the request can
 * no longer arrive:
 *
 * - a nonce of the `window` form is refused when it is more than five seconds older than the exchange's clock
 * - an `increasing` nonce is refused once a greater one of the same key was accepted
 * - of a `unique` nonce no end is documented: you state one as {@link Assumptions.horizon}, or it stays unknown
 *
 * What is then looked for and not found was not placed, if the following holds. It can't be checked from here:
 *
 * - What the exchange has done shows within {@link Assumptions.margin}, and its clocks differ by less than that and are
 *   not set back by more. An order that has just ended may be in no list for as long: so the lists are read that far
 *   apart.
 * - An order that was canceled before it traded is in the account's history. Accounts of business partners do not
 *   record such orders: {@link Assumptions.recordsCanceled} is for you to say. Nobody needs to have asked for the
 *   cancel: an order that may not rest, self-trade prevention, or a reduce-only order without a position ends like that
 *   too.
 * - The history reaches back to when the order was sent. The live exchange keeps six months.
 * - Nobody else gives the same client order id to an order. The identifiers that this library makes are never the same.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "./client/call/Call.ts"
import type * as Pages from "./client/Pages.ts"
import type { ClientOrderId, MarketName, OrderId } from "./domain/Identifiers.ts"
import { Limit, maxLimit, maxOffset, Offset } from "./domain/Paging.ts"
import { toMicros, type UnixTime } from "./domain/Time.ts"
import { nonceWindowMillis } from "./domain/VenuePolicy.ts"
import { ActiveOrders } from "./endpoints/ActiveOrders.ts"
import * as CollateralLimitOrders from "./endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "./endpoints/CollateralMarketOrders.ts"
import * as CollateralOcoOrders from "./endpoints/CollateralOcoOrders.ts"
import { type Fill, Fills } from "./endpoints/Fills.ts"
import * as LimitOrders from "./endpoints/LimitOrders.ts"
import * as MarketOrders from "./endpoints/MarketOrders.ts"
import { type EndedOrder, OrderHistory } from "./endpoints/OrderHistory.ts"
import { ServerTime } from "./endpoints/ServerTime.ts"
import * as StockMarketOrders from "./endpoints/StockMarketOrders.ts"
import * as StopLimitOrders from "./endpoints/StopLimitOrders.ts"
import { UnexecutedOcoOrders } from "./endpoints/UnexecutedOcoOrders.ts"
import * as Errors from "./protocol/Errors.ts"
import type * as OrderAnswer from "./protocol/OrderAnswer.ts"

// -----------------------------------------------------------------------------
// The question
// -----------------------------------------------------------------------------

/**
 * An order whose outcome is unknown: an `OutcomeUnknown` as it is, an `Intent` that was never settled, or what you
 * know.
 *
 * - `endpoint`: the call that would have placed it, such as `LimitOrders.create`
 * - `key`, `nonce`, `nonceForm`, `sentAt`: of the request; the less is known, the less can be proven. Without `key` it
 *   is taken to be this client's
 *
 * @category models
 * @since 0.1.0
 */
export interface Lost {
  readonly endpoint?: string
  readonly clientOrderId?: ClientOrderId
  readonly market?: MarketName
  readonly key?: string
  readonly nonce?: number
  readonly nonceForm?: Errors.NonceForm
  readonly sentAt?: number
}

/**
 * What you know of the exchange and of the account, and this library can't.
 *
 * - `margin`: how long the exchange's own clocks may differ, and what it has done may take to show; five seconds
 * - `horizon`: after how long since it was sent a request can't arrive any more. Not needed with a nonce of the
 *   `window` or the `increasing` form; nothing unless you say
 * - `recordsCanceled`: whether the account's history has the orders that were canceled before they traded; `false`
 * - `patience`: how long to wait, at most, until the request can't arrive any more; a minute
 *
 * @category models
 * @since 0.1.0
 */
export interface Assumptions {
  readonly margin: Duration.Input
  readonly horizon?: Duration.Input
  readonly recordsCanceled: boolean
  readonly patience: Duration.Input
}

/**
 * The assumptions of those who say nothing else.
 *
 * @category models
 * @since 0.1.0
 */
export const cautious: Assumptions = { margin: "5 seconds", recordsCanceled: false, patience: "1 minute" }

// -----------------------------------------------------------------------------
// The answer
// -----------------------------------------------------------------------------

/**
 * The order was placed; here it is, where it was found.
 *
 * @category models
 * @since 0.1.0
 */
export type Placed =
  & { readonly _tag: "Placed"; readonly orderIds: ReadonlyArray<OrderId> }
  & (
    | { readonly where: "open"; readonly order: OrderAnswer.Order }
    | { readonly where: "pair"; readonly order: CollateralOcoOrders.CollateralOcoOrder }
    | { readonly where: "history"; readonly order: EndedOrder }
    | { readonly where: "fills"; readonly order: ReadonlyArray<Fill> }
  )

/**
 * The order was not placed and never will be, under the assumptions that were made.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotPlaced {
  readonly _tag: "NotPlaced"
}

/**
 * Why nothing is certain:
 *
 * - `may-arrive`: it was not found, but nothing proves that the request can't arrive any more: no horizon was stated,
 *   or it is further away than the patience, or the nonce is not known
 * - `canceled-or-not-placed`: it is not open, has not traded and can't arrive any more. Either it was never placed, or
 *   it was canceled before it traded and the account does not record that
 * - `another-key`: it was not found, but was signed with another key, which may be another account's
 * - `reused-id`: only an older order has this client order id; or this machine's clock was ahead of the exchange's by
 *   more than the margin when it was sent
 * - `no-id`: the exchange does not tell the client order ids of such orders; `pairs` are the OCO orders that are open
 *   in the market and have none: compare them
 * - `not-an-order`: the call places no order that could be found by a client order id
 * - `not-readable`: the exchange could not be asked, see `error`; or what it lists changed too much while it was read.
 *   Ask again
 *
 * @category models
 * @since 0.1.0
 */
export type Why =
  | "may-arrive"
  | "canceled-or-not-placed"
  | "another-key"
  | "reused-id"
  | "no-id"
  | "not-an-order"
  | "not-readable"

/**
 * It can't be told.
 *
 * @category models
 * @since 0.1.0
 */
export interface StillUnknown {
  readonly _tag: "StillUnknown"
  readonly why: Why
  readonly pairs?: ReadonlyArray<CollateralOcoOrders.CollateralOcoOrder>
  readonly error?: Errors.CallError | Errors.PageCeilingReached
}

/**
 * @category models
 * @since 0.1.0
 */
export type Verdict = Placed | NotPlaced | StillUnknown

const stillUnknown = (why: Why): StillUnknown => ({ _tag: "StillUnknown", why })

// -----------------------------------------------------------------------------
// Looking
// -----------------------------------------------------------------------------

/** The calls that place orders. */
const placing: ReadonlySet<string> = new Set(
  [
    LimitOrders.endpoint,
    MarketOrders.endpoint,
    StockMarketOrders.endpoint,
    StopLimitOrders.endpoint,
    CollateralLimitOrders.endpoint,
    CollateralMarketOrders.endpoint,
    CollateralOcoOrders.endpoint
  ].map(({ name }) => name)
)

/** So many records may leave a list while it is read: half a page. */
const step = maxLimit / 2

/** More records than that have left a list while it was read. */
class ListMoved extends Data.TaggedError("ListMoved") {}

/**
 * All records of a list that stay in it while it is read. What leaves it moves the rest towards its beginning, past the
 * next page: so pages overlap by half, and each must have the last record of the one before.
 */
const listed = <A, E>(
  name: string,
  page: (at: { readonly limit: Limit; readonly offset: Offset }) => Effect.Effect<Pages.Page<A>, E>,
  idOf: (record: A) => string
): Effect.Effect<ReadonlyArray<A>, E | ListMoved | Errors.PageCeilingReached> => {
  const limit = Limit.make(maxLimit)
  const from = (
    offset: number,
    read: ReadonlyArray<A>
  ): Effect.Effect<ReadonlyArray<A>, E | ListMoved | Errors.PageCeilingReached> =>
    Effect.flatMap(page({ limit, offset: Offset.make(offset) }), ({ records }) => {
      const last = read.at(-1)
      const overlap = last === undefined ? 0 : records.findIndex((record) => idOf(record) === idOf(last)) + 1
      if (last !== undefined && overlap === 0) return Effect.fail(new ListMoved())
      const all = [...read, ...records.slice(overlap)]
      if (records.length < maxLimit) return Effect.succeed(all)
      return offset + step > maxOffset
        ? Effect.fail(new Errors.PageCeilingReached({ endpoint: name, emitted: all.length }))
        : from(offset + step, all)
    })
  return from(0, [])
}

const isOco = (endpoint: string | undefined): boolean => endpoint === CollateralOcoOrders.endpoint.name

interface Dated {
  readonly clientOrderId?: ClientOrderId
  readonly timestamp: UnixTime
}

/** Why a list could not be read. */
type Unread = Errors.CallError | Errors.PageCeilingReached | ListMoved

/** The live exchange refuses to look for an order that it does not have. */
const orNone = <A>(
  found: Effect.Effect<ReadonlyArray<A>, Unread>
): Effect.Effect<ReadonlyArray<A>, Unread> =>
  Effect.catchIf(
    found,
    (error): boolean => error._tag === "ValidationFailed" && Object.hasOwn(error.otherFields, "orderHistory"),
    () => Effect.succeed([])
  )

/** Not sooner than this is a clock asked again that is still too early. */
const pause = 250

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `reconcile`: looks for the order at once; if it is not there, waits until its request can't arrive any more, where
 *   that can be known, and looks again. Sends nothing but reads, and never fails: what can't be asked stays unknown.
 *
 * @category services
 * @since 0.1.0
 */
export class Reconciliation extends Context.Service<Reconciliation, {
  readonly reconcile: (lost: Lost, assumptions?: Partial<Assumptions>) => Effect.Effect<Verdict>
}>()("effect-txc/Reconciliation") {
  static readonly layer: Layer.Layer<
    Reconciliation,
    never,
    Call.Call | ActiveOrders | Fills | OrderHistory | ServerTime | UnexecutedOcoOrders
  > = Layer.effect(
    Reconciliation,
    Effect.gen(function*() {
      const { acceptedNonce, dialect, key, nonceForm: ownForm } = yield* Call.Call
      const active = yield* ActiveOrders
      const pairs = yield* UnexecutedOcoOrders
      const history = yield* OrderHistory
      const fills = yield* Fills
      const serverTime = yield* ServerTime
      const tellsLegs = dialect.policy.legClientOrderIds === "echoed"
      const ticks = dialect.nonceUnit === "milliseconds" ? 1 : 1000

      const openPairs = (market: MarketName) =>
        listed("UnexecutedOcoOrders.page", (at) => pairs.page({ market, ...at }), ({ id }) => id)

      /**
       * What is there of the order. An order goes from the open ones to the history, and a pair to its legs before
       * that: it is looked for in this order. What has left one list may take a while to show in the next: with
       * `between` from one to the next it can't pass by unseen.
       */
      const look = Effect.fnUntraced(function*(
        { clientOrderId, endpoint, market, sentAt = 0 }: Lost & Required<Pick<Lost, "clientOrderId" | "market">>,
        margin: number,
        between: Effect.Effect<void>
      ) {
        let older = false
        const isIt = (order: Dated): boolean => {
          if (order.clientOrderId !== clientOrderId) return false
          const isNew = toMicros(order.timestamp) >= sentAt - margin * 1000
          if (!isNew) older = true
          return isNew
        }
        const placed = (where: Placed["where"], order: unknown, orderIds: ReadonlyArray<OrderId>) =>
          ({ _tag: "Placed", where, order, orderIds }) as Placed
        const only = { market, clientOrderId }

        if (endpoint === undefined || isOco(endpoint)) {
          const [pair] = (yield* openPairs(market)).filter(({ stopLoss, takeProfit }) =>
            isIt(stopLoss) || isIt(takeProfit)
          )
          if (pair !== undefined) {
            return placed("pair", pair, [pair.id, pair.stopLoss.orderId, pair.takeProfit.orderId])
          }
          yield* between
        }
        const orders = yield* listed(
          "ActiveOrders.page",
          (at) => active.page({ ...only, ...at }),
          (order) => order.orderId
        )
        const [open] = orders.filter(isIt)
        if (open !== undefined) return placed("open", open, [open.orderId])
        yield* between
        const past = listed("OrderHistory.page", (at) => history.page({ ...only, ...at }), (order) => order.orderId)
        const [ended] = (yield* orNone(past)).filter(isIt)
        if (ended !== undefined) return placed("history", ended, [ended.orderId])
        const trades = listed("Fills.page", (at) => fills.page({ ...only, ...at }), ({ tradeId }) => String(tradeId))
        const traded = (yield* orNone(trades)).filter(isIt)
        if (traded.length > 0) return placed("fills", traded, [...new Set(traded.map(({ orderId }) => orderId))])
        return older ? stillUnknown("reused-id") : undefined
      })

      /** Waits until the exchange's clock, or what `now` gives, has passed a time; `false` when that takes too long. */
      const passed = <E>(now: Effect.Effect<number, E>, until: number, patience: number): Effect.Effect<boolean, E> =>
        Effect.flatMap(now, (at) => {
          const left = until - at
          if (left < 0) return Effect.succeed(true)
          const wait = Math.max(left + 1, pause)
          return wait > patience
            ? Effect.succeed(false)
            : Effect.flatMap(Effect.sleep(wait), () => passed(now, until, patience - wait))
        })

      // Whole seconds: it is that late there, or later.
      const there = Effect.map(serverTime.get, (seconds) => seconds * 1000)

      /** Waits until a nonce greater than this one has been accepted: reads are signed with nonces of the same key. */
      const overtaken = (nonce: number, patience: number): Effect.Effect<boolean, Errors.CallError> =>
        Effect.flatMap(acceptedNonce, (accepted) =>
          accepted > nonce
            ? Effect.succeed(true)
            : patience < pause
            ? Effect.succeed(false)
            : active.page({ limit: Limit.make(1) }).pipe(
              Effect.delay(pause),
              Effect.andThen(overtaken(nonce, patience - pause))
            ))

      /** Waits until the request can't arrive any more, and all that it may have done shows. */
      const tooLate = Effect.fnUntraced(function*(
        { nonce, nonceForm, sentAt }: Lost,
        horizon: number | undefined,
        margin: number,
        patience: number
      ) {
        // A nonce of another form than this client's is of other ticks, or overtaken by other rules.
        const isComparable = nonce !== undefined && nonceForm === ownForm
        if (isComparable && nonceForm === "window") {
          return yield* passed(there, nonce / ticks + nonceWindowMillis + margin, patience)
        }
        if (isComparable && nonceForm === "increasing") {
          if (!(yield* overtaken(nonce, patience))) return false
          yield* Effect.sleep(margin)
          return true
        }
        if (horizon === undefined || sentAt === undefined) return false
        const until = sentAt / 1000 + horizon + margin
        return (yield* passed(Clock.currentTimeMillis, until, patience)) && (yield* passed(there, until, patience))
      })

      const find = Effect.fnUntraced(function*(lost: Lost, assumptions: Assumptions) {
        const { clientOrderId, endpoint, market } = lost
        if (clientOrderId === undefined || market === undefined) return stillUnknown("not-an-order")
        if (endpoint !== undefined && !placing.has(endpoint)) return stillUnknown("not-an-order")
        const order = { ...lost, clientOrderId, market }
        const margin = Duration.toMillis(assumptions.margin)
        const horizon = assumptions.horizon === undefined ? undefined : Duration.toMillis(assumptions.horizon)

        const found = yield* look(order, margin, Effect.void)
        if (found !== undefined) return found
        // What such an exchange does not tell of pairs can't be found, and not be missed either.
        if (!tellsLegs && (endpoint === undefined || isOco(endpoint))) {
          const nameless = (yield* openPairs(market)).filter(({ stopLoss, takeProfit }) =>
            stopLoss.clientOrderId === undefined && takeProfit.clientOrderId === undefined
          )
          return { ...stillUnknown("no-id"), pairs: nameless }
        }
        if (lost.key !== undefined && lost.key !== key) return stillUnknown("another-key")
        if (!(yield* tooLate(lost, horizon, margin, Duration.toMillis(assumptions.patience)))) {
          return stillUnknown("may-arrive")
        }
        const foundLate = yield* look(order, margin, Effect.sleep(margin))
        if (foundLate !== undefined) return foundLate
        return assumptions.recordsCanceled ? { _tag: "NotPlaced" } as const : stillUnknown("canceled-or-not-placed")
      })

      return {
        reconcile: Effect.fn("Reconciliation.reconcile")(function*(lost: Lost, assumptions: Partial<Assumptions> = {}) {
          return yield* Effect.catch(
            find(lost, { ...cautious, ...assumptions }),
            (error) =>
              Effect.succeed<Verdict>({
                ...stillUnknown("not-readable"),
                ...(error._tag === "ListMoved" ? {} : { error })
              })
          )
        })
      }
    })
  )
}
