/**
 * The sandbox in its owner's hands: its clock, prices, accounts, keys, funds, faults, limits and its history. None of it
 * can be reached with an exchange key.
 *
 * Times are Unix microseconds (`at`), lengths of time are milliseconds (`millis`).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Decimal } from "../../domain/Decimal.ts"
import { ApiKey, ClientOrderId, MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import { OrderSide, OrderType } from "../../domain/Order.ts"
import type { RateLimit } from "../../protocol/Endpoint.ts"
import { Action, type Command } from "../engine/Command.ts"
import * as Ledger from "../engine/Ledger.ts"
import { Wallet } from "../engine/Operation.ts"
import type { Order } from "../engine/Order.ts"
import type { Reply } from "../engine/Reply.ts"
import type * as State from "../engine/State.ts"
import * as Units from "../engine/Units.ts"
import type { Armed, Fault } from "../gateway/Faults.ts"
import type { RequestRecord } from "../gateway/Requests.ts"
import * as Journal from "../store/Journal.ts"
import * as Venue from "../Venue.ts"
import type { Entry, FeedGone } from "./Feed.ts"
import type { OwnerAction } from "./OwnerActions.ts"

/**
 * The sandbox can't do this: see the fields and the rules they break.
 *
 * @category errors
 * @since 0.1.0
 */
export class ControlRefused extends Schema.TaggedError<ControlRefused>()("ControlRefused", {
  action: Schema.String,
  fields: Schema.Record(Schema.String, Schema.String)
}, { httpApiStatus: 400 }) {
  override get message(): string {
    const said = Object.entries(this.fields).map(([field, constraint]) => `${field} (${constraint})`)
    return `${this.action} was refused: ${said.join(", ")}`
  }
}

const key = Schema.optionalKey

/**
 * The venue's clock. `skew` is how far the clock that callers are told, and by which their nonces are judged, is ahead of
 * it.
 *
 * @category models
 * @since 0.1.0
 */
export const ClockReading = Schema.Struct({ at: Schema.Int, frozen: Schema.Boolean, skewMillis: Schema.Finite })
/** @category models */
export type ClockReading = typeof ClockReading.Type

/**
 * An account and its keys.
 *
 * @category models
 * @since 0.1.0
 */
export const AccountSummary = Schema.Struct({
  account: Schema.String,
  b2b: Schema.Boolean,
  subAccountOf: key(Schema.String),
  keys: Schema.Array(Schema.Struct({ apiKey: ApiKey, title: Schema.String, enabled: Schema.Boolean }))
})
/** @category models */
export type AccountSummary = typeof AccountSummary.Type

/**
 * An order that can still trade. `left` and `dealStock` are in base currency, `left` of a market buy and `dealMoney` in
 * quote currency.
 *
 * @category models
 * @since 0.1.0
 */
export const OpenOrder = Schema.Struct({
  id: OrderId,
  clientOrderId: key(ClientOrderId),
  account: Schema.String,
  market: MarketName,
  side: OrderSide,
  type: OrderType,
  kind: Schema.Literals(["spot", "margin", "futures"]),
  status: Schema.String,
  amount: Decimal,
  price: key(Decimal),
  activationPrice: key(Decimal),
  activated: Schema.Boolean,
  left: Decimal,
  dealStock: Decimal,
  dealMoney: Decimal,
  reduceOnly: Schema.Boolean,
  oco: key(OrderId)
})
/** @category models */
export type OpenOrder = typeof OpenOrder.Type

/**
 * A position: above zero is long, below is short. `cost` is in quote currency.
 *
 * @category models
 * @since 0.1.0
 */
export const OpenPosition = Schema.Struct({
  account: Schema.String,
  market: MarketName,
  amount: Decimal,
  cost: Decimal
})
/** @category models */
export type OpenPosition = typeof OpenPosition.Type

/**
 * What an account has of an asset in a wallet.
 *
 * @category models
 * @since 0.1.0
 */
export const Balance = Schema.Struct({ wallet: Wallet, ticker: Ticker, free: Decimal, locked: Decimal })
/** @category models */
export type Balance = typeof Balance.Type

/**
 * Where a venue stands. `sequence` counts the commands of its journal, `digest` is the hash of all of them; `beginning`
 * is the command that a reset goes back to.
 *
 * @category models
 * @since 0.1.0
 */
export const Status = Schema.Struct({
  dialect: Schema.Literals(["document", "live"]),
  sequence: Schema.Int,
  digest: Schema.String,
  beginning: Schema.Int
})
/** @category models */
export type Status = typeof Status.Type

type Of<Tag extends Action["_tag"]> = Omit<Extract<Action, { readonly _tag: Tag }>, "_tag">

type Failure = ControlRefused | Journal.JournalError

type Done = Effect.Effect<void, Failure>

/**
 * Accounts and keys
 *
 * - `openAccount`, `openSubAccount`: accounts; a sub-account is an account of its own too
 * - `setSubAccount`: what it may trade
 * - `addKey`, `setKey`: API keys; switches them on and off, and restricts them to some paths
 * - `fund`: credits a wallet from outside the exchange
 * - `createCode`: takes an amount from an account's main wallet and puts it into a code that another can apply
 * - `openPlan`, `invest`: a fixed-term plan, and an amount in it; interest is paid as time goes by, day by day
 * - `accounts`: all there are
 * - `payInterest`: pays interest of a fixed-term plan to an account's main wallet
 *
 * The market
 *
 * - `movePrice`: moves the price of a market: whoever bids more or asks less trades, and orders that wait for it wake
 * - `stepPrice`: moves it by so much
 * - `playPrices`: moves it again and again, as the venue's time goes by
 * - `openPosition`: what reduce-only orders need: trades a position with the rest of the world, without an order
 * - `openOrders`, `positions`, `balances`: of an account
 *
 * The clock
 *
 * - `clock`: what it says
 * - `freezeClock`, `runClock`: stops it where it is, and lets it run on from there
 * - `setClock`, `advanceClock`: to a later time; everything that comes due until then happens, in order. In a venue in
 *   which nothing has happened yet, to any time, at which it then stands still
 * - `skewClock`: sets how far what callers are told is ahead of it, or behind it
 *
 * What goes wrong
 *
 * - `addFault`, `removeFault`, `clearFaults`, `faults`: what goes wrong with which calls; adding one gives its number
 * - `limit`: replaces the documented rate limit of a path, or of all; `undefined` restores it. Public paths are counted
 *   together, under the name `public`
 * - `requests`: the calls that were made, and what came of each; those after a number
 * - `events`: what happens, after a place of the feed or from now on; `"0"` is the beginning
 *
 * The history
 *
 * - `status`: where the venue stands
 * - `snapshot`: gives the number of the last command, to restore
 * - `restore`: everything is again as the first so many commands had left it; nothing of the journal is lost
 * - `reset`: restores what there was when the venue was set up, see `begin`; before that, nothing
 * - `begin`: says that the venue is set up now
 * - `fork`: a new venue, in memory, with everything that the first so many commands have made, or all; it lives as long
 *   as the scope
 * - `journal`: all commands, each as a line of JSON
 * - `replay`: carries out the commands of another journal, each at its own time, in a venue in which nothing has happened
 *
 * Faults, limits, requests and what `snapshot` remembers are not in the journal.
 *
 * @category services
 * @since 0.1.0
 */
export class Control extends Context.Service<Control, {
  readonly openAccount: (options: Of<"OpenAccount">) => Done
  readonly openSubAccount: (options: Of<"OpenSubAccount">) => Done
  readonly setSubAccount: (options: Of<"SetSubAccount">) => Done
  readonly addKey: (options: Of<"AddKey">) => Done
  readonly setKey: (options: Of<"SetKey">) => Done
  readonly fund: (options: Of<"Fund">) => Done
  readonly createCode: (options: Of<"CreateCode">) => Done
  readonly openPlan: (options: Of<"OpenPlan">) => Done
  readonly invest: (options: Of<"Invest">) => Done
  readonly payInterest: (options: Of<"PayInterest">) => Done
  readonly movePrice: (options: Of<"MovePrice">) => Done
  readonly stepPrice: (options: Of<"StepPrice">) => Done
  readonly playPrices: (options: Of<"PlayPrices">) => Done
  readonly openPosition: (options: Of<"OpenPosition">) => Done
  readonly accounts: Effect.Effect<ReadonlyArray<AccountSummary>, Journal.JournalError>
  readonly openOrders: (account: string) => Effect.Effect<ReadonlyArray<OpenOrder>, Journal.JournalError>
  readonly positions: (account: string) => Effect.Effect<ReadonlyArray<OpenPosition>, Journal.JournalError>
  readonly balances: (account: string) => Effect.Effect<ReadonlyArray<Balance>, Journal.JournalError>
  readonly clock: Effect.Effect<ClockReading, Journal.JournalError>
  readonly freezeClock: Done
  readonly runClock: Done
  readonly setClock: (options: { readonly at: number }) => Done
  readonly advanceClock: (options: { readonly millis: number }) => Done
  readonly skewClock: (options: { readonly millis: number }) => Done
  readonly addFault: (fault: Fault) => Effect.Effect<number>
  readonly removeFault: (id: number) => Effect.Effect<void, ControlRefused>
  readonly clearFaults: Effect.Effect<void>
  readonly faults: Effect.Effect<ReadonlyArray<Armed>>
  readonly limit: (limit: RateLimit | undefined, path?: string) => Effect.Effect<void>
  readonly requests: (after?: number) => Effect.Effect<ReadonlyArray<RequestRecord>>
  readonly events: (after?: string) => Stream.Stream<Entry, FeedGone>
  readonly status: Effect.Effect<Status, Journal.JournalError>
  readonly snapshot: Effect.Effect<number, Journal.JournalError>
  readonly restore: (sequence: number) => Done
  readonly reset: Done
  readonly begin: Done
  readonly fork: (sequence?: number) => Effect.Effect<Venue.Venue["Service"], Failure, Scope.Scope>
  readonly journal: Stream.Stream<string, Journal.JournalError>
  readonly replay: (lines: Iterable<string>) => Done
}>()("effect-txc/sandbox/Control") {}

const refuse = (action: string, fields: Readonly<Record<string, string>>): Effect.Effect<never, ControlRefused> =>
  Effect.fail(new ControlRefused({ action, fields }))

const isRefusal = (reply: Reply): reply is Extract<Reply, { readonly _tag: "Invalid" | "Refused" }> =>
  reply._tag === "Invalid" || reply._tag === "Refused"

const toOpenOrder = (order: Order): OpenOrder => ({
  id: order.id,
  ...(order.clientOrderId === undefined ? {} : { clientOrderId: order.clientOrderId }),
  account: order.account,
  market: order.market,
  side: order.side,
  type: order.type,
  kind: order.kind,
  status: order.status,
  amount: order.amount,
  ...(order.price === undefined ? {} : { price: order.price }),
  ...(order.stop === undefined ? {} : { activationPrice: order.stop.price }),
  activated: order.stop?.activated ?? false,
  left: Units.toDecimal(order.left),
  dealStock: Units.toDecimal(order.dealStock),
  dealMoney: Units.toDecimal(order.dealMoney),
  reduceOnly: order.reduceOnly,
  ...(order.oco === undefined ? {} : { oco: order.oco })
})

const balancesOf = ({ currencies, ledger }: State.State, account: string): ReadonlyArray<Balance> =>
  Wallet.literals.flatMap((wallet) =>
    currencies.flatMap(({ ticker }) => {
      const free = Ledger.balance(ledger, { account, wallet, locked: false }, ticker)
      const locked = Ledger.balance(ledger, { account, wallet, locked: true }, ticker)
      return free === 0n && locked === 0n
        ? []
        : [{ wallet, ticker, free: Units.toDecimal(free), locked: Units.toDecimal(locked) }]
    })
  )

/** What the schema of an action says of one that is made in plain JavaScript, or of a number that is no integer. */
const check = Schema.decodeUnknownResult(Schema.toType(Action), { errors: "all" })

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The latest time that the clock can be set to, 1 January 2200: well within what a number can hold. */
const latest = Date.UTC(2200, 0, 1) * 1000

/** As far as callers can be told another time than the venue's, in milliseconds: 30 years. */
const farthest = 30 * 365 * 86_400_000

/** So many commands leave the journal at once. */
const page = 1000

/**
 * The control of a venue.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (venue: Venue.Venue["Service"]): Control["Service"] => {
  const perform = Effect.fnUntraced(function*(name: string, action: Parameters<typeof venue.perform>[0]) {
    const reply = yield* venue.perform(action)
    if (isRefusal(reply)) {
      return yield* refuse(
        name,
        Object.fromEntries(reply.violations.map(([field, constraint]) => [field, constraint.kind]))
      )
    }
  })
  const act = (action: OwnerAction) => {
    // What the journal can't hold must not happen either.
    const checked = check(action)
    if (Result.isSuccess(checked)) return perform(action._tag, action)
    const fields = toIssues(checked.failure.issue).issues.map(({ path = [] }) => [path.map(String).join("."), "format"])
    return refuse(action._tag, Object.fromEntries(fields))
  }

  /**
   * Moves the clock on to a time, which it then shows; it runs or stands still as before. Where nothing has happened yet
   * it stands still at any time: then no command that follows has anything of the computer's clock.
   */
  const setClock = Effect.fnUntraced(function*(name: string, field: string, to: (now: number) => number) {
    const now = yield* venue.now
    if (!Number.isSafeInteger(to(now))) return yield* refuse(name, { [field]: to(now) > latest ? "max" : "type" })
    const isNew = venue.sequence() === 0
    if (to(now) < (isNew ? 0 : now)) return yield* refuse(name, { [field]: "min" })
    if (to(now) > latest) return yield* refuse(name, { [field]: "max" })
    yield* perform(name, ({ clock }, now, real) => ({
      _tag: "SetClock",
      clock: isNew || clock._tag === "Frozen"
        ? { _tag: "Frozen", at: to(now) }
        : { _tag: "Running", ahead: to(now) - real }
    }))
  })

  const journal = Stream.unwrap(Effect.as(
    venue.journal.committed,
    Stream.paginate(
      0,
      (after) =>
        Effect.map(
          venue.journal.lines(after, page),
          (lines) => [lines, lines.length < page ? Option.none<number>() : Option.some(after + lines.length)] as const
        )
    )
  ))

  const replay = Effect.fnUntraced(function*(lines: Iterable<string>) {
    if (venue.sequence() > 0) return yield* refuse("Replay", { venue: "empty" })
    const commands: Array<Command> = []
    for (const line of lines) {
      if (line.trim() === "") continue
      const command = Journal.parse(line)
      if (Result.isFailure(command)) return yield* refuse("Replay", { [`line ${commands.length + 1}`]: "format" })
      const { action } = command.success
      if (action._tag === "Restore" && action.sequence > commands.length) {
        return yield* refuse("Replay", { [`line ${commands.length + 1}`]: "known" })
      }
      commands.push(command.success)
    }
    yield* venue.replay(commands)
  })

  const restore = Effect.fnUntraced(function*(name: string, sequence: number) {
    if (!(yield* venue.restore(sequence))) return yield* refuse(name, { sequence: "known" })
  })

  return Control.of({
    openAccount: (options) => act({ _tag: "OpenAccount", ...options }),
    openSubAccount: (options) => act({ _tag: "OpenSubAccount", ...options }),
    setSubAccount: (options) => act({ _tag: "SetSubAccount", ...options }),
    addKey: (options) => act({ _tag: "AddKey", ...options }),
    setKey: (options) => act({ _tag: "SetKey", ...options }),
    fund: (options) => act({ _tag: "Fund", ...options }),
    createCode: (options) => act({ _tag: "CreateCode", ...options }),
    openPlan: (options) => act({ _tag: "OpenPlan", ...options }),
    invest: (options) => act({ _tag: "Invest", ...options }),
    payInterest: (options) => act({ _tag: "PayInterest", ...options }),
    movePrice: (options) => act({ _tag: "MovePrice", ...options }),
    stepPrice: (options) => act({ _tag: "StepPrice", ...options }),
    playPrices: (options) => act({ _tag: "PlayPrices", ...options }),
    openPosition: (options) => act({ _tag: "OpenPosition", ...options }),
    accounts: Effect.map(venue.read, ({ accounts, keys, subAccounts }) =>
      [...accounts.values()].map(({ b2b, id }) => {
        const parent = subAccounts.get(id)?.parent
        return {
          account: id,
          b2b,
          ...(parent === undefined ? {} : { subAccountOf: parent }),
          keys: [...keys.values()].filter(({ account }) => account === id).map(({ apiKey, enabled, title }) => ({
            apiKey,
            enabled,
            title
          }))
        }
      })),
    openOrders: (account) =>
      Effect.map(
        venue.read,
        ({ openOrders }) => [...openOrders.values()].filter((order) => order.account === account).map(toOpenOrder)
      ),
    positions: (account) =>
      Effect.map(
        venue.read,
        ({ positions }) =>
          [...positions.values()].filter((position) => position.account === account).map((
            { amount, cost, market }
          ) => ({
            account,
            market,
            amount: Units.toDecimal(amount),
            cost: Units.toDecimal(cost)
          }))
      ),
    balances: (account) => Effect.map(venue.read, (state) => balancesOf(state, account)),
    clock: Effect.map(venue.now, (at) => ({
      at,
      frozen: venue.state.clock._tag === "Frozen",
      skewMillis: venue.state.skew / 1000
    })).pipe(Effect.tap(venue.journal.committed)),
    freezeClock: perform("FreezeClock", (_state, at) => ({ _tag: "SetClock", clock: { _tag: "Frozen", at } })),
    runClock: perform("RunClock", (_state, at, real) => ({
      _tag: "SetClock",
      clock: { _tag: "Running", ahead: at - real }
    })),
    setClock: ({ at }) => setClock("SetClock", "at", () => at),
    advanceClock: ({ millis }) => setClock("AdvanceClock", "millis", (now) => now + millis * 1000),
    skewClock: ({ millis }) =>
      Math.abs(millis) <= farthest
        ? perform("SkewClock", { _tag: "SetSkew", skew: Math.round(millis * 1000) })
        : refuse("SkewClock", { millis: millis < 0 ? "min" : "max" }),
    addFault: (fault) => Effect.sync(() => venue.faults.add(fault)),
    removeFault: (id) =>
      Effect.suspend(() => venue.faults.remove(id) ? Effect.void : refuse("RemoveFault", { id: "known" })),
    clearFaults: Effect.sync(() => venue.faults.clear()),
    faults: Effect.sync(() => venue.faults.list()),
    limit: (limit, path) => Effect.sync(() => venue.limits.override(limit, path)),
    requests: (after = 0) => Effect.sync(() => venue.requests.after(after)),
    events: (after) => Stream.unwrap(venue.feed.after(after)),
    status: Effect.as(venue.journal.committed, undefined).pipe(Effect.map(() => ({
      dialect: venue.dialect.name,
      sequence: venue.journal.sequence(),
      digest: venue.journal.digest(),
      beginning: venue.origin()
    }))),
    snapshot: venue.snapshot,
    restore: (sequence) => restore("Restore", sequence),
    reset: Effect.suspend(() => restore("Reset", venue.origin())),
    begin: act({ _tag: "Begin" }),
    fork: Effect.fnUntraced(function*(sequence = venue.sequence()) {
      if (sequence > venue.sequence()) return yield* refuse("Fork", { sequence: "known" })
      const lines = yield* Stream.runCollect(Stream.take(journal, sequence))
      const forked = yield* Venue.make({ dialect: venue.dialect, seed: venue.seed })
      yield* make(forked).replay(lines)
      return forked
    }),
    journal,
    replay
  })
}

/**
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Control, never, Venue.Venue> = Layer.effect(Control, Effect.map(Venue.Venue, make))
