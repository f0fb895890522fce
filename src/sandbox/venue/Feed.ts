/**
 * The live feed of events on the exchange. Entries are numbered, so that a reader can continue where it stopped.
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
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { OrderId } from "../../domain/Identifiers.ts"
import * as Event from "../engine/Event.ts"
import { type Logged } from "../gateway/CallLog.ts"
import { RequestRecord } from "../gateway/RequestRecord.ts"
import * as Turns from "./Turns.ts"

export type {
  BalanceChanged,
  InterestPaid,
  KillSwitchFired,
  OrderActivated,
  OrderEnded,
  OrderPlaced,
  PriceMoved,
  Restored,
  Subject,
  Traded
} from "../engine/Event.ts"

/**
 * A call and its outcome, as an event of the feed.
 *
 * @category models
 */
export interface Requested {
  readonly _tag: "Requested"
  /** The call and its outcome. */
  readonly request: RequestRecord
}

/**
 * An event in the feed: either a change on the exchange or a call.
 *
 * @category models
 */
export type Happening = Event.Shown | Requested

/**
 * The schema of {@link Happening}.
 *
 * @category schemas
 */
export const Happening: Schema.Codec<Happening, unknown> = Schema.TaggedUnion({
  ...Event.fields,
  Requested: { request: RequestRecord }
})

/**
 * An entry of the feed. Each event of a command has the same id every time the journal is read. Requests are not in
 * the journal: request entries are lost when the venue is closed.
 *
 * @category models
 */
export interface Entry {
  /**
   * The entry's position in the feed. For an event: the command's number, and the event's number within the command.
   * For a call: the number of the latest command, the number of times that the venue has been opened, and the call's
   * number since that command.
   */
  readonly id: string
  /** The time of the event, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The event or the call. */
  readonly event: Happening
}

/**
 * The schema of {@link Entry}.
 *
 * @category schemas
 */
export const Entry: Schema.Codec<Entry, unknown> = Schema.Struct({
  id: Schema.String,
  at: Schema.Int,
  event: Happening
})

/**
 * A feed can't continue after the requested position.
 *
 * @category errors
 */
export class FeedGone extends Schema.TaggedError<FeedGone>()("FeedGone", {
  why: Schema.Literals(["forgotten", "unknown"]),
  after: Schema.String
}, { httpApiStatus: 410 }) {
  /**
   * `forgotten`: some entries after this position are no longer stored. `unknown`: this feed has no such position, at
   * least not yet.
   */
  declare readonly why: "forgotten" | "unknown"
  /** The position after which the reader asked to continue. */
  declare readonly after: string
  override get message(): string {
    const reason = this.why === "forgotten"
      ? "entries after it are no longer stored"
      : "this venue has no such position"
    return `The feed can't continue after "${this.after}": ${reason}. Read the state, and follow the feed from now on`
  }
}

interface Place {
  /** The number of the command. */
  readonly sequence: number
  /** In a request's position, the number of times that the venue has been opened; in an event's position, 0. */
  readonly run: number
  /** The number of the event within the command, or of the request after the command. */
  readonly index: number
}

/** An entry of a saved feed. */
interface SavedEntry extends Place {
  /** The time of the event, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The event or the call. */
  readonly what: Event.Event | Requested
}

const compare = (a: Place, b: Place): number => a.sequence - b.sequence || a.run - b.run || a.index - b.index

const idOf = ({ index, run, sequence }: Place): string => {
  if (index === Infinity) return String(sequence)
  return run === 0 ? `${sequence}.${index}` : `${sequence}.${run}.${index}`
}

const form = /^(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?$/u

/**
 * Parses a position; `undefined` if the string is not a position. The position `12` is after all events of command 12.
 */
const placeOf = (id: string): Place | undefined => {
  const [, first, second, third] = form.exec(id) ?? []
  if (first === undefined) return undefined
  const sequence = Number(first)
  if (second === undefined) return { sequence, run: 0, index: Infinity }
  return third === undefined
    ? { sequence, run: 0, index: Number(second) }
    : { sequence, run: Number(second), index: Number(third) }
}

/**
 * Consecutive entries of the feed.
 *
 * @category models
 */
export interface Page {
  /** The entries, oldest first. */
  readonly entries: ReadonlyArray<Entry>
  /** The position after which to continue reading. */
  readonly after: string
  /** Whether there are more entries. */
  readonly hasMore: boolean
}

/**
 * The schema of {@link Page}.
 *
 * @category schemas
 */
export const Page: Schema.Codec<Page, unknown> = Schema.Struct({
  entries: Schema.Array(Entry),
  after: Schema.String,
  hasMore: Schema.Boolean
})

/** The number of entries that the feed keeps when it drops old entries. */
const kept = 50_000

/** The feed drops old entries once it stores more than this number of entries beyond {@link kept}. */
const forgottenAtOnce = 5000

/**
 * The maximum number of entries per read. With this limit, a reader that is far behind does not delay others, and a
 * reader that stops reading uses no extra memory.
 */
const page = 100

/**
 * The readers of all feeds in this process take turns. A turn ends once they have read {@link page} entries in total.
 */
const turns = Turns.make(page)

/**
 * A venue's feed. While the venue is awake, the feed drops an entry only if it stores at least 50000 later entries.
 *
 * @category models
 */
export interface Feed {
  /** Adds the events of a command; `at` is the command's time, in Unix microseconds. */
  readonly happened: (sequence: number, at: number, events: ReadonlyArray<Event.Event>) => void
  /** Adds a call, after the events of the given command. */
  readonly requested: (sequence: number, request: Logged) => void
  /**
   * A stream of the entries after a position, followed by new entries as they happen. Without a position, the stream
   * has only new entries. `"0"` is the position before the first entry.
   */
  readonly after: (place?: string) => Effect.Effect<Stream.Stream<Entry, FeedGone>, FeedGone>
  /**
   * The existing entries after a position, at most 100; without a position, no entries. Does not wait for new entries.
   */
  readonly read: (place?: string) => Effect.Effect<Page, FeedGone>
  /** The events of a command; `undefined` if they are no longer stored. */
  readonly eventsOf: (sequence: number) => ReadonlyArray<Event.Event> | undefined
  /** An order's stored events, oldest first. Events that a restore has undone are left out. */
  readonly about: (order: OrderId) => ReadonlyArray<Happened>
  /**
   * The stored events for which `isWanted` is true, of commands up to `upTo`, latest first. Events that a restore has
   * undone are left out. Read the iterator immediately, before the feed receives another entry.
   */
  readonly latest: (isWanted: (event: Event.Event) => boolean, upTo?: number) => IteratorObject<Happened>
  /** The latest entries, at most {@link keptSaved}, as plain data. */
  readonly saved: () => Saved
}

/**
 * An event, with the command that caused it.
 *
 * @category models
 */
export interface Happened {
  /** The number of the command. */
  readonly sequence: number
  /** The command's time, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The event. */
  readonly event: Event.Event
}

/** The maximum number of entries that are saved when a venue falls asleep. */
export const keptSaved = 1000

/**
 * The latest entries of a feed as plain data.
 *
 * @category models
 */
export interface Saved {
  /** The earliest position after which a reader can continue. */
  readonly floor: Place
  /** The latest entry's position. */
  readonly latest: Place
  /** The entries after `floor` up to `latest`, oldest first. */
  readonly entries: ReadonlyArray<SavedEntry>
}

/** The stored form of an entry, which is converted to the public form when a reader reads the entry. */
interface Kept extends Place {
  readonly at: number
  readonly what: Event.Event | Logged | Requested
}

const isLogged = (what: Kept["what"]): what is Logged => !("_tag" in what)

const toEntry = (kept: Kept): Entry => {
  const { at, what } = kept
  return {
    id: idOf(kept),
    at,
    event: isLogged(what) ? requestedBy(what) : what._tag === "Requested" ? what : Event.show(what)
  }
}

const requestedBy = (logged: Logged): Requested => ({ _tag: "Requested", request: logged.record() })

const placeIn = ({ index, run, sequence }: Place): Place => ({ sequence, run, index })

/** Collects the feed data that is saved while the venue sleeps. */
const save = (entries: ReadonlyArray<Kept>, floor: Place, latest: Place): Saved => {
  const left = entries.at(-keptSaved - 1)
  return {
    floor: placeIn(left ?? floor),
    latest: placeIn(latest),
    entries: entries.slice(-keptSaved).map(({ at, what, ...place }) => ({
      ...place,
      at,
      what: isLogged(what) ? requestedBy(what) : what
    }))
  }
}

/** The result if the first entries of the requested slice are no longer stored. */
const gone: ReadonlyArray<Kept> = []

/** The index of the first stored entry after a position. */
const indexAfter = (entries: ReadonlyArray<Kept>, place: Place): number => {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const found = entries[middle]
    if (found !== undefined && compare(found, place) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

const isEvent = (what: Kept["what"]): what is Event.Event => !isLogged(what) && what._tag !== "Requested"

/** The events among the entries of one command. */
const eventsOf = (
  entries: ReadonlyArray<Kept>,
  floor: Place,
  sequence: number
): ReadonlyArray<Event.Event> | undefined => {
  const before = { sequence, run: 0, index: 0 }
  if (compare(before, floor) < 0) return undefined
  const found: Array<Event.Event> = []
  for (let index = indexAfter(entries, before); entries[index]?.sequence === sequence; index++) {
    const what = entries[index]?.what
    if (what !== undefined && isEvent(what)) found.push(what)
  }
  return found
}

/** Whether an event is about an order. */
const concerns = (event: Event.Event, order: OrderId): boolean =>
  event._tag === "Traded"
    ? event.maker === order || event.taker === order
    : "order" in event && event.order === order

/** The matching events, latest first. The search takes time proportional to the number of stored entries. */
const latestOf = function*(
  entries: ReadonlyArray<Kept>,
  isWanted: (event: Event.Event) => boolean,
  upTo = Infinity
): Generator<Happened> {
  // Events of commands after `last` are skipped. A restore sets `last`, so that the commands that it has undone are
  // skipped.
  let last = upTo
  for (let index = entries.length - 1; index >= 0; index--) {
    const { at, sequence, what } = entries[index] ?? {}
    if (what === undefined || sequence === undefined || at === undefined || !isEvent(what) || sequence > last) continue
    if (what._tag === "Restored") last = what.sequence
    else if (isWanted(what)) yield { sequence, at, event: what }
  }
}

/** The entries that a feed currently stores. */
interface Log {
  /** The earliest position such that every later entry is still stored. */
  readonly floor: () => Place
  /** The position of the latest entry, or of a later command without events. */
  readonly latest: () => Place
  /** The slice of entries after a position, or `gone` if some of them are no longer stored. */
  readonly sliceAfter: (after: Place) => ReadonlyArray<Kept>
  /** Waits until the feed receives another entry. */
  readonly changed: Effect.Effect<void>
}

const reading = ({ changed, floor, latest, sliceAfter }: Log): Pick<Feed, "after" | "read"> => {
  /** The next entries, and the position after which to continue reading. */
  const next = (after: Place): Effect.Effect<readonly [ReadonlyArray<Entry>, Place], FeedGone> =>
    Effect.suspend(() => {
      let end = after
      const take = () => {
        // If no entries are left, the reader continues after the latest commands, which had no events.
        end = latest()
        return sliceAfter(after)
      }
      return Effect.flatMap(turns(take), (found) =>
        found === gone
          ? Effect.fail(new FeedGone({ why: "forgotten", after: idOf(after) }))
          : Effect.succeed([found.map(toEntry), found[found.length - 1] ?? end] as const))
    })

  const isBehind = (place: Place): boolean => compare(place, latest()) < 0

  const follow = (from: Place) =>
    Stream.paginate(from, (after) =>
      Effect.map(
        isBehind(after) ? next(after) : Effect.andThen(changed, next(after)),
        ([entries, to]) => [entries, Option.some(to)] as const
      ))

  const readAfter = (from: Place): Effect.Effect<Page, FeedGone> =>
    Effect.map(
      isBehind(from) ? next(from) : Effect.succeed([[], from] as const),
      ([entries, to]) => ({ entries, after: idOf(to), hasMore: isBehind(to) })
    )

  /** Returns the position with this id, or the latest position if no id is given. */
  const find = (text: string | undefined): Effect.Effect<Place, FeedGone> => {
    if (text === undefined) return Effect.succeed(latest())
    const place = placeOf(text)
    if (place === undefined || place.sequence > latest().sequence) {
      return Effect.fail(new FeedGone({ why: "unknown", after: text }))
    }
    return compare(place, floor()) < 0
      ? Effect.fail(new FeedGone({ why: "forgotten", after: text }))
      : Effect.succeed(place)
  }

  return {
    after: (text) => Effect.map(Effect.suspend(() => find(text)), follow),
    read: (text) => Effect.flatMap(Effect.suspend(() => find(text)), readAfter)
  }
}

/**
 * Creates the feed for a venue that is being opened for the `run`th time. For commands up to `sequence`, the feed has
 * only the saved entries.
 *
 * @category constructors
 */
export const make = (run: number, sequence: number, saved?: Saved): Feed => {
  let entries: Array<Kept> = [...saved?.entries ?? []]
  let floor: Place = saved?.floor ?? { sequence, run: 0, index: Infinity }
  let latest = saved?.latest ?? floor
  let waiting: Array<() => void> = []

  const add = (entry: Kept): void => {
    entries.push(entry)
    latest = entry
  }

  /** Drops entries that are too old, and wakes waiting readers. */
  const publish = (): void => {
    if (entries.length > kept + forgottenAtOnce) {
      floor = entries[entries.length - kept - 1] ?? floor
      entries = entries.slice(-kept)
    }
    if (waiting.length === 0) return
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  const sliceAfter = (after: Place): ReadonlyArray<Kept> => {
    if (compare(after, floor) < 0) return gone
    const from = indexAfter(entries, after)
    return entries.slice(from, from + page)
  }

  const changed = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    waiting.push(wake)
    return Effect.sync(() => {
      waiting = waiting.filter((other) => other !== wake)
    })
  })

  let requests = 0
  let sequenceOfRequests = -1
  return {
    saved: () => save(entries, floor, latest),
    eventsOf: (sequence) => eventsOf(entries, floor, sequence),
    about: (order) => [...latestOf(entries, (event) => concerns(event, order))].toReversed(),
    latest: (isWanted, upTo) => latestOf(entries, isWanted, upTo),
    happened: (sequence, at, events) => {
      if (events.length === 0) {
        const place = { sequence, run: 0, index: Infinity }
        if (compare(place, latest) > 0) latest = place
        return
      }
      let index = 0
      for (const what of events) add({ sequence, run: 0, index: ++index, at, what })
      publish()
    },
    requested: (sequence, request) => {
      requests = sequence === sequenceOfRequests ? requests + 1 : 1
      sequenceOfRequests = sequence
      add({ sequence, run, index: requests, at: request.at, what: request })
      publish()
    },
    ...reading({ floor: () => floor, latest: () => latest, sliceAfter, changed })
  }
}
