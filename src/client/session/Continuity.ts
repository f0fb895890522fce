/**
 * Resumes subscribers that may have missed messages. Each kind of channel has its own follower.
 *
 * For every kind, the client subscribes first. The exchange acknowledges a subscription before its first pushed
 * message, and sends a connection's messages in sequence, so everything pushed after the acknowledgement arrives.
 * Everything that happened before the acknowledgement must come from a state. The kinds differ in the source of that
 * state, and in how the state is joined with the messages pushed since the acknowledgement.
 *
 * - {@link latest}: each message is a complete value. The state is the next message or the response to a query,
 *   whichever comes first. If a message comes before the response, the message may be newer, so the response is
 *   ignored.
 * - {@link chained}: the state is the snapshot with which a subscription begins. Each change contains the number of the
 *   state before it, so a missed change is noticed. After ten seconds without a change, the exchange repeats the
 *   snapshot, often with a larger number, because changes outside the subscribed part of the book are numbered but not
 *   sent. If the snapshot equals the state after all changes so far, nothing was missed, and the snapshot is not
 *   emitted.
 * - {@link identified}: records are pushed once, and have ids. The state consists of the latest records, in the
 *   sequence in which they are pushed, without gaps. If one of the latest records was emitted before, the records after
 *   it include every missed record. If the exchange returns all existing records, they also include every missed
 *   record. In both cases the missed records are emitted as events. Otherwise records may be missing, and the stream is
 *   interrupted. A record that is both pushed and returned by a query is emitted once.
 * - {@link stateful}: changes are pushed once, and a query reads the complete state. The response may be older or newer
 *   than a change that was pushed before the response arrived. If the change is older than the response's version of
 *   the same record, the state contains the change. Otherwise the change is emitted as an event after the state. A
 *   change contains the complete record, so repeating a change that the state already contains does no harm: only the
 *   last change of each record matters.
 * - {@link signals}: events are pushed once, and there is no state. After an interruption, the service gets a state
 *   from another channel: see `ChannelService.withStates`.
 */
import type * as Effect from "effect/Effect"
import type * as Channel from "../../protocol/Channel.ts"
import type * as Errors from "../../protocol/Errors.ts"
import type { Lost, Refused } from "./Connection.ts"
import * as Item from "./Item.ts"
import type { UnreadableAnswer } from "./StreamErrors.ts"

/** Makes a query over the subscriber's connection. */
export type Ask = <Params, Answer>(
  query: Channel.Query<Params, Answer>,
  params: Params
) => Effect.Effect<Answer, Lost | Refused | UnreadableAnswer>

/** Reads a state. A list that changed during the read is read again. */
export type Read<Answer> = (
  ask: Ask
) => Effect.Effect<Answer, Lost | Refused | UnreadableAnswer | Errors.ListShifted | Errors.PageCeilingReached>

type Items<Event, State> = ReadonlyArray<Item.Event<Event> | Item.Snapshot<State>>

/** A message's items, or `gap` if an earlier message is missing. */
export type Followed<Event, State> = Items<Event, State> | "gap"

/** Creates a subscriber's items from its topic's messages. */
export interface Follower<Message, Event, State, Answer> {
  /**
   * Starts or restarts the sequence of items. With `isInterrupted`, the subscriber has received no item yet, or has
   * been informed about a gap, so it needs a state even if nothing was missed.
   */
  readonly begin: (isInterrupted: boolean) => void
  /** Returns a message's items. */
  readonly follow: (message: Message) => Followed<Event, State>
  /** Joins the response of {@link Kind.read} with the messages pushed since the acknowledgement. */
  readonly join: (answer: Answer, pushed: ReadonlyArray<Message>) => Followed<Event, State>
}

/** Determines how the subscribers of a topic recover after missed messages. */
export interface Kind<Message, Event, State, Answer = unknown> {
  /** Creates the follower for a subscriber. */
  readonly follower: () => Follower<Message, Event, State, Answer>
  /** Reads the state; absent if the state is pushed. */
  readonly read?: Read<Answer>
  /**
   * Whether the exchange pushes the state only at the start of a subscription. If so, each later subscriber to the
   * topic needs a new subscription.
   */
  readonly renews: boolean
  /**
   * Whether a state can prove that nothing was missed. If so, a lost connection is reported only when the next state
   * lacks this proof.
   */
  readonly mayProve: boolean
  /** Returns a value's key. A value waiting for a subscriber is replaced by the next value with the same key. */
  readonly conflates?: (value: Event | State) => string
}

/** A channel kind of any type, for code that handles all channels. */
// oxlint-disable-next-line typescript/no-explicit-any -- stands for any kind; no value is read through it.
export type Any = Kind<any, any, any, any>

/** Describes the values in a channel's messages. */
export interface Values<Message, Value> {
  /** Returns a message's values. */
  readonly of: (message: Message) => ReadonlyArray<Value>
  /** Returns a value's key, for topics with several values, such as the tickers of all markets. */
  readonly keyOf?: (value: Value) => string
  /** Reads the value, so that a subscriber does not have to wait for a change. Only for topics with one value. */
  readonly read?: Read<Value>
}

/** Creates the kind for channels whose messages are complete values. */
export const latest = <Message, Value>(
  { keyOf = () => "", of, read }: Values<Message, Value>
): Kind<Message, Value, Value, Value> => ({
  renews: false,
  mayProve: false,
  conflates: keyOf,
  ...(read === undefined ? {} : { read }),
  follower: () => {
    const known = new Set<string>()
    const item = (value: Value): Items<Value, Value>[number] => {
      const key = keyOf(value)
      if (known.has(key)) return Item.event(value)
      known.add(key)
      return Item.snapshot(value)
    }
    return {
      begin: () => known.clear(),
      follow: (message) => of(message).map(item),
      join: (answer, pushed) => (pushed.length === 0 ? [answer] : pushed.flatMap(of)).map(item)
    }
  }
})

/** A message's position in a chain. */
export interface Link {
  /** Whether the message is a snapshot of the complete state. */
  readonly isSnapshot: boolean
  /** The state's sequence number. */
  readonly updateId: number
  /** For a change: the sequence number of the state before the change. */
  readonly pastUpdateId?: number
}

/** Tracks the state after all changes of a chain so far. */
export interface Tracked<Message> {
  /** Starts with a snapshot. */
  readonly begin: (snapshot: Message) => void
  /** Applies a change. */
  readonly change: (change: Message) => void
  /** Whether a snapshot equals this state. */
  readonly equals: (snapshot: Message) => boolean
}

/**
 * Creates the kind for channels in which each change contains the sequence number of the state before it. `tracked`
 * creates the state with which a repeated snapshot is compared.
 */
export const chained = <Message extends Link>(
  tracked: () => Tracked<Message>
): Kind<Message, Message, Message> => ({
  renews: true,
  mayProve: false,
  follower: () => {
    const state = tracked()
    let last: number | undefined
    const follow = (message: Message): Followed<Message, Message> => {
      const { isSnapshot, pastUpdateId, updateId } = message
      if (isSnapshot) {
        if (last !== undefined && (updateId < last || !state.equals(message))) return "gap"
        const isRepeated = last !== undefined
        last = updateId
        if (isRepeated) return []
        state.begin(message)
        return [Item.snapshot(message)]
      }
      // Changes that arrive before the snapshot belong to an earlier subscription.
      if (last === undefined) return []
      // A chain's sequence numbers never decrease.
      if (pastUpdateId !== last || updateId < last) return "gap"
      last = updateId
      state.change(message)
      return [Item.event(message)]
    }
    return {
      begin: () => {
        last = undefined
      },
      follow,
      join: () => []
    }
  }
})

/** The number of emitted ids to remember, which is more than the number of records in any response. */
const remembered = 1000

/** Describes how to read the records of a channel that pushes each record once. */
export interface Records<Message, Record> {
  /** Returns a message's records, oldest first. */
  readonly of: (message: Message) => ReadonlyArray<Record>
  readonly idOf: (record: Record) => string
  /** The maximum number of records in a response. A response with fewer records contains all records. */
  readonly limit: number
  /**
   * Reads the latest records, oldest first; absent if a subscription begins with them. The records must be in the
   * sequence in which they are pushed; otherwise a missed record could be older than the records in the response.
   */
  readonly read?: Read<ReadonlyArray<Record>>
}

/** Remembers the ids of the latest emitted records, to distinguish new records from known ones. */
class Emitted<Record> {
  readonly #ids = new Set<string>()
  readonly #idOf: (record: Record) => string

  constructor(idOf: (record: Record) => string) {
    this.#idOf = idOf
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0
  }

  clear(): void {
    this.#ids.clear()
  }

  /** The index of the first record that was emitted before; -1 if no record was emitted before. */
  find(records: ReadonlyArray<Record>): number {
    return records.findIndex((record) => this.#ids.has(this.#idOf(record)))
  }

  /** Remembers the records, and returns the new ones. */
  add(records: ReadonlyArray<Record>): ReadonlyArray<Record> {
    const fresh = records.filter((record) => !this.#ids.has(this.#idOf(record)))
    for (const record of fresh) this.#ids.add(this.#idOf(record))
    for (const id of this.#ids) {
      if (this.#ids.size <= remembered) break
      this.#ids.delete(id)
    }
    return fresh
  }
}

/**
 * Creates the kind for channels that push each record once, and whose latest records can be read. The state is a list
 * of these records, oldest first.
 */
export const identified = <Message, Record>(
  { idOf, limit, of, read }: Records<Message, Record>
): Kind<Message, Record, ReadonlyArray<Record>, ReadonlyArray<Record>> => ({
  renews: read === undefined,
  mayProve: true,
  ...(read === undefined ? {} : { read }),
  follower: () => {
    const emitted = new Emitted(idOf)
    let hasBegun = false
    let awaitsState = true
    const events = (records: ReadonlyArray<Record>) => emitted.add(records).map(Item.event)
    /** Emits the latest records, except those that were emitted before. */
    const state = (records: ReadonlyArray<Record>): Items<Record, ReadonlyArray<Record>> => {
      awaitsState = false
      const joined = emitted.find(records)
      const isProven = hasBegun && (joined !== -1 || (emitted.isEmpty && records.length < limit))
      hasBegun = true
      if (isProven) return events(records.slice(Math.max(joined, 0)))
      emitted.clear()
      emitted.add(records)
      return [Item.snapshot(records)]
    }
    const follow = (message: Message): Items<Record, ReadonlyArray<Record>> => {
      const records = of(message)
      if (awaitsState) return state(records)
      // When another subscriber subscribes, the exchange repeats the latest records. The records before the first known
      // record are older, so they are skipped.
      return events(records.slice(Math.max(emitted.find(records), 0)))
    }
    return {
      begin: (isInterrupted) => {
        awaitsState = true
        if (isInterrupted) hasBegun = false
      },
      follow,
      join: (answer, pushed) => [...state(answer), ...pushed.flatMap(follow)]
    }
  }
})

/** Describes the state that a channel's messages change. */
export interface Changes<Message, Event, State> {
  /** Reads the complete state. */
  readonly read: Read<State>
  /** Returns a message's events. */
  readonly of: (message: Message) => ReadonlyArray<Event>
  /** Whether the state certainly contains the event already. Default: always `false`. */
  readonly contains?: (state: State, event: Event) => boolean
}

/** Creates the kind for channels that push each change of a state once. */
export const stateful = <Message, Event, State>(
  { contains = () => false, of, read }: Changes<Message, Event, State>
): Kind<Message, Event, State, State> => ({
  renews: false,
  mayProve: false,
  read,
  follower: () => ({
    begin: () => {},
    follow: (message) => of(message).map(Item.event),
    join: (state, pushed) => [
      Item.snapshot(state),
      ...pushed.flatMap(of).filter((event) => !contains(state, event)).map(Item.event)
    ]
  })
})

/**
 * Creates the kind for channels that push each message once and have no query for past messages. After a gap, this
 * kind provides no state: `ChannelService.withStates` adds one.
 */
export const signals = <Message>(): Kind<Message, Message, never> => ({
  renews: false,
  mayProve: false,
  follower: () => ({
    begin: () => {},
    follow: (message) => [Item.event(message)],
    join: () => []
  })
})
