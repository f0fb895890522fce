/**
 * What happens on the exchange, as it happens: numbered, so that a reader can go on where it stopped.
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
 * What happened:
 *
 * - `OrderPlaced`, `OrderActivated` (its price was reached), `OrderEnded`
 * - `Traded`: `maker` and `taker` are absent where the rest of the world was on that side; `side` is the taker's
 * - `PriceMoved`, `InterestPaid`, `BalanceChanged`: the balance is the new one
 * - `Restored`: everything is again as after the command of this number
 * - `Requested`: a call was made on the exchange, whatever came of it
 *
 * @category models
 * @since 0.1.0
 */
export const Happening = Schema.TaggedUnion({
  OrderPlaced: Subject,
  OrderActivated: Subject,
  OrderEnded: { ...Subject, status: Schema.String },
  Traded: {
    market: MarketName,
    price: Decimal,
    amount: Decimal,
    side: OrderSide,
    maker: Schema.optionalKey(OrderId),
    taker: Schema.optionalKey(OrderId)
  },
  PriceMoved: { market: MarketName, price: Decimal },
  InterestPaid: { account: Schema.String, investmentId: InvestmentId, ticker: Ticker, amount: Decimal },
  BalanceChanged: {
    account: Schema.String,
    wallet: Schema.Literals(["main", "trade", "collateral"]),
    ticker: Ticker,
    free: Decimal,
    locked: Decimal
  },
  Restored: { sequence: Schema.Int },
  Requested: { request: RequestRecord }
})
/** @category models */
export type Happening = typeof Happening.Type

/**
 * An entry of the feed. `id` is its place: the number of the command and that of the event within it, and for requests
 * the run of the venue between them. What a command brings about has the same place whenever the journal is read;
 * requests are not in the journal, and are gone when the venue is closed. `at` is in Unix microseconds, by the venue's
 * clock.
 *
 * @category models
 * @since 0.1.0
 */
export const Entry = Schema.Struct({ id: Schema.String, at: Schema.Int, event: Happening })
/** @category models */
export type Entry = typeof Entry.Type

/**
 * The feed can't go on from there:
 *
 * - `forgotten`: entries that came after it are not kept any more
 * - `unknown`: it is no place of this feed, or one that the venue has not reached
 *
 * @category errors
 * @since 0.1.0
 */
export class FeedGone extends Schema.TaggedError<FeedGone>()("FeedGone", {
  why: Schema.Literals(["forgotten", "unknown"]),
  after: Schema.String
}, { httpApiStatus: 410 }) {
  override get message(): string {
    const reason = this.why === "forgotten"
      ? "entries that came after it are not kept any more"
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

/** `12` is the place after all that command 12 has brought about. */
const placeOf = (id: string): Place | undefined => {
  const [, sequence, second, third] = form.exec(id) ?? []
  if (sequence === undefined) return undefined
  if (second === undefined) return [Number(sequence), 0, Infinity]
  return third === undefined ? [Number(sequence), 0, Number(second)] : [Number(sequence), Number(second), Number(third)]
}

/** So many entries are kept. */
const kept = 50_000

/** So many are forgotten at once. */
const forgottenAtOnce = 5000

/** So many leave at once, so that a reader who is far behind holds up nobody, and one who never reads keeps no more. */
const page = 100

/**
 * - `happened`: what a command has brought about
 * - `requested`: a call was made
 * - `after`: what comes after a place, and then whatever happens; from now on when there is no place. `"0"` is the
 *   beginning.
 *
 * @category models
 * @since 0.1.0
 */
export interface Feed {
  readonly happened: (sequence: number, at: number, events: ReadonlyArray<Event>) => void
  readonly requested: (sequence: number, request: RequestRecord) => void
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
 * A feed of a venue that is open for the `run`th time and whose commands up to `sequence` are not in the feed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (run: number, sequence: number): Feed => {
  let entries: Array<Kept> = []
  /** The latest place whose followers are all kept. */
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
