/**
 * What happens on the exchange, as it happens. Entries are numbered, so that a reader can go on where it stopped.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Control } from "effect-txc/sandbox"
 *
 * // Waits for the next trade.
 * const trade = Effect.gen(function*() {
 *   const control = yield* Control.Control
 *   return yield* control.events().pipe(Stream.filter(({ event }) => event._tag === "Traded"), Stream.runHead)
 * })
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Decimal } from "../../domain/Decimal.ts"
import { ClientOrderId, InvestmentId, MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import { OrderSide } from "../../domain/Order.ts"
import type { Event } from "../engine/Event.ts"
import * as Units from "../engine/Units.ts"
import { RequestRecord } from "../gateway/Requests.ts"

const Subject = {
  order: OrderId,
  account: Schema.String,
  market: MarketName,
  clientOrderId: Schema.optionalKey(ClientOrderId)
}

/**
 * What happened on the exchange.
 *
 * @category models
 * @since 0.1.0
 */
export const Happening = Schema.TaggedUnion({
  /** An order was placed. */
  OrderPlaced: Subject,
  /** A stop order was triggered. */
  OrderActivated: Subject,
  /** An order can trade no more. `status` says why. */
  OrderEnded: { ...Subject, status: Schema.String },
  /** A trade. `side` is the taker's. `maker` or `taker` is absent when it is no order of this exchange. */
  Traded: {
    market: MarketName,
    price: Decimal,
    amount: Decimal,
    side: OrderSide,
    maker: Schema.optionalKey(OrderId),
    taker: Schema.optionalKey(OrderId)
  },
  /** The price of a market moved. */
  PriceMoved: { market: MarketName, price: Decimal },
  /** A fixed-term plan paid interest. */
  InterestPaid: { account: Schema.String, investmentId: InvestmentId, ticker: Ticker, amount: Decimal },
  /** A balance changed to these amounts. */
  BalanceChanged: {
    account: Schema.String,
    wallet: Schema.Literals(["main", "trade", "collateral"]),
    ticker: Ticker,
    free: Decimal,
    locked: Decimal
  },
  /** The state after the command of this number was restored. */
  Restored: { sequence: Schema.Int },
  /** A call was made on the exchange, whatever came of it. */
  Requested: { request: RequestRecord }
})
/** @category models */
export type Happening = typeof Happening.Type

/**
 * An entry of the feed. The events of a command have the same place whenever the journal is read. Requests are not in the
 * journal: they are gone when the venue is closed.
 *
 * @category models
 * @since 0.1.0
 */
export const Entry = Schema.Struct({
  /** Its place: the command's number and the event's number within it; for requests, the venue's run between them. */
  id: Schema.String,
  /** When it happened, in Unix microseconds on the venue's clock. */
  at: Schema.Int,
  /** What happened. */
  event: Happening
})
/** @category models */
export type Entry = typeof Entry.Type

/**
 * The feed can't go on after this place.
 *
 * @category errors
 * @since 0.1.0
 */
export class FeedGone extends Schema.TaggedError<FeedGone>()("FeedGone", {
  /** `forgotten`: entries after it are no longer kept. `unknown`: this feed has no such place, or not yet. */
  why: Schema.Literals(["forgotten", "unknown"]),
  /** The place. */
  after: Schema.String
}, { httpApiStatus: 410 }) {
  override get message(): string {
    const reason = this.why === "forgotten"
      ? "entries after it are no longer kept"
      : "this venue has no such place"
    return `The feed can't go on after "${this.after}": ${reason}. Read the state, and follow the feed from now on`
  }
}

type Place = readonly [sequence: number, run: number, index: number]

const compare = (a: Place, b: Place): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

const idOf = ([sequence, run, index]: Place): string => {
  if (index === Infinity) return String(sequence)
  return run === 0 ? `${sequence}.${index}` : `${sequence}.${run}.${index}`
}

const form = /^(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?$/u

/** `12` is the place after all events of command 12. */
const placeOf = (id: string): Place | undefined => {
  const [, sequence, second, third] = form.exec(id) ?? []
  if (sequence === undefined) return undefined
  if (second === undefined) return [Number(sequence), 0, Infinity]
  return third === undefined ? [Number(sequence), 0, Number(second)] : [Number(sequence), Number(second), Number(third)]
}

/** How many entries are kept. */
const kept = 50_000

/** How many are forgotten at once. */
const forgottenAtOnce = 5000

/** How many are read at once: a reader that is far behind holds up nobody, and one that never reads takes no more room. */
const page = 100

/**
 * The feed of a venue. It keeps the latest 50000 entries.
 *
 * @category models
 * @since 0.1.0
 */
export interface Feed {
  /** Adds the events of a command, at its time in Unix microseconds. */
  readonly happened: (sequence: number, at: number, events: ReadonlyArray<Event>) => void
  /** Adds a call, after the events of this command. */
  readonly requested: (sequence: number, request: RequestRecord) => void
  /** The entries after a place, and then whatever happens; from now on without a place. `"0"` is the beginning. */
  readonly after: (place?: string) => Effect.Effect<Stream.Stream<Entry, FeedGone>, FeedGone>
}

const toHappening = (event: Event): Happening => {
  switch (event._tag) {
    case "OrderPlaced":
    case "OrderActivated":
    case "OrderEnded": {
      const { clientOrderId, ...rest } = event
      return clientOrderId === undefined ? rest : { ...rest, clientOrderId }
    }
    case "Traded": {
      const { maker, taker, ...rest } = event
      return {
        ...rest,
        price: Units.toDecimal(event.price),
        amount: Units.toDecimal(event.amount),
        ...(maker === undefined ? {} : { maker }),
        ...(taker === undefined ? {} : { taker })
      }
    }
    case "PriceMoved":
      return { ...event, price: Units.toDecimal(event.price) }
    case "InterestPaid":
      return { ...event, amount: Units.toDecimal(event.amount) }
    case "BalanceChanged": {
      const { free, locked, ...rest } = event.balance
      return { _tag: event._tag, ...rest, free: Units.toDecimal(free), locked: Units.toDecimal(locked) }
    }
    case "Restored":
      return event
  }
}

type Kept =
  | { readonly place: Place; readonly at: number; readonly event: Event }
  | { readonly place: Place; readonly request: RequestRecord }

const toEntry = (entry: Kept): Entry =>
  "event" in entry
    ? { id: idOf(entry.place), at: entry.at, event: toHappening(entry.event) }
    : { id: idOf(entry.place), at: entry.request.at, event: { _tag: "Requested", request: entry.request } }

/**
 * The feed of a venue that is opened for the `run`th time. The commands up to `sequence` are not in it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (run: number, sequence: number): Feed => {
  let entries: Array<Kept> = []
  /** The earliest place that a reader can go on after: every later entry is kept. */
  let floor: Place = [sequence, 0, Infinity]
  let latest = floor
  let waiting: Array<() => void> = []

  const publish = (added: ReadonlyArray<Kept>): void => {
    if (added.length === 0) return
    for (const entry of added) entries.push(entry)
    latest = added[added.length - 1]?.place ?? latest
    if (entries.length > kept + forgottenAtOnce) {
      floor = entries[entries.length - kept - 1]?.place ?? floor
      entries = entries.slice(-kept)
    }
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  /** The index of the first entry after a place. */
  const indexAfter = (place: Place): number => {
    let low = 0
    let high = entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const found = entries[middle]
      if (found !== undefined && compare(found.place, place) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  const next = (after: Place) =>
    Effect.suspend(() => {
      if (compare(after, floor) < 0) return Effect.fail(new FeedGone({ why: "forgotten", after: idOf(after) }))
      const from = indexAfter(after)
      const found = entries.slice(from, from + page)
      const last = found[found.length - 1]
      return Effect.succeed([found.map(toEntry), Option.some(last?.place ?? after)] as const)
    })

  const changed = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    waiting.push(wake)
    return Effect.sync(() => {
      waiting = waiting.filter((other) => other !== wake)
    })
  })

  const follow = (from: Place) =>
    Stream.paginate(from, (after) => compare(after, latest) < 0 ? next(after) : Effect.andThen(changed, next(after)))

  let requests = 0
  let sequenceOfRequests = -1
  return {
    happened: (sequence, at, events) => {
      publish(events.map((event, index) => ({ place: [sequence, 0, index + 1], at, event })))
      if (events.length === 0 && compare([sequence, 0, 0], latest) > 0) latest = [sequence, 0, 0]
    },
    requested: (sequence, request) => {
      requests = sequence === sequenceOfRequests ? requests + 1 : 1
      sequenceOfRequests = sequence
      publish([{ place: [sequence, run, requests], request }])
    },
    after: (text) =>
      Effect.suspend(() => {
        if (text === undefined) return Effect.succeed(follow(latest))
        const place = placeOf(text)
        if (place === undefined || place[0] > latest[0])
          return Effect.fail(new FeedGone({ why: "unknown", after: text }))
        return compare(place, floor) < 0
          ? Effect.fail(new FeedGone({ why: "forgotten", after: text }))
          : Effect.succeed(follow(place))
      })
  }
}
