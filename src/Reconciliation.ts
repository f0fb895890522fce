/**
 * Finding out whether an order whose outcome is unknown was placed.
 *
 * The order is looked for by its client order id among the open orders, in the history and among the fills. An order that is
 * found was placed. One that is not found may still be on its way, so its absence means something only once the request can
 * no longer arrive:
 *
 * - The exchange refuses a nonce of the `window` form when it is more than five seconds older than the exchange's clock.
 * - It refuses an `increasing` nonce once it has accepted a greater one of the same key.
 * - For a `unique` nonce no end is documented. State one as {@link Assumptions.horizon}, or the outcome stays unknown.
 *
 * An order that is looked for after that and not found was not placed, if the following holds. It can't be checked from here:
 *
 * - What the exchange has done shows within {@link Assumptions.margin}. Its clocks differ by less than that, and are not set
 *   back by more. An order that has just ended may be in no list for as long, so the lists are read that far apart.
 * - An order that was canceled before it traded is in the account's history. Accounts of business partners do not record
 *   such orders, so state it as {@link Assumptions.recordsCanceled}. Nobody needs to have asked for the cancel: the exchange
 *   itself cancels an order that may not rest, a self-trade, or a reduce-only order without a position.
 * - The history reaches back to when the order was sent. The live exchange keeps six months.
 * - No other order has the same client order id. The identifiers that this library makes never repeat.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Reconciliation, StopLimitOrders } from "effect-txc"
 *
 * export const place = Effect.fn(function*(order: StopLimitOrders.Request) {
 *   const orders = yield* StopLimitOrders.StopLimitOrders
 *   const { reconcile } = yield* Reconciliation.Reconciliation
 *   return yield* orders.create(order).pipe(
 *     // Placed, NotPlaced, or StillUnknown: only NotPlaced makes it safe to place the order once more.
 *     Effect.catchTag("OutcomeUnknown", (lost) => reconcile(lost, { recordsCanceled: true }))
 *   )
 * })
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Call from "./client/call/Call.ts"
import { ticks } from "./client/NonceSequence.ts"
import * as Pages from "./client/Pages.ts"
import type { ClientOrderId, MarketName, OrderId } from "./domain/Identifiers.ts"
import { Limit, maxLimit } from "./domain/Paging.ts"
import { toMicros, type UnixTime } from "./domain/Time.ts"
import { nonceWindowMillis } from "./domain/VenuePolicy.ts"
import { ActiveOrders } from "./endpoints/ActiveOrders.ts"
import * as Contract from "./endpoints/all.ts"
import type * as CollateralOcoOrders from "./endpoints/CollateralOcoOrders.ts"
import { type Fill, Fills } from "./endpoints/Fills.ts"
import { type EndedOrder, OrderHistory } from "./endpoints/OrderHistory.ts"
import { ServerTime } from "./endpoints/ServerTime.ts"
import { UnexecutedOcoOrders } from "./endpoints/UnexecutedOcoOrders.ts"
import type * as Endpoint from "./protocol/Endpoint.ts"
import * as Errors from "./protocol/Errors.ts"
import type * as OrderAnswer from "./protocol/OrderAnswer.ts"

// -----------------------------------------------------------------------------
// The question
// -----------------------------------------------------------------------------

/**
 * An order whose outcome is unknown: an `OutcomeUnknown` as it is, an `Intent` that was never settled, or what you know.
 * The less is known, the less can be proven.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lost {
  /** The call that would have placed it, such as `LimitOrders.create`. Without it the order may be of any kind. */
  readonly endpoint?: string
  /** What the order is looked for by. Without it the verdict is `not-an-order`. */
  readonly clientOrderId?: ClientOrderId
  /** Where it would trade. Without it the verdict is `not-an-order`. */
  readonly market?: MarketName
  /** The API key that signed it, as a fingerprint: see `Credentials.fingerprint`. Without it, taken to be this client's. */
  readonly key?: string
  /** The nonce that it was sent with. */
  readonly nonce?: number
  /** What kind of nonce that is, which decides how long the request can still arrive. */
  readonly nonceForm?: Errors.NonceForm
  /** When it was handed to the transport, in Unix microseconds by this machine's clock. */
  readonly sentAt?: number
  /** The orders of a call with many, each with what it is looked for by: see `reconcileAll`. */
  readonly orders?: ReadonlyArray<Errors.NamedOrder>
}

/**
 * What you know of the exchange and of the account, and this library can't know.
 *
 * @category models
 * @since 0.1.0
 */
export interface Assumptions {
  /**
   * How much the exchange's own clocks may differ, and how long what it has done may take to show. Five seconds unless
   * stated otherwise.
   */
  readonly margin?: Duration.Input
  /**
   * How long after it was sent a request can still arrive. Not needed with a nonce of the `window` or the `increasing` form.
   * No end is assumed unless you state one.
   */
  readonly horizon?: Duration.Input
  /** Whether the account's history has the orders that were canceled before they traded. `false` unless stated otherwise. */
  readonly recordsCanceled?: boolean
  /** How long to wait, at most, until the request can no longer arrive. One minute unless stated otherwise. */
  readonly patience?: Duration.Input
}

/**
 * What is assumed unless stated otherwise.
 *
 * @category models
 * @since 0.1.0
 */
export const cautious = {
  /** The exchange's clocks differ by five seconds at most, and what it has done shows within five seconds. */
  margin: "5 seconds",
  /** The account's history may lack orders that were canceled before they traded. */
  recordsCanceled: false,
  /** To wait for at most one minute is acceptable. */
  patience: "1 minute"
} as const satisfies Assumptions

/** The assumptions of one search: each that has a default is there. */
type Complete = Assumptions & Required<Pick<Assumptions, keyof typeof cautious>>

// -----------------------------------------------------------------------------
// The answer
// -----------------------------------------------------------------------------

/**
 * The order was placed, and this is it, where it was found.
 *
 * @category models
 * @since 0.1.0
 */
export type Placed = PlacedOpen | PlacedPair | PlacedHistory | PlacedFills

/**
 * The order is open.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlacedOpen extends Found<"open"> {
  /** The order, as the list of open orders has it. */
  readonly order: OrderAnswer.Order
}

/**
 * The OCO order is open as a pair: none of its legs has activated.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlacedPair extends Found<"pair"> {
  /** The pair with both legs. */
  readonly order: CollateralOcoOrders.CollateralOcoOrder
}

/**
 * The order has ended.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlacedHistory extends Found<"history"> {
  /** The order, as the account's history has it. */
  readonly order: EndedOrder
}

/**
 * The order has traded, and is in no list of orders.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlacedFills extends Found<"fills"> {
  /** Its fills. */
  readonly order: ReadonlyArray<Fill>
}

interface Found<Where extends string> {
  readonly _tag: "Placed"
  /** Which list has it. */
  readonly where: Where
  /** Its order id; of a pair the pair's own and those of both legs. */
  readonly orderIds: ReadonlyArray<OrderId>
}

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
 * - `may-arrive`: it was not found, but nothing proves that the request can no longer arrive: no horizon was stated,
 *   or it is further away than the patience, or the nonce is not known
 * - `canceled-or-not-placed`: it is not open, has not traded and can no longer arrive. Either it was never placed, or
 *   it was canceled before it traded and the account does not record that
 * - `another-key`: it was not found, but was signed with another key, which may be another account's
 * - `reused-id`: only an older order has this client order id; or this machine's clock was ahead of the exchange's by
 *   more than the margin when it was sent
 * - `no-id`: the exchange does not show the client order ids of such orders; `pairs` are the OCO orders that are open
 *   in the market and have none: compare them
 * - `not-an-order`: the call places no order that could be found by a client order id
 * - `not-readable`: the exchange could not be asked, see `error`; or its lists changed too much while they were read.
 *   Then `error` is a `ListShifted`. Ask once more
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
 * Nothing is certain yet, or nothing ever will be.
 *
 * @category models
 * @since 0.1.0
 */
export interface StillUnknown {
  readonly _tag: "StillUnknown"
  /** What stands in the way. */
  readonly why: Why
  /** With `no-id`: the open OCO orders of the market that have no client order id. */
  readonly pairs?: ReadonlyArray<CollateralOcoOrders.CollateralOcoOrder>
  /** With `not-readable`: why the exchange could not be asked, if that was the reason. */
  readonly error?: Errors.CallError | Errors.PageCeilingReached | Errors.ListShifted
}

/**
 * What became of an order.
 *
 * @category models
 * @since 0.1.0
 */
export type Verdict = Placed | NotPlaced | StillUnknown

const stillUnknown = (why: Why): StillUnknown => ({ _tag: "StillUnknown", why })

// -----------------------------------------------------------------------------
// Looking
// -----------------------------------------------------------------------------

/** What the call of this name places, as its endpoint says; orders of any kind where no call is named. */
const placedBy = (name: string | undefined): Endpoint.Places | "anything" =>
  name === undefined ? "anything" : Contract.all.find((endpoint) => endpoint.name === name)?.places ?? "nothing"

/** All records of a list that stay in it while it is read. */
const listed = <A, E>(
  name: string,
  page: (at: Pages.Next) => Effect.Effect<Pages.Page<A>, E>,
  idOf: (record: A) => string
): Effect.Effect<ReadonlyArray<A>, E | Errors.PageCeilingReached | Errors.ListShifted> =>
  Stream.runCollect(Pages.stream(name, page, Limit.make(maxLimit), { idOf }))

interface Dated {
  readonly clientOrderId?: ClientOrderId
  readonly timestamp: UnixTime
}

/** Why a list could not be read. */
type Unread = Errors.CallError | Errors.PageCeilingReached | Errors.ListShifted

/** None, where the live exchange refuses to look for an order that it does not have. */
const orNone = <A>(
  found: Effect.Effect<ReadonlyArray<A>, Unread>
): Effect.Effect<ReadonlyArray<A>, Unread> =>
  Effect.catchIf(
    found,
    (error): boolean => error._tag === "ValidationFailed" && Object.hasOwn(error.otherFields, "orderHistory"),
    () => Effect.succeed([])
  )

/** What can be asked about the account, and how. */
interface Account {
  readonly call: Call.Call["Service"]
  readonly active: ActiveOrders["Service"]
  readonly pairs: UnexecutedOcoOrders["Service"]
  readonly history: OrderHistory["Service"]
  readonly fills: Fills["Service"]
  readonly serverTime: ServerTime["Service"]
}

/** An order that can be looked for. */
interface Named extends Required<Pick<Lost, "clientOrderId" | "market">> {
  readonly sentAt: number
  /** Whether it may be open as a pair, which no list of orders has. */
  readonly mayBePair: boolean
}

const openPairs = ({ pairs }: Account, market: MarketName) =>
  listed("UnexecutedOcoOrders.page", (at) => pairs.page({ market, ...at }), ({ id }) => id)

/**
 * Looks for an order in every list. An order goes from the open ones to the history, and a pair to its legs before that, so
 * the lists are read in this order. What has left one list may take a while to show in the next: with `between` from one to
 * the next no order passes by unseen.
 */
const look = Effect.fnUntraced(function*(
  account: Account,
  { clientOrderId, market, mayBePair, sentAt }: Named,
  margin: number,
  between: Effect.Effect<void>
): Effect.fn.Return<Placed | StillUnknown | undefined, Unread> {
  const { active, fills, history } = account
  let older = false
  const isIt = (order: Dated): boolean => {
    if (order.clientOrderId !== clientOrderId) return false
    const isNew = toMicros(order.timestamp) >= sentAt - margin * 1000
    if (!isNew) older = true
    return isNew
  }
  const only = { market, clientOrderId }

  if (mayBePair) {
    const [pair] = (yield* openPairs(account, market)).filter(({ stopLoss, takeProfit }) =>
      isIt(stopLoss) || isIt(takeProfit)
    )
    if (pair !== undefined) {
      const orderIds = [pair.id, pair.stopLoss.orderId, pair.takeProfit.orderId]
      return { _tag: "Placed", where: "pair", order: pair, orderIds }
    }
    yield* between
  }
  const orders = yield* listed("ActiveOrders.page", (at) => active.page({ ...only, ...at }), (order) => order.orderId)
  const [open] = orders.filter(isIt)
  if (open !== undefined) return { _tag: "Placed", where: "open", order: open, orderIds: [open.orderId] }
  yield* between
  const past = listed("OrderHistory.page", (at) => history.page({ ...only, ...at }), (order) => order.orderId)
  const [ended] = (yield* orNone(past)).filter(isIt)
  if (ended !== undefined) return { _tag: "Placed", where: "history", order: ended, orderIds: [ended.orderId] }
  const trades = listed("Fills.page", (at) => fills.page({ ...only, ...at }), ({ tradeId }) => String(tradeId))
  const traded = (yield* orNone(trades)).filter(isIt)
  if (traded.length > 0) {
    const orderIds = [...new Set(traded.flatMap(({ orderId }) => orderId ?? []))]
    return { _tag: "Placed", where: "fills", order: traded, orderIds }
  }
  return older ? stillUnknown("reused-id") : undefined
})

// -----------------------------------------------------------------------------
// Until the request can no longer arrive
// -----------------------------------------------------------------------------

/** The shortest pause before a clock is read once more, in milliseconds. */
const pause = 250

/** Waits until the clock that `now` reads has passed a time; `false` when that takes longer than the patience. */
const passed = <E>(now: Effect.Effect<number, E>, until: number, patience: number): Effect.Effect<boolean, E> =>
  Effect.flatMap(now, (at) => {
    const left = until - at
    if (left < 0) return Effect.succeed(true)
    const wait = Math.max(left + 1, pause)
    return wait > patience
      ? Effect.succeed(false)
      : Effect.flatMap(Effect.sleep(wait), () => passed(now, until, patience - wait))
  })

/** Waits until a nonce greater than this one has been accepted: reads are signed with nonces of the same key. */
const overtaken = (account: Account, nonce: number, patience: number): Effect.Effect<boolean, Errors.CallError> =>
  Effect.flatMap(account.call.acceptedNonce, (accepted) =>
    accepted > nonce
      ? Effect.succeed(true)
      : patience < pause
      ? Effect.succeed(false)
      : account.active.page({ limit: Limit.make(1) }).pipe(
        Effect.delay(pause),
        Effect.andThen(overtaken(account, nonce, patience - pause))
      ))

/** Waits until the request can no longer arrive and all that it may have done shows; `false` when that takes too long. */
const tooLate = Effect.fnUntraced(function*(
  account: Account,
  { nonce, nonceForm, sentAt }: Lost,
  horizon: number | undefined,
  margin: number,
  patience: number
) {
  const { call: { dialect, nonceForm: ownForm }, serverTime } = account
  // The exchange's clock in whole seconds, which it has passed.
  const exchangeClock = Effect.map(serverTime.get, (seconds) => seconds * 1000)
  // A nonce of another form counts in other ticks than this client's, or is overtaken in another way.
  const isComparable = nonce !== undefined && nonceForm === ownForm
  if (isComparable && nonceForm === "window") {
    return yield* passed(exchangeClock, nonce / ticks[dialect.nonceUnit] + nonceWindowMillis + margin, patience)
  }
  if (isComparable && nonceForm === "increasing") {
    if (!(yield* overtaken(account, nonce, patience))) return false
    yield* Effect.sleep(margin)
    return true
  }
  if (horizon === undefined || sentAt === undefined) return false
  const until = sentAt / 1000 + horizon + margin
  return (yield* passed(Clock.currentTimeMillis, until, patience)) && (yield* passed(exchangeClock, until, patience))
})

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/** Looks, waits until nothing can arrive any more, and looks once more. */
const find = Effect.fnUntraced(function*(
  account: Account,
  lost: Lost,
  assumptions: Complete
): Effect.fn.Return<Verdict, Unread> {
  const { clientOrderId, market, sentAt = 0 } = lost
  const placed = placedBy(lost.endpoint)
  if (clientOrderId === undefined || market === undefined || placed === "nothing") return stillUnknown("not-an-order")
  const { dialect, key } = account.call
  const mayBePair = placed === "pair" || placed === "anything"
  const order = { clientOrderId, market, mayBePair, sentAt }
  const margin = Duration.toMillis(assumptions.margin)
  const horizon = assumptions.horizon === undefined ? undefined : Duration.toMillis(assumptions.horizon)

  const found = yield* look(account, order, margin, Effect.void)
  if (found !== undefined) return found
  // Where the exchange does not show the ids of a pair's legs, a pair can't be found, and its absence proves nothing.
  if (dialect.policy.legClientOrderIds !== "echoed" && mayBePair) {
    const nameless = (yield* openPairs(account, market)).filter(({ stopLoss, takeProfit }) =>
      stopLoss.clientOrderId === undefined && takeProfit.clientOrderId === undefined
    )
    return { ...stillUnknown("no-id"), pairs: nameless }
  }
  if (lost.key !== undefined && lost.key !== key) return stillUnknown("another-key")
  if (!(yield* tooLate(account, lost, horizon, margin, Duration.toMillis(assumptions.patience)))) {
    return stillUnknown("may-arrive")
  }
  const foundLate = yield* look(account, order, margin, Effect.sleep(margin))
  if (foundLate !== undefined) return foundLate
  return assumptions.recordsCanceled ? { _tag: "NotPlaced" } : stillUnknown("canceled-or-not-placed")
})

/**
 * Finds out what became of orders whose outcome is unknown.
 *
 * @category services
 * @since 0.1.0
 */
export class Reconciliation extends Context.Service<Reconciliation, {
  /**
   * Looks for the order at once. If it is not there, waits until its request can no longer arrive, where that can be known,
   * and looks once more. Sends nothing but reads, and never fails: where the exchange can't be asked the order stays unknown.
   * What is not stated is as in {@link cautious}.
   */
  readonly reconcile: (lost: Lost, assumptions?: Assumptions) => Effect.Effect<Verdict>
  /**
   * Looks for each order of a call with many, as `reconcile` does for one: a verdict for each, in the order of `lost.orders`.
   * Some may have been placed and others not. The verdict on a call with one order is alone.
   */
  readonly reconcileAll: (lost: Lost, assumptions?: Assumptions) => Effect.Effect<ReadonlyArray<Verdict>>
}>()("effect-txc/Reconciliation") {
  /** Asks the exchange by its endpoint services, with the client's own key. */
  static readonly layer: Layer.Layer<
    Reconciliation,
    never,
    Call.Call | ActiveOrders | Fills | OrderHistory | ServerTime | UnexecutedOcoOrders
  > = Layer.effect(
    Reconciliation,
    Effect.gen(function*() {
      const account: Account = {
        call: yield* Call.Call,
        active: yield* ActiveOrders,
        pairs: yield* UnexecutedOcoOrders,
        history: yield* OrderHistory,
        fills: yield* Fills,
        serverTime: yield* ServerTime
      }
      const verdictOn = (lost: Lost, assumptions: Assumptions = {}) =>
        Effect.catch(
          find(account, lost, { ...cautious, ...assumptions }),
          (error) => Effect.succeed<Verdict>({ ...stillUnknown("not-readable"), error })
        )
      return {
        reconcile: Effect.fn("Reconciliation.reconcile")(verdictOn),
        reconcileAll: Effect.fn("Reconciliation.reconcileAll")((lost: Lost, assumptions?: Assumptions) =>
          Effect.forEach(lost.orders ?? [lost], ({ clientOrderId, market }) => {
            const { clientOrderId: _id, market: _market, ...call } = lost
            return verdictOn({
              ...call,
              ...(clientOrderId === undefined ? {} : { clientOrderId }),
              ...(market === undefined ? {} : { market })
            }, assumptions)
          })
        )
      }
    })
  )
}
